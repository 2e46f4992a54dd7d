#include "usmx/exchange/dlpack.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "array/array.hpp"
#include "base/process.hpp"
#include "base/ranked_mutex.hpp"
#include "exchange/consumer.hpp"
#include "runtime/contexts.hpp"
#include "runtime/devices.hpp"
#include "runtime/queues.hpp"
#include "usmx/base/error.hpp"
#include "usmx/exchange/cuda_array_interface.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx::inline v1::exchange {
namespace {

static_assert(std::is_same_v<std::int64_t, std::ptrdiff_t>, "shapes are handed over as they are");

// ---- elements

dlpack::type_kind kind_of(dtype type) {
  switch (type.kind()) {
    case 'b':
      return dlpack::type_kind::boolean;
    case 'i':
      return dlpack::type_kind::signed_;
    case 'u':
      return dlpack::type_kind::unsigned_;
    case 'f':
      return dlpack::type_kind::floating;
    case 'c':
      return dlpack::type_kind::complex;
    default:
      throw buffer_error(
          detail::message("DLPack cannot describe structured elements, found dtype ", type));
  }
}

dlpack::data_type data_type_of(dtype type) {
  return {kind_of(type), static_cast<std::uint8_t>(8 * type.itemsize()), 1};
}

dtype parse_type(dlpack::data_type given) {
  for (int code = 0; code < type_count; ++code) {
    const dtype type = static_cast<type_code>(code);
    if (kind_of(type) == given.kind && 8 * type.itemsize() == given.bits && given.lanes == 1) {
      return type;
    }
  }
  throw buffer_error(
      detail::message("elements must be of one of usmx's types, found DLPack's type code ",
                      static_cast<int>(given.kind), " of ", static_cast<int>(given.bits),
                      " bits in ", given.lanes, given.lanes == 1 ? " lane" : " lanes"));
}

// ---- devices

/// The numbers that DLPack gives a device.
struct device_numbers {
  /// The number as oneAPI's device; empty if the context is not the default one of the device's
  /// platform.
  std::optional<std::int32_t> oneapi;
  std::optional<std::int32_t> cuda;
};

/// The numbers of a context's devices.
class numbered_devices : public detail::context_slot {
 public:
  explicit numbered_devices(const sycl::context& context) {
    const auto& roots = detail::root_devices();
    for (const sycl::device& device : context.get_devices()) {
      const detail::root_device* root = detail::find_root(device);
      device_numbers& numbers = devices_.emplace_back(device, device_numbers()).second;
      if (root != nullptr && default_context(device) == context) {
        numbers.oneapi = static_cast<std::int32_t>(root - roots.data());
      }
      numbers.cuda = detail::cuda_number(device);
    }
  }

  device_numbers of(const sycl::device& device) const {
    const auto found =
        std::ranges::find(devices_, device, &std::pair<sycl::device, device_numbers>::first);
    return found == devices_.end() ? device_numbers() : found->second;
  }

 private:
  std::vector<std::pair<sycl::device, device_numbers>> devices_;
};

/// A cache of usmx's own queues by device, which live as long as the process: at most one for each
/// root device, because only queues of default contexts get in. Looked up without a lock, which
/// takes a third of the time.
class known_queues {
 public:
  const device_numbers* find(const sycl::queue& queue) const noexcept {
    for (const entry* known = first_.load(std::memory_order_acquire); known != nullptr;
         known = known->next) {
      if (known->queue == queue) {
        return &known->numbers;
      }
    }
    return nullptr;
  }

  void add(const sycl::queue& queue, device_numbers numbers) {
    const std::lock_guard lock(mutex_);
    if (find(queue) == nullptr) {
      first_.store(new entry{queue, numbers, first_.load(std::memory_order_relaxed)},
                   std::memory_order_release);
    }
  }

 private:
  struct entry {
    sycl::queue queue;
    device_numbers numbers;
    const entry* next;
  };

