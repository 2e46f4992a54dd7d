// The dictionary of __sycl_usm_array_interface__ as plain values, both ways: parsed and checked
// into a layout and a type, and described from an array. No Python here: the bindings read and
// write the dictionary itself. Every rule of the exchange that concerns values is in this room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/exchange/typedescr.hpp"

namespace usmx::inline v1::exchange {

/// The values of the dictionary, `syclobj` aside. Counts are in elements.
struct usm_array_interface {
  std::uintptr_t data = 0;
  bool readonly = false;
  std::string_view typestr;
  /// The fields of a structured type; none for a plain one.
  std::optional<exchange::typedescr> typedescr;
  std::span<const std::ptrdiff_t> shape;
  /// None: C-contiguous.
  std::optional<std::span<const std::ptrdiff_t>> strides;
  std::ptrdiff_t offset = 0;
  /// Set where the producer's host buffer (PEP 3118) took the place of a missing `data`: its bytes
  /// from `data` on. The elements must lie in them, and they must be host-accessible USM.
  std::optional<std::size_t> buffer_nbytes = std::nullopt;
};

/// What `syclobj` resolved to: a queue, or a context alone.
class placement {
 public:
  placement(sycl::queue queue) noexcept : where_(std::move(queue)) {}
  placement(sycl::context context) noexcept : where_(std::move(context)) {}

  /// Null for a context alone.
  const sycl::queue* queue() const noexcept { return std::get_if<sycl::queue>(&where_); }
  sycl::queue* queue() noexcept { return std::get_if<sycl::queue>(&where_); }
  sycl::context context() const {
    return queue() != nullptr ? queue()->get_context() : std::get<sycl::context>(where_);
  }

 private:
  std::variant<sycl::queue, sycl::context> where_;
};

/// A description that has passed every check: the bytes its elements touch, and where in those
/// bytes the elements lie.
struct checked_import {
  /// The lowest byte touched; whatever the producer gave when there are no elements.
  std::byte* memory;
  /// From the lowest to the highest byte touched; 0 when there are no elements.
  std::size_t nbytes;
  held_dtype type;
  /// Counted from `memory`.
  layout where;
  usm_kind kind;
  sycl::queue queue;
  bool readonly;
  /// Who keeps the memory alive, where it is usmx's own.
  std::shared_ptr<buffer> own{};
};

/// Parses, checks arithmetic, pointer, extent, alignment and device, in that order, and never reads
/// through the pointer. Throws value_error or overflow_error naming the key and the values.
USMX_API checked_import check(const usm_array_interface&, placement);

/// The bytes of a checked import as a buffer, with what lets the producer go, or, where it `frees`
/// the memory, with that. usmx's own memory is the part of its buffer that it is: what one knows of
/// others' work, both know.
USMX_API std::shared_ptr<buffer> to_buffer(checked_import&&, detail::release_action&&,
                                           bool frees = false);

/// The elements of a checked import as an array, so.
USMX_API array to_array(checked_import&&, detail::release_action&&, bool frees = false);

/// What an array says of itself: `data` is the first byte of its memory, `strides` none when
/// C-contiguous. The spans point into the array.
USMX_API usm_array_interface describe(const array&);

}  // namespace usmx::inline v1::exchange
