#include "usmx/user_kernels/signature.hpp"

namespace usmx::inline v1 {

std::string to_string(const kernel_parameter& parameter) {
  switch (parameter.form) {
    case parameter_form::value:
      break;
    case parameter_form::pointer:
      return parameter.type_name + "*";
    case parameter_form::const_pointer:
      return "const " + parameter.type_name + "*";
    case parameter_form::local_memory:
      return "usmx::local_memory<" + parameter.type_name + ">";
  }
  return parameter.type_name;
}

std::string to_string(const kernel_signature& signature) {
  std::string text = signature.name + "(";
  for (const kernel_parameter& each : signature.parameters) {
    text += (&each == signature.parameters.data() ? "" : ", ") + to_string(each);
  }
  return text + ")";
}

}  // namespace usmx::inline v1
