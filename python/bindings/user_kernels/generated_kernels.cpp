#include "user_kernels/generated_kernels.hpp"

#include <utility>

#include "exchange/import.hpp"
#include "objects/array.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "support/hooks.hpp"
#include "support/nanobind.hpp"
#include "sycl_objects/queue_argument.hpp"
#include "user_kernels/user_kernels.hpp"

namespace usmx::bindings {

nb::dict generation_texts::keywords() const {
  nb::dict all;
  for (const auto& [name, text] : texts) {
    all[name] = text;
  }
  all["name"] = options.name;
  all["preamble"] = options.preamble;
  all["options"] = nb::tuple(nb::cast(options.options));
  all["debug"] = options.debug;
  return all;
}

call_arguments::call_arguments(const std::string& name, std::size_t input_count,
                               std::size_t output_count, nb::args given, nb::handle out)
    : name_(name), output_count_(output_count), outputs_(output_count, nullptr) {
  const std::size_t count = given.size();
  all_.reserve(input_count + output_count);
  for (std::size_t k = 0; k < count; ++k) {
    PyObject* const object = PyTuple_GET_ITEM(given.ptr(), static_cast<Py_ssize_t>(k));
    all_.push_back(argument(object, k < input_count));
    if (k >= input_count && k - input_count < output_count) {
      outputs_[k - input_count] = object;
    }
  }
  if (!out.is_none()) {
    if (count == input_count + output_count) {
      throw type_error(name + ": the outputs are given twice, by position and by out=");
    }
    if (count == input_count) {  // else the library says how many there must be
      take_outputs(name, out);
    }
  }
}

/// One array, or a tuple of arrays and None.
void call_arguments::take_outputs(const std::string& name, nb::handle out) {
  if (!PyTuple_Check(out.ptr())) {
    if (output_count_ != 1) {
      throw type_error(detail::message(name, ": out must be a tuple of ", output_count_,
                                       " arrays, found an object of type ", type_name(out.ptr())));
    }
    outputs_[0] = out.ptr();
  } else if (nb::len(out) != output_count_) {
    throw value_error(detail::message(name, ": out must be a tuple of ", output_count_,
                                      " arrays, found ", nb::len(out)));
  } else {
    for (std::size_t k = 0; k < output_count_; ++k) {
      PyObject* const item = PyTuple_GET_ITEM(out.ptr(), static_cast<Py_ssize_t>(k));
      outputs_[k] = item == Py_None ? nullptr : item;
    }
  }
  for (PyObject* each : outputs_) {
    all_.push_back(each == nullptr ? kernel_argument(kernel_argument::unsuitable{})
                                   : argument(each, false));
  }
}

kernel_argument call_arguments::argument(PyObject* object, bool may_be_number) {
  if (const array* own = as_array(object)) {
    return *own;
  }
  if (!PyFloat_Check(object) && !PyLong_Check(object)) {
    if (std::optional<array> found = array_of_other_producer(object)) {
      imported_.push_back(std::make_unique<array>(*std::move(found)));
      return *imported_.back();
    }
  }
  if (may_be_number) {
    static const kernel_signature value{
        "", {{parameter_form::value, type_code::float64, 8, 8, "double"}}, 0};
    const launch_arguments number({&object, 1}, value);
    if (number.all()[0].is_number()) {
      return number.all()[0];
    }
  }
  return unsuitable(object);
}

sycl::queue call_arguments::queue(nb::handle queue) const {
  const sycl::queue* common = queue.is_none() ? queue_of_all(name_, all_) : nullptr;
  return internal::presented_queue(common != nullptr ? *common : queue_argument(queue, nb::none()));
}

std::vector<nb::object> call_arguments::outputs(internal::generated_call& call,
                                                const sycl::queue& queue) const {
  std::vector<nb::object> all;
  for (std::size_t k = 0; k < output_count_; ++k) {
    if (outputs_[k] != nullptr) {
      all.push_back(nb::borrow(outputs_[k]));
      continue;
    }
    all.push_back(to_python(make_array(call.output_layout(), call.output_type(k), queue,
                                       call.output_kind(), internal::first_use::in_order)));
    call.set_output(k, *as_array(all.back().ptr()));
  }
  return all;
}

generation_options generation_arguments(nb::handle name, nb::handle preamble, nb::handle options,
                                        nb::handle debug) {
  const nb::object parts = hooks::compile_arguments(nb::none(), nb::none(), options);
  return {std::string(to_text("name", name.ptr())),
          std::string(to_text("preamble", preamble.ptr())),
          nb::cast<std::vector<std::string>>(parts[2]), flag_argument("debug", debug)};
}

}  // namespace usmx::bindings
