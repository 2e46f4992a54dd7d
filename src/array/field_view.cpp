#include "usmx/array/field_view.hpp"

#include <utility>
#include <vector>

#include "base/quoted.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/held_dtype.hpp"
#include "usmx/layout/structure.hpp"

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

/// Offset and strides of the field in bytes, with the dimensions of the structured array.
layout in_bytes(const array& a, const field& f) {
  // Without elements, the offset may be anything.
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

}  // namespace usmx::inline v1
