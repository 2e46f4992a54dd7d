// Objects of other packages as arrays: what a producer offers, and the import by what it offers.
#pragma once

#include <memory>
#include <optional>

#include "objects/array.hpp"
#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"
#include "usmx/memory/buffer.hpp"

namespace usmx::bindings {

// Anything that describes USM memory: usmx's arrays and memory objects, and foreign producers.

/// The elements of a producer that is no USMArray; nullopt for any other object.
std::optional<array> array_of_other_producer(PyObject* object);
/// A view of a producer as a new USMArray; null for any other object.
nb::object view_of_producer(nb::handle object);
/// The same, but returns a USMArray itself.
nb::object array_or_view(nb::handle object);

/// An argument that is a USMArray or another producer, as an array. TypeError (type_error) naming
/// `what` for any other object.
class array_argument {
 public:
  array_argument(const char* what, nb::handle object);
  const py_array& operator*() const noexcept { return *nb::inst_ptr<py_array>(held_); }
  const py_array* operator->() const noexcept { return &**this; }

 private:
  nb::object held_;
};

/// The bytes that a producer covers; null for any other object.
std::shared_ptr<buffer> memory_of_producer(PyObject* object);

/// from_usm_array_interface and _as_array.
void bind_producers(nb::module_& m);

// The dictionaries of foreign producers: their types are checked, and nothing is trusted. Which
// values are right is decided in usmx/exchange.

/// A checked view of a foreign producer's memory, which keeps the producer alive: by
/// __sycl_usm_array_interface__, or else by __cuda_array_interface__. None if the object has
/// neither. An exception raised by the attribute passes through.
std::optional<array> import_producer(PyObject* producer);

/// A checked view of a foreign producer's memory on a CUDA device, which keeps the producer alive;
/// none if the object has no such attribute. usmx's work on it comes after the work on the
/// producer's stream. If the dictionary's version cannot name a stream, this waits for the device.
std::optional<array> import_cuda_producer(PyObject* producer);

}  // namespace usmx::bindings
