// Keys of a[key]: basic ones - integers, slices, Ellipsis, None and tuples of them - and those with
// arrays among their items: arrays of integers and masks from usmx, other producers, NumPy,
// sequences and bools.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <sycl/queue.hpp>

#include "objects/array.hpp"
#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"
#include "usmx/copy/select/selection.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::bindings {

// ---- basic keys

/// The elements that `a[key]` addresses; none if the key is not basic. Throws index_error or
/// type_error (IndexError in Python) if the key does not fit the layout.
std::optional<layout> subscript_by(const layout& where, PyObject* key);

/// Returns true, and sets `item`, if the object is an item of a basic index. A sequence is none,
/// even if it can be converted to an integer, because it may be an array.
bool to_basic_item(PyObject* object, index_item& item);

/// The number of a tuple's items. Throws index_error if no array has so many dimensions.
std::size_t item_count(PyObject* tuple);

// ---- keys with arrays

class array_key {
 public:
  /// `queue` is that of the array that is indexed. Throws index_error if an array cannot be indexed
  /// by an item, and Python's ExecutionPlacementError for an array on another queue.
  array_key(PyObject* key, const sycl::queue& queue);
  /// Integers along one axis of `ndim`; along the others each index stands for itself.
  array_key(PyObject* integers, int axis, int ndim, const sycl::queue& queue);

  /// Whether no item is an array. Then basic_items() has all items.
  bool is_basic() const noexcept;
  std::vector<index_item> basic_items() const;

  /// Whether the key is one mask with all the dimensions of an array, and nothing else.
  bool is_mask_of(const array&) const noexcept;

  /// The elements that the key addresses. Waits for the arrays among its items. To be called
  /// without the interpreter lock.
  selection select(const layout& where) const;

 private:
  void add(PyObject* item);
  void add_array(const array& values);
  void require_same_queue(const array& values) const;
  void add_host_array(std::unique_ptr<held_array> values);
  bool add_list_of_integers(PyObject* item);

  sycl::queue queue_;
  std::vector<key_item> items_;
  std::vector<std::unique_ptr<held_array>> host_arrays_;
  std::vector<std::vector<std::int64_t>> lists_;
};

}  // namespace usmx::bindings
