// Reports of a compilation to Python: its progress, its warnings and its errors.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "support/nanobind.hpp"
#include "usmx/user_kernels/compile.hpp"

namespace usmx::bindings {

/// Tells the user that a compilation takes long. It refers to the names.
class progress_line {
 public:
  explicit progress_line(const std::vector<std::string>& names) : names_(names) {}
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;
  /// With the interpreter lock.
  ~progress_line();

  /// Without the interpreter lock. What Python raises ends the compilation: it may be a Ctrl-C.
  void show(std::chrono::seconds passed);

 private:
  void tell(std::chrono::seconds passed) const;

  const std::vector<std::string>& names_;
  bool is_shown_ = false;
};

/// Raises a CompileError.
[[noreturn]] void raise_compile_error(const compile_error&);

/// Python's warnings for the compiler's. To be called with the interpreter lock.
void warn_of(const std::vector<diagnostic>&);

}  // namespace usmx::bindings
