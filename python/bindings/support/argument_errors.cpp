#include "support/argument_errors.hpp"

#include <algorithm>
#include <cstddef>

#include "support/arguments.hpp"
#include "support/errors.hpp"
#include "support/type_name.hpp"

namespace usmx::bindings {
namespace {

void erase_all(std::string& text, std::string_view part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos;) {
    text.erase(at, part.size());
  }
}

/// "def name(self, x: usmx._core._Producer = 3) -> None" as "name(x: Producer = 3)".
std::string public_signature(std::string text, std::string_view name, bool is_method) {
  text.erase(0, text.find('('));
  text.resize(std::min(text.rfind(" -> "), text.size()));
  if (is_method) {
    text.erase(1, std::string_view("self").size());
    text.erase(1, text.starts_with("(, ") ? 2 : 0);
  }
  for (const std::string_view module :
       {"usmx._core.", "typing.", "typing_extensions.", "collections.abc."}) {
    erase_all(text, module);
  }
  for (std::size_t at = 0; (at = text.find(" _", at)) != text.npos; ++at) {
    text.erase(at + 1, 1);
  }
  return std::string(name) + text;
}

bool is_nanobinds(const nb::python_error& error, std::string_view name) {
  if (!error.matches(PyExc_TypeError)) {
    return false;
  }
  const nb::object text = checked(PyObject_Str(error.value().ptr()));
  return to_text("error", text.ptr())
      .starts_with(std::string(name) + "(): incompatible function arguments");
}

/// "name(int, axis=str)"
std::string call_text(std::string_view name, PyObject* const* arguments, Py_ssize_t count,
                      PyObject* keywords) {
  std::string text = std::string(name) + '(';
  const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  for (Py_ssize_t k = 0; k < count + named; ++k) {
    text += k == 0 ? "" : ", ";
    if (k >= count) {
      text += to_text("keyword", PyTuple_GET_ITEM(keywords, k - count));
      text += '=';
    }
    text += type_name(arguments[k]);
  }
  return text + ')';
}

}  // namespace

std::string signatures_text(nb::handle function, std::string_view name, bool is_method) {
  const nb::object signatures = nb::getattr(function, "__nb_signature__");
  std::string text;
  for (const nb::handle each : nb::borrow<nb::tuple>(signatures)) {
    const nb::object declared = nb::borrow<nb::tuple>(each)[0];
    text += text.empty() ? "" : " or ";
    text += public_signature(std::string(to_text("signature", declared.ptr())), name, is_method);
  }
  return text;
}

void explain_refused_arguments(std::string_view nanobinds_name, std::string_view name,
                               std::string_view signatures, PyObject* const* arguments,
                               Py_ssize_t count, PyObject* keywords) noexcept {
  static_cast<void>(guarded<bool>(false, [&] {
    nb::python_error error;
    if (!is_nanobinds(error, nanobinds_name)) {
      error.restore();
      return false;
    }
    throw type_error(detail::message("expected ", signatures, ", found ",
                                     call_text(name, arguments, count, keywords)));
  }));
}

}  // namespace usmx::bindings
