// Computations without kernels of usmx's own.
//
// Element-wise functions of few elements that the host reaches: a loop of the host takes less than
// the launch of a kernel. It is taken where nobody can tell the difference but by the time: the
// memory is idle, and the results have the same bits (docs/decisions.md, 135).
//
// Products of matrices by the vendor's library (docs/decisions.md, 136).
#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "compute/compute.hpp"
#include "elements/element.hpp"
#include "internals.hpp"
#include "objects/array.hpp"
#include "objects/waiting.hpp"
#include "support/errors.hpp"
#include "sycl_objects/classes.hpp"
#include "usmx/layout/for_each.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::bindings {
namespace {

using internal::host_function;
using internal::host_loops;

/// Above that, the threads of a launch are worth it.
constexpr std::size_t most_nbytes = std::size_t{128} << 10;

bool is_small(const array& a) {
  return a.size() != 0 && a.nbytes() <= most_nbytes && a.layout().is_c_contiguous() &&
         !a.may_be_busy() && host_may_touch(a.kind(), internal::private_queue(a).get_device());
}

/// Whether their elements lie in the same order, in memory of the same kind and queue.
bool are_alike(const array& a, const array& b) {
  return std::ranges::equal(a.shape(), b.shape()) && a.kind() == b.kind() &&
         internal::private_queue(a) == internal::private_queue(b);
}

using number = std::array<std::byte, sizeof(double)>;

template <class T>
std::optional<number> bytes_of(T value) {
  number bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::optional<number> real_bytes(PyObject* object, type_code type) {
  const double value =
      PyFloat_CheckExact(object) ? PyFloat_AS_DOUBLE(object) : PyLong_AsDouble(object);
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  if (type == type_code::float64) {
    return bytes_of(value);
  }
  const bool is_too_large = std::abs(value) > FLT_MAX && std::isfinite(value);
  return is_too_large ? std::nullopt : bytes_of(static_cast<float>(value));
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

/// A number of Python's own as an element of the type, which has to be of its kind; none where it
/// is not, or where the general way has to convert it.
std::optional<number> number_bytes(PyObject* object, type_code type) {
  const bool is_bool = PyBool_Check(object);
  if (type == type_code::bool_) {
    return is_bool ? bytes_of(object == Py_True) : std::nullopt;
  }
  const bool is_integer = is_bool || PyLong_CheckExact(object);
  if (type == type_code::float32 || type == type_code::float64) {
    return is_integer || PyFloat_CheckExact(object) ? real_bytes(object, type) : std::nullopt;
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
  /// The first array among the operands.
  const array* model;
  const host_loops* loops;
  host_loops::loop loop;
  std::array<const void*, 2> operands;
  std::optional<number> value;
};

/// Sets the operand at a place, and the loop that takes it.
bool take_operand(small_call& call, PyObject* object, int place) {
  if (const array* a = as_array(object)) {
    call.operands[place] = internal::first_element(*a);
    return a == call.model ||
           (a->type() == call.model->type() && are_alike(*a, *call.model) && is_small(*a));
  }
  call.value = number_bytes(object, call.model->type().code());
  call.loop = place == 0 ? call.loops->number_first : call.loops->number_second;
  return call.value.has_value();
}

/// Whether the loop may write the results there: to the elements of an operand, or to others.
bool can_be_written(const array& out, const small_call& call) {
  if (out.readonly() || out.type().code() != call.loops->result || !are_alike(out, *call.model) ||
      !is_small(out)) {
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

/// The result; a null object if the call is not small, in which case nothing has been done.
nb::object compute_small(const host_function& function, PyObject* const* arguments,
                         Py_ssize_t count) {
  const int operands = function.operands;
  small_call call{};
  call.model = as_array(arguments[0]);
  if (call.model == nullptr && operands == 2) {
    call.model = as_array(arguments[1]);
  }
  if (call.model == nullptr || call.model->type().is_structured()) {
    return {};
  }
  call.loops = &function.loops[static_cast<std::size_t>(call.model->type().code())];
  call.loop = call.loops->arrays;
  if (call.loop == nullptr) {
    return {};
  }
  require_usable_process();
  look_for_peers();
  if (!is_small(*call.model)) {
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
      if (a != nullptr && a->may_be_busy()) {
        return {};
      }
    }
    result = to_python(internal::unchecked_array(std::move(memory), type,
                                                 layout::c_order(call.model->shape()), false));
  }
  for (const void*& operand : call.operands) {
    operand = operand == nullptr && call.value ? call.value->data() : operand;
  }
  call.loop(call.operands[0], call.operands[1], internal::first_element(*as_array(result.ptr())),
            call.model->size());
  return result;
}

/// The result, or None if the call is not small.
PyObject* call_host_function(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  const auto* function =
      static_cast<const host_function*>(PyCapsule_GetPointer(self, "usmx.host_function"));
  if (function == nullptr) {
    return nullptr;
  }
  if (count < function->operands || count > function->operands + 1) {
    PyErr_SetString(PyExc_TypeError, "wrong number of operands");
    return nullptr;
  }
  return guarded<PyObject*>(nullptr, [&] {
    nb::object made = compute_small(*function, arguments, count);
    return made.is_valid() ? made.release().ptr() : Py_NewRef(Py_None);
  });
}

/// The key of how a function is computed: the types of the operands, that of `out` or None, and
/// the device. None if an operand is neither an array nor a number of Python's own.
nb::object kinds_of(const nb::tuple& operands, nb::handle out) {
  const Py_ssize_t count = PyTuple_GET_SIZE(operands.ptr());
  nb::object kinds = checked(PyTuple_New(count + 2));
  const array* first = nullptr;
  const auto set = [&](Py_ssize_t place, nb::object kind) {
    PyTuple_SET_ITEM(kinds.ptr(), place, kind.release().ptr());
  };
  for (Py_ssize_t k = 0; k < count; ++k) {
    PyObject* operand = PyTuple_GET_ITEM(operands.ptr(), k);
    if (const array* a = as_array(operand)) {
      first = first == nullptr ? a : first;
      set(k, to_numpy_dtype(a->type()));
    } else if (PyFloat_CheckExact(operand) || PyLong_CheckExact(operand) || PyBool_Check(operand) ||
               PyComplex_CheckExact(operand)) {
      set(k, nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(operand))));
    } else {
      return nb::none();
    }
  }
  const array* into = as_array(out.ptr());
  if (first == nullptr || (into == nullptr && !out.is_none())) {
    return nb::none();
  }
  set(count, into == nullptr ? nb::none() : to_numpy_dtype(into->type()));
  set(count + 1, nb::cast(internal::private_queue(*first).get_device()));
  return kinds;
}

PyMethodDef method = {"host_function",
                      reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&call_host_function)),
                      METH_FASTCALL, nullptr};

}  // namespace

