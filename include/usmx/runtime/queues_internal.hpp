// The cached queues for work that usmx itself submits: nobody else gets hold of them. Not
// installed.
#pragma once

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

/// As the functions of runtime/queues.hpp.
USMX_API sycl::queue cached_queue(const sycl::context&, const sycl::device&);
USMX_API sycl::queue cached_queue(const sycl::device&);
USMX_API sycl::queue default_queue();

/// To be called when somebody outside of usmx gets hold of a cached queue: from now on there may be
/// work on those queues that usmx has not submitted.
USMX_API void note_cached_queues_exposed() noexcept;
USMX_API bool cached_queues_exposed() noexcept;
/// The same when it is any queue: nothing to note where it is no cached one.
USMX_API void note_exposed(const sycl::queue&);

}  // namespace usmx::inline v1::internal
