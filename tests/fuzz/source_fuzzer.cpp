// Any source becomes a program, or is refused; whoever says that it reads no files is right; any
// text of a compiler is read.
#include <string>
#include <string_view>

#include "kernels/compile/program.hpp"
#include "support.hpp"
#include "usmx/base/error.hpp"

namespace {

/// Whether a line begins with a directive that reads a file which is not part of usmx.
bool has_directive(std::string text) {
  constexpr std::string_view own = "#include <usmx/kernel.hpp>";
  for (std::size_t at; (at = text.find(own)) != text.npos;) text.replace(at, own.size(), "");
  for (const std::string_view word : {"#include", "#embed", "#import", "#include_next"}) {
    if (text.starts_with(word) || text.find("\n" + std::string(word)) != text.npos) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  const std::string kernels[] = {input.ConsumeRandomLengthString(8)};
  const std::string option = input.ConsumeRandomLengthString(8);
  const std::string value = input.ConsumeRandomLengthString(8);
  const std::string source = input.ConsumeRemainingBytesAsString();
  try {
    const usmx::detail::program made = usmx::detail::make_program(
        source, kernels, {.defines = {{"N", value}}, .options = {option}});
    if (reads_only_given_files(made)) {
      USMX_EXPECT(!has_directive(source));
      USMX_EXPECT(option.find("-I") != 0 && option.find("-i") != 0);
    }
  } catch (const usmx::value_error& error) {
    USMX_EXPECT(!std::string_view(error.what()).empty());
  } catch (const usmx::compile_error& error) {
    USMX_EXPECT(error.diagnostics().empty());
  }
  for (const usmx::diagnostic& each : usmx::detail::parse_diagnostics(source)) {
    USMX_EXPECT(source.find(each.text) != source.npos);
  }
  return 0;
}
