// Capsules of DLPack: "dltensor_versioned" and, before version 1.0, "dltensor".
#pragma once

#include <optional>

#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"
#include "usmx/exchange/dlpack.hpp"

namespace usmx::bindings {

/// Where DLPack has the array: the host if the memory is the system's. Throws buffer_error if it
/// has no number for the device or no words for the context.
dlpack::device place_of(const array&);

/// A capsule of either generation. Its tensor keeps the memory alive without the interpreter. The
/// caller has ensured that the elements are ready to be read on that device.
nb::object to_capsule(const array&, dlpack::device, bool versioned, bool copied);

/// The tensor of a producer. Its deleter runs exactly once: when this object is destroyed, or when
/// the holder of the owner releases it.
class taken_tensor {
 public:
  /// Asks the producer for a capsule and takes what it holds. Throws type_error if the object has
  /// no __dlpack__ or gives no capsule, value_error if that was used before or holds something
  /// else, and buffer_error for another major version.
  static taken_tensor of(PyObject* producer, bool may_copy);
  /// A tensor that was received through the C interface. Throws buffer_error for another major
  /// version.
  template <class Managed>
  explicit taken_tensor(Managed* managed);

  const exchange::received_tensor& received() const noexcept { return received_; }
  detail::release_action owner() && noexcept { return std::move(owner_); }

 private:
  detail::release_action owner_;
  exchange::received_tensor received_;
};

/// The array of a tensor in USM. `producer` is the object that gave it, or null. If the array is on
/// another queue than the producer's, waits for the producer's queue.
array to_array(taken_tensor&&, PyObject* producer);

/// A copy of a tensor in host memory, of kind `device` and on that `device=`. Waits.
array copy_to_usm(const exchange::received_tensor&, nb::handle device);

}  // namespace usmx::bindings
