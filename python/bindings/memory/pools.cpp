#include "memory/memory.hpp"

#include <optional>

#include "support/arguments.hpp"
#include "support/declare.hpp"
#include "support/hooks.hpp"
#include "support/interpreter_lock.hpp"
#include "sycl_objects/classes.hpp"
#include "usmx/base/error.hpp"
#include "usmx/runtime/devices.hpp"

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

/// A number of bytes. Throws value_error if it is negative.
std::size_t nbytes_argument(const char* name, const char* expected, nb::handle given) {
  const std::ptrdiff_t nbytes = to_count(name, expected, given.ptr());
  if (nbytes < 0) {
    throw value_error(detail::message("'", name, "' must not be negative, found ", nbytes));
  }
  return static_cast<std::size_t>(nbytes);
}

/// Sets the limit of a pool. 0 is no limit, as in CuPy.
void set_limit(const py_pool& self, nb::handle size, std::optional<double> fraction) {
  if (!size.is_none() && fraction) {
    throw value_error("set_limit takes 'size' or 'fraction', found both");
  }
  std::size_t nbytes = 0;
  if (fraction) {
    nbytes = share_of(self.device, *fraction);
  } else if (!size.is_none()) {
    nbytes = nbytes_argument("size", "a number of bytes or None", size);
  }
  self.own->set_limit(nbytes == 0 ? std::nullopt : std::optional(nbytes));
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
  auto memory_pool = nb::class_<py_pool, py_resource>(
      m, "MemoryPool",
      "The pool of one kind of memory on one device. It keeps what is freed and uses it again. "
      "`get_memory_pool` finds usmx's own, and `PoolResource` makes another one.");
  memory_pool
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
          "Give all memory of which nothing is in use back to the resource below.");
  declare<
      "def set_limit(self, *, size: typing.SupportsIndex | None = None, fraction: float | None = "
      "None) -> None">(memory_pool, &set_limit);
  memory_pool.def(
      "get_limit", [](const py_pool& self) { return self.own->limit(); },
      "Give the limit in bytes, or None if there is none.");
  declare<"def set_keep_limit(self, size: typing.SupportsIndex) -> None">(memory_pool,
                                                                          &set_keep_limit);
  memory_pool.def(
      "get_keep_limit", [](const py_pool& self) { return self.own->keep_limit(); },
      "Give how many bytes of free blocks of more than 64 KiB the pool keeps.");
  declare<"def statistics(self) -> dict[str, int]">(
      memory_pool, &statistics,
      "Give the bytes in use, in all and free, now and at their peaks, by name.");
  memory_pool.def(
      "reset_peak", [](const py_pool& self) { self.own->reset_peak(); },
      "Forget the peaks, and count them from here on.");
}

void bind_own_pool(nb::module_& m) {
  declare<"def __init__(self, upstream: MemoryResource, device: object = None) -> None">(
      nb::class_<py_own_pool, py_pool>(m, "PoolResource", docstring("PoolResource")),
      init_by(+[](const py_resource& upstream, nb::handle device) {
        const sycl::queue queue = queue_argument(nb::none(), device);
        return py_own_pool(std::make_shared<pool_resource>(upstream.resource, queue),
                           queue.get_device());
      }));
}

}  // namespace

void bind_pools(nb::module_& m) {
  bind_pool(m);
  bind_own_pool(m);
  declare<"def get_memory_pool(kind: str = 'device', device: object = None) -> MemoryPool">(
      m, &get_memory_pool);
  declare<"def set_pending_limit(nbytes: typing.SupportsIndex) -> None">(m, &set_pending_nbytes);
  m.def("get_pending_limit", [] { return pending_limit(); }, docstring("get_pending_limit"));
  m.def(
      "empty_cache",
      [] {
        const without_interpreter_lock unlocked;
        empty_cache();
      },
      docstring("empty_cache"));
  m.def(
      "_give_back_surplus",
      [] {
        const without_interpreter_lock unlocked;
        give_back_surplus();
      },
      "Let all pools give back what is free beyond what they keep, as the next allocation of each "
      "does.");
  declare<"def mem_get_info(device: object = None) -> tuple[int, int]">(m, &mem_get_info);
}

}  // namespace usmx::bindings
