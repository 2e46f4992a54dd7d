// The contents of a USMArray: one usmx::array, the memory object that it was made from, and the
// lease of the memory that it lends. Also NumPy's arrays, and buffers. The class is bound in
// container/.
#pragma once

#include <memory>
#include <utility>

#include <sycl/queue.hpp>

#include "internals.hpp"
#include "support/interpreter_lock.hpp"
#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"

namespace usmx::bindings {

// The lease of memory that an object's dictionaries give: whoever has a dictionary holds the
// object, so others may work on the memory until the object ends.

class lent_part {
 public:
  /// The array's elements in a part of its memory, which lives as long as this object.
  array lend(const array& whole) {
    return internal::unchecked_array(part_of(whole.owner()), whole.type(), whole.layout(),
                                     whole.readonly());
  }

 private:
  const std::shared_ptr<buffer>& part_of(const std::shared_ptr<buffer>& whole) {
    static nb::ft_mutex mutex;
    const nb::ft_lock_guard lock(mutex);
    if (part_ == nullptr) {
      part_ = std::make_shared<buffer>(internal::buffer_access::part_of_all(whole));
    }
    return part_;
  }

  std::shared_ptr<buffer> part_;  // made when it is first needed
};

// The contents of a USMArray: one usmx::array, and the memory object that it was made from. The
// class and its methods are bound in container/.

struct py_array {
  py_array(array&& made, nb::object made_from) noexcept
      : value(std::move(made)), base(std::move(made_from)) {}
  /// Makes a view: an array over the memory of an array that exists.
  py_array(const py_array& parent, array&& elements) noexcept
      : value(std::move(elements)), base(parent.base), is_view(true) {}
  py_array(const py_array& parent, layout&& where)
      : py_array(parent, internal::with_layout(parent.value, std::move(where))) {}
  py_array(py_array&&) noexcept = default;
  ~py_array() {
    lent = {};
    // The last user alone can free the memory.
    if (value.owner().use_count() == 1) {
      note_python_thread();
    }
  }

  array value;
  /// The memory object that was given to the constructor. If null, it is made when a program asks
  /// for `base`.
  nb::object base;
  /// Whether the memory was there before this array was.
  bool is_view = false;
  lent_part lent;
};

/// The array inside a USMArray; null for any other object.
inline const array* as_array(PyObject* object) {
  const py_array* found = value_in<py_array>(object);
  return found == nullptr ? nullptr : &found->value;
}

// New USMArrays.

inline nb::object to_python(array&& value, nb::object base = nb::object()) {
  return make_instance_by<py_array>(
      [&](void* at) { new (at) py_array(std::move(value), std::move(base)); });
}
inline nb::object to_python(const array& value, nb::object base = nb::object()) {
  return to_python(array(value), std::move(base));
}
/// Makes a USMArray that is a view of one that exists.
inline nb::object to_python(const py_array& parent, array&& elements) {
  return make_instance_by<py_array>(
      [&](void* at) { new (at) py_array(parent, std::move(elements)); });
}
inline nb::object to_python(const py_array& parent, layout&& where) {
  return make_instance_by<py_array>([&](void* at) { new (at) py_array(parent, std::move(where)); });
}

// A NumPy array's elements, kept as long as the holder lives.

class held_array {
 public:
  /// Holds the elements of a NumPy array. They must have a type that usmx has, and strides of whole
  /// elements (value_error); any alignment will do. The hooks host_index and host_value ensure
  /// that. `queue` is there because a view must have one.
  static std::unique_ptr<held_array> of(const nb::object& numpy_array, const sycl::queue& queue);

  /// Holds the elements of any object, without a call of Python. Null if it is not exactly a NumPy
  /// array, or not one of such plain elements.
  static std::unique_ptr<held_array> of_plain(PyObject* object, const sycl::queue& queue);

  const array_view& view() const noexcept { return view_; }

 private:
  held_array(std::unique_ptr<held_buffer> buffer, dtype type, layout where,
             const sycl::queue& queue);

  std::unique_ptr<held_buffer> buffer_;
  array_view view_;
};

// PEP 3118: memory that the host reaches as Python buffers, without a copy.

/// The ways for a program that needs a view of the host and gets none: for messages.
inline constexpr const char* ways_to_host =
    "usmx.asnumpy(a) copies it to the host, and usm_type='shared' makes memory that the host "
    "reaches on every device";

/// Whether NumPy's `as_strided` asks for the elements. Its callers take the strides from the array,
/// where they count elements, and it takes them for bytes: the result would lie in other memory.
/// NumPy dispatches this function to nobody, so only the caller's frame tells.
bool is_asked_by_as_strided();
inline constexpr const char* not_for_as_strided =
    "numpy.lib.stride_tricks.as_strided takes strides in bytes, and those of a USMArray count "
    "elements: use usmx.lib.stride_tricks.as_strided, or give NumPy's functions np.asarray(a)";

/// Fills `view` for an array owned by `owner`, for the request `flags`; waits for work on the
/// memory first. BufferError if the host gets no view of the memory, if a writable buffer of a
/// read-only array is asked for, or if the request cannot express the array's strides. What a
/// request gets is what NumPy gives for it.
int get_buffer(PyObject* owner, const array& exported, Py_buffer* view, int flags);
/// The reason why there is no buffer of the elements, empty if there is one: for NumPy's
/// dictionary.
std::string why_no_buffer(const array& exported);
void release_buffer(PyObject* owner, Py_buffer* view) noexcept;

}  // namespace usmx::bindings
