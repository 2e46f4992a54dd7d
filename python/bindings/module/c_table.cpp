#include "module/module.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "exchange/exchange.hpp"
#include "internals.hpp"
#include "objects/array.hpp"
#include "objects/memory_object.hpp"
#include "objects/waiting.hpp"
#include "sycl_objects/classes.hpp"
#include "sycl_objects/dpctl.hpp"
#include "usmx/array/submit.hpp"
#include "usmx/exchange/c_arrays.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace c_interface {  // where names are those of the table, and other parts have them too
namespace {

constexpr int failed = -1;
constexpr int done = 0;
/// The result of the functions named as_... for an object of another kind.
constexpr int nothing_of_the_kind = 0;
/// The answer for a result. `is_known` says that no code of others was asked.
constexpr int answer_of(bool is_known) { return is_known ? 1 : 2; }

struct release_owner {
  void operator()(usmx_owner* owner) const noexcept { exchange::release(owner); }
};
using held_owner = std::unique_ptr<usmx_owner, release_owner>;

// ---- arguments from C code, which may be null

/// The object that a pointer points to. Throws if the pointer is null.
template <class T>
T& at(T* pointer, const char* expected) {
  return *detail::required(pointer, "usmx_api", expected);
}

const array& array_at(usmx_owner* owner) {
  return exchange::array_of(detail::required(owner, "usmx_api", "an owner of an array"));
}

const sycl::event& event_at(const void* event) {
  return at(static_cast<const sycl::event*>(event), "an event");
}

// ---- Python's objects

void require_use(int use) {
  if (use < USMX_USE_ANY || use > USMX_USE_HOST) {
    throw value_error(detail::message("use must be one of usmx_use (0 to 3), found ", use));
  }
}

/// Prepares an array for a use.
void prepare(const array& found, int use) {
  require_use(use);
  if (use == USMX_USE_ORDERED || use == USMX_USE_UNORDERED) {
    require_usable_process();
    look_for_peers();
    return;
  }
  if (use == USMX_USE_HOST && !is_host_accessible(found.kind())) {
    throw type_error(detail::message(
        "expected an array in memory that the host may touch; found memory of kind ",
        name(found.kind())));
  }
  wait_for(found);
}

usmx_view described_for(int use, const array& a) {
  return use == USMX_USE_ORDERED ? exchange::describe_to_c_in_order(a) : exchange::describe_to_c(a);
}

void prepare(const array& found, int use, usmx_view* view) {
  prepare(found, use);
  if (view != nullptr) {
    *view = described_for(use, found);
  }
}

int as_array_for(PyObject* object, int use, usmx_view* view, usmx_owner** owner) noexcept {
  return guarded_with_lock(failed, [&] {
    std::ignore = at(object, "an object of Python's");
    usmx_owner*& result = at(owner, "a place for the owner");
    if (const array* own = bindings::as_array(object)) {
      prepare(*own, use, view);
      result = exchange::lend(*own);
      return answer_of(true);
    }
    std::optional<array> imported = array_of_other_producer(object);
    if (!imported) {
      return nothing_of_the_kind;
    }
    held_owner made(exchange::new_owner(*std::move(imported)));
    prepare(exchange::array_of(made.get()), use, view);
    result = made.release();
    return answer_of(false);
  });
}

int as_array(PyObject* object, usmx_view* view, usmx_owner** owner) noexcept {
  return as_array_for(object, USMX_USE_ANY, view, owner);
}

int make_ready(usmx_owner* owner) noexcept {
  return guarded_with_lock(failed, [&] {
    wait_for(array_at(owner));
    return done;
  });
}

PyObject* from_array(const usmx_view* view, usmx_owner* owner) noexcept {
  return guarded_with_lock<PyObject*>(nullptr, [&] {
    const array& whole = array_at(owner);
    whole.memory();  // an array without memory is refused
    return to_python(view == nullptr ? whole : exchange::with_view(whole, *view)).release().ptr();
  });
}

/// A new copy of the T that `find()` has found in an object, if any.
template <class T, class Find>
int as_sycl_object(PyObject* object, void** result, Find find) noexcept {
  return guarded_with_lock(failed, [&] {
    require_usable_process();
    std::ignore = at(object, "an object of Python's");
    void*& made = at(result, "a place for the result");
    std::optional<T> found = find();
    if (!found) {
      return nothing_of_the_kind;
    }
    made = new T(*std::move(found));
    return answer_of(value_of_either<T>(object) != nullptr);
  });
}

int as_queue(PyObject* object, void** queue) noexcept {
  return as_sycl_object<sycl::queue>(object, queue, [&] {
    const auto found = queue_of_object(object);
    return found ? std::optional(internal::handed_out(*found)) : std::nullopt;
  });
}

int as_context(PyObject* object, void** context) noexcept {
  return as_sycl_object<sycl::context>(object, context, [&]() -> std::optional<sycl::context> {
    if (const auto* known = value_of_either<sycl::context>(object)) {
      return *known;
    }
    const nb::object capsule =
        PyCapsule_CheckExact(object) != 0 ? nb::borrow(object) : capsule_of(object);
    return capsule.is_valid() ? context_in_capsule(capsule.ptr()) : std::nullopt;
  });
}

int as_device(PyObject* object, void** device) noexcept {
  return as_sycl_object<sycl::device>(object, device, [&] {
    const auto* known = value_of_either<sycl::device>(object);
    return known != nullptr ? std::optional(*known) : std::nullopt;
  });
}

int as_event(PyObject* object, void** event) noexcept {
  return as_sycl_object<sycl::event>(object, event, [&] { return event_of_object(object); });
}

template <class T, nb::object (*object_of)(const T&)>
PyObject* from_sycl_object(const void* value) noexcept {
  return guarded_with_lock<PyObject*>(nullptr, [&] {
    return object_of(at(static_cast<const T*>(value), "an object of SYCL's")).release().ptr();
  });
}

void set_error(int error, const char* text) noexcept {
  const with_interpreter_lock locked;
  set_python_error(static_cast<usmx_error>(error), text != nullptr ? text : "");
}

// ---- without the lock

/// The last error of a thread. It has no string, which would end before other packages'
/// thread-local objects, and these may still call.
struct noted_error {
  usmx_error code = USMX_OK;
  std::array<char, 1000> text{};
};
thread_local noted_error latest;

void note(exchange::c_error error) noexcept {
  latest.code = error.code;
  const std::size_t length = std::min(std::strlen(error.text), latest.text.size() - 1);
  std::memcpy(latest.text.data(), error.text, length);
  latest.text[length] = '\0';
}

int last_error(const char** text) noexcept {
  if (text != nullptr) {
    *text = latest.text.data();
  }
  return latest.code;
}

/// Runs a body as guarded() does, but notes the exception.
template <class Result, class Body>
Result noting(Result failure, Body body) noexcept {
  try {
    return body();
  } catch (...) {
    note(exchange::to_c_error(std::current_exception()));
    return failure;
  }
}

usmx_owner* retain(usmx_owner* owner) noexcept {
  return noting<usmx_owner*>(nullptr, [&] { return exchange::retain(owner); });
}

int view_of(usmx_owner* owner, usmx_view* view) noexcept {
  return noting(failed, [&] {
    at(view, "a place for the view") = exchange::describe_to_c(array_at(owner));
    return done;
  });
}

/// The owner of a new array, which `view` describes from now on.
usmx_owner* owner_with_view(array&& made, usmx_view* view, int use = USMX_USE_ANY) {
  held_owner owner(exchange::new_owner(std::move(made)));
  *view = described_for(use, exchange::array_of(owner.get()));
  return owner.release();
}

/// Allocates an array. Extensions call this with the interpreter lock or without.
array allocated(const usmx_view& wanted) {
  const noted_call_site here;
  const without_interpreter_lock unlocked;
  return exchange::allocate(wanted);
}

usmx_owner* allocate_for(usmx_view* view, int use) noexcept {
  return noting<usmx_owner*>(nullptr, [&] {
    require_use(use);
    std::ignore = at(view, "a view");
    if (use == USMX_USE_HOST && !is_host_accessible(static_cast<usm_kind>(view->kind))) {
      throw value_error(detail::message(
          "kind must be shared (2) or host (3) for the use by the host, found ", view->kind));
    }
    return owner_with_view(allocated(*view), view, use);
  });
}

usmx_owner* allocate(usmx_view* view) noexcept { return allocate_for(view, USMX_USE_ANY); }

void* allocate_bytes(std::size_t nbytes, int kind, const void* queue) noexcept {
  return noting<void*>(nullptr, [&] {
    const noted_call_site here;
    const without_interpreter_lock unlocked;
    const auto* wanted = static_cast<const sycl::queue*>(queue);
    return exchange::allocate_bytes(nbytes, static_cast<usm_kind>(kind),
                                    wanted != nullptr ? *wanted : internal::default_queue());
  });
}

int free_bytes(void* bytes) noexcept {
  return noting(failed, [&] {
    exchange::free_bytes(bytes);
    return done;
  });
}

usmx_owner* adopt(usmx_view* view, void (*deleter)(void*), void* state) noexcept {
  return noting<usmx_owner*>(nullptr, [&] {
    detail::release_action release;
    if (deleter != nullptr) {
      release = detail::release_action::of(state, deleter);
    }
    return owner_with_view(exchange::adopt(at(view, "a view"), std::move(release)), view);
  });
}

int record_read(usmx_owner* owner, const void* event) noexcept {
  return noting(failed, [&] {
    array_at(owner).record_read(event_at(event));
    return done;
  });
}

int record_write(usmx_owner* owner, const void* event) noexcept {
  return noting(failed, [&] {
    array_at(owner).record_write(event_at(event));
    return done;
  });
}

std::vector<array> arrays_of(usmx_owner* const* owners, std::int64_t count) {
  if (count < 0) {
    throw value_error(detail::message("the number of owners must not be negative, found ", count));
  }
  std::vector<array> arrays;
  for (std::int64_t k = 0; k < count; ++k) {
    arrays.push_back(array_at(detail::required(owners, "usmx_api", "owners of arrays")[k]));
  }
  return arrays;
}

void free_events(void** events, std::int64_t count) noexcept {
  for (std::int64_t k = 0; events != nullptr && k < count; ++k) {
    delete static_cast<sycl::event*>(events[k]);
  }
  delete[] events;
}

/// Copies of events as pointers, which free_events() frees; null if there are none.
void** new_events(const std::vector<sycl::event>& found) {
  std::vector<std::unique_ptr<sycl::event>> copies;
  for (const sycl::event& each : found) {
    copies.push_back(std::make_unique<sycl::event>(each));
  }
  void** events = found.empty() ? nullptr : new void*[found.size()];
  std::ranges::transform(copies, events, [](auto& each) { return each.release(); });
  return events;
}

std::int64_t pending_events(usmx_owner* const* reads, std::int64_t read_count,
                            usmx_owner* const* writes, std::int64_t write_count,
                            void*** events) noexcept {
  return noting<std::int64_t>(failed, [&] {
    const std::vector<sycl::event> found =
        usmx::pending_events(arrays_of(reads, read_count), arrays_of(writes, write_count));
    at(events, "a place for the events") = new_events(found);
    return static_cast<std::int64_t>(found.size());
  });
}

int wait(usmx_owner* owner) noexcept {
  return noting(failed, [&] {
    require_usable_process();
    array_at(owner).wait();
    return done;
  });
}

int wait_event(const void* event) noexcept {
  return noting(failed, [&] {
    wait_for_events({event_at(event)});
    return done;
  });
}

template <class T>
void free_sycl_object(void* value) noexcept {
  delete static_cast<T*>(value);
}

constexpr usmx_api table = {
    .size = sizeof(usmx_api),
    .major = USMX_C_API_MAJOR,
    .minor = USMX_C_API_MINOR,
    .accept = accept_version,
    .as_array = as_array,
    .from_array = from_array,
    .as_queue = as_queue,
    .from_queue = from_sycl_object<sycl::queue, queue_object>,
    .as_context = as_context,
    .from_context = from_sycl_object<sycl::context, context_object>,
    .as_device = as_device,
    .from_device = from_sycl_object<sycl::device, device_object>,
    .as_event = as_event,
    .from_event = from_sycl_object<sycl::event, event_object>,
    .set_error = set_error,
    .retain = retain,
    .release = exchange::release,
    .view_of = view_of,
    .allocate = allocate,
    .adopt = adopt,
    .record = record_write,
    .wait = wait,
    .wait_event = wait_event,
    .free_queue = free_sycl_object<sycl::queue>,
    .free_context = free_sycl_object<sycl::context>,
    .free_device = free_sycl_object<sycl::device>,
    .free_event = free_sycl_object<sycl::event>,
    .last_error = last_error,
    .as_array_for = as_array_for,
    .make_ready = make_ready,
    .pending_events = pending_events,
    .free_events = free_events,
    .record_read = record_read,
    .record_write = record_write,
    .allocate_bytes = allocate_bytes,
    .free_bytes = free_bytes,
    .allocate_for = allocate_for,
    .release_object = release_object,
};

}  // namespace
}  // namespace c_interface

