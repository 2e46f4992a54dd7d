#include "kernels/compile/program.hpp"

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <tuple>

#include "kernels/cache_files.hpp"
#include "kernels/compile/spirv.hpp"
#include "kernels/groups.hpp"
#include "usmx/base/error.hpp"

USMX_EMBED(kernel_header, USMX_REPOSITORY "/include/usmx/kernel.hpp")
USMX_EMBED(kernel_complex_header, USMX_REPOSITORY "/include/usmx/kernel_complex.hpp")
USMX_EMBED(kernel_cuda_header, USMX_REPOSITORY "/include/usmx/kernel_cuda.hpp")
USMX_EMBED(kernel_groups_header, USMX_REPOSITORY "/include/usmx/kernel_groups.hpp")
USMX_EMBED(kernel_math_header, USMX_REPOSITORY "/include/usmx/kernel_math.hpp")

namespace usmx::inline v1::detail {
namespace {

// Folders that exist only for the compiler.
constexpr std::string_view user_headers = "/usmx-user-headers/";
constexpr std::string_view own_headers = "/usmx-headers/";
constexpr std::string_view source_file = "<source>";

struct embedded_header {
  std::string_view name;
  const char* begin;
  const char* end;
};
const embedded_header headers_of_kernels[] = {
    {"usmx/kernel.hpp", usmx_kernel_header_begin, usmx_kernel_header_end},
    {"usmx/kernel_complex.hpp", usmx_kernel_complex_header_begin, usmx_kernel_complex_header_end},
    {"usmx/kernel_cuda.hpp", usmx_kernel_cuda_header_begin, usmx_kernel_cuda_header_end},
    {"usmx/kernel_groups.hpp", usmx_kernel_groups_header_begin, usmx_kernel_groups_header_end},
    {"usmx/kernel_math.hpp", usmx_kernel_math_header_begin, usmx_kernel_math_header_end}};

/// Options that usmx adds before the user's. An assertion that fails would end the process. A
/// launch may have 2^31 work items and more: usmx/kernel.hpp counts them in 64 bits, as cheaply.
constexpr std::string_view own_definition = "-DNDEBUG";
constexpr std::string_view own_range = "-fsycl-id-queries-range=size_t";
/// After them: a kernel says its dimensions in a warning, which is no error even with -Werror. Two
/// folders follow.
constexpr std::string_view own_warning = "-Wno-error=deprecated-declarations";
constexpr std::size_t options_after = 3;
constexpr std::string_view own_file = "<usmx>";
/// Whether a * b + c may be rounded once: "off", or "on" and "fast". NVIDIA's compiler spells it
/// otherwise.
constexpr std::string_view contraction = "-ffp-contract=";

/// The beginning of the warning of USMX_KERNEL.
constexpr std::string_view dimensions_mark = "usmx kernel of dimensions: ";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_character(char c) {
  return c == '_' || is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

void require_identifier(std::string_view what, std::string_view name) {
  if (name.empty() || is_digit(name.front()) || !std::ranges::all_of(name, is_word_character)) {
    throw value_error(message(what, " must be an identifier of C++, found '", name, "'"));
  }
}

void require_no_null_character(std::string_view what, std::string_view text) {
  if (const std::size_t at = text.find('\0'); at != text.npos) {
    throw value_error(message(what, " must be text, found a null character at ", at));
  }
}

/// The line that defines a macro for the preprocessor.
std::string definition(const std::string& name, const std::string& value) {
  require_identifier("the name of a macro", name);
  require_no_null_character(message("the value of the macro ", name), value);
  if (value.find_first_of("\n\r") != value.npos || value.ends_with('\\')) {
    throw value_error(message("the value of the macro ", name,
                              " must be one line that ends without a backslash, found '", value,
                              "'"));
  }
  return message("#define ", name, ' ', value, '\n');
}

constexpr std::string_view kernel_header = "#include <usmx/kernel.hpp>\n";

/// The line that requests a kernel. The compiler warns of deprecated names in an alias, and not in
/// an instantiation.
std::string request(std::size_t index, const std::string& kernel) {
  return message("using usmx_kernel_", index, " = decltype(", kernel,
                 "); template USMX_GLOBAL void usmx::kernel_signature::signature<", index,
                 ", usmx::kernel_signature::kernel_words<usmx_kernel_", index, ">>();\n");
}

/// A text up to the next line's end, which is taken away from the front.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line;
}

std::optional<severity> severity_of(std::string_view word) {
  if (word == "error" || word == "fatal error" || word == "catastrophic error") {
    return severity::error;
  }
  if (word == "warning") {
    return severity::warning;
  }
  return word == "note" || word == "remark" ? std::optional(severity::note) : std::nullopt;
}

/// A number with `before` in front of it, taken away from the end of the text.
std::optional<int> take_number_at_end(std::string_view& text, char before) {
  const std::size_t mark = text.rfind(before);
  if (mark == text.npos) {
    return std::nullopt;
  }
  int number = 0;
  const std::string_view digits = text.substr(mark + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) {
    return std::nullopt;
  }
  text = text.substr(0, mark);
  return number;
}

/// Sets the file, the line and the column: "file:line:column", or "file(line)" of NVIDIA's.
void set_location(diagnostic& found, std::string_view index) {
  if (index.ends_with(')')) {
    index.remove_suffix(1);
    found.line = take_number_at_end(index, '(').value_or(0);
  } else {
    found.column = take_number_at_end(index, ':').value_or(0);
    found.line = take_number_at_end(index, ':').value_or(0);
  }
  if (found.line != 0) {  // else it names a program, as in "nvrtc: error: ..."
    found.file = shown_file(index);
  }
}

/// The text after the severity and its ": ", or " #177-D: " from NVIDIA's compiler. Empty if
/// something else follows the severity.
std::string_view text_after_severity(std::string_view rest) {
  constexpr std::string_view end = ": ";
  if (rest.starts_with(" #")) {
    rest.remove_prefix(std::min(rest.find(end), rest.size()));
  }
  return rest.starts_with(end) ? rest.substr(end.size()) : std::string_view();
}

/// Reads a line "location: severity: text", or "severity: text".
std::optional<diagnostic> parse_line(std::string_view line) {
  constexpr std::string_view words[] = {
      "catastrophic error", "fatal error", "error", "warning", "note", "remark"};
  for (const std::string_view word : words) {
    const std::string inner = message(": ", word);
    const std::size_t at = line.starts_with(word) ? 0 : line.find(inner);
    if (at == line.npos) {
      continue;
    }
    const std::size_t end = at + (at == 0 ? word.size() : inner.size());
    const std::string_view text = text_after_severity(line.substr(end));
    if (!text.empty()) {
      diagnostic found{{}, 0, 0, *severity_of(word), std::string(text)};
      set_location(found, line.substr(0, at));
      return found;
    }
  }
  return std::nullopt;
}

/// The column of NVIDIA's mark under a line of the source, which both are indented by two; 0 for
/// other lines.
int marked_column(std::string_view line) {
  const std::size_t mark = line.find_first_not_of(' ');
  return mark != line.npos && mark >= 2 && line.substr(mark) == "^" ? static_cast<int>(mark) - 1
                                                                    : 0;
}

// ---- the files that a program reads

/// The text as the compiler sees it: lines that end with a backslash go on.
std::string without_line_splices(std::string_view text) {
  std::string joined;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      const std::size_t end = text.find_first_not_of(" \t\r", at + 1);
      if (end != text.npos && text[end] == '\n') {
        at = end;
        continue;
      }
    }
    joined.push_back(text[at]);
  }
  return joined;
}

