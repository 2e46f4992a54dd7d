// New arrays of copies of other arrays, side by side: one call of Python is one call of the
// library.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "container/container.hpp"
#include "internals.hpp"
#include "objects/waiting.hpp"
#include "support/declare.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

/// The arrays of a sequence, if they have one type, kind, queue and number of dimensions; none if
/// the package has to look at them first.
std::vector<array> alike_in(PyObject* sequence) {
  std::vector<array> found;
  if (!PyList_CheckExact(sequence) && !PyTuple_CheckExact(sequence)) {
    return found;
  }
  const nb::ft_object_guard unchanged(sequence);
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
  found.reserve(static_cast<std::size_t>(count));
  for (Py_ssize_t k = 0; k < count; ++k) {
    const array* each = as_array(PySequence_Fast_GET_ITEM(sequence, k));
    if (each == nullptr || each->owner() == nullptr ||
        (k > 0 && (each->type() != found[0].type() || each->kind() != found[0].kind() ||
                   each->ndim() != found[0].ndim() ||
                   internal::private_queue(*each) != internal::private_queue(found[0])))) {
      return {};
    }
    found.push_back(*each);
  }
  return found;
}

/// The shape of joined arrays; none if they do not fit.
std::optional<std::vector<std::ptrdiff_t>> shape_of_joined(std::span<const array> parts,
                                                           std::size_t axis) {
  try {
    return internal::joined_shape("concat", parts, axis);
  } catch (const value_error&) {
    return std::nullopt;
  }
}

std::optional<std::size_t> axis_of(nb::handle object, int ndim) {
  const Py_ssize_t axis = PyLong_CheckExact(object.ptr()) ? PyLong_AsSsize_t(object.ptr()) : ndim;
  if (axis == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  const Py_ssize_t counted = axis < 0 ? axis + ndim : axis;
  return counted >= 0 && counted < ndim ? std::optional(static_cast<std::size_t>(counted))
                                        : std::nullopt;
}

/// Joins arrays along an axis, a new one if `is_new`. Returns None if the package has to look at
/// them first, and then say what is wrong.
nb::object joined(nb::handle arrays, nb::handle axis, bool is_new) {
  require_usable_process();
  std::vector<array> parts = alike_in(arrays.ptr());
  if (parts.empty() || parts[0].ndim() >= max_ndim) {
    return nb::none();
  }
  const auto along = axis_of(axis, parts[0].ndim() + (is_new ? 1 : 0));
  if (!along) {
    return nb::none();
  }
  if (is_new) {
    const std::array where{static_cast<std::ptrdiff_t>(*along)};
    for (array& each : parts) {
      each = internal::with_layout(each, expanded(each.layout(), where));
    }
  }
  const auto shape = shape_of_joined(parts, *along);
  if (!shape) {
    return nb::none();
  }
  const array result =
      make_array(layout::c_order(*shape), parts[0].type(), internal::private_queue(parts[0]),
                 parts[0].kind(), first_use::in_order);
  const bool is_quick = is_short(result) && std::ranges::all_of(parts, is_short);
  ordered(is_quick, [&] { internal::join(parts, result, *along, internal::copy_for_call); });
  return to_python(result);
}

/// Copies elements to all their positions in a new array. Waits if the host reaches that.
nb::object spread(const array& x, const internal::repetition& how) {
  const array result = make_array(layout::c_order(how.shape), x.type(), internal::private_queue(x),
                                  x.kind(), first_use::in_order);
  ordered(is_short(x) && is_short(result),
          [&] { internal::spread(x, how, result, internal::copy_for_call); });
  return to_python(result);
}

nb::object repeated(nb::handle source, nb::handle count, nb::handle axis) {
  require_usable_process();
  const array_argument x("x", source);
  const int along = normalized_axis(to_count("axis", "an integer", axis.ptr()), x->value.ndim());
  return spread(x->value, internal::repeated_along(x->value, static_cast<std::size_t>(along),
                                                   to_count("repeats", "an integer", count.ptr())));
}

nb::object tiled(nb::handle source, nb::handle counts) {
  require_usable_process();
  const array_argument x("x", source);
  return spread(x->value, internal::tiled(x->value, shape_argument(counts).span()));
}

/// The integers from 0 on, or from `first`, in the default type and memory of the default device.
/// Returns None where they are many, or the host does not reach them.
nb::object counted(std::ptrdiff_t first, std::ptrdiff_t count) {
  constexpr std::ptrdiff_t most = 16384;
  require_usable_process();
  if (count > most) {
    return nb::none();
  }
  const sycl::queue queue = internal::default_queue();
  const array result =
      make_array(layout::c_order(std::array{std::max<std::ptrdiff_t>(count, 0)}), type_code::int64,
                 queue, kind_argument(nb::none(), nb::none()), first_use::at_once);
  if (!internal::is_ready_for_host(result)) {
    return nb::none();
  }
  auto* numbers = reinterpret_cast<std::int64_t*>(internal::first_element(result));
  for (std::ptrdiff_t k = 0; k < count; ++k) {
    numbers[k] = first + k;
  }
  return to_python(result);
}

}  // namespace

void bind_joins(nb::module_& m) {
  declare<"def _joined(arrays: object, axis: object, is_new: bool, /) -> USMArray | None">(
      m, &joined,
      "concat, or stack, of arrays of one type, kind and queue. None for all other arguments.");
  declare<"def _repeated(array: object, count: object, axis: object, /) -> USMArray">(
      m, &repeated, "repeat by one count.");
  declare<"def _tiled(array: object, counts: object, /) -> USMArray">(m, &tiled, "tile.");
  declare<"def _counted(first: int, count: int, /) -> USMArray | None">(
      m, &counted,
      "A few integers in default memory. None for many, and where the host does not reach it.");
}

}  // namespace usmx::bindings
