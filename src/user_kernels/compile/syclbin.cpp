#include "user_kernels/compile/syclbin.hpp"

#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "user_kernels/compile/spirv.hpp"

namespace usmx::inline v1::detail {
namespace {

// LLVM's offload binary holds one image, the SYCLBIN, which holds tables of headers, a table of
// texts and a table of modules. Numbers are those of sycl/doc/design/SYCLBINDesign.md.
constexpr std::string_view binary_magic = "\x10\xff\x10\xad";
constexpr std::string_view syclbin_magic = "IBYS";
constexpr std::uint32_t binary_version = 2;
constexpr std::uint32_t syclbin_version = 1;

[[noreturn]] void refuse() {
  throw std::runtime_error(
      "the SYCL runtime saves compiled kernels in a form that usmx cannot read");
}

std::string_view part(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) {
    refuse();
  }
  return bytes.substr(offset, size);
}

template <class Number>
Number number_at(std::string_view bytes, std::uint64_t offset) {
  Number value;
  std::memcpy(&value, part(bytes, offset, sizeof value).data(), sizeof value);
  return value;
}

void require_form(std::string_view bytes, std::string_view magic, std::uint32_t version) {
  if (!bytes.starts_with(magic) || number_at<std::uint32_t>(bytes, magic.size()) != version) {
    refuse();
  }
}

/// The only image of an offload binary.
std::string_view image_of(std::string_view binary) {
  require_form(binary, binary_magic, binary_version);
  const auto entry = number_at<std::uint64_t>(binary, 16);
  if (number_at<std::uint64_t>(binary, 24) != 1 || entry > binary.size()) {
    refuse();
  }
  return part(binary, number_at<std::uint64_t>(binary, entry + 24),
              number_at<std::uint64_t>(binary, entry + 32));
}

}  // namespace

std::vector<std::string_view> modules_of_syclbin(std::string_view object) {
  if (object.empty()) {
    return {};
  }
  const std::string_view image = image_of(object);
  require_form(image, syclbin_magic, syclbin_version);
  constexpr std::uint64_t header_nbytes = 56;
  constexpr std::uint64_t entry_nbytes = 32;
  const std::uint64_t groups = number_at<std::uint32_t>(image, 8);
  const std::uint64_t count = number_at<std::uint32_t>(image, 12);
  const std::uint64_t natives = number_at<std::uint32_t>(image, 16);
  const std::uint64_t texts = header_nbytes + (groups + count + natives) * entry_nbytes;
  const auto texts_nbytes = number_at<std::uint64_t>(image, 24);
  part(image, texts, texts_nbytes);
  const std::string_view table =
      part(image, (texts + texts_nbytes + 7) / 8 * 8, number_at<std::uint64_t>(image, 32));
  std::vector<std::string_view> modules;
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t entry = header_nbytes + (groups + k) * entry_nbytes;
    modules.push_back(part(table, number_at<std::uint64_t>(image, entry + 16),
                           number_at<std::uint64_t>(image, entry + 24)));
    if (!internal::is_spirv(modules.back())) {
      refuse();
    }
  }
  return modules;
}

}  // namespace usmx::inline v1::detail
