// Compiling and building by the SYCL runtime, in the process that calls. Private to the library and
// the programs that compile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/ext/oneapi/experimental/syclbin_kernel_bundle.hpp>
#include <sycl/kernel_bundle.hpp>

#include "kernels/compile/boolean_signs.hpp"
#include "kernels/compile/program.hpp"

namespace usmx::inline v1::detail {

// Builds a module of SPIR-V for a device. The library does it after usmx-compile, which finds out
// whether it ends the process. Private to both.

/// Throws sycl::exception if it cannot be built.
inline sycl::kernel_bundle<sycl::bundle_state::executable> build_spirv(std::string_view module,
                                                                       const sycl::context& context,
                                                                       const sycl::device& device) {
  namespace syclex = sycl::ext::oneapi::experimental;
  const auto* first = reinterpret_cast<const std::byte*>(module.data());
  const std::vector<std::byte> bytes(first, first + module.size());
  auto source =
      syclex::create_kernel_bundle_from_source(context, syclex::source_language::spirv, bytes);
  return syclex::build(source, {device});
}

// Compiles a program by the SYCL runtime's compiler, in this process. Private to the programs that
// compile: it may end the process, and keeps much memory.

inline sycl::kernel_bundle<sycl::bundle_state::ext_oneapi_source> source_bundle_of(
    const program& given, const sycl::context& context) {
  namespace syclex = sycl::ext::oneapi::experimental;
  syclex::include_files files;
  for (const auto& [name, text] : given.files) {
    files.add(name, text);
  }
  return syclex::create_kernel_bundle_from_source(context, syclex::source_language::sycl,
                                                  given.text, syclex::properties(files));
}

/// Compiles a program to an object, with its booleans' signs mended. `log` gets the compiler's
/// text. Throws sycl::exception for a source that cannot be compiled.
inline sycl::kernel_bundle<sycl::bundle_state::object> object_bundle_of(
    sycl::kernel_bundle<sycl::bundle_state::ext_oneapi_source>& source, const program& given,
    const sycl::device& device, std::string& log) {
  namespace syclex = sycl::ext::oneapi::experimental;
  auto compiled = syclex::compile(
      source, {device},
      syclex::properties(syclex::build_options(given.options), syclex::save_log(&log)));
  const std::vector<char> object = compiled.ext_oneapi_get_content();
  auto mended = std::ranges::find(given.options, "-O0") != given.options.end()
                    ? std::nullopt
                    : object_with_boolean_signs({object.data(), object.size()});
  return mended
             ? syclex::get_kernel_bundle<sycl::bundle_state::object>(
                   source.get_context(), {device}, sycl::span<char>(mended->data(), mended->size()))
             : compiled;
}

}  // namespace usmx::inline v1::detail
