// Reads the parameters of kernels from the object that the compiler made: from the mangled names of
// the empty kernels that include/usmx/kernel.hpp has for this. Private to the library.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "usmx/user_kernels/signature.hpp"

namespace usmx::inline v1::detail {

/// The parameters of the kernel that was the `place`-th in the program's text. Throws value_error
/// if the object does not say them, and for a parameter that no launch can set.
std::vector<kernel_parameter> parameters_in(std::string_view object, std::size_t place,
                                            std::string_view kernel);

}  // namespace usmx::inline v1::detail