void bind_computations(nb::module_& m) {
  m.def(
      "_host_function",
      [](const std::string& name) -> nb::object {
        const host_function* found = internal::find_host_function(name);
        if (found == nullptr) {
          return nb::none();
        }
        const nb::object self = checked(
            PyCapsule_New(const_cast<host_function*>(found), "usmx.host_function", nullptr));
        return checked(PyCFunction_New(&method, self.ptr()));
      },
      nb::arg("name"), nb::sig("def _host_function(name: str, /) -> Any"));
  m.def("_kinds_of", &kinds_of, nb::arg("operands"), nb::arg("out").none(),
        nb::sig("def _kinds_of(operands: tuple[Any, ...], out: Any, /) -> tuple[Any, ...] | None"));
  m.def(
      "_start_product",
      [](nb::handle x, nb::handle y, nb::handle z) {
        const auto of = [](nb::handle object) -> const array& {
          return ready_instance<py_array>(object.ptr()).value;
        };
        return ordered(false, [&] { return internal::start_vendor_product(of(x), of(y), of(z)); });
      },
      nb::arg("x"), nb::arg("y"), nb::arg("z"),
      nb::sig("def _start_product(x: USMArray, y: USMArray, z: USMArray, /) -> bool"));
  m.def(
      "_find_product_library",
      [](nb::handle device) {
        const sycl::device of = queue_argument(nb::none(), device).get_device();
        const auto found = [&] {
          const without_interpreter_lock unlocked;
          return internal::find_product_library(of);
        }();
        return nb::make_tuple(found.name, found.is_found, found.text);
      },
      nb::arg("device"),
      nb::sig("def _find_product_library(device: DeviceLike, /) -> tuple[str, bool, str]"));
}

}  // namespace usmx::bindings
