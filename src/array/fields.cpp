#include <utility>
#include <vector>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "layout/layout.hpp"
#include "usmx/array/reinterpreted.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1 {
namespace {

const field& require_field(dtype type, std::string_view name) {
  const field* const found = find_field(type, name);
  if (found == nullptr) {
    throw index_error(
        detail::message("no field ", detail::quoted(name), " in element type ", type));
  }
  return *found;
}

/// The layout of a field in bytes, with the dimensions of the structured array.
layout in_bytes(const array& a, const field& f) {
  // The offset of an array without elements may be anything.
  const layout where = a.size() == 0 ? a.layout().with_offset(0) : a.layout();
  const layout elements = where.scaled(static_cast<std::ptrdiff_t>(a.type().itemsize()));
  return elements.with_offset(checked_add(elements.offset(), static_cast<std::ptrdiff_t>(f.offset),
                                          "first byte of the field"));
}

[[noreturn]] void throw_not_whole(const field& f, const layout& bytes) {
  throw value_error(detail::message(
      "a view of field ", detail::quoted(f.name),
      " needs its offset and strides in bytes to be multiples of its item size ", f.type.itemsize(),
      ", found offset ", bytes.offset(), " and strides ", tuple_text(bytes.strides())));
}

}  // namespace

array field_view(const array& a, std::string_view name) {
  const field& f = require_field(a.type(), name);
  const layout bytes = in_bytes(a, f);
  const auto itemsize = static_cast<std::ptrdiff_t>(f.type.itemsize());
  std::vector<std::ptrdiff_t> shape(bytes.shape().begin(), bytes.shape().end());
  std::vector<std::ptrdiff_t> strides;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const std::ptrdiff_t stride = bytes.strides()[k];
    const bool reaches_elements = shape[k] > 1 && a.size() > 0;
    if (stride % itemsize != 0 && reaches_elements) {
      throw_not_whole(f, bytes);
    }
    strides.push_back(stride % itemsize == 0 ? stride / itemsize : 0);
  }
  if (bytes.offset() % itemsize != 0 && a.size() > 0) {
    throw_not_whole(f, bytes);
  }
  const layout inside = layout::c_order(f.shape);
  shape.insert(shape.end(), inside.shape().begin(), inside.shape().end());
  strides.insert(strides.end(), inside.strides().begin(), inside.strides().end());
  return array(a.owner(), f.type, layout::strided(shape, strides, bytes.offset() / itemsize),
               a.readonly());
}

array fields_view(const array& a, std::span<const std::string_view> names) {
  std::vector<field> kept;
  const field* last = nullptr;
  for (const std::string_view name : names) {
    const field& f = require_field(a.type(), name);
    if (last != nullptr && &f <= last) {  // a type's fields are in order
      throw value_error(detail::message(
          "fields must be named once, in the order in which they lie in an element, found ",
          detail::quoted(name), " after ", detail::quoted(last->name)));
    }
    kept.push_back(f);
    last = &f;
  }
  const held_dtype type = held_dtype::structured(std::move(kept), a.type().itemsize());
  return array(a.owner(), type, a.layout(), true);
}

namespace {

/// The number of new items in so many bytes, for strides and offsets.
std::ptrdiff_t whole_items(std::ptrdiff_t bytes, dtype type, const char* what) {
  const auto itemsize = static_cast<std::ptrdiff_t>(type.itemsize());
  if (bytes % itemsize != 0) {
    throw value_error(detail::message("a view as ", type, " needs the ", what,
                                      " to be a multiple of ", itemsize, " bytes, found ", bytes));
  }
  return bytes / itemsize;
}

void check_last_axis(const layout& where, dtype from, dtype to) {
  if (where.ndim() == 0) {
    throw value_error(detail::message("a 0-dimensional array of ", from,
                                      " can only be viewed as a type of the same item size ",
                                      from.itemsize(), ", found ", to, " of ", to.itemsize()));
  }
  const std::size_t last = where.shape().size() - 1;
  if (where.size() > 0 && where.shape()[last] != 1 && where.strides()[last] != 1) {
    throw value_error(detail::message("a view of ", from, " as ", to,
                                      ", another item size, needs the last axis to be contiguous, "
                                      "found ",
                                      where));
  }
}

/// The extent of the last axis in new items.
std::ptrdiff_t rescaled_extent(std::ptrdiff_t extent, dtype from, dtype to) {
  const std::size_t nbytes = checked_nbytes(extent, from);
  // NumPy splits items only into whole parts, even where their sum could be split.
  const bool splits = from.itemsize() > to.itemsize();
  if (nbytes % to.itemsize() != 0 || (splits && from.itemsize() % to.itemsize() != 0)) {
    throw value_error(detail::message("a view as ", to, " needs ",
                                      splits ? "an item" : "the last axis",
                                      " to have a multiple of ", to.itemsize(), " bytes, found ",
                                      splits ? from.itemsize() : nbytes));
  }
  return static_cast<std::ptrdiff_t>(nbytes / to.itemsize());
}

layout rescaled(const layout& where, dtype from, dtype to) {
  check_last_axis(where, from, to);
  const auto itemsize = static_cast<std::ptrdiff_t>(from.itemsize());
  // The offset of an array without elements may be anything.
  const layout bytes = (where.size() == 0 ? where.with_offset(0) : where).scaled(itemsize);
  std::vector<std::ptrdiff_t> shape(where.shape().begin(), where.shape().end());
  std::vector<std::ptrdiff_t> strides(shape.size(), 1);
  const std::size_t last = shape.size() - 1;
  shape[last] = rescaled_extent(shape[last], from, to);
  for (std::size_t k = 0; k < last; ++k) {
    const bool reaches_elements = shape[k] > 1 && where.size() > 0;
    const std::ptrdiff_t stride = bytes.strides()[k];
    strides[k] = reaches_elements ? whole_items(stride, to, "stride")
                                  : stride / static_cast<std::ptrdiff_t>(to.itemsize());
  }
  return layout::strided(shape, strides, whole_items(bytes.offset(), to, "offset"));
}

}  // namespace

array reinterpreted(const array& a, dtype type) {
  const bool rescales = type.itemsize() != a.type().itemsize();
  return array(a.owner(), type, rescales ? rescaled(a.layout(), a.type(), type) : a.layout(),
               a.readonly());
}

array part_view(const array& complex_elements, complex_part part) {
  const layout halves = complex_elements.layout().scaled(2);
  return internal::unchecked_array(
      complex_elements.owner(), internal::part_type(complex_elements.type()),
      halves.with_offset(halves.offset() + (part == complex_part::real ? 0 : 1)),
      complex_elements.readonly());
}

}  // namespace usmx::inline v1
