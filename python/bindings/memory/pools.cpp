#include "memory/memory.hpp"

#include <cmath>
#include <memory>
#include <optional>

#include "memory/memory.hpp"
#include "support/arguments.hpp"
#include "support/interpreter_lock.hpp"
#include "sycl_objects/queue_argument.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/current_resource.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/memory_info.hpp"

namespace usmx::bindings {
namespace {

py_pool get_memory_pool(nb::handle kind, nb::handle device) {
  const sycl::queue queue = queue_argument(nb::none(), device);
  const usm_kind wanted = kind_argument(kind);
  const auto scoped = internal::scoped_resource(queue, wanted);
  const without_interpreter_lock unlocked;
  if (scoped ? !(*scoped == any_resource(default_pool(queue, wanted)))
             : !uses_default_resource(queue, wanted)) {
    throw value_error(detail::message("new ", name(wanted), " memory on ",
                                      describe(queue.get_device()),
                                      " does not come from usmx's pool: another resource is set"));
  }
  return {default_pool(queue, wanted), queue.get_device()};
}

std::size_t share_of(const sycl::device& device, double fraction) {
  if (!(fraction >= 0 && fraction <= 1)) {
    throw value_error(detail::message("'fraction' must be between 0 and 1, found ", fraction));
  }
  const auto total = device.get_info<sycl::info::device::global_mem_size>();
  return static_cast<std::size_t>(fraction * static_cast<double>(total));
}

/// Throws value_error if it is negative.
std::size_t nbytes_argument(const char* name, const char* expected, nb::handle given) {
  const std::ptrdiff_t nbytes = to_count(name, expected, given.ptr());
  if (nbytes < 0) {
    throw value_error(detail::message("'", name, "' must not be negative, found ", nbytes));
  }
  return static_cast<std::size_t>(nbytes);
}

void set_limit(const py_pool& self, nb::handle size, std::optional<double> fraction) {
  if (!size.is_none() && fraction) {
    throw value_error("set_limit takes 'size' or 'fraction', found both");
  }
  if (fraction) {
    self.own->set_limit(share_of(self.device, *fraction));
    return;
  }
  if (size.is_none()) {
    self.own->set_limit(std::nullopt);
    return;
  }
  self.own->set_limit(nbytes_argument("size", "a number of bytes or None", size));
}

void set_keep_limit(const py_pool& self, nb::handle size) {
  const std::size_t nbytes = nbytes_argument("size", "a number of bytes", size);
  const without_interpreter_lock unlocked;
  self.own->set_keep_limit(nbytes);
}

std::size_t free_nbytes(const pool_statistics& now) noexcept {
  return now.total > now.used ? now.total - now.used : 0;
}

nb::dict statistics(const py_pool& self) {
  const pool_statistics now = self.own->statistics();
  nb::dict all;
  all["used_bytes.current"] = now.used;
  all["used_bytes.peak"] = now.peak_used;
  all["total_bytes.current"] = now.total;
  all["total_bytes.peak"] = now.peak_total;
  all["free_bytes.current"] = free_nbytes(now);
  return all;
}

void set_pending_nbytes(nb::handle wanted) {
  set_pending_limit(nbytes_argument("nbytes", "a number of bytes", wanted));
}

std::pair<std::size_t, std::size_t> mem_get_info(nb::handle device) {
  const memory_info found = get_memory_info(queue_argument(nb::none(), device).get_device());
  return {found.free, found.total};
}

void bind_pool(nb::module_& m) {
  nb::class_<py_pool, py_resource>(
      m, "MemoryPool",
      "The pool of one kind of memory on one device. It keeps what is freed and uses it again. "
      "`get_memory_pool` finds usmx's own, and `PoolResource` makes another one.")
      .def(
          "used_bytes", [](const py_pool& self) { return self.own->statistics().used; },
          "Give the bytes in use, by blocks whose sizes are rounded up.")
      .def(
          "total_bytes", [](const py_pool& self) { return self.own->statistics().total; },
          "Give the bytes that the pool has from the resource below, in use and free.")
      .def(
          "free_bytes", [](const py_pool& self) { return free_nbytes(self.own->statistics()); },
          "Give the bytes that are free and that the pool keeps.")
      .def(
          "free_all_blocks",
          [](const py_pool& self) {
            const without_interpreter_lock unlocked;
            self.own->free_all_blocks();
          },
          "Give all memory of which nothing is in use back to the resource below.")
      .def("set_limit", &set_limit, nb::kw_only(), nb::arg("size") = nb::none(),
           nb::arg("fraction") = nb::none(),
           nb::sig("def set_limit(self, *, size: typing.SupportsIndex | None = None, fraction: "
                   "float | None = None) -> None"),
           R"(Set or remove the limit of the memory that the pool takes from the resource below.

What the pool has already, it keeps. Memory beyond the limit is a USMAllocationError.

Args:
    size: the limit in bytes.
    fraction: the limit as a fraction of the device's memory. Without both arguments there is no limit.

Raises:
    ValueError: both are given, or one is out of range.

Example:
    >>> pool = usmx.memory.get_memory_pool()
    >>> pool.set_limit(size=1 << 30)
    >>> pool.get_limit()
    1073741824
    >>> pool.set_limit())")
      .def(
          "get_limit", [](const py_pool& self) { return self.own->limit(); },
          "Give the limit in bytes, or None if there is none.")
      .def("set_keep_limit", &set_keep_limit, nb::arg("size"),
           nb::sig("def set_keep_limit(self, size: typing.SupportsIndex) -> None"),
           R"(Set how many bytes of free blocks of more than 64 KiB the pool keeps.

What is free beyond that goes back to the resource below: now, which may wait for work on it, and later with the
next allocation, or when any array or memory object is pickled. The limit is at first what
USMX_POOL_KEEP of the environment says, or a sixteenth of the device's memory, and at least 64 MiB.

Args:
    size: the limit in bytes.

Raises:
    ValueError: it is negative.
    TypeError: it is no integer.

Example:
    >>> pool = usmx.memory.get_memory_pool()
    >>> before = pool.get_keep_limit()
    >>> pool.set_keep_limit(1 << 20)
    >>> pool.get_keep_limit()
    1048576
    >>> pool.set_keep_limit(before))")
      .def(
          "get_keep_limit", [](const py_pool& self) { return self.own->keep_limit(); },
          "Give how many bytes of free blocks of more than 64 KiB the pool keeps.")
      .def("statistics", &statistics, nb::sig("def statistics(self) -> dict[str, int]"),
           "Give the bytes in use, in all and free, now and at their peaks, by name.")
      .def(
          "reset_peak", [](const py_pool& self) { self.own->reset_peak(); },
          "Forget the peaks, and count them from here on.");
}

void bind_own_pool(nb::module_& m) {
  nb::class_<py_own_pool, py_pool>(m, "PoolResource",
                                   R"(A pool of one device on top of another resource.

It gives memory for queues of that device and its context, and a ValueError for any other.

Args:
    upstream: the resource that the pool takes its memory from.
    device: a filter string, a SyclDevice, a SyclQueue or a Device. None means the default device.

Raises:
    ValueError: `upstream` is, or stands on, a pool of another context or device, or on too many
        resources (16).

Example:
    >>> pool = usmx.memory.PoolResource(usmx.memory.PlainResource('host'))
    >>> pool.set_limit(size=1 << 30)
    >>> with usmx.memory.using_memory_resource(pool):
    ...     a = usmx.zeros(100, usm_type='host')
    >>> pool.used_bytes()
    896)")
      .def(
          "__init__",
          [](nb::pointer_and_handle<py_own_pool> self, const py_resource& upstream,
             nb::handle device) {
            initialize(self, [&] {
              const sycl::queue queue = queue_argument(nb::none(), device);
              return py_own_pool(std::make_shared<pool_resource>(upstream.resource, queue),
                                 queue.get_device());
            });
          },
          nb::arg("upstream"), nb::arg("device") = nb::none(),
          nb::sig("def __init__(self, upstream: MemoryResource, device: object = None) -> None"));
}

}  // namespace

void bind_pools(nb::module_& m) {
  bind_pool(m);
  bind_own_pool(m);
  m.def("get_memory_pool", &get_memory_pool, nb::arg("kind") = "device",
        nb::arg("device") = nb::none(),
        nb::sig("def get_memory_pool(kind: str = 'device', device: object = None) -> MemoryPool"),
        R"(Find the pool of usmx's own that new memory of a kind comes from.

With ``USMX_POOL=off`` in the environment, new memory comes from the SYCL runtime, block by block. Then this is a
pool from which nothing is taken: its figures are 0.

Args:
    kind: 'device', 'shared' or 'host'.
    device: a filter string, a SyclDevice, a SyclQueue or a Device. None means the default device.

Returns:
    A MemoryPool.

Raises:
    ValueError: `kind` is no kind, or `set_memory_resource` has set another resource for new memory.

Example:
    >>> usmx.memory.get_memory_pool('shared').kind
    'shared')");
  m.def("set_pending_limit", &set_pending_nbytes, nb::arg("nbytes"),
        nb::sig("def set_pending_limit(nbytes: typing.SupportsIndex) -> None"),
        R"(Set how many bytes may wait for unfinished work after their arrays are gone.

Memory that was let go while work on it was unfinished waits until the work is done. Where more bytes wait, and no
free memory serves it, the next allocation waits for the oldest of that work. By default 256 MiB may wait, or what
USMX_PENDING_LIMIT of the environment says.

Args:
    nbytes: the bytes that may wait, for all devices and kinds together.

Raises:
    ValueError: `nbytes` is negative.
    TypeError: `nbytes` is no integer.

Example:
    >>> before = usmx.memory.get_pending_limit()
    >>> usmx.memory.set_pending_limit(1 << 30)
    >>> usmx.memory.get_pending_limit()
    1073741824
    >>> usmx.memory.set_pending_limit(before))");
  m.def(
      "get_pending_limit", [] { return pending_limit(); },
      R"(Give how many bytes may wait for unfinished work after their arrays are gone.

Example:
    >>> usmx.memory.get_pending_limit() > 0
    True)");
  m.def(
      "empty_cache",
      [] {
        const without_interpreter_lock unlocked;
        empty_cache();
      },
      R"(Let all pools give back the memory that they keep and of which nothing is in use.

usmx's own pools give it to the SYCL runtime, and each PoolResource to the resource below it.

Example:
    >>> usmx.memory.empty_cache())");
  m.def(
      "_give_back_surplus",
      [] {
        const without_interpreter_lock unlocked;
        give_back_surplus();
      },
      "Let all pools give back what is free beyond what they keep, as the next allocation of each "
      "does.");
  m.def(
      "mem_get_info", &mem_get_info, nb::arg("device") = nb::none(),
      nb::sig("def mem_get_info(device: object = None) -> tuple[int, int]"),
      R"(Give the bytes of the device's memory that are free, and all of them, for all processes together.

Args:
    device: a filter string, a SyclDevice, a SyclQueue or a Device. None means the default device.

Returns:
    A tuple (free, total), in bytes.

Raises:
    ValueError: the device does not tell.

Example:
    >>> free, total = usmx.memory.mem_get_info()
    >>> free <= total
    True)");
}

}  // namespace usmx::bindings
