// Calls of the table's functions: one call of Python is one call of the library.
//
// A loop of the host takes less than the launch of a kernel for few elements that the host reaches.
// It is taken where nobody can tell the difference but by the time: the memory is idle, and the
// results have the same bits (docs/decisions.md, 135). All else is a kernel's.
#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <complex>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "compute/compute.hpp"
#include "elements/element.hpp"
#include "internals.hpp"
#include "objects/array.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "support/declare.hpp"
#include "support/errors.hpp"
#include "support/hooks.hpp"
#include "sycl_objects/classes.hpp"
#include "user_kernels/user_kernels.hpp"
#include "usmx/base/process.hpp"
#include "usmx/layout/for_each.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::bindings {

struct row_function {
  const internal::function_row& row;
  /// The loop of the host; null if none is taken.
  const internal::host_function* host;
  bool has_kernel;
  std::vector<std::string> names;  // the one, as a progress_line takes it
  bool is_power = row.name == "pow";
};

namespace {

using internal::function_row;
using internal::host_function;
using internal::host_loops;
using internal::operand_kind;

/// Whether an operand's elements lie one after the other, and may be read.
bool is_compact(const array& a) {
  return a.size() != 0 && a.layout().is_c_contiguous() && internal::is_readable(a);
}

/// Whether they are in memory of the same kind and queue: the host reaches both or none.
bool are_together(const array& a, const array& b) {
  return a.kind() == b.kind() && internal::private_queue(a) == internal::private_queue(b);
}

/// Whether their elements lie in the same order, too, if both are compact.
bool are_alike(const array& a, const array& b) {
  return std::ranges::equal(a.shape(), b.shape()) && are_together(a, b);
}

using number = std::array<std::byte, 2 * sizeof(double)>;

template <class T>
std::optional<number> bytes_of(T value) {
  number bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// Reads a real number of Python's own; none for an integer that a double has not.
std::optional<double> double_of(PyObject* object) {
  const double value =
      PyFloat_CheckExact(object) ? PyFloat_AS_DOUBLE(object) : PyLong_AsDouble(object);
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return value;
}

bool is_too_large_for_float(double value) {
  return std::abs(value) > FLT_MAX && std::isfinite(value);
}

std::optional<number> real_bytes(PyObject* object, type_code type) {
  const std::optional<double> value = double_of(object);
  if (!value || type == type_code::float64) {
    return value ? bytes_of(*value) : std::nullopt;
  }
  return is_too_large_for_float(*value) ? std::nullopt : bytes_of(static_cast<float>(*value));
}

std::optional<number> complex_bytes(PyObject* object, type_code type) {
  std::complex<double> value;
  if (PyComplex_CheckExact(object)) {
    value = {PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object)};
  } else if (const std::optional<double> real = double_of(object)) {
    value = *real;
  } else {
    return std::nullopt;
  }
  if (type == type_code::complex128) {
    return bytes_of(value);
  }
  return is_too_large_for_float(value.real()) || is_too_large_for_float(value.imag())
             ? std::nullopt
             : bytes_of(std::complex<float>(value));
}

template <class T>
std::optional<number> integer_bytes(PyObject* object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0 && std::in_range<T>(value)) {
    return bytes_of(static_cast<T>(value));
  }
  return std::nullopt;  // numbers above int64 are rare
}

/// A number of Python's own as an element of the type. None if the number is of another kind than
/// the type, or the general way has to convert it.
std::optional<number> number_bytes(PyObject* object, type_code type) {
  const bool is_bool = PyBool_Check(object);
  if (type == type_code::bool_) {
    return is_bool ? bytes_of(object == Py_True) : std::nullopt;
  }
  const bool is_integer = is_bool || PyLong_CheckExact(object);
  const bool is_real = is_integer || PyFloat_CheckExact(object);
  if (type == type_code::float32 || type == type_code::float64) {
    return is_real ? real_bytes(object, type) : std::nullopt;
  }
  if (type == type_code::complex64 || type == type_code::complex128) {
    return is_real || PyComplex_CheckExact(object) ? complex_bytes(object, type) : std::nullopt;
  }
  if (!is_integer) {
    return std::nullopt;
  }
  const char kind = dtype(type).kind();
  if (kind != 'i' && kind != 'u') {
    return std::nullopt;
  }
  return visit<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
               std::uint32_t, std::uint64_t>(
      type, [&]<class T>(std::type_identity<T>) { return integer_bytes<T>(object); });
}

