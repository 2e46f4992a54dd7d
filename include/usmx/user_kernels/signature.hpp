// The parameters of a user's kernel, as the compiler saw them. This header does not need SYCL.
// Next: kernel.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1 {

/// The form in which a kernel gets a parameter.
enum class parameter_form : std::uint8_t {
  value,          ///< A number or a structure: its bytes.
  pointer,        ///< A pointer to elements that the kernel may write.
  const_pointer,  ///< A pointer to elements that the kernel only reads.
  local_memory,   ///< Memory that the work items of a group share.
  view,           ///< A usmx::view, whose elements the kernel may write.
  const_view,     ///< A usmx::view of const elements, which the kernel only reads.
};

/// One parameter of a kernel.
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
