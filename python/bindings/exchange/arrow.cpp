#include "exchange/exchange.hpp"

#include <exception>
#include <utility>
#include <vector>

#include "elements/element.hpp"
#include "internals.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "sycl_objects/classes.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/select/selection.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::bindings {
namespace {

template <class Structure>
constexpr const char* capsule_name = nullptr;
template <>
constexpr const char* capsule_name<arrow::schema> = "arrow_schema";
template <>
constexpr const char* capsule_name<arrow::array> = "arrow_array";
template <>
constexpr const char* capsule_name<arrow::device_array> = "arrow_device_array";
template <>
constexpr const char* capsule_name<arrow::array_stream> = "arrow_array_stream";

// ---- out

template <class Structure>
void delete_owned(PyObject* capsule) noexcept {
  delete static_cast<arrow::owned<Structure>*>(
      PyCapsule_GetPointer(capsule, capsule_name<Structure>));
}

template <class Structure>
nb::object to_capsule(arrow::owned<Structure> structure) {
  auto held = std::make_unique<arrow::owned<Structure>>(std::move(structure));
  nb::object capsule =
      checked(PyCapsule_New(held.get(), capsule_name<Structure>, delete_owned<Structure>));
  held.release();
  return capsule;
}

// ---- in

interned array_method("__arrow_c_array__");
interned stream_method("__arrow_c_stream__");
interned device_array_method("__arrow_c_device_array__");

/// The structure in a capsule, which still owns it.
template <class Structure>
Structure& structure_in(PyObject* capsule) {
  constexpr const char* name = capsule_name<Structure>;
  if (!PyCapsule_CheckExact(capsule)) {
    throw_wrong_type("what a producer of Arrow's gives", "a capsule", capsule);
  }
  if (PyCapsule_IsValid(capsule, name) == 0) {
    throw value_error(
        detail::message("capsule must be named '", name, "', found ", capsule_name_text(capsule)));
  }
  return *static_cast<Structure*>(PyCapsule_GetPointer(capsule, name));
}

nb::object call(const nb::object& method) {
  return checked(run_python([&] { return PyObject_CallNoArgs(method.ptr()); }));
}

/// Reads a column from the pair of capsules that a producer gives.
template <class Structure>
exchange::column column_in(const nb::object& pair) {
  if (!PyTuple_Check(pair.ptr()) || PyTuple_GET_SIZE(pair.ptr()) != 2) {
    throw_wrong_type("what a producer of Arrow's gives", "two capsules", pair.ptr());
  }
  const nb::ft_object_guard alone(PyTuple_GET_ITEM(pair.ptr(), 1));
  auto& schema = structure_in<arrow::schema>(PyTuple_GET_ITEM(pair.ptr(), 0));
  auto& values = structure_in<Structure>(PyTuple_GET_ITEM(pair.ptr(), 1));
  return exchange::receive(schema, values);
}

/// Takes a column out of a stream, without the interpreter lock: the producer may wait for threads
/// that need it.
exchange::column column_in_stream(const nb::object& capsule) {
  auto& stream = structure_in<arrow::array_stream>(capsule.ptr());
  const without_interpreter_lock unlocked;
  // The producer's own functions may take the lock.
  return run_python([&] { return exchange::receive(stream); });
}

// ---- sizes of buffers, which pyarrow's objects tell beside Arrow's structures

interned buffers_method("buffers");
interned chunks_name("chunks");
interned address_name("address");
interned size_name("size");

/// Reads a size by `read`. A size that is no number, or a method that wants arguments, is another
/// library's idea of the name: then nothing is known.
template <class Read>
void try_to_read(const Read& read) {
  try {
    read();
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) {
      throw;
    }
  } catch (const type_error&) {
  } catch (const value_error&) {
  } catch (const overflow_error&) {
  }
}

void add_size(std::vector<exchange::sized_buffer>& sizes, nb::handle buffer) {
  const nb::object address = optional_attribute(buffer.ptr(), address_name.get());
  const nb::object size = optional_attribute(buffer.ptr(), size_name.get());
  if (address.is_valid() && size.is_valid()) {
    const std::ptrdiff_t nbytes = to_count("size", "a number of bytes", size.ptr());
    const auto first = to_address("address", "an address", address.ptr());
    sizes.push_back(
        {reinterpret_cast<const void*>(first), static_cast<std::size_t>(nbytes < 0 ? 0 : nbytes)});
  }
}

/// Adds the sizes of the buffers of one array.
void add_sizes(std::vector<exchange::sized_buffer>& sizes, PyObject* array) {
  const nb::object method = optional_attribute(array, buffers_method.get());
  if (method.is_valid() && PyCallable_Check(method.ptr()) != 0) {
    for (nb::handle buffer : nb::object(call(method))) {
      add_size(sizes, buffer);
    }
  }
}

