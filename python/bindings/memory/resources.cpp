#include "memory/memory.hpp"

#include "support/arguments.hpp"
#include "support/declare.hpp"
#include "support/errors.hpp"
#include "support/hooks.hpp"
#include "support/interpreter_lock.hpp"
#include "support/scopes.hpp"
#include "sycl_objects/classes.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/resources.hpp"

namespace usmx::bindings {
namespace {

/// A function that returns true from the request on that comes after `count` others.
auto after(std::size_t count) {
  return [left = std::make_shared<std::atomic<std::ptrdiff_t>>(static_cast<std::ptrdiff_t>(count))](
             std::size_t) { return left->fetch_sub(1, std::memory_order_relaxed) <= 0; };
}

nb::dict counts_by_name(const allocation_counts& counts) {
  nb::dict all;
  all["bytes.current"] = counts.nbytes.current;
  all["bytes.peak"] = counts.nbytes.peak;
  all["bytes.total"] = counts.nbytes.total;
  all["blocks.current"] = counts.blocks.current;
  all["blocks.peak"] = counts.blocks.peak;
  all["blocks.total"] = counts.blocks.total;
  all["failures"] = counts.failures;
  return all;
}

nb::list list_of(const std::vector<tracked_block>& blocks) {
  nb::list all;
  for (const tracked_block& each : blocks) {
    all.append(
        nb::make_tuple(reinterpret_cast<std::uintptr_t>(each.first), each.nbytes, each.call_site));
  }
  return all;
}

template <class Function>
Function function_at(const char* what, nb::handle address) {
  return reinterpret_cast<Function>(to_address(what, "the address of a function", address.ptr()));
}

py_resource get_memory_resource(nb::handle kind, nb::handle device) {
  const sycl::queue queue = queue_argument(nb::none(), device);
  const usm_kind wanted = kind_argument(kind);
  if (auto scoped = internal::scoped_resource(queue, wanted)) {
    return {*std::move(scoped)};
  }
  return {current_resource(queue, wanted)};
}

nb::object resource_scope(const py_resource& resource, nb::handle device) {
  const sycl::queue queue = queue_argument(nb::none(), device);
  resource.resource.require_place(queue);
  return new_scope(resource_of_device{queue, resource.resource});
}

py_resource set_memory_resource(const py_resource& resource, nb::handle device) {
  return {set_current_resource(queue_argument(nb::none(), device), resource.resource)};
}

void bind_resource_base(nb::module_& m) {
  auto memory_resource = nb::class_<py_resource>(
      m, "MemoryResource",
      "A source of new memory of one kind. It equals another one for the same resource.");
  declare_attribute<"def kind(self) -> str">(
      memory_resource, [](const py_resource& self) { return name(self.resource.kind()).data(); },
      "The kind of memory: 'device', 'shared' or 'host'.");
  declare<"def __eq__(self, other: object, /) -> bool">(
      memory_resource, [](const py_resource& self, nb::handle other) {
        const py_resource* found = nullptr;
        return nb::try_cast(other, found) && found != nullptr && self.resource == found->resource;
      });
  memory_resource.def("__hash__", [](const py_resource& self) {
    return static_cast<std::size_t>(self.resource.kind());
  });
}

template <class R>
nb::class_<py_resource_of<R>, py_resource> resource_class(nb::module_& m, const char* name,
                                                          const char* documentation) {
  return {m, name, documentation};
}

template <class R>
py_resource_of<R> made(auto&&... arguments) {
  return py_resource_of<R>(std::make_shared<R>(std::forward<decltype(arguments)>(arguments)...));
}

void bind_sources(nb::module_& m) {
  declare<"def __init__(self, kind: str = 'device') -> None">(
      resource_class<usm_resource>(m, "PlainResource", docstring("PlainResource")),
      init_by(+[](nb::handle kind) { return made<usm_resource>(kind_argument(kind)); }));
  declare<
      "def __init__(self, kind: str, allocate: typing.SupportsIndex, free: typing.SupportsIndex, "
      "device: int = 0) -> None">(
      resource_class<function_resource>(m, "FunctionResource", docstring("FunctionResource")),
      init_by(+[](nb::handle kind, nb::handle allocate, nb::handle free, int device) {
        return made<function_resource>(
            kind_argument(kind),
            function_at<function_resource::allocate_function>("allocate", allocate),
            function_at<function_resource::free_function>("free", free), device);
      }));
}

void bind_adaptors(nb::module_& m) {
  auto limiting =
      resource_class<limiting_resource>(m, "LimitingResource", docstring("LimitingResource"));
  declare<"def __init__(self, upstream: MemoryResource, limit: typing.SupportsIndex) -> None">(
      limiting, init_by(+[](const py_resource& upstream, nb::handle limit) {
        return made<limiting_resource>(upstream.resource, size_argument("limit", limit));
      }));
  limiting.def(
      "used_bytes", [](const py_resource_of<limiting_resource>& self) { return self.own->used(); },
      "Give the bytes in use, as they were asked for.");
  auto counting =
      resource_class<statistics_resource>(m, "StatisticsResource", docstring("StatisticsResource"));
  declare<"def __init__(self, upstream: MemoryResource) -> None">(
      counting, init_by(+[](const py_resource& upstream) {
        return made<statistics_resource>(upstream.resource);
      }));
  declare<"def counts(self) -> dict[str, int]">(
      counting,
      [](const py_resource_of<statistics_resource>& self) {
        return counts_by_name(self.own->counts());
      },
      "Give the bytes and the blocks, now, at their peaks and in total, and the failures, by "
      "name.");
  auto tracking =
      resource_class<tracking_resource>(m, "TrackingResource", docstring("TrackingResource"));
  declare<"def __init__(self, upstream: MemoryResource) -> None">(
      tracking, init_by(+[](const py_resource& upstream) {
        return made<tracking_resource>(upstream.resource);
      }));
  declare<"def live_blocks(self) -> list[tuple[int, int, str]]">(
      tracking,
      [](const py_resource_of<tracking_resource>& self) {
        return list_of(self.own->live_blocks());
      },
      "List the address, the bytes and the place of each block that is alive, by address.");
  declare<"def __init__(self, upstream: MemoryResource, path: str | os.PathLike[str]) -> None">(
      resource_class<logging_resource>(m, "LoggingResource", docstring("LoggingResource")),
      init_by(+[](const py_resource& upstream, const std::filesystem::path& path) {
        return made<logging_resource>(upstream.resource, path);
      }));
  declare<"def __init__(self, upstream: MemoryResource, after: typing.SupportsIndex = 0) -> None">(
      resource_class<failing_resource>(m, "FailingResource", docstring("FailingResource")),
      init_by(+[](const py_resource& upstream, nb::handle count) {
        return made<failing_resource>(upstream.resource, after(size_argument("after", count)));
      }));
}

}  // namespace

void bind_resources(nb::module_& m) {
  set_call_site_function(&python_call_site);
  bind_resource_base(m);
  bind_sources(m);
  bind_adaptors(m);
  declare<"def get_memory_resource(kind: str = 'device', device: object = None) -> MemoryResource">(
      m, &get_memory_resource);
  declare<"def _resource_scope(resource: MemoryResource, device: object) -> _Scope">(
      m, &resource_scope);
  declare<
      "def set_memory_resource(resource: MemoryResource, device: object = None) -> MemoryResource">(
      m, &set_memory_resource);
}

}  // namespace usmx::bindings
