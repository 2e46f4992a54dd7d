// select_device takes exactly the filter selectors of its grammar, and its answer fits one of the
// alternatives.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "support.hpp"
#include "usmx/base/error.hpp"
#include "usmx/runtime.hpp"

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts{{}};
  const char* begin = text.data();
  for (const char& c : text) {
    if (c == separator) {
      begin = &c + 1;
      parts.push_back({begin, 0});
    } else {
      parts.back() = {begin, static_cast<std::size_t>(&c + 1 - begin)};
    }
  }
  return parts;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> known) {
  return std::find(known.begin(), known.end(), text) != known.end();
}

/// Its place among backend, device type and index; 3 for none of them.
int rank(std::string_view part) {
  if (is_one_of(part, {"opencl", "level_zero", "cuda", "hip", "native_cpu", "offload"})) return 0;
  if (is_one_of(part, {"cpu", "gpu", "accelerator"})) return 1;
  return std::all_of(part.begin(), part.end(), [](char c) { return '0' <= c && c <= '9'; }) ? 2 : 3;
}

bool is_alternative(std::string_view text) {
  int previous = -1;
  int parts = 0;
  for (const std::string_view part : split(text, ':')) {
    if (++parts > 3) return false;
    if (part.empty()) continue;
    const int now = rank(part);
    if (now == 3 || now <= previous) return false;
    previous = now;
  }
  return previous >= 0;
}

bool is_filter(std::string_view text) {
  const auto alternatives = split(text, ',');
  return std::all_of(alternatives.begin(), alternatives.end(), is_alternative);
}

bool has_the_parts_of(const sycl::device& device, std::string_view alternative) {
  for (const std::string_view part : split(alternative, ':')) {
    if (part.empty() || rank(part) == 2) continue;
    if (part != usmx::backend_name(device.get_backend()) &&
        part != usmx::device_type_name(device)) {
      return false;
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const sycl::device device = usmx::select_device(text);
    USMX_EXPECT(is_filter(text));
    const auto alternatives = split(text, ',');
    USMX_EXPECT(std::any_of(alternatives.begin(), alternatives.end(),
                            [&](std::string_view one) { return has_the_parts_of(device, one); }));
  } catch (const usmx::value_error& error) {
    USMX_EXPECT(!is_filter(text));
    USMX_EXPECT(fuzz::is_readable(error.what()));
  } catch (const usmx::device_error& error) {
    USMX_EXPECT(is_filter(text));
    USMX_EXPECT(fuzz::is_readable(error.what()));
  }
  return 0;
}
