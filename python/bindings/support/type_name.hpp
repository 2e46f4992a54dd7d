// The names of Python types in messages.
#pragma once

#include <Python.h>

#include <string>
#include <string_view>

namespace usmx::bindings {

/// The name of an object's type; a long name is cut. Never fails: a name is valid UTF-8, and stays
/// so.
inline std::string type_name(PyObject* object) {
  constexpr std::size_t longest = 100;
  const std::string_view name = Py_TYPE(object)->tp_name;
  if (name.size() <= longest) {
    return std::string(name);
  }
  std::size_t end = longest;
  while ((static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) {  // within a character
    --end;
  }
  return std::string(name.substr(0, end)) + "...";
}

}  // namespace usmx::bindings
