#include "usmx/user_kernels/signature.hpp"

#include "usmx/base/error.hpp"

namespace usmx::inline v1 {

std::string to_string(const kernel_parameter& parameter) {
  switch (parameter.form) {
    case parameter_form::value:
      break;
    case parameter_form::pointer:
      return detail::message(parameter.type_name, '*');
    case parameter_form::const_pointer:
      return detail::message("const ", parameter.type_name, '*');
    case parameter_form::local_memory:
      return detail::message("usmx::local_memory<", parameter.type_name, '>');
    case parameter_form::view:
      return detail::message("usmx::view<", parameter.type_name, ", ", parameter.ndim, '>');
    case parameter_form::const_view:
      return detail::message("usmx::view<const ", parameter.type_name, ", ", parameter.ndim, '>');
  }
  return parameter.type_name;
}

std::string to_string(const kernel_signature& signature) {
  std::string text = signature.name;
  const char* separator = "(";
  for (const kernel_parameter& each : signature.parameters) {
    text.append(separator).append(to_string(each));
    separator = ", ";
  }
  return text.append(signature.parameters.empty() ? "()" : ")");
}

}  // namespace usmx::inline v1
