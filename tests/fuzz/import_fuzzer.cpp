// A foreign description is taken exactly when arithmetic of twice the width puts every byte of it
// into the one allocation that there is, and then says what the description said.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <sycl/usm.hpp>

#include "support.hpp"
#include "usmx/base/error.hpp"
#include "usmx/exchange/usm_array_interface.hpp"
#include "usmx/runtime.hpp"

namespace {

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

struct description {
  std::uintptr_t data;
  usmx::dtype type;
  numbers shape;
  std::optional<numbers> strides;
  std::ptrdiff_t offset;
  bool readonly;

  explicit description(FuzzedDataProvider& input)
      : data(the_allocation().address + static_cast<std::uintptr_t>(draw_displacement(input))),
        type(static_cast<usmx::type_code>(
            input.ConsumeIntegralInRange<int>(0, usmx::type_count - 1))),
        shape(fuzz::draw_shape(input)),
        offset(fuzz::draw(input)),
        readonly(input.ConsumeBool()) {
    if (input.ConsumeBool()) strides = fuzz::draw(input, shape.size());
  }

  static std::ptrdiff_t draw_displacement(FuzzedDataProvider& input) {
    return input.ConsumeBool() ? fuzz::draw(input)
                               : input.ConsumeIntegralInRange<std::ptrdiff_t>(0, nbytes);
  }

  usmx::exchange::usm_array_interface interface() const {
    usmx::exchange::usm_array_interface given;
    given.data = data;
    given.readonly = readonly;
    given.typestr = type.typestr();
    given.shape = shape;
    if (strides) given.strides = *strides;
    given.offset = offset;
    return given;
  }
};

bool is_acceptable(const description& given) {
  const int128 itemsize = static_cast<int128>(given.type.itemsize());
  for (const std::ptrdiff_t n : given.shape) {
    if (n < 0) return false;
  }
  if (given.shape.size() > static_cast<std::size_t>(usmx::max_ndim)) return false;
  for (const std::ptrdiff_t stride : given.strides.value_or(numbers())) {
    if (!fuzz::fits(stride * itemsize)) return false;
  }
  const numbers strides = given.strides.value_or(c_strides(given.shape));
  const exact_layout exact(given.shape, strides, given.offset);
  if (!exact.is_valid()) return false;
  if (!exact.has_elements) return true;
  if (!fuzz::fits(exact.size * itemsize)) return false;
  const int128 first = exact.first * itemsize;
  const int128 end = (exact.last + 1) * itemsize;
  const int128 base = the_allocation().address;
  const int128 data = given.data;
  return fuzz::fits(first) && fuzz::fits(end) && data + first >= base &&
         data + end <= base + static_cast<int128>(nbytes) &&
         (data + given.offset * itemsize) % static_cast<int128>(given.type.alignment()) == 0;
}

void expect_as_described(const usmx::exchange::checked_import& taken, const description& given) {
  USMX_EXPECT(taken.type == given.type && taken.readonly == given.readonly);
  USMX_EXPECT(std::equal(given.shape.begin(), given.shape.end(), taken.where.shape().begin(),
                         taken.where.shape().end()));
  const auto span = taken.where.span();
  if (!span) {
    USMX_EXPECT(taken.nbytes == 0);
    return;
  }
  USMX_EXPECT(taken.kind == usmx::usm_kind::shared);
  const std::size_t itemsize = given.type.itemsize();
  USMX_EXPECT(span->first == 0);
  USMX_EXPECT(taken.nbytes == static_cast<std::size_t>(span->last + 1) * itemsize);
  USMX_EXPECT(reinterpret_cast<std::uintptr_t>(taken.memory) +
                  static_cast<std::uintptr_t>(taken.where.offset()) * itemsize ==
              given.data + static_cast<std::uintptr_t>(given.offset) * itemsize);
  if (given.strides) {
    USMX_EXPECT(std::equal(given.strides->begin(), given.strides->end(),
                           taken.where.strides().begin(), taken.where.strides().end()));
  } else {
    USMX_EXPECT(taken.where.is_c_contiguous());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  const description given(input);
  const allocation& memory = the_allocation();
  try {
    const auto taken = usmx::exchange::check(given.interface(), memory.queue);
    USMX_EXPECT(is_acceptable(given));
    expect_as_described(taken, given);
  } catch (const usmx::value_error& error) {
    USMX_EXPECT(!is_acceptable(given) && fuzz::is_readable(error.what()));
  } catch (const usmx::overflow_error& error) {
    USMX_EXPECT(!is_acceptable(given) && fuzz::is_readable(error.what()));
  }
  return 0;
}