  detail::ranked_mutex<detail::lock_rank::known_queues> mutex_;
  std::atomic<const entry*> first_ = nullptr;
};

known_queues& the_known_queues() { return detail::immortal<known_queues>(); }

device_numbers numbers_of(const sycl::queue& queue) {
  if (const device_numbers* known = the_known_queues().find(queue)) {
    return *known;
  }
  detail::queue_state state = detail::state_of(queue);
  const device_numbers numbers =
      detail::slot_of<numbered_devices>(std::move(state.of_context))->of(queue.get_device());
  if (numbers.oneapi && state.is_cached) {
    the_known_queues().add(queue, numbers);
  }
  return numbers;
}

[[noreturn]] void throw_other_device(dlpack::device found, const char* expected) {
  throw buffer_error(detail::message("device must be ", expected, ", found DLPack's device type ",
                                     static_cast<int>(found.type), " with number ", found.id));
}

sycl::queue queue_of_number(std::int32_t id) {
  const auto& roots = detail::root_devices();
  if (id < 0 || static_cast<std::size_t>(id) >= roots.size()) {
    throw value_error(detail::message("device number must be that of one of ", roots.size(),
                                      roots.size() == 1 ? " device" : " devices", ", found ", id));
  }
  return internal::cached_queue(roots[static_cast<std::size_t>(id)].device);
}

sycl::queue queue_of_cuda_device(std::int32_t number) {
  const sycl::device* device = detail::find_cuda_device(number);
  if (device == nullptr) {
    throw buffer_error(detail::describe_missing_cuda_device(number));
  }
  return internal::cached_queue(*device);
}

sycl::queue queue_on(dlpack::device where, const char* expected) {
  switch (where.type) {
    case dlpack::device_type::oneapi:
      return queue_of_number(where.id);
    case dlpack::device_type::cuda:
    case dlpack::device_type::cuda_managed:
      return queue_of_cuda_device(where.id);
    default:
      throw_other_device(where, expected);
  }
}

usm_kind kind_on(dlpack::device where) {
  switch (where.type) {
    case dlpack::device_type::cpu:
      return usm_kind::host;
    case dlpack::device_type::cuda_managed:
      return usm_kind::shared;
    default:
      return usm_kind::device;
  }
}

/// The queue on which a tensor is used: the producer's if it is a queue of that device.
sycl::queue choose_queue(const received_tensor& given, const sycl::queue* producers) {
  if (given.source != nullptr) {
    return internal::private_queue(*given.source);
  }
  const dlpack::device where = given.values.device;
  if (producers != nullptr && where.type == dlpack::device_type::oneapi &&
      numbers_of(*producers).oneapi == where.id) {
    return *producers;
  }
  return queue_on(where, "oneAPI's (14) or CUDA's (2)");
}

// ---- tensors of arrays

/// A tensor, the owners of its memory, shape and strides, and its consumer, which may work on the
/// memory on a queue that DLPack does not name (docs/decisions.md, 28).
template <class Managed>
struct exported {
  Managed managed;
  array source;
  internal::consumer consumer;
};

template <class Managed>
void let_go(Managed* managed) noexcept {
  delete static_cast<exported<Managed>*>(managed->context);
}

/// The address that a tensor has as its data. For no elements it is null, as DLPack says, but for
/// oneAPI it is that of the array's memory (docs/decisions.md, 140).
void* first_byte_of(const array& a, dlpack::device where) noexcept {
  if (a.size() == 0) {
    return where.type == dlpack::device_type::oneapi ? a.memory().data() : nullptr;
  }
  return internal::first_element(a);
}

dlpack::tensor describe_as_dlpack(const array& a, dlpack::device where) {
  // The pointers are not const, yet consumers must not write there.
  const auto numbers = [](std::span<const std::ptrdiff_t> from) {
    return const_cast<std::int64_t*>(from.data());
  };
  return {.data = first_byte_of(a, where),
          .device = where,
          .ndim = a.ndim(),
          .type = data_type_of(a.type()),
          .shape = numbers(a.shape()),
          .strides = numbers(a.strides()),
          .byte_offset = 0};
}

/// Throws for a device that the memory is not on, where the tensor would lie to its consumer.
void require_on(const array& a, dlpack::device where) {
  a.memory();
  if (!is_on(a, where)) {
    throw buffer_error(detail::message(
        "device of a tensor must be one that the array's memory is on, which is of kind '",
        name(a.kind()), "' on ", usmx::describe(internal::private_queue(a).get_device()),
        ", found DLPack's device type ", static_cast<int>(where.type), " with number ", where.id));
  }
}

template <class Managed>
Managed* export_array(const array& a, dlpack::device where) {
  require_on(a, where);
  std::unique_ptr<exported<Managed>> made(new exported<Managed>{{}, internal::as_told(a), {}});
  made->consumer.works_on(where, a);
  made->managed.context = made.get();
  made->managed.deleter = let_go<Managed>;
  made->managed.tensor = describe_as_dlpack(made->source, where);
  return &made.release()->managed;
}

// ---- arrays of tensors

std::span<const std::ptrdiff_t> numbers_at(const std::int64_t* first, std::int32_t ndim,
                                           const char* what) {
  if (ndim < 0 || ndim > max_ndim) {
    throw value_error(detail::message("'ndim' must be from 0 to ", max_ndim, ", found ", ndim));
  }
  if (first == nullptr && ndim > 0) {
    throw value_error(
        detail::message("'", what, "' must point to ", ndim, " numbers, found a null pointer"));
  }
  return {first, static_cast<std::size_t>(ndim)};
}

/// A tensor in the form in which a dictionary would describe it.
usm_array_interface describe_tensor(const received_tensor& received) {
  const dlpack::tensor& given = received.values;
  usm_array_interface result;
  result.data = reinterpret_cast<std::uintptr_t>(given.data);
  result.readonly = received.readonly;
  result.typestr = parse_type(given.type).typestr();
  result.shape = numbers_at(given.shape, given.ndim, "shape");
  if (given.strides != nullptr) {
    result.strides = numbers_at(given.strides, given.ndim, "strides");
  }
  if (result.data != 0) {
    if (given.byte_offset > std::numeric_limits<std::uintptr_t>::max() - result.data) {
      throw overflow_error(detail::message("'data' ", given.data, " with 'byte_offset' ",
                                           given.byte_offset, " leaves the address space"));
    }
    result.data += given.byte_offset;
  }
  return result;
}

/// The array that a tensor was made of; null for tensors of others.
template <class Managed>
const array* source_of(const Managed& managed) noexcept {
  return managed.deleter == let_go<Managed>
             ? &static_cast<exported<Managed>*>(managed.context)->source
             : nullptr;
}

/// Whether a tensor still describes its array as usmx has written it, so that it needs no checks.
bool is_unchanged(const dlpack::tensor& given, const array& source) {
  return given.data == first_byte_of(source, given.device) && given.byte_offset == 0 &&
         given.ndim == source.ndim() && given.shape == source.shape().data() &&
         given.strides == source.strides().data() && given.type == data_type_of(source.type());
}

void let_managed_go(void* state) noexcept {
  auto* managed = static_cast<dlpack::managed_tensor*>(state);
  if (managed->deleter != nullptr) {
    managed->deleter(managed);
  }
}

}  // namespace

