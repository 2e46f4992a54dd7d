// Compiles a program by the SYCL runtime's compiler, in this process. Private to the programs that
// compile: it may end the process, and keeps much memory.
#pragma once

#include <string>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/kernel_bundle.hpp>

#include "user_kernels/compile/program.hpp"

namespace usmx::inline v1::detail {

/// A program for the runtime's compiler.
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

/// Its object. `log` gets the compiler's text. Throws sycl::exception for a source that cannot be
/// compiled.
inline sycl::kernel_bundle<sycl::bundle_state::object> object_bundle_of(
    sycl::kernel_bundle<sycl::bundle_state::ext_oneapi_source>& source, const program& given,
    const sycl::device& device, std::string& log) {
  namespace syclex = sycl::ext::oneapi::experimental;
  return syclex::compile(
      source, {device},
      syclex::properties(syclex::build_options(given.options), syclex::save_log(&log)));
}

}  // namespace usmx::inline v1::detail
