// Keys of a[key]: basic ones - integers, slices, Ellipsis, None and tuples of them - and those with
// arrays among their items: arrays of integers and masks from usmx, other producers, NumPy,
// sequences and bools.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <sycl/queue.hpp>

#include "objects/held_array.hpp"
#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"
#include "usmx/copy/select/selection.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::bindings {

// ---- basic keys

/// What `a[key]` addresses, when the key is a basic one. IndexError (index_error, type_error) when
/// it does not fit the layout.
std::optional<layout> subscript_by(const layout& where, PyObject* key);

/// Sets `item` when the object is an item of a basic index. Sequences may be arrays: those are not,
/// even when they can be converted to an integer.
bool to_basic_item(PyObject* object, index_item& item);

/// How many items a tuple has; index_error when no array has as many dimensions.
std::size_t item_count(PyObject* tuple);

// ---- keys with arrays

class array_key {
 public:
  /// `queue` is for views of ordinary memory. IndexError (index_error) when an item is nothing that
  /// an array can be indexed by.
  array_key(PyObject* key, const sycl::queue& queue);

  /// True when no item is an array: then basic_items are all.
  bool is_basic() const noexcept;
  std::vector<index_item> basic_items() const;

  /// What the key addresses. Waits for the arrays among its items; to be called without the
  /// interpreter lock.
  selection select(const layout& where) const;

 private:
  void add(PyObject* item);
  void add_array(const array& values);
  void add_host_array(std::unique_ptr<held_array> values);
  bool add_list_of_integers(PyObject* item);

  sycl::queue queue_;
  std::vector<key_item> items_;
  std::vector<std::unique_ptr<held_array>> host_arrays_;
  std::vector<std::vector<std::int64_t>> lists_;
};

}  // namespace usmx::bindings