dlpack::device dlpack_device(const array& a) {
  const sycl::queue& queue = internal::private_queue(a);
  const device_numbers numbers = numbers_of(queue);
  if (numbers.cuda) {
    return {dlpack::device_type::cuda, *numbers.cuda};
  }
  if (numbers.oneapi) {
    return {dlpack::device_type::oneapi, *numbers.oneapi};
  }
  const sycl::device device = queue.get_device();
  if (detail::find_root(device) == nullptr) {
    throw buffer_error(detail::message("DLPack numbers only whole devices, found memory of ",
                                       usmx::describe(device)));
  }
  throw buffer_error(detail::message(
      "DLPack needs memory of the platform's default context, found memory of another one, ",
      usmx::describe(queue.get_context())));
}

bool is_on(const array& a, dlpack::device where) {
  switch (where.type) {
    case dlpack::device_type::cpu:
      return where == dlpack::host && internal::host_may_view(a);
    case dlpack::device_type::cuda:
      return numbers_of(internal::private_queue(a)).cuda == where.id;
    case dlpack::device_type::cuda_managed:
      return a.kind() == usm_kind::shared &&
             numbers_of(internal::private_queue(a)).cuda == where.id;
    case dlpack::device_type::oneapi:
      return numbers_of(internal::private_queue(a)).oneapi == where.id;
  }
  return false;
}