void bind_c_api(nb::module_& m) {
  m.attr("_c_api") = nb::capsule(&c_interface::table, USMX_C_API_CAPSULE);
}

namespace {

/// Allocates a tensor, with or without the interpreter lock.
int allocate(dlpack::tensor* prototype, dlpack::managed_tensor** made, void* error_context,
             void (*set_error)(void*, const char*, const char*)) noexcept {
  try {
    const noted_call_site here;
    const without_interpreter_lock unlocked;
    *made = exchange::allocate_dlpack(*prototype);
    return 0;
  } catch (const std::bad_alloc& error) {
    set_error(error_context, "MemoryError", error.what());
  } catch (const buffer_error& error) {
    set_error(error_context, "BufferError", error.what());
  } catch (const value_error& error) {
    set_error(error_context, "ValueError", error.what());
  } catch (const overflow_error& error) {
    set_error(error_context, "ValueError", error.what());
  } catch (const std::exception& error) {
    set_error(error_context, "RuntimeError", error.what());
  }
  return -1;
}

/// The array inside an object, with no unfinished work that the next user of its memory would have
/// to follow: the consumer knows no queue to wait for.
const array& ready_array(void* object) {
  auto* given = static_cast<PyObject*>(object);
  const array* found = as_array(given);
  if (found == nullptr) {
    throw type_error(detail::message("expected a USMArray, found ", type_name(given)));
  }
  wait_for(*found);
  return *found;
}

int from_object(void* object, dlpack::managed_tensor** made) noexcept {
  return guarded_with_lock(-1, [&] {
    const array& a = ready_array(object);
    *made = exchange::to_dlpack(a, dlpack_device_of(a));
    return 0;
  });
}

int to_object(dlpack::managed_tensor* given, void** object) noexcept {
  return guarded_with_lock(-1, [&] {
    taken_tensor taken(given);
    array made = taken.received().is_usm() ? to_array(std::move(taken), nullptr)
                                           : copy_to_usm(taken.received(), nb::none());
    *object = to_python(std::move(made)).release().ptr();
    return 0;
  });
}

int look_into(void* object, dlpack::tensor* seen) noexcept {
  return guarded_with_lock(-1, [&] {
    const array& a = ready_array(object);
    *seen = exchange::view_as_dlpack(a, dlpack_device_of(a));
    return 0;
  });
}

/// Gives no stream: DLPack has none for oneAPI, and there is nothing to wait for. For CUDA, null is
/// the legacy default stream.
int current_stream(dlpack::device_type, std::int32_t, void** stream) noexcept {
  *stream = nullptr;
  return 0;
}

constexpr dlpack::exchange_api dlpack_table = {
    .header = {.version = dlpack::current_version, .previous = nullptr},
    .allocate = allocate,
    .from_object = from_object,
    .to_object = to_object,
    .look_into = look_into,
    .current_stream = current_stream,
};

}  // namespace

void bind_dlpack_table() {
  const nb::handle cls(reinterpret_cast<PyObject*>(python_class<py_array>));
  cls.attr("__dlpack_c_exchange_api__") = nb::capsule(&dlpack_table, "dlpack_exchange_api");
}

}  // namespace usmx::bindings
