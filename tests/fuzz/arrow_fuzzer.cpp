// A stranger's column is taken exactly when each of its fields is one that usmx reads and
// arithmetic of twice the width keeps every byte inside the address space; it is let go once.
#include <array>
#include <cstdint>
#include <string>

#include "support.hpp"
#include "usmx/base/error.hpp"
#include "usmx/exchange/arrow.hpp"
#include "usmx/runtime.hpp"

namespace {

namespace arrow = usmx::arrow;
using fuzz::int128;

constexpr std::int64_t bits = 64;

struct stranger {
  std::array<std::uint8_t, bits / 8> present{};
  std::array<const void*, 2> buffers{};
  std::string format;
  arrow::schema schema{};
  arrow::array array{};
  int released = 0;

  explicit stranger(FuzzedDataProvider& input)
      : format(rarely(input) ? input.ConsumeRandomLengthString(8)
                             : std::string(1, input.PickValueInArray({'c', 'C', 's', 'S', 'i', 'I',
                                                                      'l', 'L', 'e', 'f', 'g'}))) {
    for (std::uint8_t& byte : present) byte = input.ConsumeBool() ? 0xff : draw_byte(input);
    schema.format = rarely(input) ? nullptr : format.c_str();
    schema.dictionary = rarely(input) ? &schema : nullptr;
    schema.release = rarely(input) ? nullptr : [](arrow::schema* self) { self->release = nullptr; };
    array.length = fuzz::draw(input);
    array.offset = fuzz::draw(input);
    array.null_count = rarely(input) ? fuzz::draw(input) : -1;
    array.n_buffers = rarely(input) ? fuzz::draw(input) : 2;
    array.n_children = rarely(input) ? fuzz::draw(input) : 0;
    array.buffers = rarely(input) ? nullptr : buffers.data();
    array.context = this;
    array.release = [](arrow::array* self) {
      ++static_cast<stranger*>(self->context)->released;
      self->release = nullptr;
    };
    // The bits are read, so they are there; the numbers are not.
    const bool few =
        array.offset >= 0 && array.length >= 0 && int128{array.offset} + array.length <= bits;
    buffers[0] = few && input.ConsumeBool() ? present.data() : nullptr;
    buffers[1] = rarely(input)
                     ? nullptr
                     : reinterpret_cast<const void*>(input.ConsumeBool()
                                                         ? input.ConsumeIntegral<std::uintptr_t>()
                                                         : std::uintptr_t{1} << 32);
  }

  static bool rarely(FuzzedDataProvider& input) { return input.ConsumeIntegralInRange(0, 15) == 0; }
  static std::uint8_t draw_byte(FuzzedDataProvider& input) {
    return input.ConsumeIntegral<std::uint8_t>();
  }
};

/// The bits of an element; 0 for formats that usmx does not read.
int bits_of(const std::string& format) {
  const std::string known = "bcCsSiIlLefg";
  constexpr std::array sizes{1, 8, 8, 16, 16, 32, 32, 64, 64, 16, 32, 64};
  const std::string seen = format.c_str();  // up to the first null character
  for (const char* const begin : {"tdD", "tts", "ttm"}) {
    if (seen.starts_with(begin)) return 32;
  }
  for (const char* const begin : {"tdm", "ttu", "ttn", "ts", "tD"}) {
    if (seen.starts_with(begin)) return 64;
  }
  const std::size_t found = seen.size() == 1 ? known.find(seen) : std::string::npos;
  return found == std::string::npos ? 0 : sizes[found];
}

bool has_acceptable_schema(const stranger& given) {
  return given.schema.release != nullptr && given.schema.format != nullptr &&
         given.schema.dictionary == nullptr && bits_of(given.format) != 0;
}

std::int64_t missing_in(const stranger& given) {
  const arrow::array& array = given.array;
  if (array.null_count >= 0) return array.null_count;
  std::int64_t missing = 0;
  for (std::int64_t k = array.offset;
       array.buffers[0] != nullptr && k < array.offset + array.length; ++k) {
    missing += (given.present[static_cast<std::size_t>(k / 8)] >> (k % 8) & 1) == 0 ? 1 : 0;
  }
  return missing;
}

bool is_acceptable(const stranger& given) {
  const arrow::array& array = given.array;
  if (array.length < 0 || array.offset < 0 || array.n_buffers != 2 || array.n_children != 0 ||
      array.buffers == nullptr || array.null_count < -1 || array.null_count > array.length) {
    return false;
  }
  const int128 bits = bits_of(given.format);
  if (!fuzz::fits(array.length * bits / 8)) return false;
  if (array.length > 0) {
    const int128 end = ((int128{array.offset} + array.length) * bits + 7) / 8;
    const auto address = reinterpret_cast<std::uintptr_t>(array.buffers[1]);
    if (address == 0 || !fuzz::fits(end) || address + end > int128{UINTPTR_MAX}) return false;
  }
  return missing_in(given) == 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const sycl::queue queue = usmx::default_queue();
  FuzzedDataProvider input(data, size);
  stranger given(input);
  const stranger as_given = given;
  const bool read = has_acceptable_schema(given);
  const auto refused = [&](const std::exception& error) {
    USMX_EXPECT(!(read && is_acceptable(as_given)) && fuzz::is_readable(error.what()));
  };
  try {
    const usmx::exchange::column column = usmx::exchange::receive(given.schema, given.array);
    USMX_EXPECT(given.released == 0 && given.array.release == nullptr);
    if (column.is_table) return 0;  // which has no children, and so no columns
    USMX_EXPECT(read);
    const auto rows = usmx::exchange::host_rows(column, 0, 0, queue);
    USMX_EXPECT(is_acceptable(as_given));
    USMX_EXPECT(rows.shape[0] == as_given.array.length && rows.elements.readonly());
    const auto itemsize = static_cast<int>(rows.elements.type().itemsize());
    USMX_EXPECT(itemsize == (bits_of(given.format) + 7) / 8);
  } catch (const usmx::value_error& error) {
    refused(error);
  } catch (const usmx::overflow_error& error) {
    refused(error);
  } catch (const usmx::buffer_error& error) {
    refused(error);
  }
  USMX_EXPECT(given.released == (read ? 1 : 0));
  return 0;
}