/// A call, as far as it is known to be small.
struct small_call {
  /// The first array among the operands, of those with dimensions if there are any.
  const array* model;
  const host_loops* loops;
  host_loops::loop loop;
  host_loops::operands operands;
  std::optional<number> value;
  /// An array without dimensions beside one with dimensions, which is a number for the loop.
  const array* single;
};

const array* model_of(PyObject* const* arguments, int operands) {
  const array* first = as_array(arguments[0]);
  const array* second = operands == 2 ? as_array(arguments[1]) : nullptr;
  const bool is_second =
      second != nullptr && (first == nullptr || (first->ndim() == 0 && second->ndim() != 0));
  return is_second ? second : first;
}

/// Sets the operand at an index, and the loop that takes it.
bool take_operand(small_call& call, PyObject* object, int index) {
  const array* a = as_array(object);
  if (a != nullptr && (a == call.model || std::ranges::equal(a->shape(), call.model->shape()))) {
    call.operands[index] = internal::first_element(*a);
    return a == call.model ||
           (a->type() == call.model->type() && are_together(*a, *call.model) && is_compact(*a));
  }
  call.loop = index == 0 ? call.loops->number_first : call.loops->number_second;
  if (a == nullptr) {
    call.value = number_bytes(object, call.model->type().code());
    return call.loop != nullptr && call.value.has_value();
  }
  if (call.loop == nullptr || a->ndim() != 0 || a->type() != call.model->type() ||
      !are_together(*a, *call.model) || !internal::is_readable(*a)) {
    return false;
  }
  call.single = a;
  return true;
}

/// Whether the loop may write the results to `out`: to the elements of an operand, or to others.
bool can_be_written(const array& out, const small_call& call) {
  if (out.readonly() || out.type().code() != call.loops->result || !are_alike(out, *call.model) ||
      !is_compact(out) || out.may_be_busy()) {
    return false;
  }
  const std::byte* first = internal::first_element(out);
  for (const void* operand : call.operands) {
    const auto* other = static_cast<const std::byte*>(operand);
    const bool is_apart = other + call.model->nbytes() <= first || first + out.nbytes() <= other;
    if (other != nullptr && other != first && !is_apart) {
      return false;
    }
  }
  return true;
}

