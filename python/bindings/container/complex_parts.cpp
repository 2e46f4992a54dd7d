#include "container/complex_parts.hpp"

#include "internals.hpp"
#include "support/call_site.hpp"
#include "support/interpreter_lock.hpp"
#include "usmx/array/reinterpreted.hpp"
#include "usmx/copy/zeros.hpp"

namespace usmx::bindings {
namespace {

bool is_complex(const py_array& a) { return a.value.type().kind() == 'c'; }

py_array part_of(const py_array& a, complex_part part) {
  return {part_view(a.value, part), a.base};
}

nb::object real_part(nb::handle self) {
  const auto& a = ready_instance<py_array>(self.ptr());
  if (!is_complex(a)) {
    return nb::borrow(self);
  }
  return nb::cast(part_of(a, complex_part::real));
}

void set_real_part(nb::handle self, nb::handle value) { real_part(self)[nb::ellipsis()] = value; }

void set_imaginary_part(const py_array& a, nb::handle value) {
  if (!is_complex(a)) {
    throw type_error(detail::message("elements of type ", a.value.type(),
                                     " have no imaginary part to set: expected complex ones"));
  }
  nb::cast(part_of(a, complex_part::imaginary))[nb::ellipsis()] = value;
}

py_array imaginary_part(const py_array& a) {
  if (is_complex(a)) {
    return part_of(a, complex_part::imaginary);
  }
  const noted_call_site here;
  const without_interpreter_lock unlocked;
  const array zero =
      zeros(a.value.shape(), a.value.type(), internal::private_queue(a.value), a.value.kind());
  return {zero.as_readonly(), nb::object()};
}

}  // namespace

void bind_complex_parts(nb::class_<py_array>& cls) {
  cls.def_prop_rw("real", &real_part, &set_real_part,
                  nb::for_getter(nb::sig("def real(self) -> USMArray")),
                  nb::for_setter(nb::arg("value").none()),
                  nb::for_setter(nb::sig("def real(self, value: typing.Any, /) -> None")),
                  "A view of the real parts; the array itself if its type is real. To set it means "
                  "``a.real[...] = value``.")
      .def_prop_rw("imag", &imaginary_part, &set_imaginary_part,
                   nb::for_getter(nb::sig("def imag(self) -> USMArray")),
                   nb::for_setter(nb::arg("value").none()),
                   nb::for_setter(nb::sig("def imag(self, value: typing.Any, /) -> None")),
                   "A view of the imaginary parts; read-only zeros if the type is real. Setting "
                   "those is a TypeError.");
}

}  // namespace usmx::bindings
