#include "exchange/producer_buffer.hpp"

namespace usmx::bindings {
namespace {

/// What exporters raise when they cannot give the buffer that is asked for; NumPy raises
/// ValueError.
bool is_refusal(const nb::python_error& error) {
  return error.matches(PyExc_BufferError) || error.matches(PyExc_ValueError) ||
         error.matches(PyExc_TypeError);
}

}  // namespace

std::unique_ptr<held_buffer> buffer_in_place_of_data(PyObject* producer) {
  const std::string type = type_name(producer);
  if (PyObject_CheckBuffer(producer) == 0) {
    throw value_error(
        detail::message("'data' must be (integer pointer, bool read-only), or be left "
                        "out by an object with a buffer (PEP 3118) of USM: found "
                        "neither, ",
                        type, " has no buffer"));
  }
  try {
    return std::make_unique<held_buffer>(producer, PyBUF_ANY_CONTIGUOUS);
  } catch (nb::python_error& error) {
    if (!is_refusal(error)) {
      throw;
    }
    nb::raise_from(error, PyExc_ValueError,
                   "'data' is missing or None, and %s gives no contiguous buffer (PEP 3118) in its "
                   "place",
                   type.c_str());
  }
}

}  // namespace usmx::bindings
