#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <sycl/handler.hpp>

#include "elements/element.hpp"
#include "exchange/exchange.hpp"
#include "internals.hpp"
#include "memory/memory.hpp"
#include "objects/memory_object.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "support/declare.hpp"
#include "support/hooks.hpp"
#include "sycl_objects/classes.hpp"
#include "sycl_objects/dpctl.hpp"
#include "usmx/array/submit.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/memory/buffer.hpp"

namespace usmx::bindings {
namespace {

using events = std::vector<sycl::event>;

events dependencies(nb::handle argument) {
  return argument.is_none() ? events() : events_argument("dEvents", argument);
}

void wait_until_complete(const sycl::event& event) {
  const without_interpreter_lock unlocked;
  wait_for_events({event});
}

/// The memory that an argument names. The message of an error has dpctl's name for what such an
/// argument must be.
std::shared_ptr<buffer> memory_argument(const char* name, nb::handle object) {
  std::shared_ptr<buffer> memory = memory_of_producer(object.ptr());
  if (memory == nullptr) {
    throw_wrong_type(name,
                     "an object of a memory class (_Memory) or another with "
                     "__sycl_usm_array_interface__",
                     object.ptr());
  }
  return memory;
}

// ---- memcpy

/// One side of a memcpy: USM, or ordinary memory of the host in an object's buffer.
class side {
 public:
  side(const char* name, nb::handle object, int flags) : name_(name) {
    memory_ = memory_of_producer(object.ptr());
    if (memory_ == nullptr) {
      if (PyObject_CheckBuffer(object.ptr()) == 0) {
        throw_wrong_type(name,
                         "an object of a memory class (_Memory), another with "
                         "__sycl_usm_array_interface__ or a contiguous buffer",
                         object.ptr());
      }
      host_.emplace(object, flags | PyBUF_ANY_CONTIGUOUS);
    }
  }

  void require(std::size_t nbytes) const {
    const std::size_t has =
        memory_ != nullptr ? memory_->nbytes() : static_cast<std::size_t>(host_->view->len);
    if (nbytes > has) {
      throw value_error(
          detail::message(name_, " must have at least ", nbytes, " bytes, found ", has));
    }
  }

  bool is_usm() const { return memory_ != nullptr; }
  array first(std::size_t nbytes) const { return first_bytes(memory_, nbytes); }
  internal::host_memory host() const {
    return {static_cast<std::byte*>(host_->view->buf), host_->owner};
  }

 private:
  const char* name_;
  std::shared_ptr<buffer> memory_;
  std::optional<shared_buffer> host_;
};

sycl::event copy_between_arrays(const sycl::queue& queue, const array& to, const array& from,
                                const events& after) {
  if (const auto started = internal::memcpy_async(queue, to, from, after)) {
    return *started;
  }
  wait_for_events(after);
  copy(from, to);
  return {};
}

sycl::event copy_on_host(const side& to, const side& from, std::size_t nbytes,
                         const events& after) {
  wait_for_events(after);
  internal::memcpy_on_host(to.host().first, from.host().first, nbytes);
  return {};
}

/// The two sides of a memcpy.
struct sides {
  sides(nb::handle dest, nb::handle src, std::size_t nbytes)
      : from("src", src, 0), to("dest", dest, PyBUF_WRITABLE) {
    from.require(nbytes);
    to.require(nbytes);
  }

