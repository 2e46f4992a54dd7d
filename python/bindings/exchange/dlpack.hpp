// Capsules of DLPack: "dltensor_versioned" and, before version 1.0, "dltensor".
#pragma once

#include <optional>

#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"
#include "usmx/exchange/dlpack.hpp"

namespace usmx::bindings {

/// A capsule of either generation, whose tensor keeps the memory without the interpreter. The
/// caller has seen to it that the elements are ready to be read there.
nb::object to_capsule(const array&, dlpack::device, bool versioned, bool copied);

/// The tensor of a producer, whose deleter runs exactly once: when this ends, or when who has the
/// owner lets it go.
class taken_tensor {
 public:
  /// Asks the producer for a capsule and takes what it holds. type_error when the object has no
  /// __dlpack__ or gives no capsule, value_error when that was used before or holds something else,
  /// buffer_error for another major version.
  static taken_tensor of(PyObject* producer, bool may_copy);
  /// One that was handed over in C. buffer_error for another major version.
  template <class Managed>
  explicit taken_tensor(Managed* managed);

  const exchange::received_tensor& received() const noexcept { return received_; }
  detail::release_action owner() && noexcept { return std::move(owner_); }

 private:
  detail::release_action owner_;
  exchange::received_tensor received_;
};

/// The array of a tensor in USM, which a producer gave if it is not null. Waits for the queue on
/// which the producer works where the array is on another one.
array to_array(taken_tensor&&, PyObject* producer);

/// A copy of a tensor in host memory, of kind `device` and on that `device=`. Waits.
array copy_to_usm(const exchange::received_tensor&, nb::handle device);

}  // namespace usmx::bindings