/// The name in quotes or angle brackets that the text begins with; empty if there is none.
std::string_view included_name(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  if (text.empty() || (text[0] != '"' && text[0] != '<')) {
    return {};
  }
  const std::size_t end = text.find(text[0] == '"' ? '"' : '>', 1);
  return end == text.npos ? std::string_view() : text.substr(1, end - 1);
}

bool is_given(std::string_view name, const program& by) {
  return std::ranges::any_of(by.files, [&](const auto& file) {
    return file.first == message(user_headers, name) || file.first == message(own_headers, name);
  });
}

/// Whether the `word` at that index is a harmless part of the text: prose, or `#include` of a file
/// that was given.
bool is_harmless(std::string_view text, std::size_t at, std::string_view word, const program& by) {
  const std::size_t before = at == 0 ? text.npos : text.find_last_not_of(" \t", at - 1);
  const char previous = before == text.npos ? '\n' : text[before];
  if (previous == '#') {
    return word == "include" && is_given(included_name(text.substr(at + word.size())), by);
  }
  return is_word_character(previous) && previous != '_';
}

bool reads_only_given_files(std::string_view text, const program& by) {
  const std::string joined = without_line_splices(text);
  for (const std::string_view word : {"include", "embed", "import"}) {
    for (std::size_t at = joined.find(word); at != joined.npos; at = joined.find(word, at + 1)) {
      if (!is_harmless(joined, at, word, by)) {
        return false;
      }
    }
  }
  return true;
}