  side from;
  side to;
};

sycl::event start_memcpy(const sycl::queue& queue, const sides& both, std::size_t nbytes,
                         const events& after) {
  const auto& [from, to] = both;
  return ordered(false, [&]() -> sycl::event {
    if (nbytes == 0) {
      wait_for_events(after);
      return {};
    }
    if (!to.is_usm() && !from.is_usm()) {
      return copy_on_host(to, from, nbytes, after);
    }
    if (!from.is_usm()) {
      return internal::memcpy_async(queue, to.first(nbytes), from.host(), after);
    }
    return to.is_usm() ? copy_between_arrays(queue, to.first(nbytes), from.first(nbytes), after)
                       : internal::memcpy_async(queue, to.host(), from.first(nbytes), after);
  });
}

/// Runs work that waits, after everything on an in-order queue. The commands of an out-of-order
/// queue have no order except by the record of pending work, which the work itself follows.
template <class Work>
void run_on(const sycl::queue& queue, bool is_short, const Work& work) {
  const bool is_in_order = queue.is_in_order();
  ordered(is_short && !is_in_order, [&] {
    if (is_in_order) {
      internal::wait_for_both(queue);
    }
    work();
  });
}

/// Copies and waits. Between USM the host may copy itself, in a fraction of a command's time.
void memcpy_and_wait(const sycl::queue& queue, nb::handle dest, nb::handle src,
                     std::size_t nbytes) {
  const sides both(dest, src, nbytes);
  if (nbytes == 0 || !both.from.is_usm() || !both.to.is_usm()) {
    return wait_until_complete(start_memcpy(queue, both, nbytes, {}));
  }
  const array from = both.from.first(nbytes);
  const array to = both.to.first(nbytes);
  internal::require_context(queue, from);
  internal::require_context(queue, to);
  run_on(queue, is_short(from) && is_short(to), [&] { copy(from, to); });
}

// ---- elements of a named type

struct named_type {
  std::string_view name;
  type_code code;
};

/// The types that dpctl has.
constexpr std::array named_types{
    named_type{"u1", type_code::uint8},   named_type{"i1", type_code::int8},
    named_type{"u2", type_code::uint16},  named_type{"i2", type_code::int16},
    named_type{"u4", type_code::uint32},  named_type{"i4", type_code::int32},
    named_type{"u8", type_code::uint64},  named_type{"i8", type_code::int64},
    named_type{"f4", type_code::float32}, named_type{"f8", type_code::float64}};

dtype type_argument(nb::handle argument) {
  const std::string_view name = to_text("dtype", argument.ptr());
  const auto found = std::ranges::find(named_types, name, &named_type::name);
  if (found == named_types.end()) {
    throw value_error(detail::message(
        "dtype must be one of i1, u1, i2, u2, i4, u4, i8, u8, f4, f8, found '", name, "'"));
  }
  return found->code;
}

std::size_t bytes_of_elements(nb::handle count, nb::handle type) {
  return checked_nbytes(to_count("count", "an integer", count.ptr()), type_argument(type));
}

// ---- commands on one piece of memory

/// Limits `count` to all the elements that the memory has room for. A count of 0 stands for all of
/// them.
std::size_t clamped(std::size_t count, std::size_t all) {
  return count == 0 ? all : std::min(count, all);
}

/// The bytes that a memset sets, and their value.
struct set_bytes {
  set_bytes(nb::handle mem, nb::handle val, nb::handle count) {
    const std::shared_ptr<buffer> memory = memory_argument("mem", mem);
    // The low byte counts, as in C.
    value = static_cast<std::byte>(to_count("val", "an integer", val.ptr()));
    bytes = first_bytes(memory, clamped(size_argument("count", count), memory->nbytes()));
  }

