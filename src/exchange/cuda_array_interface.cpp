#include "usmx/exchange/cuda_array_interface.hpp"

#include "array/array.hpp"
#include "base/messages.hpp"
#include "exchange/consumer.hpp"
#include "exchange/producer.hpp"
#include "runtime/devices.hpp"
#include "runtime/drivers/cuda.hpp"
#include "runtime/queues.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1::exchange {
namespace {

std::vector<std::ptrdiff_t> in_elements(std::span<const std::ptrdiff_t> byte_strides,
                                        std::size_t itemsize) {
  const auto unit = static_cast<std::ptrdiff_t>(itemsize);
  std::vector<std::ptrdiff_t> strides;
  strides.reserve(byte_strides.size());
  for (const std::ptrdiff_t stride : byte_strides) {
    if (stride % unit != 0) {
      throw value_error(detail::message("'strides' must be multiples of the ", unit,
                                        " bytes of an element, found ", tuple_text(byte_strides)));
    }
    strides.push_back(stride / unit);
  }
  return strides;
}

/// The strides in bytes, which fit: that is a rule of every array.
std::vector<std::ptrdiff_t> in_bytes(std::span<const std::ptrdiff_t> strides,
                                     std::size_t itemsize) {
  std::vector<std::ptrdiff_t> result(strides.begin(), strides.end());
  for (std::ptrdiff_t& stride : result) {
    stride *= static_cast<std::ptrdiff_t>(itemsize);
  }
  return result;
}

[[noreturn]] void throw_no_device(std::optional<std::int32_t> number) {
  throw value_error(detail::describe_missing_cuda_device(number));
}

std::int32_t number_of_device(const void* pointer) {
  const auto number = detail::cuda::device_number(detail::cuda::required_functions(), pointer);
  if (!number) {
    throw value_error(detail::message("'data' must point to memory of a CUDA device, found ",
                                      pointer, ", which CUDA's driver does not know"));
  }
  return *number;
}

/// The device that the memory belongs to. An empty array needs no memory, so its pointer may be
/// any.
const sycl::device& device_of_memory(const void* pointer, bool is_empty) {
  const sycl::device* first = detail::first_cuda_device();
  if (first == nullptr) {
    throw_no_device(std::nullopt);
  }
  if (is_empty) {
    return *first;
  }
  const std::int32_t number = number_of_device(pointer);
  const sycl::device* found = detail::find_cuda_device(number);
  if (found == nullptr) {
    throw_no_device(number);
  }
  return *found;
}

}  // namespace

checked_import check(const cuda_array_interface& given) {
  require_usable_process();
  if (is_structured_typestr(given.typestr) && !given.fields) {
    throw value_error(detail::message("'typestr' ", detail::quoted(given.typestr),
                                      " must come with a 'descr' of its fields, found none"));
  }
  usm_array_interface values{.data = given.data,
                             .readonly = given.readonly,
                             .typestr = given.typestr,
                             .typedescr = given.fields,
                             .shape = given.shape,
                             .strides = std::nullopt};
  std::vector<std::ptrdiff_t> strides;
  if (given.strides) {
    strides = in_elements(*given.strides, parse_type(values).itemsize());
    values.strides = strides;
  }
  const elements described = parse_elements(values);
  const auto span = described.where.span();
  if (span) {
    touched_bytes(values, described.type, *span);
  }
  const sycl::device& device = device_of_memory(reinterpret_cast<const void*>(given.data), !span);
  return check(values, internal::cached_queue(device));
}

cuda_array_interface describe_for_cuda(const array& a) {
  const sycl::device device = internal::private_queue(a).get_device();
  if (!detail::cuda_number(device)) {
    throw buffer_error(
        detail::message("__cuda_array_interface__ is for memory of CUDA devices, "
                        "found memory of ",
                        usmx::describe(device)));
  }
  cuda_array_interface result;
  result.data = a.size() == 0 ? 0 : reinterpret_cast<std::uintptr_t>(internal::first_element(a));
  result.readonly = a.readonly();
  result.typestr = a.type().typestr();
  if (a.type().is_structured()) {
    result.fields = describe_type(a.type());
  }
  result.shape = a.shape();
  if (!a.layout().is_c_contiguous()) {
    result.strides.emplace(in_bytes(internal::as_told(a).strides(), a.type().itemsize()));
  }
  a.memory().expose();
  return result;
}

void follow_cuda_stream(const array& a, std::uintptr_t stream) {
  const detail::runtime_call call;
  if (a.size() > 0) {
    a.record(detail::cuda::follow_stream(internal::private_queue(a),
                                         reinterpret_cast<CUstream>(stream)));
  }
}

void wait_for_cuda_streams(const array& a) {
  const detail::runtime_call call;
  if (a.size() > 0) {
    detail::cuda::wait_for_all_streams(internal::private_queue(a).get_device());
  }
}

bool has_cuda_devices() { return detail::first_cuda_device() != nullptr; }

}  // namespace usmx::inline v1::exchange

namespace usmx::inline v1::internal {

bool has_several_cuda_devices() { return detail::count_cuda_devices() > 1; }

current_cuda_device::current_cuda_device(std::int32_t number) {
  if (has_several_cuda_devices() && detail::find_cuda_device(number) != nullptr) {
    current_ = std::make_unique<detail::cuda::current_primary_context>(
        detail::cuda::required_functions(), number);
  }
}

current_cuda_device::~current_cuda_device() = default;

}  // namespace usmx::inline v1::internal
