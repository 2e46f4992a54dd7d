// Which memory kernels of a device may use: the one rule, for every kernel of usmx's and every
// kernel that it launches for others. Private to the library.
#pragma once

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/queue.hpp>

#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1::detail {

/// Memory of a context, and whose it is. Memory of kind `host` is nobody's.
struct owned_memory {
  const void* first;
  usm_kind kind;
  const sycl::device& owner;
};

/// Whether kernels on the device may read and write memory of one of its contexts. A kernel that
/// gets other memory may end all work of the process on its device: on CUDA that is an illegal
/// access. The first question about two devices asks the back end, and lets kernels of the one use
/// the other's memory from then on; what a program has said by enable_peer_access() and
/// disable_peer_access() stands.
bool is_in_reach(const sycl::device&, const sycl::context&, const owned_memory&);

/// The same for kernels on a queue, and memory on which usmx works through another one: that is out
/// of reach in another context, too.
bool is_in_reach(const sycl::queue&, const void* first, usm_kind kind,
                 const sycl::queue& of_memory);

/// These do as the public functions, for devices that may be peers. To enable what usmx has enabled
/// is no error, although it is one for the runtime.
void enable_peer_access(const sycl::device&, const sycl::device& peer);
void disable_peer_access(const sycl::device&, const sycl::device& peer);

}  // namespace usmx::inline v1::detail