  array bytes;
  std::byte value;
};

sycl::event start_memset(const sycl::queue& queue, const set_bytes& set, const events& after) {
  return ordered(false, [&] {
    return submit(queue, {}, {set.bytes}, [&](sycl::handler& command) {
      command.depends_on(after);
      command.memset(internal::first_element(set.bytes), std::to_integer<int>(set.value),
                     set.bytes.nbytes());
    });
  });
}

void memset_and_wait(const sycl::queue& queue, nb::handle mem, nb::handle val, nb::handle count) {
  const set_bytes set(mem, val, count);
  internal::require_context(queue, set.bytes);
  run_on(queue, is_short(set.bytes), [&] { fill(set.bytes, &set.value); });
}

/// The elements that a fill sets, and their value.
struct set_elements {
  array elements;
  element value;
};

/// The element type that the object itself names: bytes, for memory objects.
dtype own_type(nb::handle mem) {
  const array_argument elements("mem", mem);
  if (!elements->value.layout().is_c_contiguous() && !elements->value.layout().is_f_contiguous()) {
    throw value_error(
        "mem must be contiguous, or dtype must be given, which means all bytes from the first to "
        "the last one: set the elements of an array by a[...] = value");
  }
  return elements->value.type();
}

set_elements elements_to_set(nb::handle mem, nb::handle value, nb::handle count,
                             nb::handle dtype_name) {
  const std::shared_ptr<buffer> memory = memory_argument("mem", mem);
  if (value.is_none()) {  // NaN to arrays, as in NumPy
    throw_wrong_type("value", "a number", value.ptr());
  }
  const dtype type = dtype_name.is_none() ? own_type(mem) : type_argument(dtype_name);
  const std::size_t room = memory->nbytes() / type.itemsize();
  return {elements_of(memory, type, clamped(size_argument("count", count), room)),
          to_element(type, value)};
}

/// Starts a fill. If no kernel can make it, the host waits for the work that the fill comes after.
sycl::event start_fill(const sycl::queue& queue, const set_elements& set, const events& after) {
  return ordered(false, [&]() -> sycl::event {
    const auto started = set.elements.size() == 0
                             ? std::nullopt
                             : internal::fill_async(queue, set.elements, set.value.data(), after);
    if (!started) {
      wait_for_events(after);
      fill(set.elements, set.value.data());
    }
    return started.value_or(sycl::event());
  });
}

void fill_and_wait(const sycl::queue& queue, const set_elements& set) {
  internal::require_context(queue, set.elements);
  run_on(queue, is_short(set.elements), [&] { fill(set.elements, set.value.data()); });
}

template <class Command>
sycl::event start_on_bytes(const sycl::queue& queue, nb::handle mem, nb::handle count,
                           Command command) {
  const std::shared_ptr<buffer> memory = memory_argument("mem", mem);
  const array bytes = first_bytes(memory, clamped(size_argument("count", count), memory->nbytes()));
  return ordered(false, [&] {
    return submit(queue, {bytes}, {}, [&](sycl::handler& handler) {
      command(handler, internal::first_element(bytes), bytes.nbytes());
    });
  });
}

// ---- barriers

/// Starts a barrier. Waits for events first: a barrier after events that no back end has, or that
/// are of another context, crashes the runtime or the driver, and an event does not tell its
/// context. Waits also for an out-of-order queue on which dpctl and dpnp may have host tasks, which
/// barriers miss (docs/decisions.md, 19 and 20).
sycl::event start_barrier(const sycl::queue& queue, nb::handle argument) {
  const events after =
      argument.is_none() ? events() : events_argument("dependent_events", argument);
  const bool may_have_host_tasks = !queue.is_in_order() && are_dpctls_classes_known();
  return ordered(false, [&] {
    if (may_have_host_tasks) {
      internal::wait_for_both(queue);
    }
    wait_for_events(after);
    return submit(queue, {}, {}, [](sycl::handler& command) { command.ext_oneapi_barrier(); });
  });
}

void bind_copies_of_bytes(nb::class_<sycl::queue>& cls) {
  declare<"def memcpy(self, dest: object, src: object, count: int) -> None">(
      cls, [](const sycl::queue& queue, nb::handle dest, nb::handle src, nb::handle count) {
        memcpy_and_wait(queue, dest, src, size_argument("count", count));
      });
  declare<
      "def memcpy_async(self, dest: object, src: object, count: int, dEvents: "
      "typing.Sequence[SyclEvent] | None = None) -> SyclEvent">(
      cls, [](const sycl::queue& queue, nb::handle dest, nb::handle src, nb::handle count,
              nb::handle after) {
        const std::size_t nbytes = size_argument("count", count);
        return event_object(
            start_memcpy(queue, sides(dest, src, nbytes), nbytes, dependencies(after)));
      });
  declare<"def copy(self, dest: object, src: object, count: int, dtype: str = 'u1') -> None">(
      cls,
      [](const sycl::queue& queue, nb::handle dest, nb::handle src, nb::handle count,
         nb::handle type) { memcpy_and_wait(queue, dest, src, bytes_of_elements(count, type)); });
  declare<
      "def copy_async(self, dest: object, src: object, count: int, dEvents: "
      "typing.Sequence[SyclEvent] | None = None, dtype: str = 'u1') -> SyclEvent">(
      cls, [](const sycl::queue& queue, nb::handle dest, nb::handle src, nb::handle count,
              nb::handle after, nb::handle type) {
        const std::size_t nbytes = bytes_of_elements(count, type);
        return event_object(
            start_memcpy(queue, sides(dest, src, nbytes), nbytes, dependencies(after)));
      });
}

void bind_fills(nb::class_<sycl::queue>& cls) {
  declare<"def memset(self, mem: object, val: int, count: int = 0) -> None">(
      cls, [](const sycl::queue& queue, nb::handle mem, nb::handle val, nb::handle count) {
        memset_and_wait(queue, mem, val, count);
      });
  declare<
      "def memset_async(self, mem: object, val: int, count: int = 0, dEvents: "
      "typing.Sequence[SyclEvent] | None = None) -> SyclEvent">(
      cls, [](const sycl::queue& queue, nb::handle mem, nb::handle val, nb::handle count,
              nb::handle after) {
        return event_object(start_memset(queue, set_bytes(mem, val, count), dependencies(after)));
      });
  declare<
      "def fill(self, mem: object, value: complex, count: int = 0, dtype: str | None = None) -> "
      "None">(
      cls, [](const sycl::queue& queue, nb::handle mem, nb::handle value, nb::handle count,
              nb::handle type) { fill_and_wait(queue, elements_to_set(mem, value, count, type)); });
  declare<
      "def fill_async(self, mem: object, value: complex, count: int = 0, dEvents: "
      "typing.Sequence[SyclEvent] | None = None, dtype: str | None = None) -> SyclEvent">(
      cls, [](const sycl::queue& queue, nb::handle mem, nb::handle value, nb::handle count,
              nb::handle after, nb::handle type) {
        return event_object(
            start_fill(queue, elements_to_set(mem, value, count, type), dependencies(after)));
      });
}

void bind_hints(nb::class_<sycl::queue>& cls) {
  declare<"def prefetch(self, mem: object, count: int = 0) -> None">(
      cls, [](const sycl::queue& queue, nb::handle mem, nb::handle count) {
        wait_until_complete(start_on_bytes(
            queue, mem, count, [](sycl::handler& command, void* first, std::size_t nbytes) {
              command.prefetch(first, nbytes);
            }));
      });
  declare<"def mem_advise(self, mem: object, count: int, advice: int) -> None">(
      cls, [](const sycl::queue& queue, nb::handle mem, nb::handle count, nb::handle advice) {
        const auto hint = to_count("advice", "an integer", advice.ptr());
        wait_until_complete(start_on_bytes(
            queue, mem, count, [&](sycl::handler& command, void* first, std::size_t nbytes) {
              command.mem_advise(first, nbytes, static_cast<int>(hint));
            }));
      });
  declare<
      "def submit_barrier(self, dependent_events: typing.Sequence[SyclEvent] | None = None) -> "
      "SyclEvent">(cls, [](const sycl::queue& queue, nb::handle after) {
    return event_object(start_barrier(queue, after));
  });
}

}  // namespace

void bind_queue_commands(nb::class_<sycl::queue>& cls) {
  bind_copies_of_bytes(cls);
  bind_fills(cls);
  bind_hints(cls);
}

}  // namespace usmx::bindings
