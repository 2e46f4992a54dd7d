// In what back ends differ, as values: code outside of this folder asks for these, and never which
// back end it is. Private to the library. No SYCL here.
#pragma once

#include <chrono>
#include <cstddef>

namespace usmx::inline v1::detail {

/// How the work of kernels is laid out: one work item in a group, which suits CPUs, or many beside
/// each other, or many that share memory, in the kernels that the driver builds from PTX.
enum class kernel_shape { narrow, wide, tiled };

/// What compiles users' kernels: the SYCL runtime's compiler, or NVIDIA's, which users install.
enum class kernel_compiler { runtime, nvrtc };

/// Each driver states its own. The defaults are those of back ends of which nothing is known.
struct backend_traits {
  /// Threads that wait in the driver at the same time may hang (docs/decisions.md, 21).
  bool waits_one_at_a_time = false;
  /// Whether an in-order queue can be asked if it is empty, whatever other threads submit to it
  /// (docs/decisions.md, 18).
  bool in_order_queues_tell_if_empty = true;
  /// Whether the host may touch the memory of CPU devices, whatever its kind.
  bool host_reaches_memory_of_cpus = false;
  /// Whether one memcpy may copy between the memory of several devices of a context
  /// (docs/decisions.md, 83).
  bool memcpy_crosses_devices = true;
  /// Whether the runtime can let kernels of one device use another one's memory; elsewhere it fails
  /// in ways of its own if it is asked.
  bool has_peer_access = false;
  /// The largest alignment to ask the runtime for. Its own pools, where a back end has them, lose
  /// such a block when it is freed, and free other memory (docs/platforms.md).
  std::size_t largest_alignment = std::size_t{64} << 10;
  /// How far apart rows may be, in bytes, that one command copies to or from a device's memory; 0
  /// where the runtime has no such command, and makes a kernel or the host do it.
  std::ptrdiff_t longest_row_distance = 0;
  /// The size of the items that a queue fills memory with as fast as memory takes them; 0 for none.
  std::size_t fast_fill_itemsize = 0;
  /// How long events are asked again and again before a thread is left to wait for them: for short
  /// work that is quicker than to wake up threads. Longer work may need the core.
  std::chrono::microseconds asked_before_wait{0};
  /// Whether it costs more to ask if an event is complete than to make a command depend on it.
  bool asking_is_slow = false;
  /// Of the kernels for devices that are no CPUs.
  kernel_shape kernels = kernel_shape::wide;
  /// Of users' kernels.
  kernel_compiler compiler = kernel_compiler::runtime;
};

}  // namespace usmx::inline v1::detail
