// dtype::from_typestr accepts exactly the strings of a list, and gives each the type that it names.
#include <string>
#include <string_view>

#include "support.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/dtype.hpp"

namespace {

/// The canonical typestr of an accepted one, else nothing. (On a little-endian host.)
std::string expected(std::string_view text) {
  if (!text.empty() && (text[0] == '<' || text[0] == '=' || text[0] == '|')) text.remove_prefix(1);
  for (const std::string_view known :
       {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"}) {
    if (text == known) return (known.substr(1) == "1" ? "|" : "<") + std::string(known);
  }
  return {};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const usmx::dtype type = usmx::dtype::from_typestr(text);
    USMX_EXPECT(type.typestr() == expected(text));
    USMX_EXPECT(usmx::dtype::from_typestr(type.typestr()) == type);
  } catch (const usmx::value_error& error) {
    USMX_EXPECT(expected(text).empty());
    USMX_EXPECT(fuzz::is_readable(error.what()));
  }
  return 0;
}
