// usmx.USMArray and the functions on it: a file for each subject, and what they declare to each
// other and to the module. Methods written in Python: usmx/_container/methods.py.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <sycl/queue.hpp>

#include "objects/array.hpp"
#include "support/arguments.hpp"
#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"
#include "usmx/copy/select/selection.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::bindings {

// ---- functions of the module

/// asarray, empty, zeros, the `_like` functions, and the functions from which the package makes
/// others.
void bind_creation(nb::module_& m);
/// copy, asnumpy, to_numpy, and the functions from which the package makes other copies.
void bind_copies(nb::module_& m);
/// reshape, permute_dims and all others that give a view under another shape or order of axes.
void bind_shapes(nb::module_& m);
/// _joined, _repeated and _counted, from which the package makes concat and others of its
/// functions.
void bind_joins(nb::module_& m);
/// _nonzero and _count_nonzero, from which the package makes functions.
void bind_items(nb::module_& m);
/// from_dlpack and from_arrow.
void bind_from_others(nb::module_& m);

// ---- the class

/// USMArray, assembled from the parts below.
void bind_array_class(nb::module_& m);

/// The attributes of an array, its flags, `real` and `imag`.
void bind_attributes(nb::module_& m, nb::class_<py_array>& cls);
/// copy, fill, tobytes, wait and record.
void bind_methods(nb::class_<py_array>& cls);
/// The methods that NumPy's users expect of reshape to swapaxes, and view.
void bind_shape_methods(nb::class_<py_array>& cls);
/// The methods that DLPack and Arrow call.
void bind_exchange_methods(nb::class_<py_array>& cls);
/// The iterator's class, and __reversed__, which has no slot.
void bind_iteration(nb::module_& m, nb::class_<py_array>& array_class);
/// __complex__, which has no slot, item and tolist. They need no NumPy, except for structured
/// elements.
void bind_scalars(nb::class_<py_array>& cls);

// ---- its slots

/// a[key]: a view if the key is basic or names a field, else a new array on the same queue and of
/// the same kind.
PyObject* get_item(PyObject* self, PyObject* key);
/// a[key] = value: sets elements to a scalar, or to those of an array, producer, buffer or nested
/// list, converted and repeated; waits. Without a value (del a[key]) it raises TypeError, since
/// elements cannot be deleted.
int set_item(PyObject* self, PyObject* key, PyObject* value);

/// iter(a): the views a[0], a[1], ... along the first axis. TypeError for a 0-d array.
PyObject* iterate(PyObject* array);

/// The slots of a class, with those of numbers added: int(a), float(a), bool(a) and
/// operator.index(a). `others` and the result end with a zero entry.
std::vector<PyType_Slot> with_scalars(std::span<const PyType_Slot> others);

// ---- shared by several of the files

/// A new array with the elements of another one. Waits.
array copy_of(const array& source, dtype type, usm_kind kind, const sycl::queue& queue,
              element_order order);

/// The array itself if it is on that `device=` already, or a copy if `copy=` requires or allows
/// one.
nb::object as_asked(const nb::object& array, nb::handle device, copying copy);

/// A producer's elements in a NumPy array: `out`, or a new one if that is None. Waits.
nb::object asnumpy(nb::handle usm_ary, nb::handle out);

// Keys of a[key]: basic ones - integers, slices, Ellipsis, None and tuples of them - and those with
// arrays among their items: arrays of integers and masks from usmx, other producers, NumPy,
// sequences and bools.

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
  /// Reads a key. `queue` is that of the array that is indexed. Throws index_error if an array
  /// cannot be indexed by an item, and Python's ExecutionPlacementError for an array on another
  /// queue.
  array_key(PyObject* key, const sycl::queue& queue);
  /// Makes a key of integers along one axis of `ndim`; along the others each index stands for
  /// itself.
  array_key(PyObject* integers, int axis, int ndim, const sycl::queue& queue);

  /// Whether no item is an array. Then basic_items() has all items.
  bool is_basic() const noexcept;
  std::vector<index_item> basic_items() const;

  /// Whether the key is one mask with all the dimensions of an array, and nothing else.
  bool is_mask_of(const array&) const noexcept;

  /// The elements that the key addresses. Waits for the arrays among its items. The caller does not
  /// hold the interpreter lock.
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
