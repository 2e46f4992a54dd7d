// Turns a user's source into the text that a compiler gets, the SYCL runtime's or NVIDIA's, and the
// compiler's messages into messages about the user's lines. No SYCL here. Private to the library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/compile/child.hpp"
#include "usmx/kernels/compile.hpp"

namespace usmx::inline v1::detail {

struct program {
  /// Defines the macros, includes the source, and asks for the parameters of the kernels. Or a
  /// module of SPIR-V, without anything else.
  std::string text;
  std::vector<std::string> kernels;
  /// Virtual files: the source, the user's headers and usmx/kernel.hpp.
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<std::string> options;
  /// The line of the text that asks for the first kernel; one line for each follows.
  int first_kernel_line;
};

/// Makes a program from a source, or from a module of SPIR-V. Throws value_error for a name that is
/// no identifier, for a null character, and for options that a module cannot have; compile_error
/// for OpenCL C and CUDA C++.
program make_program(std::string_view source, std::span<const std::string> kernels,
                     const compile_options&);

/// The option by which all kernels of a program are in one image.
inline constexpr std::string_view one_image_option = "-fsycl-device-code-split=off";

/// Makes a program of usmx's own: of the file of that name, which may include the other files.
program make_own_program(std::string_view name, std::vector<std::string> kernels,
                         std::vector<std::pair<std::string, std::string>> files,
                         std::vector<std::string> options);

/// The program for NVIDIA's compiler, which finds virtual files by the names that they are included
/// by.
program as_for_nvrtc(program);

/// Whether a program has one kernel, and no macros: then it can be one of several that are compiled
/// at once.
bool is_joinable(const program&);
/// Joins such programs of the same options in one, each in a namespace of its own. Their kernels
/// keep their names, which must differ. Headers with #pragma once are common to all.
program joined(std::span<const program* const>);

/// Whether the compiler sees nothing but what it is given: every #include names one of the virtual
/// files, and no option names a file. False where that is not sure.
bool reads_only_given_files(const program&);

/// All that the compiler is given, each with its size, so that two programs differ. usmx's own
/// headers are as they are for all programs: of them it has a hash.
std::string identity_text(const program&);

/// The compiler's name of a file as users know it.
std::string shown_file(std::string_view file);

/// The compiler's text, one diagnostic for each that has a location or is an error.
std::vector<diagnostic> parse_diagnostics(std::string_view log);

/// The dimensions that USMX_KERNEL said for the `index`-th kernel; 0 if unknown.
int dimensions_in(const std::vector<diagnostic>&, const program&, std::size_t index);

/// A line of a compiler's text in which dimensions_in() finds them.
std::string dimensions_text(const program&, std::size_t index, int dimensions);

/// Whether a message is about usmx's own lines, which come after the source.
bool is_after_source(const diagnostic&);

/// The kernel that is no function of the source, if that is what the compiler says.
std::optional<std::string> missing_kernel(const diagnostic&, const program&);

/// The messages for users, each once: a kernel that is generated for a GPU has the user's text
/// several times. Those that usmx itself made the compiler say are left out.
std::vector<diagnostic> for_users(std::vector<diagnostic>);

inline void add_program(message_writer& request, const program& added) {
  request.add(added.text);
  for (const std::vector<std::string>* texts : {&added.kernels, &added.options}) {
    request.add(texts->size());
    for (const std::string& each : *texts) {
      request.add(each);
    }
  }
  request.add(added.files.size());
  for (const auto& [name, text] : added.files) {
    request.add(name);
    request.add(text);
  }
}

/// Throws std::runtime_error where the request ends early.
inline program take_program(message_reader& request) {
  program taken{};
  taken.text = request.text();
  for (std::vector<std::string>* texts : {&taken.kernels, &taken.options}) {
    texts->resize(request.number());
    for (std::string& each : *texts) {
      each = request.text();
    }
  }
  taken.files.resize(request.number());
  for (auto& [name, text] : taken.files) {
    name = request.text();
    text = request.text();
  }
  // The lines of the kernels are the last ones.
  taken.first_kernel_line = static_cast<int>(std::ranges::count(taken.text, '\n')) -
                            static_cast<int>(taken.kernels.size()) + 1;
  return taken;
}

}  // namespace usmx::inline v1::detail
