#include "elements/element.hpp"

#include "support/arguments.hpp"
#include "support/declare.hpp"
#include "support/hooks.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::bindings {
namespace {

constexpr Py_ssize_t remembered_at_most = 256;

/// A dictionary from arguments to type codes. It is never freed.
PyObject* remembered() {
  static PyObject* dictionary = PyDict_New();
  return dictionary;
}

lazy_import numpy_dtype("numpy", "dtype");

nb::handle numpy_dtype_class() {
  try {
    return numpy_dtype.get();
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_ImportError)) {
      throw;
    }
    nb::raise_from(e, PyExc_ImportError, "usmx: NumPy is needed for dtype objects");
  }
}

std::optional<dtype> by_name(std::string_view text) {
  for (int code = 0; code < type_count; ++code) {
    const dtype candidate(static_cast<type_code>(code));
    if (candidate.name() == text) {
      return candidate;
    }
  }
  return std::nullopt;
}

/// Reads a list as a typedescr, whose entries without a name are padding: NumPy does not see them
/// as that. Returns nothing when the list is no typedescr; NumPy knows more lists than these.
std::optional<dtype> by_typedescr(nb::handle argument) {
  try {
    return exchange::parse_typedescr(to_typedescr(argument.ptr()));
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

dtype from_numpy_dtype(const nb::object& numpy_dtype) {
  if (!nb::getattr(numpy_dtype, "names").is_none()) {
    return exchange::parse_typedescr(to_typedescr(nb::object(numpy_dtype.attr("descr")).ptr()));
  }
  const nb::object typestr = numpy_dtype.attr("str");
  return dtype::from_typestr(to_text("typestr", typestr.ptr()));
}

std::string expected_text(nb::handle argument) {
  std::string names;
  for (int code = 0; code < type_count; ++code) {
    names += std::string(dtype(static_cast<type_code>(code)).name()) + ", ";
  }
  return detail::message("'dtype' must be ", names,
                         "a typestr such as '<f8', or NumPy's name of one of these, found ",
                         repr_text(argument.ptr()));
}

/// The type that NumPy makes of the argument, if usmx has that type.
dtype by_numpy(nb::handle argument) {
  nb::object known;
  try {
    known = numpy_dtype_class()(argument);
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) {
      throw;
    }
    if (PyLong_Check(argument.ptr())) {
      throw type_error(detail::message(expected_text(argument),
                                       ": a shape of several dimensions is one tuple, (3, 4), and "
                                       "so are several axes"));
    }
    if (nb::isinstance<nb::str>(argument)) {
      throw value_error(expected_text(argument));
    }
    throw type_error(expected_text(argument));
  }
  try {
    return from_numpy_dtype(known);
  } catch (const value_error&) {
    const nb::object names = known.attr("names");
    const nb::object is_native = known.attr("isnative");
    if (!names.is_none() || !nb::cast<bool>(is_native)) {
      throw;  // which says what is wrong with them
    }
    throw value_error(expected_text(argument));
  }
}

/// The type of a text. NumPy knows more names than typestrs: 'd', 'int', 'single', ... Types that
/// it knows and usmx has not are refused as such.
dtype from_text(nb::handle argument, std::string_view text) {
  try {
    return dtype::from_typestr(text);
  } catch (const value_error&) {
    return by_numpy(argument);
  }
}

dtype parse(nb::handle argument) {
  if (nb::isinstance<nb::str>(argument)) {
    const auto text = to_text("dtype", argument.ptr());
    const auto named = by_name(text);
    return named ? *named : from_text(argument, text);
  }
  if (nb::isinstance<nb::list>(argument)) {
    if (const auto described = by_typedescr(argument)) {
      return *described;
    }
  }
  return by_numpy(argument);
}

/// The remembered type of an argument, or none; an unhashable argument is not remembered.
std::optional<dtype> recall(nb::handle argument) {
  try {
    const nb::object code = optional_item(remembered(), argument.ptr());
    return code.is_valid() ? std::optional(dtype(static_cast<type_code>(PyLong_AsLong(code.ptr()))))
                           : std::nullopt;
  } catch (const nb::python_error&) {
    return std::nullopt;
  }
}

void remember(nb::handle argument, dtype type) {
  if (!type.is_structured() && PyDict_GET_SIZE(remembered()) < remembered_at_most) {
    const nb::object code = checked(PyLong_FromLong(static_cast<long>(type.code())));
    if (PyDict_SetItem(remembered(), argument.ptr(), code.ptr()) != 0) {
      PyErr_Clear();
    }
  }
}

/// The NumPy dtype of a structured type, with the offsets that the fields have, and all padding.
nb::object structured_numpy_dtype(dtype type) {
  nb::list names;
  nb::list formats;
  nb::list offsets;
  for (const field& f : type.fields()) {
    names.append(nb::str(f.name.data(), f.name.size()));
    formats.append(nb::make_tuple(to_numpy_dtype(f.type), to_tuple(f.shape)));
    offsets.append(f.offset);
  }
  nb::dict parts;
  parts["names"] = names;
  parts["formats"] = formats;
  parts["offsets"] = offsets;
  parts["itemsize"] = type.itemsize();
  return numpy_dtype_class()(parts);
}

}  // namespace

dtype dtype_argument(nb::handle argument) {
  if (PyNumber_Check(argument.ptr())) {  // 0, np.uint8(0) and np.float32(0) are the same key
    return parse(argument);
  }
  if (const auto known = recall(argument)) {
    return *known;
  }
  const dtype type = parse(argument);
  remember(argument, type);
  return type;
}

