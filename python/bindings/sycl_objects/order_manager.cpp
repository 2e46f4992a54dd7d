#include "sycl_objects/dpctl.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "internals.hpp"
#include "support/interpreter_lock.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

using events = std::vector<sycl::event>;

interned dpctl_name("dpctl");
interned dpnp_name("dpnp");
interned utils_name("dpctl.utils");
interned dpnp_user_name("dpnp.tensor._copy_utils");  // one of dpnp's modules that use the manager
interned manager_attribute("SequentialOrderManager");
interned version_attribute("__version__");
interned submitted_events_attribute("submitted_events");
interned add_event_pair_attribute("add_event_pair");

/// The versions with which this has been tried (tests/python/test_one_order.py). Others may
/// order their work in another way, so usmx waits for them.
constexpr std::string_view tried_dpctl = "0.22.";
constexpr std::string_view tried_dpnp = "0.20.";

/// Whether a package has a version that was tried; nothing if it has no version yet: it is being
/// imported.
std::optional<bool> is_version(interned& package, std::string_view tried) {
  const nb::object module = loaded_module(package);
  const nb::object version =
      module.is_valid() ? nb::getattr(module, version_attribute.get(), nb::none()) : nb::none();
  if (PyUnicode_Check(version.ptr()) == 0) {
    return std::nullopt;
  }
  return nb::cast<std::string_view>(version).starts_with(tried);
}

/// Whether both packages have versions that were tried. They are asked until both have a version,
/// which does not change.
bool are_versions_tried() {
  enum class answer : std::uint8_t { unknown, yes, no };
  static std::atomic<answer> known = answer::unknown;
  if (known.load(std::memory_order_relaxed) == answer::unknown) {
    const std::optional<bool> dpctls = is_version(dpctl_name, tried_dpctl);
    const std::optional<bool> dpnps = is_version(dpnp_name, tried_dpnp);
    if (!dpctls || !dpnps) {
      return false;
    }
    known = *dpctls && *dpnps ? answer::yes : answer::no;
  }
  return known.load(std::memory_order_relaxed) == answer::yes;
}

bool is_dpnp_loaded() { return loaded_module(dpnp_name).is_valid(); }

/// The manager of a queue, looked up each time: programs may replace it and clear it. A null object
/// if dpnp's modules do not use dpctl's manager, or are of a version that has not been tried.
nb::object manager_of(const sycl::queue& queue) {
  const nb::object utils = loaded_module(utils_name);
  const nb::object user = loaded_module(dpnp_user_name);
  if (!utils.is_valid() || !user.is_valid() || !are_versions_tried()) {
    return {};
  }
  const nb::object managers = nb::getattr(utils, manager_attribute.get(), nb::none());
  const nb::object used = nb::getattr(user, manager_attribute.get(), nb::none());
  if (!managers.is(used) || managers.is_none()) {
    return {};
  }
  const nb::object key = queue_object(queue);
  return checked(run_python([&] { return PyObject_GetItem(managers.ptr(), key.ptr()); }));
}

/// The latest events of usmx's own that the manager was told. When the manager gives them back,
/// they are no work of dpnp's: usmx knows its own work by address. The interpreter lock guards
/// them; in a Python without one, a lock of their own does.
class told_events {
 public:
  void add(const sycl::event& event) {
    const nb::ft_lock_guard lock(mutex_);
    latest_[next_++ % latest_.size()] = sycl::detail::getSyclObjImpl(event);
  }

  bool has(const sycl::event& event) {
    const nb::ft_lock_guard lock(mutex_);
    const auto& wanted = sycl::detail::getSyclObjImpl(event);
    return std::ranges::any_of(latest_, [&](const auto& each) {
      return !each.owner_before(wanted) && !wanted.owner_before(each);
    });
  }

 private:
  nb::ft_mutex mutex_;
  std::array<std::weak_ptr<sycl::detail::event_impl>, 64> latest_;
  std::size_t next_ = 0;
};

told_events& told() {
  // The object is never destroyed: the interpreter may be gone by then.
  static told_events& events = *new told_events;
  return events;
}

/// The events of the queue's manager; none if there is no manager, or it gives other objects. The
/// caller holds the interpreter lock.
std::optional<events> ask(const sycl::queue& queue) {
  const nb::object manager = manager_of(queue);
  if (!manager.is_valid()) {
    return std::nullopt;
  }
  const nb::object submitted = checked(run_python(
      [&] { return PyObject_GetAttr(manager.ptr(), submitted_events_attribute.get()); }));
  const nb::object all = checked(run_python([&] { return PySequence_Tuple(submitted.ptr()); }));
  events found;
  for (const nb::handle each : nb::borrow<nb::tuple>(all)) {
    const auto* event = as_dpctl<sycl::event>(each.ptr());
    if (event == nullptr) {
      return std::nullopt;
    }
    if (!told().has(*event)) {
      found.push_back(*event);
    }
  }
  return found;
}

