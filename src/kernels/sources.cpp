#include <algorithm>

#include "kernels/packaged.hpp"

// Made by cmake/UsmxKernels.cmake: a line USMX_SOURCE(symbol, name, path) for each file of
// src/kernels/device.
#define USMX_SOURCE(symbol, name, path) USMX_EMBED(source_##symbol, path)
#include "kernel_sources.inc"
#undef USMX_SOURCE

namespace usmx::inline v1::detail {

std::span<const kernel_source> kernel_sources() {
#define USMX_SOURCE(symbol, name, path) \
  kernel_source{name, std::string_view(usmx_source_##symbol##_begin, usmx_source_##symbol##_end)},
  static const kernel_source all[] = {
#include "kernel_sources.inc"
  };
#undef USMX_SOURCE
  return all;
}

std::string_view kernel_source_text(std::string_view name) {
  return std::ranges::find(kernel_sources(), name, &kernel_source::name)->text;
}

}  // namespace usmx::inline v1::detail
