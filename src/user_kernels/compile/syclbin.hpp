// Reads the files in which the SYCL runtime saves compiled kernels. No SYCL here. Private to the
// library.
#pragma once

#include <string_view>
#include <vector>

namespace usmx::inline v1::detail {

/// The modules of SPIR-V in an object that the runtime saved; none in no bytes. They refer to the
/// bytes. Throws std::runtime_error for bytes in another form.
std::vector<std::string_view> modules_of_syclbin(std::string_view object);

}  // namespace usmx::inline v1::detail