/// Whether an option is one that usmx knows. None of these names a file.
bool is_known_option(std::string_view option) {
  const auto begins_with = [&](std::string_view word) { return option.starts_with(word); };
  constexpr std::string_view words[] = {"-O", "-D", "-U", "-W", "-g", "-std="};
  return std::ranges::any_of(words, begins_with) || option == own_range ||
         option == one_image_option || begins_with(contraction) ||
         (begins_with("-f") && option.find('=') == option.npos);
}

/// A relative path begins in the caller's working directory, which is not the compiler's.
std::string absolute(std::string_view folder) {
  std::error_code failed;
  const std::filesystem::path whole = std::filesystem::absolute(folder, failed);
  return failed || folder.empty() ? std::string(folder) : whole.native();
}

/// The options with absolute paths of the folders that they name, in the same option or in the
/// next.
std::vector<std::string> with_absolute_folders(std::span<const std::string> options) {
  constexpr std::string_view words[] = {
      "-isystem-after",       "-isystem",        "-iquote", "-idirafter",
      "--include-directory=", "--include-path=", "-I"};
  std::vector<std::string> all;
  bool is_folder = false;
  for (const std::string& option : options) {
    const auto* const word = std::ranges::find_if(
        words, [&](std::string_view each) { return option.starts_with(each); });
    if (is_folder) {
      all.push_back(absolute(option));
      is_folder = false;
    } else if (word == std::end(words)) {
      all.push_back(option);
    } else {
      const std::string_view folder = std::string_view(option).substr(word->size());
      all.push_back(message(*word, absolute(folder)));
      is_folder = folder.empty();
    }
  }
  return all;
}

void add_last_options(program& to) {
  to.options.emplace_back(own_warning);
  to.options.push_back(message("-I", user_headers));
  to.options.push_back(message("-I", own_headers));
}

bool is_marked(const diagnostic& each) {
  return each.text.find(dimensions_mark) != std::string::npos;
}

program program_of_module(std::string_view module, std::span<const std::string> kernels,
                          const compile_options& how) {
  if (!how.defines.empty() || !how.headers.empty() || !how.options.empty() || how.debug) {
    throw value_error(
        "a module of SPIR-V is compiled already: expected no defines, headers, "
        "options or debug, found some");
  }
  for (const std::string& kernel : kernels) {
    spirv_parameters(module, kernel);  // throws for a module that no compiler needs to see
  }
  const std::string_view modules[] = {module};
  require_definitions(modules);
  return {std::string(module), {kernels.begin(), kernels.end()}, {}, {}, 0};
}

/// Throws compile_error for OpenCL C, by words that are in nearly every source of it and in none of
/// SYCL.
void require_no_opencl_c(std::string_view source) {
  const auto has = [&](std::string_view word) { return source.find(word) != source.npos; };
  if ((has("__kernel") || has("kernel void") || has("get_global_id(")) && !has("usmx/kernel.hpp") &&
      !has("USMX_KERNEL") && !has("sycl")) {
    throw compile_error(
        "the kernel's source is OpenCL C, which usmx does not compile: expected SYCL, such as "
        "USMX_KERNEL(1) f(float* x) { ... } after #include <usmx/kernel.hpp>; "
        "dpctl.program.create_program_from_source compiles OpenCL C",
        {});
  }
}

/// Throws compile_error for CUDA C++, by the word that every kernel of CUDA begins with and none of
/// usmx.
void require_no_cuda(std::string_view source) {
  if (source.find("__global__") != source.npos && source.find("USMX_KERNEL") == source.npos) {
    throw compile_error(
        "the kernel's source is CUDA C++, which usmx does not compile: expected "
        "USMX_KERNEL(1) f(float* x) { ... } after #include <usmx/kernel.hpp>, with "
        "usmx::global_id() in place of blockDim.x * blockIdx.x + threadIdx.x; "
        "docs/how-to/kernels-from-elsewhere.md has the other names",
        {});
  }
}

