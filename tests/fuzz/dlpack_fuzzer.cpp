// A stranger's tensor is taken exactly when each of its fields is one that usmx has and arithmetic
// of twice the width puts every byte into the one allocation that there is; its deleter runs once.
#include <algorithm>
#include <cstdint>
#include <optional>

#include <sycl/usm.hpp>

#include "support.hpp"
#include "usmx/base/error.hpp"
#include "usmx/exchange/dlpack.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/runtime.hpp"

namespace {

namespace dlpack = usmx::dlpack;
using fuzz::exact_layout;
using fuzz::int128;
using fuzz::numbers;

constexpr std::size_t nbytes = 256;

/// Memory straight from the runtime, which lives as long as the process.
struct allocation {
  sycl::queue queue = usmx::default_queue();
  std::byte* data = sycl::malloc_shared<std::byte>(nbytes, queue);
  std::uintptr_t address = reinterpret_cast<std::uintptr_t>(data);
};

const allocation& the_allocation() {
  static const allocation& one = *new allocation;
  return one;
}

struct stranger {
  numbers shape;
  std::optional<numbers> strides;
  dlpack::managed_tensor managed{};
  int deleted = 0;

  explicit stranger(FuzzedDataProvider& input) : shape(fuzz::draw_shape(input)) {
    if (input.ConsumeBool()) strides = fuzz::draw(input, shape.size());
    managed.version = {rarely(input) ? input.ConsumeIntegral<std::uint32_t>() : 1,
                       input.ConsumeIntegral<std::uint32_t>()};
    managed.flags = input.ConsumeIntegral<std::uint64_t>();
    managed.context = this;
    managed.deleter = [](dlpack::managed_tensor* self) {
      ++static_cast<stranger*>(self->context)->deleted;
    };
    dlpack::tensor& tensor = managed.tensor;
    tensor.data = rarely(input) ? nullptr : the_allocation().data;
    tensor.device = {rarely(input) ? static_cast<dlpack::device_type>(draw_small(input))
                                   : dlpack::device_type::oneapi,
                     rarely(input) ? draw_small(input) : 0};
    tensor.ndim = rarely(input) ? -1 : static_cast<std::int32_t>(shape.size());
    tensor.type = {static_cast<dlpack::type_kind>(input.ConsumeIntegralInRange(0, 7)),
                   static_cast<std::uint8_t>(1 << input.ConsumeIntegralInRange(0, 7)),
                   static_cast<std::uint16_t>(rarely(input) ? 2 : 1)};
    tensor.shape = rarely(input) ? nullptr : shape.data();
    tensor.strides = strides ? strides->data() : nullptr;
    tensor.byte_offset = static_cast<std::uint64_t>(fuzz::draw(input));
  }

  static bool rarely(FuzzedDataProvider& input) { return input.ConsumeIntegralInRange(0, 15) == 0; }
  static std::int32_t draw_small(FuzzedDataProvider& input) {
    return input.ConsumeIntegralInRange<std::int32_t>(-2, 20);
  }
};

/// The bits of an element; 0 for types that usmx does not have.
int known_bits(dlpack::data_type type) {
  using kind = dlpack::type_kind;
  const int bits = type.lanes == 1 ? type.bits : 0;
  switch (type.kind) {
    case kind::boolean:
      return bits == 8 ? bits : 0;
    case kind::signed_:
    case kind::unsigned_:
      return bits >= 8 && bits <= 64 ? bits : 0;
    case kind::floating:
      return bits >= 16 && bits <= 64 ? bits : 0;
    case kind::complex:
      return bits >= 64 && bits <= 128 ? bits : 0;
    default:
      return 0;
  }
}

numbers c_strides(const numbers& shape) {
  numbers strides(shape.size());
  std::ptrdiff_t stride = 1;
  for (std::size_t k = shape.size(); k-- > 0;) {
    strides[k] = stride;
    // What does not fit belongs to a shape that is refused, or to one without elements.
    if (__builtin_mul_overflow(stride, shape[k] == 0 ? 1 : shape[k], &stride)) stride = 0;
  }
  return strides;
}

bool has_acceptable_fields(const stranger& given) {
  const dlpack::tensor& tensor = given.managed.tensor;
  return given.managed.version.major == 1 && known_bits(tensor.type) != 0 &&
         tensor.device == dlpack::device{dlpack::device_type::oneapi, 0} && tensor.ndim >= 0 &&
         tensor.ndim <= usmx::max_ndim && (tensor.shape != nullptr || tensor.ndim == 0);
}

bool is_acceptable(const stranger& given) {
  if (!has_acceptable_fields(given)) return false;
  const dlpack::tensor& tensor = given.managed.tensor;
  const int128 itemsize = known_bits(tensor.type) / 8;
  for (const std::ptrdiff_t n : given.shape) {
    if (n < 0) return false;
  }
  for (const std::ptrdiff_t stride : given.strides.value_or(numbers())) {
    if (!fuzz::fits(stride * itemsize)) return false;
  }
  const exact_layout exact(given.shape, given.strides.value_or(c_strides(given.shape)), 0);
  const int128 zero = int128{reinterpret_cast<std::uintptr_t>(tensor.data)} + tensor.byte_offset;
  if (!exact.is_valid()) return false;
  if (tensor.data != nullptr && zero > int128{UINTPTR_MAX}) return false;
  if (!exact.has_elements) return true;
  const int128 base = the_allocation().address;
  const int128 alignment = tensor.type.kind == dlpack::type_kind::complex ? itemsize / 2 : itemsize;
  return tensor.data != nullptr && fuzz::fits(exact.size * itemsize) &&
         fuzz::fits(exact.first * itemsize) && fuzz::fits((exact.last + 1) * itemsize) &&
         zero + exact.first * itemsize >= base &&
         zero + (exact.last + 1) * itemsize <= base + static_cast<int128>(nbytes) &&
         zero % alignment == 0;
}

void expect_as_given(const usmx::array& taken, const stranger& given) {
  USMX_EXPECT(taken.readonly() == ((given.managed.flags & dlpack::flag_readonly) != 0));
  USMX_EXPECT(static_cast<int>(8 * taken.type().itemsize()) == given.managed.tensor.type.bits);
  USMX_EXPECT(std::equal(given.shape.begin(), given.shape.end(), taken.shape().begin(),
                         taken.shape().end()));
  if (taken.size() == 0) return;
  USMX_EXPECT(taken.data() == static_cast<std::byte*>(given.managed.tensor.data) +
                                  given.managed.tensor.byte_offset);
  if (given.strides) {
    USMX_EXPECT(std::equal(given.strides->begin(), given.strides->end(), taken.strides().begin(),
                           taken.strides().end()));
  } else {
    USMX_EXPECT(taken.layout().is_c_contiguous());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  stranger given(input);
  the_allocation();
  const auto refused = [&](const std::exception& error) {
    USMX_EXPECT(!is_acceptable(given) && fuzz::is_readable(error.what()));
  };
  try {
    const usmx::array taken = usmx::exchange::from_dlpack(&given.managed);
    USMX_EXPECT(is_acceptable(given) && given.deleted == 0);
    expect_as_given(taken, given);
  } catch (const usmx::value_error& error) {
    refused(error);
  } catch (const usmx::overflow_error& error) {
    refused(error);
  } catch (const usmx::buffer_error& error) {
    refused(error);
  }
  usmx::synchronize();
  USMX_EXPECT(given.deleted == 1);
  return 0;
}
