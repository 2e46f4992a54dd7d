#include "kernels/runtime_compiler.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "usmx/base/error.hpp"

// Made by cmake/UsmxKernels.cmake: a line USMX_SOURCE(symbol, name, path) for each file of
// src/kernels/device.
#define USMX_SOURCE(symbol, name, path) USMX_EMBED(source_##symbol, path)
#include "kernel_sources.inc"
#undef USMX_SOURCE

namespace usmx::inline v1::detail {

std::span<const kernel_source> kernel_sources() {
#define USMX_SOURCE(symbol, name, path) \
  kernel_source{name, std::string_view(usmx_source_##symbol##_begin, usmx_source_##symbol##_end)},
  static const kernel_source all[] = {
#include "kernel_sources.inc"
  };
#undef USMX_SOURCE
  return all;
}

std::string_view kernel_source_text(std::string_view name) {
  return std::ranges::find(kernel_sources(), name, &kernel_source::name)->text;
}

namespace {

namespace syclex = sycl::ext::oneapi::experimental;

sycl::kernel_bundle<sycl::bundle_state::ext_oneapi_source> source_bundle(
    const sycl::context& context, kernel_group group) {
  syclex::include_files headers;
  for (const kernel_source& file : kernel_sources()) {
    headers.add(std::string(file.name), std::string(file.text));
  }
  return syclex::create_kernel_bundle_from_source(
      context, syclex::source_language::sycl,
      std::string(kernel_source_text(source_file_of(group))), syclex::properties(headers));
}

}  // namespace

std::vector<char> compile_kernels(const sycl::context& context, kernel_group group,
                                  kernel_shape shape) {
  auto source = source_bundle(context, group);
  const auto object = syclex::compile(
      source, syclex::properties(syclex::build_options(compile_options_of(group, shape))));
  // Expects one image: if there are several, an image that is linked at run time would be saved
  // without code, and each process would build it.
  if (const auto images = std::distance(object.begin(), object.end()); images != 1) {
    throw value_error(message("kernels of a group must be one image, found ", images));
  }
  return object.ext_oneapi_get_content();
}

sycl::kernel_bundle<sycl::bundle_state::executable> build_kernels(const sycl::context& context,
                                                                  const sycl::device& device,
                                                                  kernel_group group,
                                                                  kernel_shape shape) {
  auto source = source_bundle(context, group);
  return syclex::build(source, {device},
                       syclex::properties(syclex::build_options(compile_options_of(group, shape))));
}

}  // namespace usmx::inline v1::detail
