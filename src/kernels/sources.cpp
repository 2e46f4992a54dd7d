#include <algorithm>

#include "kernels/embedded_file.hpp"
#include "kernels/files.hpp"

#ifndef USMX_KERNEL_SOURCES  // a string literal: the folder
#define USMX_KERNEL_SOURCES "src/kernels"
#endif

#define USMX_SOURCES(EACH)             \
  EACH(copy, "copy.cpp")               \
  EACH(fill, "fill.cpp")               \
  EACH(cast, "cast.cpp")               \
  EACH(cast_double, "cast_double.cpp") \
  EACH(elements, "elements.hpp")       \
  EACH(items, "items.hpp")             \
  EACH(kernel_list, "kernel_list.hpp") \
  EACH(strided, "strided.hpp")         \
  EACH(traversal, "traversal.hpp")

#define USMX_EMBED_SOURCE(symbol, name) USMX_EMBED(source_##symbol, USMX_KERNEL_SOURCES "/" name)
USMX_SOURCES(USMX_EMBED_SOURCE)

namespace usmx::detail {

std::span<const kernel_source> kernel_sources() {
#define USMX_SOURCE_ENTRY(symbol, name) \
  kernel_source{name, std::string_view(usmx_source_##symbol##_begin, usmx_source_##symbol##_end)},
  static const kernel_source all[] = {USMX_SOURCES(USMX_SOURCE_ENTRY)};
  return all;
}

std::string_view kernel_source_text(std::string_view name) {
  return std::ranges::find(kernel_sources(), name, &kernel_source::name)->text;
}

}  // namespace usmx::detail
