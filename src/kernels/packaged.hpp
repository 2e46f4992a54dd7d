// The device kernels inside the library: their SYCL sources, each group as it was compiled when the
// package was built, and how a file is embedded. No SYCL here. Private to the library.
#pragma once

#include <span>
#include <string_view>

#include "kernels/groups.hpp"

// Embeds a file in the library.

// The bytes of the file at `path`, a string literal, as usmx_<symbol>_begin up to
// usmx_<symbol>_end; a null character follows.
#define USMX_EMBED(symbol, path)                                               \
  extern "C" [[gnu::visibility("hidden")]] const char usmx_##symbol##_begin[], \
      usmx_##symbol##_end[];                                                   \
  asm(".pushsection .rodata\n"                                                 \
      ".balign 64\n"                                                           \
      ".hidden usmx_" #symbol                                                  \
      "_begin\n"                                                               \
      ".globl usmx_" #symbol                                                   \
      "_begin\n"                                                               \
      "usmx_" #symbol                                                          \
      "_begin:\n"                                                              \
      ".incbin \"" path                                                        \
      "\"\n"                                                                   \
      ".hidden usmx_" #symbol                                                  \
      "_end\n"                                                                 \
      ".globl usmx_" #symbol                                                   \
      "_end\n"                                                                 \
      "usmx_" #symbol                                                          \
      "_end:\n"                                                                \
      ".byte 0\n"                                                              \
      ".popsection\n");

namespace usmx::inline v1::detail {

// The device kernels inside the library: their SYCL sources, and each group as it was compiled when
// the package was built. No SYCL here.

struct kernel_source {
  std::string_view name;  // as in #include
  std::string_view text;
};

/// Every file of src/kernels/device.
std::span<const kernel_source> kernel_sources();
/// The text of one of these files.
std::string_view kernel_source_text(std::string_view name);

/// The object SYCLBIN of a group; empty if none could be compiled when the package was built.
std::span<const char> kernel_object(kernel_group, kernel_shape);

/// The PTX of a group for CUDA devices, which ends with a null character. Empty if there was no
/// compiler for it when the package was built, and for groups that no such device needs.
std::span<const char> kernel_ptx(kernel_group);

}  // namespace usmx::inline v1::detail
