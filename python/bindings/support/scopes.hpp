// Scopes: the choices of `with` blocks, which are the queue and the kind of memory of new arrays,
// and the resource of new memory. A context variable holds the scopes of the running thread or
// asynchronous task, the innermost last (usmx/_scopes.py). A thread without the interpreter lock
// cannot read it, and may not wait for the lock, since it may hold others: the scopes that it saw
// when it had the lock last hold for it.
#pragma once

#include <atomic>
#include <optional>
#include <utility>
#include <variant>

#include "internals.hpp"
#include "support/nanobind.hpp"
#include "usmx/memory/memory_resource.hpp"

namespace usmx::bindings {

/// A resource, for the device and the context of a queue.
struct resource_of_device {
  sycl::queue queue;
  any_resource resource;
};

using scope_choice = std::variant<sycl::queue, resource_of_device, usm_kind>;

/// The choice of one block.
struct scope {
  explicit scope(scope_choice choice)
      : chosen(std::move(choice)), innermost(internal::queue_of_thread()) {}

  const scope_choice chosen;
  /// The queue of C++'s using_queue on the thread that began the block.
  const sycl::queue* const innermost;
  /// Whether the block has ended in another context than it has begun in, which cannot be changed
  /// from there.
  std::atomic<bool> ended = false;
  const internal::counted_scope counted{};
};

/// A new Python object of the class `_Scope`.
nb::object new_scope(scope_choice chosen);

/// The kind of memory that the innermost block has chosen; none if there is no block. The caller
/// holds the interpreter lock.
std::optional<usm_kind> scoped_kind();

/// The class, the context variable `_scopes`, and the functions that the library asks.
void bind_scopes(nb::module_& m);

}  // namespace usmx::bindings
