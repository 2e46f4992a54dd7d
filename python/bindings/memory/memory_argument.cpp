#include "memory/memory_argument.hpp"

#include <utility>

#include "memory/byte_copies.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "sycl_objects/queue_argument.hpp"

namespace usmx::bindings {

std::size_t alignment_argument(nb::handle alignment) {
  const std::ptrdiff_t value =
      to_count("alignment", "0 or a power of two, an integer", alignment.ptr());
  if (value < 0) {
    throw value_error(detail::message("alignment must be 0 or a power of two, found ", value));
  }
  return static_cast<std::size_t>(value);
}

std::shared_ptr<buffer> allocate_memory(std::ptrdiff_t nbytes, usm_kind kind,
                                        const memory_options& options) {
  if (nbytes <= 0) {
    throw value_error(
        detail::message("number of bytes to allocate must be positive, found ", nbytes));
  }
  return make_memory(static_cast<std::size_t>(nbytes), kind,
                     queue_argument(options.queue, nb::none()), first_use::in_order,
                     options.alignment);
}

std::shared_ptr<buffer> take_memory(std::shared_ptr<buffer> existing, usm_kind kind,
                                    const memory_options& options) {
  const sycl::queue queue = options.queue.is_none() ? internal::private_queue(*existing)
                                                    : queue_argument(options.queue, nb::none());
  if (options.copy) {
    if (existing->nbytes() == 0) {
      throw value_error("a copy of memory needs at least one byte, found none");
    }
    auto copied =
        make_memory(existing->nbytes(), kind, queue, first_use::at_once, options.alignment);
    copy_buffer(existing, copied);
    return copied;
  }
  if (existing->kind() != kind) {
    throw value_error(detail::message("a view of memory must be of its kind: expected ", name(kind),
                                      " memory, found ", name(existing->kind()),
                                      " memory; copy=True copies it"));
  }
  if (options.alignment != 0 &&
      reinterpret_cast<std::uintptr_t>(existing->data()) % options.alignment != 0) {
    throw value_error(detail::message("memory must be aligned to ", options.alignment,
                                      " bytes, found address ",
                                      static_cast<const void*>(existing->data())));
  }
  if (queue != internal::private_queue(*existing)) {
    throw value_error(
        "a view of memory stays on its own queue, found another: copy=True copies "
        "the memory to that queue");
  }
  return existing;
}

}  // namespace usmx::bindings
