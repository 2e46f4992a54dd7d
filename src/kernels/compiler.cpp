#include "kernels/compiler.hpp"

#include <iterator>
#include <string>

#include "kernels/packaged.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
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
