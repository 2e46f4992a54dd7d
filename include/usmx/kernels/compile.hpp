// The options and the errors of compiling a user's kernel, and its parameters as the compiler saw
// them. This header does not need SYCL. Next: kernel.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"

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
  /// A function that the thread which waits for the compiler calls under no lock, once a second
  /// from the second second on, with the time since the beginning. An exception of it ends the
  /// compilation.
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
  /// The file: "<source>", or the name of a header; "<usmx>" for what usmx adds to the source;
  /// empty for none.
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

/// The form in which a kernel gets a parameter.
enum class parameter_form : std::uint8_t {
  value,          ///< A number or a structure: its bytes.
  pointer,        ///< A pointer to elements that the kernel may write.
  const_pointer,  ///< A pointer to elements that the kernel only reads.
  local_memory,   ///< Memory that the work items of a group share.
  view,           ///< A usmx::view, whose elements the kernel may write.
  const_view,     ///< A usmx::view of const elements, which the kernel only reads.
};

/// A parameter of a kernel.
struct kernel_parameter {
  /// The form in which the kernel gets it.
  parameter_form form;
  /// The type of the value, or of an element; `structured` for a class, and for void.
  type_code type;
  /// The size in bytes of the value, or of an element; 0 for void.
  std::size_t size;
  /// The alignment in bytes of the value, or of an element; 1 for void.
  std::size_t alignment;
  /// The name of the value's or the element's type, such as "float".
  std::string type_name;
  /// The number of dimensions of a view, else 0.
  int ndim = 0;
  /// Whether an integer may have a sign or not: SPIR-V does not tell. `type` then has one.
  bool is_signless = false;

  /// Whether both are equal in every member.
  bool operator==(const kernel_parameter&) const = default;
};

/// The name and the parameters of a kernel.
struct kernel_signature {
  /// The name, as in the source.
  std::string name;
  /// The parameters, in their order.
  std::vector<kernel_parameter> parameters;
  /// The dimensions of its nd_range, 1 to 3; 0 if the compiler did not tell.
  int dimensions = 0;

  /// Whether both are equal in every member.
  bool operator==(const kernel_signature&) const = default;
};

/// The parameter as in C++, such as "const float*".
USMX_API std::string to_string(const kernel_parameter&);
/// The kernel as in C++, such as "axpy(float, const float*, float*)".
USMX_API std::string to_string(const kernel_signature&);

}  // namespace usmx::inline v1
