#include "container/flags.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <array>

#include "objects/array.hpp"
#include "support/arguments.hpp"

namespace usmx::bindings {
namespace {

/// Reads through to the array it belongs to.
struct py_flags {
  nb::object owner;

  py_array& of() const { return ready_instance<py_array>(owner.ptr()); }
  const layout& where() const { return of().value.layout(); }
};

bool c_contiguous(const py_flags& f) { return f.where().is_c_contiguous(); }
bool f_contiguous(const py_flags& f) { return f.where().is_f_contiguous(); }
bool writable(const py_flags& f) { return !f.of().value.readonly(); }
bool forc(const py_flags& f) { return c_contiguous(f) || f_contiguous(f); }
bool fnc(const py_flags& f) { return f_contiguous(f) && !c_contiguous(f); }
bool fc(const py_flags& f) { return f_contiguous(f) && c_contiguous(f); }

struct flag {
  const char* attribute;
  const char* key;
  const char* short_key;
  bool (*read)(const py_flags&);
};

// NumPy's keys and dpctl's: its spelling of the third, and the last three.
constexpr flag all_flags[] = {
    {"c_contiguous", "C_CONTIGUOUS", "C", c_contiguous},
    {"f_contiguous", "F_CONTIGUOUS", "F", f_contiguous},
    {"writable", "WRITABLE", "W", writable},
    {"writeable", "WRITEABLE", "W", writable},
    {"forc", "FORC", "FORC", forc},
    {"fnc", "FNC", "FNC", fnc},
    {"fc", "FC", "FC", fc},
    {"contiguous", "CONTIGUOUS", "CONTIGUOUS", forc},
};

bool is_writable_key(std::string_view key) {
  return key == "WRITABLE" || key == "WRITEABLE" || key == "W";
}

bool get_flag(const py_flags& flags, nb::handle name) {
  const std::string_view key = to_text("key", name.ptr());
  for (const flag& f : all_flags) {
    if (key == f.key || key == f.short_key) {
      return f.read(flags);
    }
  }
  PyErr_SetString(PyExc_KeyError, detail::message("unknown flag '", key, "'").c_str());
  nb::raise_python_error();
}

std::string_view truth(bool value) { return value ? "True" : "False"; }

void set_writable(const py_flags& flags, bool value) {
  if (!value) {
    flags.of().value.make_readonly();
  } else if (!writable(flags)) {
    throw value_error("a read-only array cannot be made writable again");
  }
}

std::string text_of(const py_flags& flags) {
  return detail::message("  C_CONTIGUOUS : ", truth(c_contiguous(flags)),
                         "\n  F_CONTIGUOUS : ", truth(f_contiguous(flags)),
                         "\n  WRITABLE : ", truth(writable(flags)), "\n");
}

bool same(const py_flags& a, const py_flags& b) {
  return c_contiguous(a) == c_contiguous(b) && f_contiguous(a) == f_contiguous(b) &&
         writable(a) == writable(b);
}

}  // namespace

void bind_flags(nb::module_& m) {
  nb::class_<py_flags> cls(m, "Flags", "The layout and the access rights of an array.");
  for (const flag& f : all_flags) {
    if (f.read != writable) {
      cls.def_prop_ro(f.attribute, f.read);
    } else {
      cls.def_prop_rw(
          f.attribute, f.read, &set_writable,
          "Whether the elements may be written through this array. It can be set to False, "
          "but not back to True. Other threads may use the array meanwhile, and a "
          "write that has begun is finished.");
    }
  }
  cls.def("__getitem__", &get_flag, nb::arg("key").none(),
          nb::sig("def __getitem__(self, key: str, /) -> bool"))
      .def(
          "__setitem__",
          [](const py_flags& flags, nb::handle key, bool value) {
            if (!is_writable_key(to_text("key", key.ptr()))) {
              throw value_error("only the flag WRITABLE can be set");
            }
            set_writable(flags, value);
          },
          nb::arg("key").none(), nb::arg("value"),
          nb::sig("def __setitem__(self, key: str, value: bool, /) -> None"))
      .def("__repr__", &text_of)
      .def("__eq__", &same, nb::is_operator());
}

nb::object flags_of(nb::handle array) {
  ready_instance<py_array>(array.ptr());  // refuses what __new__ alone has made
  return nb::cast(py_flags{nb::borrow(array)});
}

}  // namespace usmx::bindings