/// The column, with the sizes that the producer tells of its buffers, or of its chunks'.
exchange::column with_sizes(exchange::column received, PyObject* producer) {
  try_to_read([&] { add_sizes(received.sizes, producer); });
  try_to_read([&] {
    const nb::object chunks = optional_attribute(producer, chunks_name.get());
    if (chunks.is_valid() && PyList_Check(chunks.ptr())) {
      for (nb::handle chunk : chunks) {
        add_sizes(received.sizes, chunk.ptr());
      }
    }
  });
  return received;
}

}  // namespace

namespace {

/// Whether the elements need no copy. Bools are packed, which waits for them and takes as long as a
/// copy.
bool is_handed_out_at_once(const array& a) { return a.type() != type_code::bool_ || is_short(a); }

}  // namespace

nb::object to_arrow_capsules(const array& a) {
  const nb::object values =
      to_capsule(ordered(is_handed_out_at_once(a), [&] { return exchange::to_arrow(a); }));
  return nb::make_tuple(to_capsule(exchange::to_arrow_schema(a)), values);
}

nb::object to_arrow_device_capsules(const array& a) {
  const nb::object values =
      to_capsule(ordered(is_handed_out_at_once(a), [&] { return exchange::to_arrow_device(a); }));
  return nb::make_tuple(to_capsule(exchange::to_arrow_schema(a)), values);
}

exchange::column column_of(PyObject* producer) {
  if (const nb::object method = optional_attribute(producer, array_method.get())) {
    return with_sizes(column_in<arrow::array>(call(method)), producer);
  }
  if (const nb::object method = optional_attribute(producer, stream_method.get())) {
    return with_sizes(column_in_stream(call(method)), producer);
  }
  if (const nb::object method = optional_attribute(producer, device_array_method.get())) {
    return with_sizes(column_in<arrow::device_array>(call(method)), producer);
  }
  throw_wrong_type("column", "an object with __arrow_c_array__ or __arrow_c_stream__", producer);
}

namespace {

/// Copies rows to elements of their type.
void copy_rows(const exchange::column_rows& rows, const exchange::column_format& format,
               const array& to) {
  if (!format.is_packed) {
    return copy_from_host(rows.elements, to);
  }
  std::vector<std::uint8_t> unpacked(static_cast<std::size_t>(to.size()));
  exchange::unpack(rows, unpacked);
  const array_view bools(unpacked.data(), type_code::bool_, layout::c_order(to.shape()),
                         usm_kind::unknown, internal::private_queue(to), true);
  copy_from_host(bools, to);
}

array room_for(std::ptrdiff_t rows, const exchange::column_format& format, usm_kind kind,
               const sycl::queue& queue) {
  std::vector<std::ptrdiff_t> shape{rows};
  shape.insert(shape.end(), format.row.begin(), format.row.end());
  const dtype type = dtype_argument_on(queue.get_device(), nb::none(), format.type);
  return make_array(layout::c_order(shape), type, queue, kind, first_use::at_once);
}

/// The part of an array from row `first` on.
array part_of(const array& whole, std::ptrdiff_t first, std::ptrdiff_t count) {
  const index_item rows = index_item::slice(first, first + count, 1);
  return internal::with_layout(whole, subscript(whole.layout(), {&rows, 1}));
}

}  // namespace

array copy_to_usm(const exchange::column& given, std::size_t k, usm_kind kind,
                  const sycl::queue& queue) {
  const exchange::column_format& format = given.formats[k];
  const bool is_index = !format.dictionary.empty();
  std::vector<exchange::column_rows> chunks;
  std::ptrdiff_t size = 0;
  for (std::size_t chunk = 0; chunk < given.chunks.size(); ++chunk) {
    chunks.push_back(exchange::host_rows(given, chunk, k, queue));
    size = checked_add(size, chunks.back().shape[0], "length of the column");
  }
  const exchange::column_format& found = is_index ? format.dictionary[0] : format;
  const array made = room_for(size, found, kind, queue);
  std::ptrdiff_t first = 0;
  for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) {
    const std::ptrdiff_t count = chunks[chunk].shape[0];
    const array part = part_of(made, first, count);
    first += count;
    if (!is_index) {
      ordered(is_short(made), [&] { copy_rows(chunks[chunk], format, part); });
      continue;
    }
    const exchange::column_rows values = exchange::dictionary_rows(given, chunk, k, queue);
    const array dictionary = room_for(values.shape[0], found, kind, queue);
    ordered(false, [&] {
      copy_rows(values, found, dictionary);
      const key_item indices = chunks[chunk].elements;
      try {
        gather(dictionary, selection::of(dictionary.layout(), {&indices, 1}), part);
      } catch (const index_error& error) {
        throw value_error(detail::message("the dictionary has no such value: ", error.what()));
      }
    });
  }
  return made;
}

}  // namespace usmx::bindings