/// Refuses standards before C++17, which kernels need, as in "-std=c++14" or "--std=gnu++98".
void require_known_standard(std::string_view option) {
  const std::size_t at = option.find("++");
  if (!option.starts_with("-std=") && !option.starts_with("--std=")) {
    return;
  }
  constexpr std::string_view old[] = {"98", "03", "0x", "11", "1y", "14"};
  if (at == option.npos || std::ranges::find(old, option.substr(at + 2)) != std::end(old)) {
    throw value_error(
        message("options: kernels are C++17 or later, such as '-std=c++20', found '", option, "'"));
  }
}

}  // namespace

program make_program(std::string_view source, std::span<const std::string> kernels,
                     const compile_options& how) {
  if (internal::is_spirv(source)) {
    return program_of_module(source, kernels, how);
  }
  require_no_null_character("the source of a kernel", source);
  require_no_opencl_c(source);
  require_no_cuda(source);
  // The header comes before the macros, which may have names that it uses.
  for (const std::string& option : how.options) {
    require_no_null_character("an option", option);
    require_known_standard(option);
  }
  program made{how.debug ? "#define USMX_CHECKED_VIEWS\n" : "",
               {kernels.begin(), kernels.end()},
               {},
               {std::string(own_definition), std::string(own_range)},
               0};
  std::ranges::move(with_absolute_folders(how.options), std::back_inserter(made.options));
  made.text += kernel_header;
  for (const auto& [name, value] : how.defines) {
    made.text += definition(name, value);
  }
  made.text += message("#include \"", source_file, "\"\n");
  made.first_kernel_line = static_cast<int>(std::ranges::count(made.text, '\n')) + 1;
  for (const std::string& kernel : kernels) {
    require_identifier("the name of a kernel", kernel);
    made.text += request(static_cast<std::size_t>(&kernel - kernels.data()), kernel);
  }
  made.files.emplace_back(source_file, source);
  for (const auto& [name, text] : how.headers) {
    require_no_null_character("the name of a header", name);
    require_no_null_character(message("'", name, "' of a kernel"), text);
    made.files.emplace_back(message(user_headers, name), text);
  }
  for (const auto& [name, begin, end] : headers_of_kernels) {
    made.files.emplace_back(message(own_headers, name), std::string(begin, end));
  }
  add_last_options(made);
  return made;
}

program make_own_program(std::string_view name, std::vector<std::string> kernels,
                         std::vector<std::pair<std::string, std::string>> files,
                         std::vector<std::string> options) {
  program made{message("#include \"", name, "\"\n"), std::move(kernels), std::move(files),
               std::move(options), 0};
  for (auto& [file, text] : made.files) {
    file = message(own_headers, file);
  }
  add_last_options(made);
  return made;
}

program as_for_nvrtc(program made) {
  for (auto& [name, text] : made.files) {
    name = shown_file(name);
  }
  made.options.resize(made.options.size() - options_after);
  std::erase(made.options, own_range);
  for (std::string& option : made.options) {
    if (option.starts_with(contraction)) {
      option = option.ends_with("=off") ? "--fmad=false" : "--fmad=true";
    }
  }
  return made;
}

bool is_joinable(const program& given) {
  return given.kernels.size() == 1 &&
         given.text == message(kernel_header, "#include \"", source_file, "\"\n",
                               request(0, given.kernels.front()));
}

program joined(std::span<const program* const> all) {
  program made{std::string(kernel_header), {}, {}, all.front()->options, 0};
  std::string requests;
  std::string sources;
  for (const program* each : all) {
    const std::size_t index = made.kernels.size();
    for (const auto& [name, text] : each->files) {
      const bool is_own = name.starts_with(own_headers);
      const bool is_common = is_own || text.find("#pragma once") != text.npos;
      const std::string path =
          is_common ? name : message(user_headers, index, '/', shown_file(name));
      if (std::ranges::find(made.files, path, &std::pair<std::string, std::string>::first) !=
          made.files.end()) {
        continue;
      }
      made.files.emplace_back(path, text);
      if (is_common && !is_own) {
        made.text += message("#include \"", shown_file(name), "\"\n");
      }
    }
    const std::string space = message("usmx_program_", index);
    sources += message("namespace ", space, " {\n#include \"", index, '/', source_file, "\"\n}\n");
    requests += request(index, message(space, "::", each->kernels.front()));
    made.kernels.push_back(each->kernels.front());
  }
  made.text += sources;
  made.first_kernel_line = static_cast<int>(std::ranges::count(made.text, '\n')) + 1;
  made.text += requests;
  return made;
}

