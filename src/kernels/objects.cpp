#include "kernels/files.hpp"

#ifdef USMX_KERNEL_OBJECTS  // a string literal: the folder into which the build has put them

#include "kernels/embedded_file.hpp"

// In the order of the groups, first the narrow ones.
// clang-format off
#define USMX_OBJECTS(EACH)                                                                       \
  EACH(copy) EACH(fill) EACH(cast) EACH(cast_double) EACH(cast_integer_double)                   \
  EACH(copy_wide) EACH(fill_wide) EACH(cast_wide) EACH(cast_double_wide)                         \
  EACH(cast_integer_double_wide)
// clang-format on

#define USMX_EMBED_OBJECT(symbol) \
  USMX_EMBED(object_##symbol, USMX_KERNEL_OBJECTS "/" #symbol ".syclbin")
USMX_OBJECTS(USMX_EMBED_OBJECT)

namespace usmx::detail {

std::span<const char> kernel_object(kernel_group group, kernel_shape shape) {
#define USMX_OBJECT_ENTRY(symbol) \
  std::span<const char>(usmx_object_##symbol##_begin, usmx_object_##symbol##_end),
  static const std::span<const char> all[] = {USMX_OBJECTS(USMX_OBJECT_ENTRY)};
  const std::size_t first = shape == kernel_shape::wide ? kernel_group_count : 0;
  return all[first + static_cast<std::size_t>(group)];
}

}  // namespace usmx::detail

#else

namespace usmx::detail {

std::span<const char> kernel_object(kernel_group, kernel_shape) { return {}; }

}  // namespace usmx::detail

#endif