dtype dtype_argument_on(const sycl::device& device, nb::handle asked, dtype natural) {
  if (asked.is_none()) {
    return nearest_supported(natural, support_of(device));
  }
  const dtype type = dtype_argument(asked);
  require_supported(type, device);
  return type;
}

nb::object to_numpy_dtype(dtype type) {
  if (type.is_structured()) {
    return structured_numpy_dtype(type);
  }
  static std::array<kept_object, type_count> made;
  return nb::borrow(made[static_cast<std::size_t>(type.code())].get([&] {
    const std::string_view text = type.typestr();
    return numpy_dtype_class()(nb::str(text.data(), text.size()));
  }));
}

void bind_dtype_functions(nb::module_& m) {
  nb::list names;
  for (const detail::type_entry& plain : detail::type_table) {
    names.append(nb::str(plain.name.data(), plain.name.size()));
  }
  m.attr("_type_names") = nb::tuple(names);
  declare<"def _dtype(argument: Any) -> numpy.dtype">(
      m, [](nb::handle argument) { return to_numpy_dtype(dtype_argument(argument)); },
      "The NumPy dtype that a value of the argument `dtype` stands for.");
  declare<"def _nearest_supported(dtype: Any, fp16: bool, fp64: bool) -> numpy.dtype">(
      m,
      [](nb::handle argument, bool fp16, bool fp64) {
        return to_numpy_dtype(
            nearest_supported(dtype_argument(argument), {.fp16 = fp16, .fp64 = fp64}));
      },
      "The type itself, or single precision in place of what a device of these aspects lacks.");
}

namespace {

/// The most entries of a list, since lists that hold one list many times are short and describe any
/// number of entries.
constexpr int max_entries = 65536;
/// The most bytes of all names and types together: one long name in many entries is one object, but
/// many copies.
constexpr std::size_t max_text_nbytes = std::size_t{1} << 20;

class reader {
 public:
  exchange::typedescr read(PyObject* list, int depth) {
    if (depth > exchange::max_typedescr_depth) {
      throw value_error(detail::message("'typedescr' must be nested at most ",
                                        exchange::max_typedescr_depth, " deep, found more"));
    }
    const nb::object items =
        snapshot("typedescr", "a list of (name, typestr[, shape]) tuples", list);
    exchange::typedescr result;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(items.ptr()); ++k) {
      result.push_back(read_entry(PyTuple_GET_ITEM(items.ptr(), k), depth));
    }
    return result;
  }

 private:
  exchange::typedescr_entry read_entry(PyObject* entry, int depth) {
    if (++entries_ > max_entries) {
      throw value_error(detail::message("'typedescr' must have at most ", max_entries,
                                        " entries, nested ones included, found more"));
    }
    const nb::object parts =
        snapshot("typedescr", "a list of (name, typestr[, shape]) tuples", entry);
    const Py_ssize_t n = PyTuple_GET_SIZE(parts.ptr());
    if (n != 2 && n != 3) {
      throw value_error(detail::message(
          "'typedescr' must be a list of (name, typestr[, shape]) tuples, found one of ", n,
          " items"));
    }
    exchange::typedescr_entry result;
    result.name =
        counted(to_text("typedescr", PyTuple_GET_ITEM(parts.ptr(), 0),
                        "a list of tuples that begin with a name, a string without a title"));
    PyObject* type = PyTuple_GET_ITEM(parts.ptr(), 1);
    if (PyUnicode_Check(type)) {
      result.type = counted(to_text("typedescr", type));
    } else {
      result.type = read(type, depth + 1);
    }
    if (n == 3) {
      const counts shape("typedescr", PyTuple_GET_ITEM(parts.ptr(), 2));
      result.shape.assign(shape.span().begin(), shape.span().end());
    }
    return result;
  }

  std::string counted(std::string_view text) {
    text_nbytes_ += text.size();
    if (text_nbytes_ > max_text_nbytes) {
      throw value_error(detail::message("'typedescr' must have at most ", max_text_nbytes,
                                        " bytes of names and types, found more"));
    }
    return std::string(text);
  }

  int entries_ = 0;
  std::size_t text_nbytes_ = 0;
};

nb::object to_string(std::string_view text) { return nb::str(text.data(), text.size()); }

nb::object type_to_python(const exchange::typedescr_entry& entry) {
  const auto* typestr = std::get_if<std::string>(&entry.type);
  return typestr != nullptr ? to_string(*typestr)
                            : to_python(std::get<exchange::typedescr>(entry.type));
}

}  // namespace

exchange::typedescr to_typedescr(PyObject* list) { return reader().read(list, 1); }

exchange::typedescr to_typedescr(PyObject* list, std::string_view typestr) {
  try {
    return to_typedescr(list);
  } catch (const std::invalid_argument& reason) {
    throw value_error(
        detail::message("'typedescr' must describe 'typestr' '", typestr, "': ", reason.what()));
  }
}

nb::object to_python(const exchange::typedescr& entries) {
  nb::list result;
  for (const exchange::typedescr_entry& entry : entries) {
    if (entry.shape.empty()) {
      result.append(nb::make_tuple(to_string(entry.name), type_to_python(entry)));
    } else {
      result.append(
          nb::make_tuple(to_string(entry.name), type_to_python(entry), to_tuple(entry.shape)));
    }
  }
  return result;
}

}  // namespace usmx::bindings
