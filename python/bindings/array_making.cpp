#include "array_making.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "arguments.hpp"
#include "array.hpp"
#include "copy_lock.hpp"
#include "dtype_argument.hpp"
#include "syclobj.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/runtime.hpp"
#include "usmx/runtime/device_types.hpp"

namespace usmx::bindings {
namespace {

constexpr std::string_view all_orders = "CFAK";

/// "'C', 'F', 'A' or 'K'"
std::string choices(std::string_view letters) {
  std::string text;
  for (std::size_t k = 0; k < letters.size(); ++k) {
    text += k == 0 ? "'" : k + 1 == letters.size() ? " or '" : ", '";
    text += letters[k];
    text += '\'';
  }
  return text;
}

/// The compact layout of the source's shape in one of `all_orders`.
layout ordered_like(const layout& source, char order) {
  const bool only_f = source.is_f_contiguous() && !source.is_c_contiguous();
  if (order == 'K') {
    return compact_like(source);
  }
  return order == 'F' || (order == 'A' && only_f) ? layout::f_order(source.shape())
                                                  : layout::c_order(source.shape());
}

/// What a new array is to be, given another array and what was asked for; None keeps what the
/// other one has.
struct plan {
  plan(const array& source, nb::handle dtype_object, nb::handle usm_type, nb::handle sycl_queue,
       nb::handle device)
      : queue(sycl_queue.is_none() && device.is_none() ? source.queue()
                                                       : queue_argument(sycl_queue, device)),
        type(dtype_object.is_none() && queue == source.queue()
                 ? source.type()
                 : type_on(queue.get_device(), dtype_object, source.type())),
        kind(usm_type.is_none() ? source.kind() : kind_argument(usm_type)) {}

