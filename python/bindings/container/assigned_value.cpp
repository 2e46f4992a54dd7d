#include "container/assigned_value.hpp"

#include <cstring>
#include <utility>

#include "elements/dtype_argument.hpp"
#include "exchange/producers.hpp"
#include "internals.hpp"
#include "objects/array.hpp"
#include "objects/host_copy.hpp"
#include "objects/waiting.hpp"
#include "support/hooks.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/select/gather.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::bindings {
namespace {

/// NumPy's scalars have a buffer, as arrays have, but are no sequences.
bool is_numpy_scalar(PyObject* value) {
  return PyObject_CheckBuffer(value) && !PySequence_Check(value);
}

array convertible(const array& value, dtype expected) {
  require_convertible(value.type(), expected);
  return value;
}

using internal::with_layout;

array_view with_layout(const array_view& view, layout where) {
  return {view.origin(), view.type(), std::move(where), view.kind(), view.queue(), view.readonly()};
}

/// One scalar in every element.
void set_all(const array& destination, element value) {
  if (destination.size() == 1 && is_short(destination)) {
    wait_for(destination);
    std::memcpy(internal::first_element(destination), value.data(), value.type().itemsize());
    return;
  }
  ordered(is_short(destination), [&] { fill(destination, value.data()); });
}

}  // namespace

assigned_value::source assigned_value::source_of(PyObject* value, const array& destination) {
  const bool structured = destination.type().is_structured();
  if (!structured && is_python_number(value)) {
    return to_element(destination.type(), value);
  }
  if (const array* own = as_array(value)) {
    return convertible(*own, destination.type());
  }
  if (auto plain = structured ? nullptr
                              : held_array::of_plain(value, internal::private_queue(destination))) {
    return plain;
  }
  if (const nb::object view = view_of_producer(value); view.is_valid()) {
    return convertible(*as_array(view.ptr()), destination.type());
  }
  if (!structured && is_numpy_scalar(value)) {
    return to_element(destination.type(), value);
  }
  const nb::object on_host =
      hooks::host_value(nb::handle(value), to_numpy_dtype(destination.type()));
  return held_array::of(on_host, internal::private_queue(destination));
}

assigned_value::assigned_value(PyObject* value, const array& destination)
    : type_(destination.type()),
      queue_(internal::private_queue(destination)),
      source_(source_of(value, destination)) {}

bool assigned_value::is_short() const {
  const auto* values = std::get_if<array>(&source_);
  return values == nullptr || bindings::is_short(*values);
}

/// What is no array of USM.
array_view assigned_value::host_view() const {
  if (const auto* scalar = std::get_if<element>(&source_)) {
    return {
        const_cast<std::byte*>(scalar->data()), type_, layout(), usm_kind::unknown, queue_, true};
  }
  return std::get<std::unique_ptr<held_array>>(source_)->view();
}

void assigned_value::copy_to(const array& destination) const {
  const auto repeated = [&](const auto& values) {
    return with_layout(values, broadcast_assigned(values.layout(), destination.shape()));
  };
  if (const auto* values = std::get_if<array>(&source_)) {
    copy(repeated(*values), destination);
  } else {
    copy_from_host(repeated(host_view()), destination);
  }
}

void assigned_value::scatter_to(const array& destination, selection selected) const {
  if (const auto* values = std::get_if<array>(&source_)) {
    if (values->type() == type_) {
      return scatter(*values, std::move(selected), destination);
    }
    return scatter(host_copy(*values, type_).view(), std::move(selected), destination);
  }
  const array_view values = host_view();
  if (values.type() == type_) {
    return scatter(values, std::move(selected), destination);
  }
  scatter(host_copy(values, type_).view(), std::move(selected), destination);
}

void assign(const array& destination, PyObject* value) {
  if (!destination.type().is_structured() && is_python_number(value)) {
    return set_all(destination, to_element(destination.type(), value));
  }
  const assigned_value values(value, destination);
  ordered(values.is_short() && is_short(destination), [&] { values.copy_to(destination); });
}

}  // namespace usmx::bindings
