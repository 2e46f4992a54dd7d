// New arrays of copies of other arrays, side by side: one call of Python is one call of the
// library.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "container/container.hpp"
#include "internals.hpp"
#include "objects/waiting.hpp"
#include "support/declare.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

using shape_span = std::span<const std::ptrdiff_t>;

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

/// The shape of joined arrays, if they differ along `axis` alone; none if they do not fit, or have
/// too many elements.
std::optional<std::vector<std::ptrdiff_t>> joined_shape(std::span<const array> parts,
                                                        std::size_t axis) {
  std::vector<std::ptrdiff_t> shape(parts[0].shape().begin(), parts[0].shape().end());
  for (const array& each : parts.subspan(1)) {
    const shape_span other = each.shape();
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const bool is_bad =
          k == axis ? __builtin_add_overflow(shape[k], other[k], &shape[k]) : shape[k] != other[k];
      if (is_bad) {
        return std::nullopt;
      }
    }
  }
  return shape;
}

/// Copies the parts to their places in the result. Waits if the host reaches the result.
void copy_parts(std::span<const std::pair<array, array>> copies, const array& result) {
  const bool is_quick = std::ranges::all_of(copies, [](const std::pair<array, array>& each) {
    return is_short(each.first) && is_short(each.second);
  });
  ordered(is_quick && is_short(result), [&] {
    for (const auto& [from, to] : copies) {
      internal::copy_for_call(from, to);
    }
  });
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
  const auto shape = joined_shape(parts, *along);
  if (!shape) {
    return nb::none();
  }
  const array result =
      make_array(layout::c_order(*shape), parts[0].type(), internal::private_queue(parts[0]),
                 parts[0].kind(), first_use::in_order);
  if (internal::is_for_join(parts, result) && ordered(false, [&] {
        return internal::join_by_kernels(parts, result, static_cast<int>(*along));
      })) {
    return to_python(result);
  }
  std::vector<index_item> part(*along + 1,
                               index_item::slice(index_item::none, index_item::none, 1));
  std::vector<std::pair<array, array>> copies;
  copies.reserve(parts.size());
  std::ptrdiff_t first = 0;
  for (array& each : parts) {
    const std::ptrdiff_t end = first + each.shape()[*along];
    part.back() = index_item::slice(first, end, 1);
    copies.emplace_back(std::move(each),
                        internal::with_layout(result, subscript(result.layout(), part)));
    first = end;
  }
  copy_parts(copies, result);
  return to_python(result);
}

/// Repeats each index of an axis `count` times. Returns None as joined().
nb::object repeated(const py_array& source, nb::handle count_object, nb::handle axis) {
  require_usable_process();
  const array& from = source.value;
  const auto along = axis_of(axis, from.ndim());
  const Py_ssize_t count =
      PyLong_CheckExact(count_object.ptr()) ? PyLong_AsSsize_t(count_object.ptr()) : Py_ssize_t{-1};
  PyErr_Clear();
  if (!along || count < 0 || from.owner() == nullptr || from.ndim() >= max_ndim) {
    return nb::none();
  }
  std::vector<std::ptrdiff_t> shape(from.shape().begin(), from.shape().end());
  std::vector<std::ptrdiff_t> apart = shape;  // with the copies of an index in an axis of their own
  if (__builtin_mul_overflow(shape[*along], count, &shape[*along])) {
    return nb::none();
  }
  const auto next = static_cast<std::ptrdiff_t>(*along) + 1;
  apart.insert(apart.begin() + next, count);
  const array result = make_array(layout::c_order(shape), from.type(),
                                  internal::private_queue(from), from.kind(), first_use::in_order);
  if (result.size() != 0) {
    const std::array where{next};
    const std::pair<array, array> copies[] = {
        {internal::with_layout(from, broadcast(expanded(from.layout(), where), apart)),
         internal::with_layout(result, layout::c_order(apart))}};
    copy_parts(copies, result);
  }
  return to_python(result);
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
  declare<"def _repeated(array: USMArray, count: object, axis: object, /) -> USMArray | None">(
      m, &repeated, "repeat by one count. None for all other arguments.");
  declare<"def _counted(first: int, count: int, /) -> USMArray | None">(
      m, &counted,
      "A few integers in default memory. None for many, and where the host does not reach it.");
}

}  // namespace usmx::bindings
