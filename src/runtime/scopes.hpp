// Scopes: what Python's `with` blocks choose for the running thread or asynchronous task: the queue
// of new arrays (queues.cpp), and the resource of new memory (memory/current_resource.hpp). The
// Python module knows which blocks hold where. The library asks it only while there is a scope. Not
// installed.
#pragma once

#include <optional>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

/// Counted as long as it lives.
class USMX_API counted_scope {
 public:
  counted_scope() noexcept;
  counted_scope(const counted_scope&) = delete;
  counted_scope& operator=(const counted_scope&) = delete;
  ~counted_scope();
};

/// Whether there is a scope, of any thread.
USMX_API bool scopes_live() noexcept;

/// The queue of the innermost scope that holds for the calling thread. Of the scopes only those
/// count that were begun inside that using_queue of the thread, unless it is null. None if there is
/// no such scope. Callers may hold any lock.
using scoped_queue_function = std::optional<sycl::queue> (*)(const sycl::queue* innermost);
/// Sets what default_queue() asks while there are scopes.
USMX_API void set_scoped_queue_function(scoped_queue_function) noexcept;
/// The queue of the innermost using_queue of the calling thread; null if there is none.
USMX_API const sycl::queue* queue_of_thread() noexcept;

}  // namespace usmx::inline v1::internal
