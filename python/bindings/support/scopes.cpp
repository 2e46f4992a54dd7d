#include "support/scopes.hpp"

#include <memory>
#include <vector>

#include "support/interpreter_lock.hpp"

namespace usmx::bindings {
namespace {

/// The value of a Python object. It shares the scope, because a thread without the interpreter lock
/// may outlive the object.
struct py_scope {
  std::shared_ptr<scope> is;
};

using scope_list = std::vector<std::shared_ptr<const scope>>;

/// The context variable, which is never destroyed.
PyObject* variable = nullptr;

/// The scopes that the calling thread saw last.
class seen_scopes {
 public:
  ~seen_scopes() { is_gone_ = true; }

  /// The scopes of the calling thread. Null once the thread ends: its other objects may still make
  /// arrays.
  static scope_list* of_thread() noexcept {
    static thread_local seen_scopes seen;
    return is_gone_ ? nullptr : &seen.scopes_;
  }

 private:
  static inline thread_local bool is_gone_ = false;
  scope_list scopes_;
};

/// Takes the scopes out of a tuple of Python's. The caller holds the interpreter lock.
scope_list held_by(PyObject* tuple) {
  scope_list all;
  for (const nb::handle each : nb::borrow<nb::tuple>(tuple)) {
    all.push_back(nb::cast<const py_scope&>(each).is);
  }
  return all;
}

/// Reads the context variable. The caller holds the interpreter lock. Python's current error stays.
void look() noexcept {
  scope_list* const seen = seen_scopes::of_thread();
  if (seen == nullptr || variable == nullptr) {
    return;
  }
  const nb::error_scope kept;
  PyObject* value = nullptr;
  if (PyContextVar_Get(variable, nullptr, &value) != 0) {
    PyErr_Clear();
    return;
  }
  const nb::object tuple = nb::steal(value);
  try {
    *seen = tuple.is_valid() ? held_by(tuple.ptr()) : scope_list();
  } catch (...) {
    // There is no memory for the list: the scopes that were seen before are the best there is.
  }
}

/// The innermost choice of that kind that `fits`.
template <class Choice, class Fits>
const Choice* innermost(const Fits& fits) {
  if (Py_IsInitialized() != 0 && has_interpreter_lock()) {
    look();
  }
  const scope_list* const seen = seen_scopes::of_thread();
  if (seen == nullptr) {
    return nullptr;
  }
  for (auto each = seen->rbegin(); each != seen->rend(); ++each) {
    const auto* choice = std::get_if<Choice>(&(*each)->chosen);
    if (choice != nullptr && !(*each)->ended.load(std::memory_order_relaxed) &&
        fits(**each, *choice)) {
      return choice;
    }
  }
  return nullptr;
}

std::optional<sycl::queue> scoped_queue(const sycl::queue* of_thread) {
  const auto* found = innermost<sycl::queue>([&](const scope& each, const sycl::queue&) {
    return of_thread == nullptr || each.innermost == of_thread;
  });
  return found == nullptr ? std::nullopt : std::optional(*found);
}

std::optional<any_resource> scoped_resource(const sycl::queue& queue, usm_kind kind) {
  const auto* found =
      innermost<resource_of_device>([&](const scope&, const resource_of_device& choice) {
        return choice.resource.kind() == kind && choice.queue.get_device() == queue.get_device() &&
               choice.queue.get_context() == queue.get_context();
      });
  return found == nullptr ? std::nullopt : std::optional(found->resource);
}

}  // namespace

nb::object new_scope(scope_choice chosen) {
  return nb::cast(py_scope{std::make_shared<scope>(std::move(chosen))});
}

std::optional<usm_kind> scoped_kind() {
  if (!internal::scopes_live()) {
    return std::nullopt;
  }
  const auto* found = innermost<usm_kind>([](const scope&, usm_kind) { return true; });
  return found == nullptr ? std::nullopt : std::optional(*found);
}

void note_scopes() noexcept {
  if (internal::scopes_live()) {
    look();
  }
}

void bind_scopes(nb::module_& m) {
  nb::class_<py_scope>(m, "_Scope").def("end", [](const py_scope& self) { self.is->ended = true; });
  m.attr("_scopes") = checked(PyContextVar_New("usmx_scopes", nullptr));
  variable = nb::object(m.attr("_scopes")).release().ptr();
  m.def("_note_scopes", &note_scopes);
  internal::set_scoped_queue_function(&scoped_queue);
  internal::set_scoped_resource_function(&scoped_resource);
}

}  // namespace usmx::bindings
