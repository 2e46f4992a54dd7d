#include "elements/typedescr.hpp"

#include "support/arguments.hpp"

namespace usmx::bindings {
namespace {

/// Lists that hold one list many times are short and describe any number of entries.
constexpr int max_entries = 65536;
/// Of all names and types together: one long name in many entries is one object, and many copies.
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
