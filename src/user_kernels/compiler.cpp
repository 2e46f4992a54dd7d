#include "user_kernels/compiler.hpp"

#include <string_view>

#include <sycl/exception.hpp>
#include <sycl/kernel_bundle.hpp>

#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

namespace syclex = sycl::ext::oneapi::experimental;

/// What users see of the compiler's text when it fails.
std::string failure_text(const std::vector<diagnostic>& all, std::string_view log) {
  std::string text = "the kernel's source cannot be compiled:";
  for (const diagnostic& each : all) {
    if (each.severity == severity::error) {
      text += message(
          "\n  ",
          each.file.empty() ? "" : message(each.file, ':', each.line, ':', each.column, ": "),
          each.text);
    }
  }
  return all.empty() ? message(text, "\n", log) : text;
}

}  // namespace

compiled_program compile(const program& source, const sycl::context& context,
                         const sycl::device& device) {
  syclex::include_files files;
  for (const auto& [name, text] : source.files) {
    files.add(name, text);
  }
  compiled_program made;
  try {
    auto bundle = syclex::create_kernel_bundle_from_source(context, syclex::source_language::sycl,
                                                           source.text, syclex::properties(files));
    auto built = syclex::build(
        bundle, {device},
        syclex::properties(syclex::build_options(source.options), syclex::save_log(&made.log)));
    made.executable = built.ext_oneapi_get_content();
  } catch (const sycl::exception& failed) {
    std::vector<diagnostic> said = for_users(parse_diagnostics(failed.what()));
    std::string text = failure_text(said, failed.what());
    throw compile_error(text, std::move(said));
  }
  return made;
}

}  // namespace usmx::inline v1::detail