/// Computes a small call, and returns the result. Returns a null object, with nothing done, if the
/// call is not small.
nb::object compute_small(const host_function& function, PyObject* const* arguments,
                         Py_ssize_t count) {
  const int operands = function.operands;
  small_call call{};
  call.model = model_of(arguments, operands);
  if (call.model == nullptr || call.model->type().is_structured()) {
    return {};
  }
  call.loops = &function.loops[static_cast<std::size_t>(call.model->type().code())];
  call.loop = call.loops->arrays;
  if (call.loop == nullptr || operands > 2) {
    return {};
  }
  require_usable_process();
  look_for_peers();
  if (!is_compact(*call.model) || !internal::host_reaches(*call.model) ||
      !call.loops->is_for(call.model->size(), internal::private_queue(*call.model), true)) {
    return {};
  }
  for (int k = 0; k < operands; ++k) {
    if (!take_operand(call, arguments[k], k)) {
      return {};
    }
  }
  nb::object result;
  if (count > operands && arguments[operands] != Py_None) {
    const array* out = as_array(arguments[operands]);
    if (out == nullptr || !can_be_written(*out, call)) {
      return {};
    }
    result = nb::borrow(arguments[operands]);
  } else {
    const dtype type = call.loops->result;
    const std::size_t nbytes = static_cast<std::size_t>(call.model->size()) * type.itemsize();
    auto memory = make_memory(nbytes, call.model->kind(), internal::private_queue(*call.model),
                              first_use::at_once);
    // Another thread may have begun work on the operands while the lock was free.
    for (int k = 0; k < operands; ++k) {
      const array* a = as_array(arguments[k]);
      if (a != nullptr && !internal::is_readable(*a)) {
        return {};
      }
    }
    result = to_python(internal::unchecked_array(std::move(memory), type,
                                                 layout::c_order(call.model->shape()), false));
  }
  if (call.single != nullptr) {
    std::memcpy(call.value.emplace().data(), internal::first_element(*call.single),
                call.single->type().itemsize());
  }
  for (const void*& operand : std::span(call.operands).first(static_cast<std::size_t>(operands))) {
    operand = operand == nullptr && call.value ? call.value->data() : operand;
  }
  void* const to = internal::first_element(*as_array(result.ptr()));
  const auto run = [&] {
    call.loops->run(call.loop, call.operands, call.model->type(), to, call.model->size());
  };
  if (call.model->size() <= call.loops->most) {
    run();
  } else {
    const without_interpreter_lock unlocked;
    run();
  }
  return result;
}

/// The arguments of a call by a kernel.
class kernel_operands {
 public:
  /// Takes an operand. Returns false for one that the package has to look at first.
  bool take(PyObject* object) {
    operand_kind& kind = kinds_[all_.size()];
    if (const array* a = as_array(object)) {
      first_ = first_ == nullptr ? a : first_;
      kind = {a->type().code(), false};
      all_.emplace_back(*a);
      return !a->type().is_structured();
    }
    const std::optional<typed_number> found = number_of(object);
    if (found) {
      kind = found->kind;
      all_.emplace_back(found->value);
    }
    return found.has_value();
  }

  /// The first array; null if there is none.
  const array* first() const noexcept { return first_; }
  std::span<const operand_kind> kinds() const noexcept {
    return std::span(kinds_).first(all_.size());
  }

  /// Makes elements of these types of the numbers. Returns false if a type lacks a number, which is
  /// an error, a warning or compared in another way: the package decides.
  bool convert_numbers(const function_row& row, std::span<const type_code> types) {
    for (std::size_t k = 0; k < all_.size(); ++k) {
      const auto* value = std::get_if<kernel_argument::number>(&all_[k].value());
      if (value == nullptr) {
        continue;
      }
      if (!internal::has_value(types[k], *value)) {
        return false;
      }
      all_[k] = kernel_argument(internal::converted_number(row.name, *value, types[k]));
    }
    return true;
  }

  void add_output(const array& out) { all_.emplace_back(out); }
  std::span<const kernel_argument> all() const noexcept { return all_; }

 private:
  std::vector<kernel_argument> all_;
  std::array<operand_kind, internal::max_function_operands> kinds_{};
  const array* first_ = nullptr;
};

/// Whether the host may compute with the array's elements as with the first one's.
bool suits_host(const array& a, const array& first) {
  return a.size() != 0 && a.kind() == first.kind() && internal::is_readable(a) &&
         internal::private_queue(a) == internal::private_queue(first);
}

