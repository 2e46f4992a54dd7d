// The parameters of kernels are read from any bytes without a fault, and what is refused is refused
// by a message that people can read.
#include <algorithm>
#include <string>
#include <string_view>

#include "kernels/compile/spirv.hpp"
#include "support.hpp"
#include "usmx/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string module(reinterpret_cast<const char*>(data), size);
  if (module.size() >= 8) {  // so that inputs get past the first words
    module.replace(0, 8, std::string("\x03\x02\x23\x07\0\0\1\0", 8));
  }
  try {
    for (const usmx::kernel_parameter& each : usmx::detail::spirv_parameters(module, "f")) {
      USMX_EXPECT(each.size <= std::size_t{1} << 20);
      USMX_EXPECT(fuzz::is_readable(to_string(each)));
      USMX_EXPECT(each.form != usmx::parameter_form::value || each.size > 0);
    }
  } catch (const usmx::value_error& error) {
    USMX_EXPECT(std::string_view(error.what()).starts_with("a module of SPIR-V: "));
  } catch (const usmx::type_error& error) {
    USMX_EXPECT(fuzz::is_readable(error.what()));
  }
  return 0;
}