dlpack::tensor view_as_dlpack(const array& a, dlpack::device where) {
  require_on(a, where);
  a.memory().expose();
  return describe_as_dlpack(a, where);
}

dlpack::managed_tensor* to_dlpack(const array& a, dlpack::device where, bool copied) {
  auto* made = export_array<dlpack::managed_tensor>(a, where);
  made->version = dlpack::current_version;
  made->flags = (a.readonly() ? dlpack::flag_readonly : 0) | (copied ? dlpack::flag_copied : 0);
  return made;
}

dlpack::legacy_managed_tensor* to_legacy_dlpack(const array& a, dlpack::device where) {
  if (a.readonly()) {
    throw buffer_error(
        "a read-only array needs DLPack 1.0 or later: ask for it by max_version=(1, 0)");
  }
  return export_array<dlpack::legacy_managed_tensor>(a, where);
}

dlpack::managed_tensor* allocate_dlpack(const dlpack::tensor& prototype) {
  const dlpack::device where = prototype.device;
  const auto shape = numbers_at(prototype.shape, prototype.ndim, "shape");
  const bool on_host = where == dlpack::host;
  const sycl::queue queue = on_host ? internal::default_queue()
                                    : queue_on(where, "oneAPI's (14), CUDA's (2) or the host (1)");
  return to_dlpack(empty(shape, parse_type(prototype.type), queue, kind_on(where)), where);
}

received_tensor receive(const dlpack::managed_tensor& given) {
  if (given.version.major != dlpack::current_version.major) {
    throw buffer_error(detail::message("version of DLPack must be ", dlpack::current_version.major,
                                       ".x, found ", given.version.major, ".",
                                       given.version.minor));
  }
  const array* source = source_of(given);
  return {.values = given.tensor,
          .readonly = (given.flags & dlpack::flag_readonly) != 0 ||
                      (source != nullptr && source->readonly()),
          .copied = (given.flags & dlpack::flag_copied) != 0,
          .source = source};
}

received_tensor receive(const dlpack::legacy_managed_tensor& given) {
  return {.values = given.tensor, .source = source_of(given)};
}

array to_array(const received_tensor& given, const sycl::queue* queue,
               detail::release_action owner) {
  if (given.source != nullptr && is_unchanged(given.values, *given.source)) {
    return given.readonly ? given.source->as_readonly() : *given.source;
  }
  checked_import checked = check(describe_tensor(given), choose_queue(given, queue));
  if (checked.own && queue == nullptr) {
    checked.queue = internal::private_queue(*checked.own);
  }
  const bool on_cuda = given.is_on_cuda();
  array made = to_array(std::move(checked), std::move(owner));
  if (on_cuda) {
    follow_cuda_stream(made, legacy_default_stream);
  }
  return made;
}

array_view host_view(const received_tensor& given, const sycl::queue& queue) {
  if (given.values.device.type != dlpack::device_type::cpu) {
    throw_other_device(given.values.device, "the host (1)");
  }
  const usm_array_interface described = describe_tensor(given);
  auto [type, where] = parse_elements(described);
  if (const auto span = where.span()) {
    touched_bytes(described, type, *span);
  }
  auto* first = reinterpret_cast<void*>(described.data);
  return {first, type, std::move(where), usm_kind::unknown, queue, given.readonly};
}

array from_dlpack(dlpack::managed_tensor* managed) {
  std::ignore = detail::required(managed, "from_dlpack", "a tensor");
  detail::release_action owner(let_managed_go, managed);
  return to_array(receive(*managed), nullptr, std::move(owner));
}

}  // namespace usmx::inline v1::exchange

std::optional<sycl::queue> usmx::internal::find_queue(dlpack::device where) {
  const sycl::device* found = nullptr;
  if (where.type == dlpack::device_type::oneapi) {
    const auto& roots = detail::root_devices();
    found = std::in_range<std::size_t>(where.id) && std::cmp_less(where.id, roots.size())
                ? &roots[static_cast<std::size_t>(where.id)].device
                : nullptr;
  } else if (dlpack::is_cuda(where.type)) {
    found = detail::find_cuda_device(where.id);
  }
  return found == nullptr ? std::nullopt : std::optional(cached_queue(*found));
}
