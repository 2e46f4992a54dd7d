#include "assigned_value.hpp"

#include <cstring>
#include <utility>

#include "array.hpp"
#include "copy_lock.hpp"
#include "dtype_argument.hpp"
#include "interface.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::bindings {
namespace {

/// NumPy's scalars have a buffer, as arrays have, but are no sequences.
bool is_numpy_scalar(PyObject* value) {
  return PyObject_CheckBuffer(value) && !PySequence_Check(value);
}

array required_structure(const array& value, dtype expected) {
  const bool structured = value.type().is_structured() || expected.is_structured();
  if (structured && value.type() != expected) {
    throw type_error(detail::message("structured elements are not converted: expected ", expected,
                                     ", found ", value.type()));
  }
  return value;
}

/// One scalar in every element.
void set_all(const array& destination, element value) {
  wait_for(*destination.owner());
  if (destination.size() == 1 &&
      host_may_touch(destination.kind(), destination.queue().get_device())) {
    std::memcpy(destination.data(), value.data(), value.type().itemsize());
    return;
  }
  const without_interpreter_lock unlocked(is_worth_unlocking(destination));
  fill(destination.private_view(), value.data());
}

}  // namespace

assigned_value::source assigned_value::source_of(PyObject* value, const array& destination) {
  const bool structured = destination.type().is_structured();
  if (!structured && is_python_number(value)) {
    return to_element(destination.type(), value);
  }
  if (const array* own = as_array(value)) {
    return required_structure(*own, destination.type());
  }
  if (auto plain = structured ? nullptr : held_array::of_plain(value, destination.queue())) {
    return plain;
  }
  if (const nb::object view = view_of_producer(value); view.is_valid()) {
    return required_structure(*as_array(view.ptr()), destination.type());
  }
  if (!structured && is_numpy_scalar(value)) {
    return to_element(destination.type(), value);
  }
  const nb::object on_host =
      nb::module_::import_("usmx._container.indexing")
          .attr("host_value")(nb::handle(value), to_numpy_dtype(destination.type()));
  return std::make_unique<held_array>(on_host, destination.queue());
}

assigned_value::assigned_value(PyObject* value, const array& destination)
    : type_(destination.type()),
      queue_(destination.queue()),
      source_(source_of(value, destination)) {}

bool assigned_value::is_worth_unlocking() const {
  const auto* values = std::get_if<array>(&source_);
  return values != nullptr && bindings::is_worth_unlocking(*values);
}

array_view assigned_value::view() const {
  if (const auto* scalar = std::get_if<element>(&source_)) {
    return {
        const_cast<std::byte*>(scalar->data()), type_, layout(), usm_kind::unknown, queue_, true};
  }
  if (const auto* held = std::get_if<std::unique_ptr<held_array>>(&source_)) {
    return (*held)->view();
  }
  const auto& values = std::get<array>(source_);
  values.wait();
  return values.private_view();
}

array_view assigned_value::converted() {
  const array_view values = view();
  if (values.type() == type_) {
    return values;
  }
  const layout where = layout::c_order(values.shape());
  converted_ = std::make_unique_for_overwrite<std::byte[]>(checked_nbytes(where.size(), type_));
  const array_view result(converted_.get(), type_, where, usm_kind::unknown, queue_, false);
  copy(values, result);
  return result;
}

void assign(const array& destination, PyObject* value) {
  if (!destination.type().is_structured() && is_python_number(value)) {
    return set_all(destination, to_element(destination.type(), value));
  }
  const assigned_value values(value, destination);
  const without_interpreter_lock unlocked(values.is_worth_unlocking() ||
                                          is_worth_unlocking(destination));
  destination.wait();
  const array_view source = values.view();
  copy(source.with_layout(broadcast_assigned(source.layout(), destination.shape())),
       destination.private_view());
}

}  // namespace usmx::bindings