bool reads_only_given_files(const program& by) {
  if (internal::is_spirv(by.text)) {
    return true;
  }
  const std::span<const std::string> options(by.options.data(), by.options.size() - options_after);
  return std::ranges::all_of(options, is_known_option) &&
         std::ranges::all_of(by.files, [&](const auto& file) {
           return file.first.starts_with(own_headers) || reads_only_given_files(file.second, by);
         });
}

std::string identity_text(const program& source) {
  std::string text;
  const auto add = [&](std::string_view part) { text += message(part.size(), ':', part, '\n'); };
  add(source.text);
  for (const std::string& option : source.options) {
    add(option);
  }
  std::uint64_t own = 0;
  for (const auto& [name, content] : source.files) {
    if (name.starts_with(own_headers)) {
      own = own * 31 + hash_of(content);
    } else {
      add(name);
      add(content);
    }
  }
  return text + message("usmx's headers ", own);
}

std::string shown_file(std::string_view file) {
  if (file.starts_with("./")) {
    file.remove_prefix(2);
  }
  for (const std::string_view folder : {user_headers, own_headers}) {
    if (file.starts_with(folder)) {
      return std::string(file.substr(folder.size()));
    }
  }
  return std::string(file.starts_with("rtc_") ? own_file : file);
}

std::vector<diagnostic> parse_diagnostics(std::string_view log) {
  std::vector<diagnostic> all;
  while (!log.empty()) {
    std::string_view line = take_line(log);
    line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
    if (auto found = parse_line(line)) {
      all.push_back(*std::move(found));
    } else if (!all.empty() && all.back().column == 0) {
      all.back().column = marked_column(line);
    }
  }
  return all;
}

int dimensions_in(const std::vector<diagnostic>& all, const program& compiled, std::size_t index) {
  const int line = compiled.first_kernel_line + static_cast<int>(index);
  for (const diagnostic& each : all) {
    if (each.file == own_file && each.line == line && is_marked(each)) {
      const std::size_t digit = each.text.find(dimensions_mark) + dimensions_mark.size();
      const char found = digit < each.text.size() ? each.text[digit] : '0';
      return found >= '1' && found <= '3' ? found - '0' : 0;
    }
  }
  return 0;
}

std::string dimensions_text(const program& compiled, std::size_t index, int dimensions) {
  return message("rtc_0.cpp:", compiled.first_kernel_line + static_cast<int>(index),
                 ":1: warning: ", dimensions_mark, dimensions, '\n');
}

bool is_after_source(const diagnostic& each) { return each.file == own_file; }

std::optional<std::string> missing_kernel(const diagnostic& said, const program& compiled) {
  const std::ptrdiff_t index = said.line - compiled.first_kernel_line;
  if (!is_after_source(said) || index < 0 || index >= std::ssize(compiled.kernels)) {
    return std::nullopt;
  }
  const std::string& name = compiled.kernels[static_cast<std::size_t>(index)];
  const bool is_unknown = said.text == message("use of undeclared identifier '", name, "'") ||
                          said.text == message("identifier \"", name, "\" is undefined");
  return is_unknown ? std::optional(name) : std::nullopt;
}

std::vector<diagnostic> for_users(std::vector<diagnostic> all) {
  const auto content = [](const diagnostic& each) {
    return std::tie(each.file, each.line, each.column, each.text);
  };
  std::vector<diagnostic> kept;
  bool is_left_out = false;  // with the notes that follow
  for (diagnostic& each : all) {
    if (each.severity != severity::note) {
      is_left_out =
          is_marked(each) || std::ranges::find(kept, content(each), content) != kept.end();
    }
    if (!is_left_out) {
      kept.push_back(std::move(each));
    }
  }
  return kept;
}

}  // namespace usmx::inline v1::detail
