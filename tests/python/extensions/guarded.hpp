// Functions that a call guard runs without the interpreter lock, and arrays of memory that belongs
// to Python objects, for the test extensions of all binding libraries.
#pragma once

#include <Python.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>
#include <sycl/usm.hpp>

#include "usmx/array/in.hpp"
#include "usmx/array/submit.hpp"
#include "usmx/base/error.hpp"
#include "usmx/python/function.hpp"
#include "usmx/runtime.hpp"

namespace test_extension {

/// A function under a guard takes what comes and gives it back, or its last element's size.
template <class T>
T given_back(T value) {
  if (PyThreadState* mine = PyGILState_GetThisThreadState();
      mine != nullptr && mine == _PyThreadState_UncheckedGet()) {
    throw usmx::value_error("the call guard has not released the interpreter lock");
  }
  return value;
}

template <class T>
std::ptrdiff_t size_of(const T& value) {
  return given_back(value).size();
}

/// As the page about dpctl4pybind11 has it: work that is not finished when the function returns.
inline usmx::array shifted_by_nothing(const usmx::read<double, usmx::c_contig>& x) {
  const usmx::write<double> result(usmx::empty(x.shape(), usmx::float64, x.queue()));
  usmx::submit(x.queue(), {x}, {result}, [&](sycl::handler& command) {
    command.memcpy(result.data(), x.data(), x.array().nbytes());
  });
  return given_back(result.array());
}

/// The table's functions that are for threads with the lock, and those that release it, on a thread
/// that has let it go. Returns the same object, or null with Python's error set.
inline PyObject* through_the_table(PyObject* object) {
  given_back(0);
  const usmx_api& table = *usmx_import();
  usmx_view view;
  usmx_owner* owner;
  if (table.as_array(object, &view, &owner) <= 0) {
    return nullptr;
  }
  PyObject* queue_object = table.from_queue(view.queue);
  PyObject* context_object = table.from_context(view.context);
  void* queue = nullptr;
  void* context = nullptr;
  PyObject* result = nullptr;
  if (table.as_queue(queue_object, &queue) == 1 &&
      table.as_context(context_object, &context) == 1 && table.make_ready(owner) == 0) {
    result = table.from_array(nullptr, owner);
  }
  table.free_bytes(table.allocate_bytes(8, USMX_KIND_SHARED, queue));
  table.release(table.allocate(&view));
  table.free_queue(queue);
  table.free_context(context);
  table.release_object(queue_object);
  table.release_object(context_object);
  table.release(owner);
  return result;
}

/// An array of memory that a Python object keeps alive.
inline usmx::array owned_by(PyObject* object) {
  static double* const elements = sycl::malloc_shared<double>(4, usmx::default_queue());
  return usmx::array::adopt(elements, {4}, usmx::float64, usmx::default_queue(),
                            usmx::python::owner(object));
}
/// An array whose deleter keeps the object alive, and frees the memory itself.
inline usmx::array freed_beside(PyObject* object) {
  const sycl::queue queue = usmx::default_queue();
  double* elements = sycl::malloc_shared<double>(4, queue);
  return usmx::array::adopt(
      elements, {4}, usmx::float64, queue,
      [queue, kept = usmx::python::owner(object)](void* memory) { sycl::free(memory, queue); });
}
/// Gives the object to an array of memory that cannot be adopted.
inline void refused_with(PyObject* object) {
  double elements[4];
  usmx::array::adopt(elements, {4}, usmx::float64, usmx::default_queue(),
                     usmx::python::owner(object));
}

/// What the extension holds until it is told, or until the process ends.
inline std::optional<usmx::array> held;
inline std::optional<usmx::python::owner> held_owner;

inline void let_go() {
  held.reset();
  held_owner.reset();
}
inline void let_go_on_a_thread() { std::thread(let_go).join(); }

template <class Guard, class Handle, class Arg, class Module>
void bind_guarded_functions(Module& m) {
  using usmx::array;
  namespace up = usmx::python;
  m.def("array", &size_of<array>, Guard());
  m.def("array_by_value", &given_back<array>, Guard());
  m.def("array_by_reference", [](array& x) { return size_of(x); }, Guard());
  m.def("array_by_pointer", [](array* x) { return size_of(*x); }, Guard());
  m.def("view", [](const usmx::array_view& x) { return size_of(x); }, Guard());
  m.def("view_by_value", [](usmx::array_view x) { return size_of(x); }, Guard());
  m.def("in", [](const usmx::in<const double, 1>& x) { return size_of(x); }, Guard());
  m.def("host", [](const usmx::host<const double, 1>& x) { return size_of(x); }, Guard());
  m.def("read", [](const usmx::read<double, 1>& x) { return size_of(x); }, Guard());
  m.def("write", [](const usmx::write<double, 1>& x) { return size_of(x); }, Guard());
  m.def("convert", [](const usmx::convert<const float, 1>& x) { return size_of(x); }, Guard());
  m.def("optional_array", &given_back<std::optional<array>>, Guard());
  m.def(
      "optional_view", [](const std::optional<usmx::array_view>& x) { return size_of(*x); },
      Guard());
  m.def("arrays", &given_back<std::vector<array>>, Guard());
  m.def("views", [](const std::vector<usmx::array_view>& x) { return size_of(x[0]); }, Guard());
  m.def("number_or_array", &given_back<std::variant<double, array>>, Guard());
  m.def("array_and_number", &given_back<std::pair<array, int>>, Guard());
  m.def("arrays_by_name", &given_back<std::map<std::string, array>>, Guard());
  m.def("submitted", &shifted_by_nothing, Guard());

  up::def(m, "checked_array", &given_back<array>, Arg("x"), Guard());
  up::def(m, "checked_view", [](const usmx::array_view& x) { return size_of(x); }, Guard());
  up::def(m, "checked_in", [](const usmx::in<const double, 1>& x) { return size_of(x); }, Guard());
  up::def(m, "checked_read", [](const usmx::read<double, 1>& x) { return size_of(x); }, Guard());
  up::def(m, "checked_arrays", &given_back<std::vector<array>>, Guard());

  m.def("queue", &given_back<sycl::queue>, Guard());
  m.def("context", &given_back<sycl::context>, Guard());
  m.def("device", &given_back<sycl::device>, Guard());
  m.def("event", &given_back<sycl::event>, Guard());
  m.def("events", &given_back<std::vector<sycl::event>>, Guard());
  m.def("checked_queue", [](const sycl::queue& x) { return given_back(x); }, Guard());
  m.def("fail", [](const array& x) { x.slice(usmx::range(0, size_of(x), 0)); }, Guard());

  m.def("owned_by", [](Handle object) { return owned_by(object.ptr()); });
  m.def("freed_beside", [](Handle object) { return freed_beside(object.ptr()); });
  m.def("refused_with", [](Handle object) { refused_with(object.ptr()); });
  m.def("hold", [](const array& x) { held = x; });
  m.def("hold_object", [](Handle object) { held_owner.emplace(object.ptr()); });
  m.def("let_go", &let_go);
  m.def("let_go_without_lock", &let_go, Guard());
  m.def("let_go_on_a_thread", &let_go_on_a_thread, Guard());
}

}  // namespace test_extension
