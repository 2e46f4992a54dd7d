// The two faces of a cached queue. Inside, usmx works on queues that nobody else has. Outside,
// their place is taken by the queues that the peers (dpctl, dpnp) keep for the same context and
// device, as soon as these are known: so default arrays of all packages are on one queue. What
// comes in is translated by own_queue(), what goes out by handed_out(). Not installed.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

/// As the functions of runtime/queues.hpp, for work of usmx's own: nobody else gets hold of these.
USMX_API sycl::queue cached_queue(const sycl::context&, const sycl::device&);
USMX_API sycl::queue cached_queue(const sycl::device&);
USMX_API sycl::queue default_queue();

/// Those that exist.
USMX_API std::vector<sycl::queue> all_cached_queues();

/// Makes the queue known that the peers keep for its device and context. The first one stays.
USMX_API void add_peers_queue(const sycl::queue&);
/// Whether any is known. While none is, queues have one face.
USMX_API bool peers_are_known() noexcept;
/// The peers' queue for the device of a queue and its context; none where it is not known.
USMX_API std::optional<sycl::queue> peers_queue_beside(const sycl::queue&);
/// Whether the queue is one of the cached queues.
USMX_API bool is_cached_queue(const sycl::queue&);

/// usmx's own queue where it is given the peers', else the queue itself.
USMX_API sycl::queue own_queue(const sycl::queue&);
/// The peers' queue for a cached queue, if it is known, else the queue itself. What it refers to
/// lives as long as the queue that was given.
USMX_API const sycl::queue& presented_queue(const sycl::queue&);
/// The same for somebody outside of usmx. Where he gets hold of a cached queue, there may be work
/// on the cached queues from now on that usmx has not submitted.
USMX_API const sycl::queue& handed_out(const sycl::queue&);
/// Whether anybody got one.
USMX_API bool cached_queues_exposed() noexcept;

/// Waits for a queue, and for the one that others see in its place. A signal may interrupt the
/// wait.
USMX_API void wait_for_both(const sycl::queue&);

/// Sets the default queue of the calling thread; null for that of the process. Returns the one
/// before.
USMX_API std::unique_ptr<const sycl::queue> exchange_default_queue_of_thread(
    std::unique_ptr<const sycl::queue>) noexcept;

}  // namespace usmx::inline v1::internal