/// Tells the manager of an event. Returns false if the event must be waited for. The caller holds
/// the interpreter lock.
bool tell(const sycl::queue& queue, const sycl::event& event, bool is_own) {
  if (!is_dpnp_loaded()) {
    return true;  // there is nobody to be told
  }
  const nb::object manager = manager_of(queue);
  if (!manager.is_valid()) {
    return false;
  }
  const nb::object object = event_object(event);
  const nb::object add = checked(
      run_python([&] { return PyObject_GetAttr(manager.ptr(), add_event_pair_attribute.get()); }));
  call_python(add, object, object);
  if (is_own) {
    told().add(event);
  }
  return true;
}

/// The manager is Python code, in which Python runs the handlers of signals: an exception may be
/// theirs, which belongs to the program. So whoever has failed tries again: it was a handler's if
/// that works. Calls `raised` with such an exception, or with one that is no failure at all;
/// returns the default where the manager fails.
template <class Result, class Try, class Raised>
Result try_twice(Result otherwise, const Try& try_once, const Raised& raised) {
  try {
    return try_once();
  } catch (nb::python_error& first) {
    bool works = true;
    try {
      otherwise = try_once();
    } catch (nb::python_error&) {
      works = false;
    }
    if (works || !first.matches(PyExc_Exception)) {
      raised(first);
    }
    return otherwise;
  }
}

/// Asks the manager before any work has begun: a handler's exception ends the call.
std::optional<events> ask_or_raise(const sycl::queue& queue) {
  return try_twice(
      std::optional<events>(), [&] { return ask(queue); },
      [](nb::python_error& error) { throw nb::python_error(error); });
}

/// Raises a handler's exception on the main thread as soon as that runs Python again.
void raise_later(nb::python_error& error) noexcept {
  const auto raise = [](void* kept) {
    const std::unique_ptr<nb::python_error> owned(static_cast<nb::python_error*>(kept));
    owned->restore();
    return -1;
  };
  auto kept = std::make_unique<nb::python_error>(error);
  if (is_main_thread() && Py_AddPendingCall(raise, kept.get()) == 0) {
    std::ignore = kept.release();
  } else {
    kept->restore();
    write_unraisable(nullptr);
  }
}

/// Tells the manager after the work has begun: a handler's exception comes after the call.
bool tell_safely(const sycl::queue& queue, const sycl::event& event, bool is_own) noexcept {
  try {
    return try_twice(false, [&] { return tell(queue, event, is_own); }, &raise_later);
  } catch (const std::exception&) {
    return false;
  }
}

void wait_without_lock(const sycl::event& event) {
  const without_interpreter_lock unlocked;
  internal::wait_for_submitted(event);
}

/// Work that the thread has submitted since usmx released its interpreter lock. The partner is told
/// of it when the thread has the lock again. Until then nobody can order anything after this call.
struct untold_event {
  sycl::queue queue;
  sycl::event event;
  bool is_own;
};
thread_local std::vector<untold_event> untold;

// ---- the bridge

std::optional<events> unfinished_work(const sycl::queue& queue) {
  if (has_interpreter_lock()) {
    return ask_or_raise(queue);
  }
  if (!may_take_lock_back()) {
    return std::nullopt;
  }
  const with_interpreter_lock locked;
  return ask_or_raise(queue);
}

void tell_or_wait(const sycl::queue& queue, const sycl::event& event, bool is_own) {
  if (has_interpreter_lock()) {
    if (!tell_safely(queue, event, is_own)) {
      wait_without_lock(event);
    }
  } else if (may_take_lock_back()) {
    note_untold();
    untold.push_back({queue, event, is_own});
  } else if (internal::peers_are_known()) {
    internal::wait_for_submitted(event);
  }
}

constexpr internal::partner_bridge bridge{&unfinished_work, &tell_or_wait, &wait_without_lock};

}  // namespace

void connect_order_manager() noexcept { internal::set_partner_bridge(&bridge); }

void tell_untold() noexcept {
  const nb::error_scope kept;
  std::vector<untold_event> all;
  all.swap(untold);
  for (const untold_event& each : all) {
    if (!tell_safely(each.queue, each.event, each.is_own)) {
      wait_without_lock(each.event);
    }
  }
}

}  // namespace usmx::bindings
