// The options and the errors of compiling a user's kernel. This header does not need SYCL. Next:
// kernel.hpp.
#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// How a source is compiled.
struct compile_options {
  /// Macros and their values, which are defined before the source begins. A name is an identifier.
  std::vector<std::pair<std::string, std::string>> defines = {};
  /// Names and texts of headers, which the source can include by these names.
  std::vector<std::pair<std::string, std::string>> headers = {};
  /// Options for the compiler: the SYCL runtime's, such as "-O1" or "-ffast-math"; for CUDA devices
  /// NVIDIA's, such as "--use_fast_math".
  std::vector<std::string> options = {};
  /// Whether each access through a usmx::view checks its indices. Each launch then waits for the
  /// kernel, and throws index_error with the first bad access. Bad accesses reach no array.
  bool debug = false;
  /// Called by the thread that waits for the compiler, under no lock, once a second from the second
  /// second on, with the time since the beginning. What it throws ends the compilation.
  std::function<void(std::chrono::seconds)> progress = {};
};

/// How grave a diagnostic is.
enum class severity {
  note,     ///< Explains the diagnostic before it.
  warning,  ///< The source was compiled all the same.
  error,    ///< The source was not compiled.
};

/// A message of a compiler about a place in a source.
struct diagnostic {
  /// "<source>", or the name of a header; "<usmx>" for what usmx adds to the source; empty for
  /// none.
  std::string file;
  /// The line, from 1 on; 0 for none.
  int line;
  /// The column, from 1 on; 0 for none.
  int column;
  /// How grave it is.
  usmx::severity severity;
  /// The compiler's text.
  std::string text;
};

/// A source cannot be compiled. Python: CompileError.
class USMX_API compile_error : public std::runtime_error {
 public:
  /// An error with the compiler's whole text.
  compile_error(const std::string& message, std::vector<diagnostic> diagnostics)
      : runtime_error(message), diagnostics_(std::move(diagnostics)) {}

  /// The compiler's messages, in its order.
  const std::vector<diagnostic>& diagnostics() const noexcept { return diagnostics_; }

 private:
  std::vector<diagnostic> diagnostics_;
};

}  // namespace usmx::inline v1
