// The dictionaries of foreign producers: their types are checked, and nothing is trusted. Which
// values are right is decided in usmx/exchange.
#pragma once

#include <memory>
#include <optional>

#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"

namespace usmx::bindings {

/// A checked view of a foreign producer's memory, which keeps the producer alive: by
/// __sycl_usm_array_interface__, or else by __cuda_array_interface__. None if the object has
/// neither. An exception raised by the attribute passes through.
std::optional<array> import_producer(PyObject* producer);

/// A checked view of a foreign producer's memory on a CUDA device, which keeps the producer alive;
/// none if the object has no such attribute. usmx's work on it comes after the work on the
/// producer's stream. If the dictionary's version cannot name a stream, this waits for the device.
std::optional<array> import_cuda_producer(PyObject* producer);

}  // namespace usmx::bindings
