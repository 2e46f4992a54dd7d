// The USM array interface: the values of the dictionary __sycl_usm_array_interface__, which usmx
// checks and makes an array of, and which describe an array. All rules about these values are in
// this folder (docs/protocol.md explains them). No Python here: the bindings read and write the
// dictionary itself. Descriptions of structured types come first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1::exchange {

// Descriptions of structured types in the USM array interface: a `typestr` "|V<n>" with a
// `typedescr`, which has the form of NumPy's `dtype.descr`. usmx makes types of descriptions and
// descriptions of types. No Python here. The types are in layout/dtype.hpp.

/// How deep descriptions may be nested. The limit bounds the stack that reading one needs.
inline constexpr int max_typedescr_depth = 16;

/// An entry of a description, (name, type[, shape]) in NumPy: a field, or padding.
struct typedescr_entry {
  /// The name of the field; empty for padding.
  std::string name;
  /// A typestr, which is "|V<n>" for n bytes of padding, or the entries of a nested structure.
  std::variant<std::string, std::vector<typedescr_entry>> type;
  /// The extents of a field that is an array in C order; empty for a single element.
  std::vector<std::ptrdiff_t> shape;

  friend bool operator==(const typedescr_entry&, const typedescr_entry&) = default;
};

/// A description: its entries in the order in which they lie in an element.
using typedescr = std::vector<typedescr_entry>;

/// Whether a typestr says that the type is structured: 'V' is its first or second character. The
/// rest of the text is not checked; parse_typedescr does that.
inline bool is_structured_typestr(std::string_view typestr) noexcept {
  return typestr.starts_with('V') || (typestr.size() > 1 && typestr[1] == 'V');
}

/// Makes the structured type of a typestr "|V<n>" and its description. It is for descriptions from
/// outside: usmx keeps the type only as long as somebody holds it. Throws value_error, which names
/// both, when the entries do not add up to n bytes, a type is none of the plain ones, a name is
/// missing or there twice, or entries are nested deeper than max_typedescr_depth.
USMX_API held_dtype parse_typedescr(std::string_view typestr, const typedescr& entries);

/// Makes the structured type of a description, whose entries together give the size. It is for
/// types that the process itself names: usmx keeps them for ever. Throws value_error when a type is
/// none of the plain ones, a name is missing or there twice, or entries are nested deeper than
/// max_typedescr_depth.
USMX_API dtype parse_typedescr(const typedescr& entries);

/// Describes a structured type, with an entry of padding for every gap; empty for a plain type.
USMX_API typedescr describe_type(dtype type);

/// The description as Python prints the list, cut when it is long: for messages.
USMX_API std::string text(const typedescr& entries);

/// The values of the dictionary but for `syclobj`, which is a `placement`. It owns nothing: texts
/// and numbers belong to the producer.
struct usm_array_interface {
  /// The address that the offset counts from: `data[0]` of the dictionary.
  std::uintptr_t data = 0;
  /// Whether the elements must not be written: `data[1]` of the dictionary.
  bool readonly = false;
  /// The element type as NumPy writes it: "<f8".
  std::string_view typestr;
  /// The fields of a structured type; none for a plain type.
  std::optional<exchange::typedescr> typedescr;
  /// The extents, one for each dimension.
  std::span<const std::ptrdiff_t> shape;
  /// The strides in elements, one for each dimension; none for C-contiguous elements.
  std::optional<std::span<const std::ptrdiff_t>> strides;
  /// The number of elements from `data` to element zero.
  std::ptrdiff_t offset = 0;
  /// The size of the producer's host buffer (PEP 3118) in bytes where that took the place of a
  /// missing `data`. The elements must lie in it, and it must be host-accessible USM.
  std::optional<std::size_t> buffer_nbytes = std::nullopt;
};

/// The place of the elements, which `syclobj` names: a queue, or a context alone.
class placement {
 public:
  /// The elements belong to the queue's context, and the producer works on them on this queue.
  placement(sycl::queue queue) noexcept : where_(std::move(queue)) {}
  /// The elements belong to this context. usmx chooses a queue.
  placement(sycl::context context) noexcept : where_(std::move(context)) {}

  /// The queue; null for a context alone.
  const sycl::queue* queue() const noexcept { return std::get_if<sycl::queue>(&where_); }
  /// The queue; null for a context alone.
  sycl::queue* queue() noexcept { return std::get_if<sycl::queue>(&where_); }
  /// The context: the queue's, if there is a queue.
  sycl::context context() const {
    return queue() != nullptr ? queue()->get_context() : std::get<sycl::context>(where_);
  }

 private:
  std::variant<sycl::queue, sycl::context> where_;
};

/// A description that has passed all checks: the bytes that its elements span, and where in these
/// bytes the elements lie.
struct checked_import {
  /// The address of the lowest byte that an element has; the producer's pointer, whatever it is,
  /// when there are no elements.
  std::byte* memory;
  /// The number of bytes from the lowest to the highest one; 0 when there are no elements.
  std::size_t nbytes;
  /// The element type.
  held_dtype type;
  /// Shape, strides and offset in elements; the offset counts from `memory`.
  layout where;
  /// The kind of the memory.
  usm_kind kind;
  /// The producer's queue, or the one that usmx keeps for the memory's device.
  sycl::queue queue;
  /// Whether the elements must not be written.
  bool readonly;
  /// The buffer of usmx that the memory belongs to; null for memory of others.
  std::shared_ptr<buffer> own{};
};

/// Checks a description: arithmetic, pointer, bounds, alignment and device, in that order. It never
/// reads through the pointer and does not wait. Throws value_error or overflow_error, which name
/// the key and the values.
USMX_API checked_import check(const usm_array_interface&, placement);

/// Makes a buffer of the bytes of a checked import. The action runs when the buffer and all its
/// parts are gone: it releases the producer, or, if `frees` is true, it frees the memory and comes
/// after the work that others may have submitted. Memory of usmx becomes a part of its buffer, so
/// that both know of the same work.
[[nodiscard]] USMX_API std::shared_ptr<buffer> to_buffer(checked_import&&, detail::release_action&&,
                                                         bool frees = false);

/// Makes an array of the elements of a checked import. The action runs when the memory is no longer
/// used: it releases the producer, or, if `frees` is true, it frees the memory and comes after the
/// work that others may have submitted.
[[nodiscard]] USMX_API array to_array(checked_import&&, detail::release_action&&,
                                      bool frees = false);

/// Describes an array: `data` is the address of the first byte of its memory, and `strides` is none
/// for C-contiguous elements. The result points into the array. The array is not exposed, and
/// unfinished work is not waited for: before others get the values, call array::wait and a function
/// that exposes the array. Throws value_error for an array without memory.
USMX_API usm_array_interface describe(const array&);

}  // namespace usmx::inline v1::exchange
