// Reads what compilers made: modules of SPIR-V, the files in which the SYCL runtime saves compiled
// kernels, and the parameters in mangled names. No SYCL here. Private to the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "usmx/kernels/compile.hpp"

namespace usmx::inline v1::internal {

/// The first word of each module.
inline constexpr std::uint32_t spirv_magic = 0x07230203;

/// Whether these bytes are no text, but begin as a module does.
inline bool is_spirv(std::string_view bytes) noexcept {
  return bytes.size() >= sizeof spirv_magic &&
         std::memcmp(bytes.data(), &spirv_magic, sizeof spirv_magic) == 0;
}

}  // namespace usmx::inline v1::internal

namespace usmx::inline v1::detail {

namespace spirv {

using word = std::uint32_t;
using words = std::span<const word>;

inline constexpr std::size_t words_of_header = 5;

/// The words of a module. Throws value_error where it is none, or of another version than 1.0 to
/// 1.6.
std::vector<word> words_of(std::string_view module);

/// The instructions after the header. Refer to the module. Throws value_error where one is cut off.
std::vector<words> instructions_of(words module);

}  // namespace spirv

/// The parameters of the kernel with that entry point. Signs of integers, the fields of structures
/// and most element types are not in a module: integers are signless, and a pointer to bytes may be
/// one to anything. Throws value_error where the module is none, is of another version than 1.0 to
/// 1.6 or lacks the kernel; type_error for a parameter that no launch can set.
std::vector<kernel_parameter> spirv_parameters(std::string_view module, std::string_view kernel);

/// Throws compile_error, with the names, where these modules together use functions or variables
/// that none of them defines, other than SPIR-V's and the SYCL runtime's own. The driver of a
/// processor would take them from the host's process (docs/decisions.md, 88).
void require_definitions(std::span<const std::string_view> modules);

/// An image in an object that the runtime saved: what the runtime knows of its kernels and of its
/// module, as texts, and the module.
struct syclbin_image {
  std::string_view metadata;
  std::string_view module_metadata;
  std::string_view module;
};

/// An object that the runtime saved. Refers to its bytes.
struct syclbin {
  std::string_view metadata;
  std::vector<syclbin_image> images;
};

/// Throws std::runtime_error for bytes in another form.
syclbin read_syclbin(std::string_view object);
/// An object of one image.
std::string write_syclbin(std::string_view metadata, const syclbin_image&);

/// A copy of an object that the runtime saved, with these modules in the place of its own, of which
/// there are as many. Throws std::runtime_error for bytes in another form.
std::string with_modules(std::string_view object, std::span<const std::string> modules);

/// The modules of SPIR-V in an object that the runtime saved; none in no bytes. They refer to the
/// bytes. Throws std::runtime_error for bytes in another form.
std::vector<std::string_view> modules_of_syclbin(std::string_view object);

/// The parameters of the kernel that was the `index`-th in the program's text. Throws value_error
/// if the object does not say them, and for a parameter that no launch can set.
std::vector<kernel_parameter> parameters_in(std::string_view object, std::size_t index,
                                            std::string_view kernel);

/// A text in which parameters_in() finds those of that kernel at index 0. Throws value_error if the
/// object does not say them.
std::string signature_at(std::string_view object, std::size_t index);

}  // namespace usmx::inline v1::detail
