#include "module/module.hpp"

#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "compute/compute.hpp"
#include "container/container.hpp"
#include "elements/element.hpp"
#include "exchange/exchange.hpp"
#include "internals.hpp"
#include "memory/memory.hpp"
#include "support/declare.hpp"
#include "support/hooks.hpp"
#include "support/inspectable.hpp"
#include "support/scopes.hpp"
#include "sycl_objects/classes.hpp"
#include "sycl_objects/dpctl.hpp"
#include "user_kernels/user_kernels.hpp"
#include "usmx/base/version.hpp"
#include "usmx/kernels/disk_cache.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::bindings {
namespace {

/// The release that a version of an interface is named after: "0.1" for 1, "1.2" for 102.
std::string release_of(std::uint32_t number) {
  return std::to_string(number / 100) + "." + std::to_string(number % 100);
}

/// The path of the file that has that address.
const char* file_of(const void* code) noexcept {
  Dl_info found{};
  return dladdr(code, &found) != 0 && found.dli_fname != nullptr ? found.dli_fname
                                                                 : "this extension";
}

std::string advice(bool is_older, std::uint32_t minor) {
  const std::string release = release_of(minor);
  return is_older ? "install usmx " + release + " or newer (pip install 'usmx>=" + release + "')"
                  : "build the extension again, with that usmx, or install usmx " + release;
}

}  // namespace

int accept_version(const usmx_api* self, std::uint32_t major, std::uint32_t minor,
                   const void* code) noexcept {
  if (self->major == major && self->minor >= minor) {
    return 0;
  }
  return guarded(-1, [&] {
    const bool is_older = self->major <= major;
    PyErr_Format(PyExc_ImportError,
                 "%s was built for version %u.%u of usmx's C interface, but the usmx that is "
                 "installed (%s) has version %u.%u: %s",
                 file_of(code), major, minor, USMX_VERSION_STRING, self->major, self->minor,
                 advice(is_older, minor).c_str());
    return -1;
  });
}

void bind_versions(nb::module_& m) {
  m.attr("_abi_version") = USMX_ABI_VERSION;
  declare<"def _release_of(number: int) -> str">(
      m, &release_of, "The release that a version of an interface is named after.");
}

namespace {

double age_in_seconds(std::filesystem::file_time_type time) {
  return std::chrono::duration<double>(std::filesystem::file_time_type::clock::now() - time)
      .count();
}

/// Decodes text from a file, which need not be UTF-8.
nb::object to_text(const std::string& bytes) {
  return checked(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape"));
}

nb::list entries() {
  nb::list all;
  for (const cached_kernels& entry : list_kernel_cache()) {
    all.append(nb::make_tuple(to_text(entry.group), to_text(entry.device), entry.nbytes,
                              age_in_seconds(entry.last_use), entry.file));
  }
  return all;
}

}  // namespace

void bind_kernel_cache(nb::module_& m) {
  m.def("_kernel_cache_directory", &kernel_cache_directory,
        "Where built device kernels are kept; Path(\".\") when nowhere.");
  declare<"def _list_kernel_cache() -> list[tuple[str, str, int, float, pathlib.Path]]">(
      m, &entries, "Group, device, bytes, seconds since the last use, and file of each entry.");
  m.def("_clear_kernel_cache", &clear_kernel_cache,
        "Delete all entries, and return how many bytes they had.");
}

namespace {

/// A thread that writes there holds the interpreter lock; in a Python without one, it holds this
/// lock.
nb::ft_mutex seen_mutex;
std::vector<std::string>& seen() {
  static auto* places = new std::vector<std::string>;
  return *places;
}

void note_wait() noexcept {
  if (Py_IsInitialized() == 0 || !has_interpreter_lock()) {
    return;
  }
  try {
    std::string place = python_call_site();
    const nb::ft_lock_guard lock(seen_mutex);
    seen().push_back(std::move(place));
  } catch (const std::exception&) {
    // There is no memory for the note.
  }
}

}  // namespace

void bind_watched_waits(nb::module_& m) {
  m.def(
      "_watch_waits", [] { internal::tell_of_waits(&note_wait); },
      "From now on, note every wait of a thread that holds the interpreter lock. For tests.");
  m.def(
      "_waits_with_lock",
      [] {
        const nb::ft_lock_guard lock(seen_mutex);
        return std::exchange(seen(), {});
      },
      "The lines of Python in which such waits were noted since the last call.");
}

}  // namespace usmx::bindings

// usmx._core: the C++ library in Python. It knows Python's types and holds no rules.

NB_MODULE(_core, m) {
  using namespace usmx::bindings;
  // The classes are those of the process, and the library holds functions of this module.
  static std::atomic<bool> is_loaded = false;
  if (is_loaded.exchange(true)) {
    throw nb::import_error(
        "usmx cannot be loaded more than once per process: usmx._core was taken out of "
        "sys.modules, start a new process instead");
  }
  // Objects may be alive when the process ends: other packages may still hold some, and a cycle
  // through an array that holds its producer is not collected. So nanobind reports no leaks on
  // stderr, except in the tests.
  nb::set_leak_warnings(std::getenv("USMX_LEAK_WARNINGS") != nullptr);
  m.attr("__version__") = USMX_VERSION_STRING;
  m.attr("_max_ndim") = usmx::max_ndim;
  load_docstrings(m);
  log_warnings();
  connect_order_manager();
#ifdef USMX_CHECK_LOCKS
  usmx::internal::set_interpreter_check(&has_interpreter_lock);
#endif
  bind_errors(m);
  bind_hooks(m);
  bind_refusing(m);
  bind_scopes(m);
  bind_sycl_device(m);
  bind_sycl_platform(m);
  bind_sycl_context(m);
  auto queue_class = bind_sycl_queue(m);
  bind_sycl_event(m);
  bind_instance_check(m);
  bind_latest_device(m);
  bind_watched_waits(m);
  auto device_class = bind_device(m);
  bind_queue_argument(m, device_class);
  bind_dtype_functions(m);
  bind_memory_classes(m);
  bind_queue_commands(queue_class);
  bind_adoption(m);
  bind_shared_memory(m);
  bind_resources(m);
  bind_pools(m);
  bind_array_class(m);
  bind_producers(m);
  // Functions on which the package builds its own.
  bind_items(m);
  bind_rules(m);
  bind_computations(m);
  bind_reductions(m);
  bind_algorithms(m);
  bind_searches(m);
  bind_draws(m);
  bind_special(m);
  bind_products(m);
  bind_vendors(m);
  bind_operators(m);
  bind_shapes(m);
  bind_joins(m);
  bind_creation(m);
  bind_copies(m);
  bind_from_others(m);
  bind_user_kernels(m);
  bind_elementwise(m);
  bind_reduction(m);
  bind_c_api(m);
  bind_versions(m);
  bind_dlpack_table();
  bind_kernel_cache(m);
  bind_inspectable(m);
}