/// Computes a small call of arrays of any layout and of several types, and returns the result.
/// Returns a null object, with nothing done, if the call is not small.
nb::object compute_on_host(const row_function& function, const kernel_operands& arguments,
                           const internal::elementwise_types& types, PyObject* out) {
  const array& first = *arguments.first();
  const sycl::queue& queue = internal::private_queue(first);
  const host_loops* loops = internal::host_loops_for(*function.host, function.row, types);
  if (loops == nullptr || !internal::host_reaches(first)) {
    return {};
  }
  const auto are_all_idle = [&] {
    return std::ranges::all_of(arguments.all(), [&](const kernel_argument& each) {
      const auto* a = std::get_if<const array*>(&each.value());
      return a == nullptr || suits_host(**a, first);
    });
  };
  if (!are_all_idle()) {
    return {};
  }
  const internal::host_call call(*loops, function.row, types, arguments.all());
  const layout& shape = call.output_layout();
  if (!loops->is_for(shape.size(), queue, false)) {
    return {};
  }
  nb::object result = nb::borrow(out);
  if (const array* into = as_array(out)) {
    if (!suits_host(*into, first) || into->may_be_busy() || !call.may_write(*into)) {
      return {};
    }
  } else {
    array made = make_array(shape, call.output_type(), queue, first.kind(), first_use::at_once);
    if (!are_all_idle()) {  // another thread may have begun work while the lock was free
      return {};
    }
    result = to_python(std::move(made));
  }
  call.run(*as_array(result.ptr()));
  return result;
}

/// Computes a call, and returns the result. Returns a null object, with nothing done, if the
/// package has to look at an operand first.
nb::object compute_any(const row_function& function, std::span<PyObject* const> operands,
                       PyObject* out) {
  kernel_operands arguments;
  for (PyObject* each : operands) {
    if (!arguments.take(each)) {
      return {};
    }
  }
  const array* into = out == Py_None ? nullptr : as_array(out);
  const bool has_output = out == Py_None || (into != nullptr && !into->type().is_structured());
  if (arguments.first() == nullptr || !has_output) {
    return {};
  }
  require_usable_process();
  look_for_peers();
  const auto plan =
      internal::plan_for(function.row, arguments.kinds(),
                         into == nullptr ? std::nullopt : std::optional(into->type().code()),
                         support_of(internal::private_queue(*arguments.first()).get_device()));
  if (!arguments.convert_numbers(function.row, plan->types.inputs)) {
    return {};
  }
  if (function.host != nullptr) {
    nb::object made = compute_on_host(function, arguments, plan->types, out);
    if (made.is_valid()) {
      return made;
    }
  }
  if (!function.has_kernel) {
    return {};
  }
  if (into != nullptr) {
    arguments.add_output(*into);
  }
  const sycl::queue queue =
      internal::presented_queue(*queue_of_all(function.names.front(), arguments.all()));
  internal::elementwise_call call(plan->kernel, arguments.all(), std::nullopt, std::nullopt);
  nb::object result = nb::borrow(out);
  if (into == nullptr) {
    result = to_python(make_array(call.output_layout(), call.output_type(0), queue,
                                  call.output_kind(), internal::first_use::in_order));
    call.set_output(0, *as_array(result.ptr()));
  }
  run_call(function.names, call, queue, {});
  return result;
}

PyObject* call_function(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  const auto* function =
      static_cast<const row_function*>(PyCapsule_GetPointer(self, "usmx.row_function"));
  if (function == nullptr) {
    return nullptr;
  }
  const auto operands = static_cast<Py_ssize_t>(function->row.operand_count());
  if (count < operands || count > operands + 1) {
    PyErr_SetString(PyExc_TypeError, "wrong number of operands");
    return nullptr;
  }
  return call_row(*function, arguments, count);
}

PyMethodDef row_method = {"row_function",
                          reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&call_function)),
                          METH_FASTCALL, nullptr};

/// Makes a function of the operands, and of `out` or None. It returns None if the package has to
/// look at an operand first. `only` is "host" for its loop on the host, "kernel" for its kernel.
/// Returns None if the host has no loop.
nb::object make_row_function(const std::string& name, nb::handle only) {
  const std::string_view way = only.is_none() ? "" : to_text("only", only.ptr());
  const host_function* host = way == "kernel" ? nullptr : internal::find_host_function(name);
  if (way == "host" && host == nullptr) {
    return nb::none();
  }
  auto made = std::unique_ptr<row_function>(
      new row_function{internal::function_named(name), host, way != "host", {name}});
  const nb::object self = checked(PyCapsule_New(made.get(), "usmx.row_function", [](PyObject* of) {
    delete static_cast<row_function*>(PyCapsule_GetPointer(of, "usmx.row_function"));
  }));
  made.release();  // the capsule's now
  return checked(PyCFunction_New(&row_method, self.ptr()));
}

