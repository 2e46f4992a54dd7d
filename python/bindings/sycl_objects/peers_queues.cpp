#include "sycl_objects/peers_queues.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "internals.hpp"
#include "sycl_objects/classes.hpp"
#include "sycl_objects/dpctl_types.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

interned manager_name("dpctl._sycl_queue_manager");
interned device_module_name("dpctl._sycl_device");

/// dpctl's functions, once it is loaded, and what they were asked. The interpreter lock guards it,
/// or its own, under which no Python runs.
class peers {
 public:
  bool are_loaded() {
    PyObject* modules = PyImport_GetModuleDict();
    // Asked before every wait: one look for each number of modules that there are.
    if (!is_found() && PyDict_GET_SIZE(modules) != seen_.load(std::memory_order_relaxed)) {
      find();
      if (!is_found() && PyDict_Contains(modules, manager_name.get()) != 1) {
        // else dpctl is being imported just now
        seen_.store(PyDict_GET_SIZE(modules), std::memory_order_relaxed);
      }
    }
    return is_found();
  }

  bool was_asked_about(const sycl::queue& queue) {
    const nb::ft_lock_guard lock(mutex_);
    return latest_ && *latest_ == queue;
  }

  void ask(const sycl::queue& queue) {
    if (queue.get_context() == default_context(queue.get_device())) {
      ask_once(queue);
    }
    std::optional<sycl::queue> previous = queue;  // ends without the lock
    const nb::ft_lock_guard lock(mutex_);
    latest_.swap(previous);
  }

 private:
  bool is_found() const noexcept { return get_queue_.load(std::memory_order_acquire) != nullptr; }

  /// Only the default context of a platform has a queue that both sides find by the device alone.
  void ask_once(const sycl::queue& of_default_context) {
    const sycl::device device = of_default_context.get_device();
    {
      const nb::ft_lock_guard lock(mutex_);
      if (std::ranges::find(asked_, device) != asked_.end()) {
        return;
      }
    }
    const std::optional<std::string> filter = filter_string_of(device);
    if (!filter) {
      return;  // a sub-device: dpctl keeps no queue of its own for it
    }
    find_queue(of_default_context.get_context(), device, *filter);
    const nb::ft_lock_guard lock(mutex_);
    if (std::ranges::find(asked_, device) == asked_.end()) {
      asked_.push_back(device);
    }
  }

  void find() {
    const nb::object manager =
        nb::steal(PyImport_GetModule(manager_name.get()));  // null: not there
    if (!manager.is_valid() || !are_dpctls_classes_known()) {
      PyErr_Clear();
      return;
    }
    const nb::object devices = checked(PyImport_GetModule(device_module_name.get()));
    nb::object get_queue = nb::getattr(manager, "get_device_cached_queue", nb::none());
    nb::object device_class = nb::getattr(devices, "SyclDevice", nb::none());
    if (PyCallable_Check(get_queue.ptr()) != 0 && PyCallable_Check(device_class.ptr()) != 0) {
      device_class_.store(device_class.release().ptr(), std::memory_order_relaxed);
      get_queue_.store(get_queue.release().ptr(), std::memory_order_release);
    }
  }

  void find_queue(const sycl::context& context, const sycl::device& device,
                  const std::string& filter) {
    try {
      const nb::object object =
          nb::handle(get_queue_.load())(nb::handle(device_class_.load())(filter));
      const auto* queue = as_dpctl<sycl::queue>(object.ptr());
      if (queue != nullptr && queue->get_device() == device && queue->get_context() == context) {
        internal::add_peers_queue(*queue);
      }
    } catch (const nb::python_error&) {
      // dpctl does not know the device: nothing of its is there.
    }
  }

  std::atomic<Py_ssize_t> seen_ = 0;
  std::atomic<PyObject*> device_class_ = nullptr;  // held for ever, as what follows
  std::atomic<PyObject*> get_queue_ = nullptr;     // set last
  nb::ft_mutex mutex_;
  std::optional<sycl::queue> latest_;
  std::vector<sycl::device> asked_;  // each once, of default contexts
};

peers& dpctl_and_dpnp() {
  // Never destroyed: the interpreter may be gone by then.
  static peers& known = *new peers;
  return known;
}

}  // namespace

void look_for_peers() {
  static std::atomic<bool> done = false;
  if (done.load(std::memory_order_relaxed) || !dpctl_and_dpnp().are_loaded()) {
    return;
  }
  done.store(true, std::memory_order_relaxed);
  for (const sycl::queue& queue : internal::all_cached_queues()) {
    dpctl_and_dpnp().ask(queue);
  }
}

void look_for_peers_of(const sycl::queue& queue) {
  look_for_peers();
  if (dpctl_and_dpnp().are_loaded() && !dpctl_and_dpnp().was_asked_about(queue)) {
    dpctl_and_dpnp().ask(queue);
  }
}

}  // namespace usmx::bindings
