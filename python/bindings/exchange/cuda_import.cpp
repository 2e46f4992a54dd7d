#include "exchange/import.hpp"

#include <cstdint>
#include <utility>

#include "elements/typedescr.hpp"
#include "exchange/dictionaries.hpp"
#include "objects/owners.hpp"
#include "support/arguments.hpp"
#include "support/interpreter_lock.hpp"
#include "usmx/exchange/cuda_array_interface.hpp"

namespace usmx::bindings {
namespace {

/// The entries of the attribute's value.
class cuda_entries {
 public:
  explicit cuda_entries(nb::object mapping) : mapping_(std::move(mapping)) {
    require_mapping(cuda_interface_text, mapping_);
  }

  /// Null when missing or None.
  nb::object find(interned& key) const {
    nb::object value = look_up(mapping_.ptr(), key.get());
    return value.is_valid() && !value.is_none() ? std::move(value) : nb::object();
  }

  /// value_error when missing.
  nb::object require(interned& key) const {
    nb::object value = look_up(mapping_.ptr(), key.get());
    if (!value.is_valid()) {
      throw_missing_key(cuda_interface_text, key.get());
    }
    return value;
  }

 private:
  nb::object mapping_;
};

/// 2 or 3, which has `stream` in addition.
std::ptrdiff_t read_version(const cuda_entries& given) {
  const nb::object version = given.require(cuda_keys::version);
  constexpr const char* expected = "the integer 2 or 3";
  if (PyBool_Check(version.ptr())) {
    throw_wrong_type("version", expected, version.ptr());
  }
  const std::ptrdiff_t number = to_count("version", expected, version.ptr());
  if (number != 2 && number != 3) {
    throw value_error(detail::message("'version' must be 2 or 3, found ", number));
  }
  return number;
}

/// What the elements are to come after.
struct earlier_work {
  bool on_any_stream = false;
  /// None: there is no such work.
  std::optional<std::uintptr_t> stream{};
};

earlier_work read_stream(const cuda_entries& given) {
  if (read_version(given) < 3) {
    return {.on_any_stream = true};
  }
  const nb::object stream = given.find(cuda_keys::stream);
  if (!stream.is_valid()) {
    return {};
  }
  constexpr const char* expected = "None or an integer";
  if (PyBool_Check(stream.ptr())) {
    throw_wrong_type("stream", expected, stream.ptr());
  }
  const std::uintptr_t number = to_address("stream", expected, stream.ptr());
  if (number == 0) {
    throw value_error(
        "'stream' must be None, 1 (the legacy default stream), 2 (the per-thread default stream) "
        "or a cudaStream_t, found 0, which may mean 1 or 2");
  }
  return {.stream = number};
}

void refuse_mask(const cuda_entries& given) {
  if (given.find(cuda_keys::mask).is_valid()) {
    throw value_error("'mask' must be missing or None: usmx has no masked arrays");
  }
}

exchange::checked_import read(const cuda_entries& given) {
  refuse_mask(given);
  exchange::cuda_array_interface values;
  const nb::object shape_entry = given.require(cuda_keys::shape);
  const counts shape("shape", shape_entry.ptr());
  values.shape = shape.span();
  const nb::object typestr = given.require(cuda_keys::typestr);
  values.typestr = to_text("typestr", typestr.ptr());
  if (const nb::object fields = given.find(cuda_keys::descr)) {
    if (exchange::is_structured_typestr(values.typestr)) {
      values.fields = to_typedescr(fields.ptr(), values.typestr);
    } else {
      require_same_type("descr", fields.ptr(), typestr.ptr());
    }
  }
  const nb::object data = given.require(cuda_keys::data);
  const pointer_and_flag where = read_data(data.ptr());
  values.data = where.pointer;
  values.readonly = where.readonly;
  if (const nb::object found = given.find(cuda_keys::strides)) {
    const counts strides("strides", found.ptr());
    values.strides.emplace(strides.span().begin(), strides.span().end());
  }
  return exchange::check(values);
}

/// Without the interpreter lock: the driver may wait for threads that need it.
void order(const array& imported, const earlier_work& before) {
  const without_interpreter_lock unlocked;
  if (before.on_any_stream) {
    exchange::wait_for_cuda_streams(imported);
  } else if (before.stream) {
    exchange::follow_cuda_stream(imported, *before.stream);
  }
}

}  // namespace

std::optional<array> import_cuda_producer(PyObject* producer) {
  // A property that raises AttributeError says that this array is not on such a device.
  nb::object value = optional_attribute(producer, cuda_interface_name.get());
  if (!value.is_valid()) {
    return std::nullopt;
  }
  const cuda_entries given(std::move(value));
  const earlier_work before = read_stream(given);
  array imported = exchange::to_array(read(given), keep_alive(producer));
  order(imported, before);
  return imported;
}

}  // namespace usmx::bindings