/// The exponent, if it is a number of Python's own; else 0.
double exponent_of(PyObject* object) {
  int overflow = 0;
  const bool is_integer = PyLong_CheckExact(object);
  const long long value = is_integer ? PyLong_AsLongLongAndOverflow(object, &overflow) : 0;
  return is_integer && overflow == 0  ? static_cast<double>(value)
         : PyFloat_CheckExact(object) ? PyFloat_AS_DOUBLE(object)
                                      : 0;
}

/// Whether it is a power with the exponent 2 of Python's own, of floating-point numbers: their
/// square has the same bits.
bool is_square(const row_function& function, PyObject* const* operands) {
  if (!function.has_kernel || function.host == nullptr || exponent_of(operands[1]) != 2) {
    return false;
  }
  const array* a = as_array(operands[0]);
  return a != nullptr && !a->type().is_structured() &&
         (a->type().kind() == 'f' || a->type().kind() == 'c');
}

/// Throws value_error for integers with a negative integer exponent of Python's own.
void require_exponent(PyObject* const* operands) {
  const array* a = as_array(operands[0]);
  if (a == nullptr || a->type().is_structured() || !PyLong_CheckExact(operands[1])) {
    return;
  }
  int overflow = 0;
  const long long exponent = PyLong_AsLongLongAndOverflow(operands[1], &overflow);
  internal::require_exponent(a->type(), exponent < 0 || overflow < 0);
}

}  // namespace

std::optional<typed_number> number_of(PyObject* object) {
  const std::optional<type_code> weak = weak_type(Py_TYPE(object));
  if (!weak && !is_numpys_number(object)) {
    return std::nullopt;
  }
  const std::optional<kernel_argument::number> value = number_argument(object);
  if (!value) {
    return std::nullopt;
  }
  const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  return typed_number{
      *value, weak ? operand_kind{*weak, true} : operand_kind{dtype_argument(type).code(), false}};
}

PyObject* call_row(const row_function& function, PyObject* const* arguments,
                   Py_ssize_t count) noexcept {
  const auto operands = static_cast<Py_ssize_t>(function.row.operand_count());
  return guarded<PyObject*>(nullptr, [&] {
    if (function.is_power) {
      require_exponent(arguments);
    }
    if (function.is_power && is_square(function, arguments)) {
      static const row_function& square = row_function_of("square");
      PyObject* const of_square[] = {arguments[0], count > 2 ? arguments[2] : Py_None};
      return call_row(square, of_square, 2);
    }
    std::array<PyObject*, internal::max_function_operands + 1> given{};
    std::copy_n(arguments, count, given.begin());
    if (function.row.is_logical) {
      // Every type has the truth of a number.
      for (PyObject*& each : std::span(given).first(operands)) {
        each = weak_type(Py_TYPE(each)) ? PyObject_IsTrue(each) == 1 ? Py_True : Py_False : each;
      }
    }
    nb::object made;
    if (function.host != nullptr) {
      made = compute_small(*function.host, given.data(), count);
    }
    if (!made.is_valid()) {
      made = compute_any(function, std::span(given).first(operands),
                         count > operands ? given[operands] : Py_None);
    }
    return made.is_valid() ? made.release().ptr() : Py_NewRef(Py_None);
  });
}

const row_function& row_function_of(const char* name) {
  return *new row_function{
      internal::function_named(name), internal::find_host_function(name), true, {name}};
}

void bind_computations(nb::module_& m) {
  declare<"def _row_function(name: str, only: str | None = None, /) -> Any">(m, &make_row_function);
}

}  // namespace usmx::bindings