  sycl::queue queue;
  dtype type;
  usm_kind kind;
};

void zero(const array& made) {
  const without_interpreter_lock unlocked(is_worth_unlocking(made));
  fill_bytes(made.owner()->data(), 0, made.owner()->nbytes(), made.kind(), made.queue());
}

nb::object new_array(nb::handle shape, nb::handle dtype_object, nb::handle usm_type,
                     nb::handle sycl_queue, nb::handle device, nb::handle order, bool zeroed,
                     nb::handle natural) {
  const sycl::queue queue = queue_argument(sycl_queue, device);
  const dtype type = type_on(queue.get_device(), dtype_object, dtype_argument(natural));
  const counts extents = shape_argument(shape);
  layout where = order_argument(order, "CF") == 'F' ? layout::f_order(extents.span())
                                                    : layout::c_order(extents.span());
  const array made = empty(std::move(where), type, queue, kind_argument(usm_type));
  if (zeroed) {
    zero(made);
  }
  return to_python(made);
}

void require_same_structure(dtype found, dtype wanted) {
  if (found != wanted && (found.is_structured() || wanted.is_structured())) {
    throw type_error(detail::message("structured elements are not converted: expected dtype ",
                                     found, ", found ", wanted));
  }
}

nb::object new_array_like(const py_array& source, nb::handle dtype_object, nb::handle usm_type,
                          nb::handle sycl_queue, nb::handle device, nb::handle order, bool zeroed) {
  const char letter = order_argument(order, all_orders);
  const plan wanted(source.value, dtype_object, usm_type, sycl_queue, device);
  const array made =
      empty(ordered_like(source.value.layout(), letter), wanted.type, wanted.queue, wanted.kind);
  if (zeroed) {
    zero(made);
  }
  return to_python(made);
}

bool is_contiguous_as(const layout& where, char order) {
  const bool c = where.is_c_contiguous();
  const bool f = where.is_f_contiguous();
  return order == 'K' || (order == 'C' ? c : order == 'F' ? f : c || f);
}

/// Why an array is not what was asked for; empty when it is.
std::string reason_to_copy(const array& a, const plan& wanted, bool exactly_on_queue, char order) {
  const sycl::queue& queue = a.queue();
  if (wanted.type != a.type()) {
    return detail::message("the element type is ", a.type(), ", not ", wanted.type);
  }
  if (wanted.kind != a.kind()) {
    return detail::message("the memory is of kind '", name(a.kind()), "', not '", name(wanted.kind),
                           "'");
  }
  if (wanted.queue.get_device() != queue.get_device()) {
    return detail::message("the array is on ", describe(queue.get_device()), ", not ",
                           describe(wanted.queue.get_device()));
  }
  if (wanted.queue.get_context() != queue.get_context()) {
    return "the array is in another context";
  }
  if (exactly_on_queue && wanted.queue != queue) {
    return "the array is on another queue of the same device";
  }
  if (!is_contiguous_as(a.layout(), order)) {
    return order == 'A'   ? "the array is not contiguous"
           : order == 'C' ? "the array is not C-contiguous"
                          : "the array is not Fortran-contiguous";
  }
  return {};
}

nb::object as_asked(nb::handle self, nb::handle dtype_object, nb::handle usm_type,
                    nb::handle sycl_queue, nb::handle device, nb::handle order, nb::handle copy) {
  const array& a = nb::cast<const py_array&>(self).value;
  const char letter = order_argument(order, all_orders);
  const plan wanted(a, dtype_object, usm_type, sycl_queue, device);
  const bool exactly = !sycl_queue.is_none() || names_queue(device);
  if (copy.ptr() != Py_True) {
    const std::string reason = reason_to_copy(a, wanted, exactly, letter);
    if (reason.empty()) {
      return nb::borrow(self);
    }
    if (copy.ptr() == Py_False) {
      throw value_error("copy=False cannot be met: " + reason);
    }
  }
  return to_python(copy_of(a, wanted.type, wanted.kind, wanted.queue, letter));
}

/// Where the elements of a NumPy array lie. Strides that are no whole elements count in bytes:
/// their order is the same.
layout layout_of_host(nb::handle host, std::size_t itemsize) {
  const counts shape("shape", nb::object(host.attr("shape")).ptr());
  const counts bytes("strides", nb::object(host.attr("strides")).ptr());
  std::array<std::ptrdiff_t, max_ndim> strides;
  std::ranges::copy(bytes.span(), strides.begin());
  const std::span<std::ptrdiff_t> all(strides.data(), bytes.span().size());
  const auto item = static_cast<std::ptrdiff_t>(itemsize);
  if (std::ranges::all_of(all, [&](std::ptrdiff_t stride) { return stride % item == 0; })) {
    std::ranges::transform(all, all.begin(), [&](std::ptrdiff_t stride) { return stride / item; });
  }
  return layout::strided(shape.span(), all);
}

nb::object new_array_for(nb::handle host, nb::handle dtype_object, nb::handle usm_type,
                         nb::handle sycl_queue, nb::handle device, nb::handle order) {
  const char letter = order_argument(order, all_orders);
  const sycl::queue queue = queue_argument(sycl_queue, device);
  const dtype natural = dtype_argument(nb::object(host.attr("dtype")));
  const dtype type = type_on(queue.get_device(), dtype_object, natural);
  require_same_structure(natural, type);
  return to_python(empty(ordered_like(layout_of_host(host, natural.itemsize()), letter), type,
                         queue, kind_argument(usm_type)));
}

/// A NumPy array with room for the elements of an array, in order 'K'.
nb::object new_host_array(const py_array& source) {
  const array& a = source.value;
  const nb::object shape = to_tuple(a.shape());
  const nb::object type = to_numpy_dtype(a.type());
  const nb::module_ numpy = nb::module_::import_("numpy");
  if (a.layout().is_c_contiguous()) {
    return numpy.attr("empty")(shape, type);
  }
  const layout bytes =
      compact_like(a.layout()).scaled(static_cast<std::ptrdiff_t>(a.type().itemsize()));
  return numpy.attr("ndarray")(shape, type, nb::arg("strides") = to_tuple(bytes.strides()));
}

/// The same memory on another queue of its context.
nb::object on_queue(const py_array& source, nb::handle device) {
  const sycl::queue queue = queue_argument(nb::none(), device);
  const array& a = source.value;
  {
    const without_interpreter_lock unlocked;
    a.wait();
  }
  auto there = std::make_shared<buffer>(buffer::on_queue(a.owner(), queue));
  return to_python(array::unchecked(std::move(there), a.type(), a.layout(), a.readonly()));
}

}  // namespace

char order_argument(nb::handle order, std::string_view allowed) {
  if (nb::isinstance<nb::str>(order)) {
    const auto text = to_text("order", order.ptr());
    if (text.size() == 1 && allowed.find(text[0]) != allowed.npos) {
      return text[0];
    }
  }
  throw value_error(
      detail::message("order must be ", choices(allowed), ", found ", repr_text(order.ptr())));
}

dtype type_on(const sycl::device& device, nb::handle asked, dtype natural) {
  if (asked.is_none()) {
    return nearest_supported(natural, support_of(device));
  }
  const dtype type = dtype_argument(asked);
  require_supported(type, device);
  return type;
}

array copy_of(const array& source, dtype type, usm_kind kind, const sycl::queue& queue,
              char order) {
  require_same_structure(source.type(), type);
  const array made = empty(ordered_like(source.layout(), order), type, queue, kind);
  const without_interpreter_lock unlocked(is_worth_unlocking(source) || is_worth_unlocking(made));
  source.wait();
  copy(source.private_view(), made.private_view());
  return made;
}

void bind_array_making(nb::module_& m) {
  m.def("_new_array", &new_array, nb::arg("shape").none(), nb::arg("dtype").none(),
        nb::arg("usm_type").none(), nb::arg("sycl_queue").none(), nb::arg("device").none(),
        nb::arg("order").none(), nb::arg("zeroed"), nb::arg("natural") = "f8",
        nb::sig("def _new_array(shape: object, dtype: object, usm_type: object, sycl_queue: "
                "object, device: object, order: object, zeroed: bool, natural: object = 'f8') -> "
                "USMArray"),
        "Elements not set, or zeros. dtype None: `natural`, or what the device has in its place.");
  m.def("_new_array_like", &new_array_like, nb::arg("source"), nb::arg("dtype").none(),
        nb::arg("usm_type").none(), nb::arg("sycl_queue").none(), nb::arg("device").none(),
        nb::arg("order").none(), nb::arg("zeroed"),
        nb::sig("def _new_array_like(source: USMArray, dtype: object, usm_type: object, "
                "sycl_queue: object, device: object, order: object, zeroed: bool) -> USMArray"),
        "The same with the source's shape. None keeps what the source has.");
  m.def("_as_asked", &as_asked, nb::arg("source"), nb::arg("dtype").none(),
        nb::arg("usm_type").none(), nb::arg("sycl_queue").none(), nb::arg("device").none(),
        nb::arg("order").none(), nb::arg("copy").none(),
        nb::sig("def _as_asked(source: USMArray, dtype: object, usm_type: object, sycl_queue: "
                "object, device: object, order: object, copy: bool | None) -> USMArray"),
        "The array itself where it is what is asked for, else a copy. None keeps what it has.");
  m.def("_new_array_for", &new_array_for, nb::arg("host"), nb::arg("dtype").none(),
        nb::arg("usm_type").none(), nb::arg("sycl_queue").none(), nb::arg("device").none(),
        nb::arg("order").none(),
        nb::sig("def _new_array_for(host: numpy.ndarray, dtype: object, usm_type: object, "
                "sycl_queue: object, device: object, order: object) -> USMArray"),
        "Room for the elements of a NumPy array. dtype None: its own, or what the device has in "
        "its place.");
  m.def("_new_host_array", &new_host_array, nb::arg("source"),
        nb::sig("def _new_host_array(source: USMArray) -> numpy.ndarray"),
        "A NumPy array with room for the elements.");
  m.def("_on_queue", &on_queue, nb::arg("source"), nb::arg("queue"),
        nb::sig("def _on_queue(source: USMArray, queue: SyclQueue) -> USMArray"),
        "A view of the same memory on another queue of the same context and device. Waits for the "
        "work on the array's own queue.");
  m.def(
      "_order_letter",
      [](nb::handle order) { return std::string(1, order_argument(order, all_orders)); },
      nb::arg("order").none(), nb::sig("def _order_letter(order: object) -> str"));
}

}  // namespace usmx::bindings
