#include "user_kernels/generated_kernels.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "elements/dtype_argument.hpp"
#include "exchange/producers.hpp"
#include "objects/array.hpp"
#include "objects/waiting.hpp"
#include "support/hooks.hpp"
#include "support/type_name.hpp"
#include "sycl_objects/queue_argument.hpp"
#include "user_kernels/user_kernels.hpp"

namespace usmx::bindings {

// ---- arguments

call_arguments::call_arguments(const kernel_family& kernel, std::span<PyObject* const> given,
                               nb::handle out)
    : family_(kernel), objects_(kernel.parameters.size(), nullptr) {
  const std::size_t most = kernel.parameters.size();
  if (given.size() != kernel.input_count && given.size() != most) {
    throw type_error(detail::message(kernel.name, " takes ", kernel.input_count, " inputs",
                                     ", and may be followed by ", kernel.output_count(),
                                     " outputs, found ", given.size(), " arguments"));
  }
  std::ranges::copy(given, objects_.begin());
  if (!out.is_none()) {
    if (given.size() == most) {
      throw type_error(kernel.name + ": the outputs are given twice, by position and by out=");
    }
    take_outputs(out);
  }
  all_.reserve(most);
  for (std::size_t k = 0; k < most; ++k) {
    all_.push_back(argument(k));
    input_array_count_ = k < kernel.input_count ? arrays_.size() : input_array_count_;
  }
}

/// One array, or a tuple of arrays and None.
void call_arguments::take_outputs(nb::handle out) {
  const std::size_t count = family_.output_count();
  if (!PyTuple_Check(out.ptr())) {
    if (count != 1) {
      throw type_error(detail::message("out must be a tuple of ", count, " arrays, found an ",
                                       "object of type ", type_name(out.ptr())));
    }
    objects_[family_.input_count] = out.ptr();
    return;
  }
  if (nb::len(out) != count) {
    throw value_error(
        detail::message("out must be a tuple of ", count, " arrays, found ", nb::len(out)));
  }
  for (std::size_t k = 0; k < count; ++k) {
    PyObject* const item = PyTuple_GET_ITEM(out.ptr(), static_cast<Py_ssize_t>(k));
    objects_[family_.input_count + k] = item == Py_None ? nullptr : item;
  }
}

kernel_argument call_arguments::argument(std::size_t k) {
  PyObject* const object = objects_[k];
  if (object == nullptr) {
    return kernel_argument(kernel_argument::unsuitable{"nothing"});
  }
  if (const array* own = as_array(object)) {
    arrays_.push_back(own);
    return *own;
  }
  const bool is_input = k < family_.input_count;
  if (!PyFloat_Check(object) && !PyLong_Check(object)) {
    if (std::optional<array> found = array_of_other_producer(object)) {
      imported_.push_back(std::make_unique<array>(*std::move(found)));
      arrays_.push_back(imported_.back().get());
      return *imported_.back();
    }
  }
  if (is_input) {
    static const kernel_signature value{
        "", {{parameter_form::value, type_code::float64, 8, 8, "double"}}, 0};
    const launch_arguments number({&object, 1}, value);
    if (std::holds_alternative<kernel_argument::number>(number.all()[0].value())) {
      return number.all()[0];
    }
  }
  throw type_error(detail::message(family_.name, ": argument '", family_.parameters[k],
                                   "' must be ",
                                   is_input ? "an array in USM or a number" : "an array in USM",
                                   ", found an object of type ", type_name(object)));
}

// ---- types

namespace {

/// Numbers of Python have no type of their own, but a kind.
constexpr const char* number_types[] = {"bool", "int64", "uint64", "float64"};

/// What tells arguments apart that need different kernels.
std::string key_of(const call_arguments& arguments, std::optional<dtype> wanted) {
  std::string key;
  for (std::size_t k = 0; k < arguments.all().size(); ++k) {
    if (const array* a = arguments.array_at(k)) {
      key += static_cast<char>('A' + static_cast<int>(a->type().code()));
    } else {
      const auto& value = arguments.all()[k].value();
      const auto* number = std::get_if<kernel_argument::number>(&value);
      key += number == nullptr ? '-' : static_cast<char>('0' + number->index());
    }
  }
  if (wanted) {
    key += static_cast<char>('A' + static_cast<int>(wanted->code()));
  }
  return key;
}

/// Asks Python for the type of each parameter.
typed_kernels choose_types(nb::handle self, const kernel_family& kernel,
                           const call_arguments& arguments, std::optional<dtype> wanted,
                           std::string key) {
  nb::list found;
  for (std::size_t k = 0; k < arguments.all().size(); ++k) {
    if (const array* a = arguments.array_at(k)) {
      found.append(nb::make_tuple(std::string(a->type().name()), true));
    } else if (const auto* number =
                   std::get_if<kernel_argument::number>(&arguments.all()[k].value())) {
      found.append(nb::make_tuple(number_types[number->index()], false));
    } else {
      found.append(nb::none());
    }
  }
  const nb::object chosen = self.attr("_choose_types")(
      found, wanted ? nb::object(nb::str(std::string(wanted->name()).c_str())) : nb::none());
  if (nb::len(chosen) < kernel.parameters.size()) {
    throw value_error(detail::message(kernel.name, ": _choose_types must give ",
                                      kernel.parameters.size(), " types, found ", nb::len(chosen)));
  }
  typed_kernels made{std::move(key), {kernel.name, {}, 0}, {}, {}};
  for (std::size_t k = 0; k < nb::len(chosen); ++k) {
    const dtype type = dtype_argument(chosen[k][0]);
    made.types.push_back(type);
    if (k >= arguments.all().size()) {
      continue;
    }
    if (const array* a = arguments.array_at(k); a != nullptr && a->type() != type) {
      throw value_error(detail::message(kernel.name, ": _choose_types must give ", a->type().name(),
                                        " for array '", kernel.parameters[k], "', found ",
                                        type.name()));
    }
    const bool is_input = k < kernel.input_count;
    const parameter_form form = !is_input               ? parameter_form::pointer
                                : arguments.array_at(k) ? parameter_form::const_pointer
                                                        : parameter_form::value;
    made.signature.parameters.push_back({form, type.code(), type.itemsize(), type.alignment(),
                                         nb::cast<std::string>(chosen[k][1])});
  }
  return made;
}

}  // namespace

typed_kernels& typed_for(nb::handle self, kernel_family& kernel, const call_arguments& arguments,
                         nb::handle type) {
  const std::optional<dtype> wanted =
      type.is_none() ? std::nullopt : std::optional(dtype_argument(type));
  std::string key = key_of(arguments, wanted);
  const auto found = std::ranges::find(kernel.typed, key, &typed_kernels::key);
  if (found != kernel.typed.end()) {
    return *found;
  }
  kernel.typed.push_back(choose_types(self, kernel, arguments, wanted, std::move(key)));
  return kernel.typed.back();
}

nb::handle kernels_for(nb::handle self, typed_kernels& typed, const std::string& form) {
  const auto found = std::ranges::find(typed.generated, form, &generated_kernels::form);
  if (found != typed.generated.end()) {
    return found->kernels;
  }
  nb::list types;
  for (const kernel_parameter& each : typed.signature.parameters) {
    types.append(nb::make_tuple(each.type_name, each.form != parameter_form::value));
  }
  typed.generated.push_back({form, self.attr("_generate")(types, form)});
  return typed.generated.back().kernels;
}

// ---- shape, queue and outputs

counts common_shape(const kernel_family& family, std::span<const array* const> arrays) {
  std::array<std::ptrdiff_t, max_ndim> extents;
  std::size_t ndim = 0;
  for (const array* a : arrays) {
    ndim = std::max(ndim, a->shape().size());
  }
  std::fill_n(extents.begin(), ndim, 1);
  for (const array* a : arrays) {
    const std::span<const std::ptrdiff_t> shape = a->shape();
    for (std::size_t k = 0; k < shape.size(); ++k) {
      std::ptrdiff_t& extent = extents[ndim - shape.size() + k];
      if (shape[k] != 1 && extent != 1 && shape[k] != extent) {
        std::string shapes;
        for (const array* each : arrays) {
          shapes += (shapes.empty() ? "" : ", ") + tuple_text(each->shape());
        }
        throw value_error(detail::message(
            family.name, ": arguments must have shapes that can be broadcast together, found ",
            shapes));
      }
      extent = shape[k] != 1 ? shape[k] : extent;
    }
  }
  return counts(std::span(extents).first(ndim));
}

sycl::queue call_queue(nb::handle queue, const call_arguments& arguments) {
  const sycl::queue* common = queue.is_none() ? queue_of_all(arguments.arrays()) : nullptr;
  return internal::presented_queue(common != nullptr ? *common : queue_argument(queue, nb::none()));
}

usm_kind common_kind(std::span<const array* const> arrays) {
  for (const usm_kind kind : {usm_kind::device, usm_kind::shared, usm_kind::host}) {
    if (std::ranges::find(arrays, kind, &array::kind) != arrays.end()) {
      return kind;
    }
  }
  return usm_kind::device;
}

std::vector<nb::object> outputs_of(const kernel_family& family, call_arguments& arguments,
                                   const typed_kernels& typed, const layout& where,
                                   const sycl::queue& queue) {
  std::vector<nb::object> outputs;
  for (std::size_t k = family.input_count; k < family.parameters.size(); ++k) {
    if (PyObject* const given = arguments.object_at(k)) {
      outputs.push_back(nb::borrow(given));
      continue;
    }
    outputs.push_back(
        to_python(make_array(where, typed.types[k], queue, common_kind(arguments.arrays()),
                             internal::first_use::in_order)));
    arguments.set_output(k, *as_array(outputs.back().ptr()));
  }
  return outputs;
}

nb::object as_result(const std::vector<nb::object>& outputs) {
  if (outputs.size() == 1) {
    return outputs.front();
  }
  nb::list all;
  for (const nb::object& each : outputs) {
    all.append(each);
  }
  return nb::tuple(all);
}

}  // namespace usmx::bindings
