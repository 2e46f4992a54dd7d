#include "sycl_objects/dpctl_objects.hpp"

#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "internals.hpp"
#include "support/lazy_import.hpp"
#include "sycl_objects/capsules.hpp"
#include "sycl_objects/classes.hpp"
#include "sycl_objects/dpctl_types.hpp"
#include "sycl_objects/peers_queues.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx::bindings {
namespace {

lazy_import dpctl_queue_subclass("usmx._dpctl_objects", "SyclQueue");
lazy_import dpctl_context_subclass("usmx._dpctl_objects", "SyclContext");
lazy_import dpctl_event_subclass("usmx._dpctl_objects", "SyclEvent");
interned context_attribute("_context");
interned device_attribute("_device");

/// Objects of usmx's subclass of dpctl's class, by the identity of the queue, which no other one
/// has while the object holds it. The interpreter lock guards it, or its own.
class queue_objects {
 public:
  /// A null object when there is none.
  nb::object find(const sycl::queue& queue) {
    const nb::ft_lock_guard lock(mutex_);
    return nb::borrow(known(queue));
  }

  /// The object that is known from now on: another thread's, if that was first.
  nb::object add(const sycl::queue& queue, nb::object object) {
    std::vector<nb::object> let_go;  // after the table has changed, and without the lock
    const nb::ft_lock_guard lock(mutex_);
    take_out_unused(let_go);
    objects_.try_emplace(std::hash<sycl::queue>()(queue), std::move(object));
    return nb::borrow(known(queue));
  }

 private:
  PyObject* known(const sycl::queue& queue) {
    const std::size_t identity = std::hash<sycl::queue>()(queue);
    if (latest_ == nullptr || identity != latest_identity_) {
      const auto known = objects_.find(identity);
      if (known == objects_.end()) {
        return nullptr;
      }
      latest_ = known->second.ptr();
      latest_identity_ = identity;
    }
    return latest_;
  }

  /// Nobody else has the object, and nothing else the queue: no array, no memory, no native code.
  static bool is_unused(const nb::object& object) {
    const auto* queue = as_dpctl<sycl::queue>(object.ptr());
    return Py_REFCNT(object.ptr()) == 1 && sycl::detail::getSyclObjImpl(*queue).use_count() == 1;
  }

  void take_out_unused(std::vector<nb::object>& unused) {
    latest_ = nullptr;
    for (auto at = objects_.begin(); at != objects_.end();) {
      if (is_unused(at->second)) {
        unused.push_back(std::move(at->second));
        at = objects_.erase(at);
      } else {
        ++at;
      }
    }
  }

  nb::ft_mutex mutex_;

  std::unordered_map<std::size_t, nb::object> objects_;
  PyObject* latest_ = nullptr;
  std::size_t latest_identity_ = 0;
};

queue_objects& known_objects() {
  // Never destroyed: the interpreter may be gone by then.
  static queue_objects& objects = *new queue_objects;
  return objects;
}

/// The object for the device of the queue that was asked last: whoever works with arrays asks that
/// of the same queue again and again. The interpreter lock guards it, or its own.
class latest_device {
 public:
  /// A null object when another queue was asked last.
  nb::object find(const sycl::queue& queue, bool is_dpctls) {
    const nb::ft_lock_guard lock(mutex_);
    const auto& known = sycl::detail::getSyclObjImpl(queue);
    // By owner: another queue may be at the address of one that has ended.
    const bool is_same = !queue_.owner_before(known) && !known.owner_before(queue_);
    return is_same && is_dpctls == is_dpctls_ ? device_ : nb::object();
  }

  /// `device` is the one before, afterwards: it ends without the lock.
  void keep(const sycl::queue& queue, bool is_dpctls, nb::object& device) {
    const nb::ft_lock_guard lock(mutex_);
    std::swap(device_, device);
    queue_ = sycl::detail::getSyclObjImpl(queue);
    is_dpctls_ = is_dpctls;
  }

 private:
  nb::ft_mutex mutex_;
  std::weak_ptr<sycl::detail::queue_impl> queue_;
  nb::object device_;
  bool is_dpctls_ = false;
};

/// Belongs to the module, which ends it; null after that, and before.
latest_device* latest = nullptr;

/// For the queue that others see; null where dpctl is not loaded. It depends on the queue alone.
nb::object dpctl_object(const sycl::queue& own) {
  look_for_peers_of(own);
  const sycl::queue& queue = internal::handed_out(own);
  if (nb::object known = known_objects().find(queue); known.is_valid()) {
    return known;
  }
  return known_objects().add(queue, dpctl_queue_subclass(to_capsule(queue)));
}

nb::object new_device_object(const sycl::queue& queue, bool is_dpctls) {
  return is_dpctls ? nb::object(dpctl_object(queue).attr(device_attribute.get()))
                   : to_python(queue.get_device());
}

}  // namespace

void bind_latest_device(nb::module_& m) {
  latest = new latest_device;
  m.attr("_latest_device") =
      nb::capsule(latest, [](void*) noexcept { delete std::exchange(latest, nullptr); });
}

nb::object queue_object(const sycl::queue& queue) {
  return are_dpctls_classes_known() ? dpctl_object(queue) : own_object(queue);
}

nb::object context_object(const sycl::queue& queue) {
  return are_dpctls_classes_known() ? dpctl_object(queue).attr(context_attribute.get())
                                    : to_python(queue.get_context());
}

nb::object device_object(const sycl::queue& queue) {
  const bool is_dpctls = are_dpctls_classes_known();
  if (latest == nullptr) {
    return new_device_object(queue, is_dpctls);
  }
  if (nb::object known = latest->find(queue, is_dpctls); known.is_valid()) {
    return known;
  }
  nb::object made = new_device_object(queue, is_dpctls);
  nb::object kept = made;
  latest->keep(queue, is_dpctls, kept);
  return made;
}

nb::object event_object(const sycl::event& event) {
  return are_dpctls_classes_known() ? dpctl_event_subclass(to_capsule(event)) : own_object(event);
}

nb::object context_object(const sycl::context& context) {
  return are_dpctls_classes_known() ? dpctl_context_subclass(to_capsule(context))
                                    : to_python(context);
}

nb::object device_object(const sycl::device& device) {
  if (!are_dpctls_classes_known()) {
    return to_python(device);
  }
  // dpctl's devices have no capsules, but its queues do.
  return device_object(filter_string_of(device) ? cached_queue(device)
                                                : sycl::queue(context_of(device), device));
}

}  // namespace usmx::bindings
