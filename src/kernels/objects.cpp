#include "kernels/groups.hpp"

#ifdef USMX_KERNEL_OBJECTS  // a string literal: the folder into which the build has put them

#define USMX_EMBED_OBJECTS(group, file)                                 \
  USMX_EMBED(object_##group, USMX_KERNEL_OBJECTS "/" #group ".syclbin") \
  USMX_EMBED(object_##group##_wide, USMX_KERNEL_OBJECTS "/" #group "_wide.syclbin")
USMX_KERNEL_GROUPS(USMX_EMBED_OBJECTS)

namespace usmx::inline v1::detail {

std::span<const char> kernel_object(kernel_group group, kernel_shape shape) {
  struct objects {
    std::span<const char> narrow;
    std::span<const char> wide;
  };
#define USMX_OBJECTS(group, file)                                   \
  objects{{usmx_object_##group##_begin, usmx_object_##group##_end}, \
          {usmx_object_##group##_wide_begin, usmx_object_##group##_wide_end}},
  static const std::array all{USMX_KERNEL_GROUPS(USMX_OBJECTS)};
  const objects& found = all[static_cast<std::size_t>(group)];
  return shape == kernel_shape::wide ? found.wide : found.narrow;
}

}  // namespace usmx::inline v1::detail

#else

namespace usmx::inline v1::detail {

std::span<const char> kernel_object(kernel_group, kernel_shape) { return {}; }

}  // namespace usmx::inline v1::detail

#endif

#ifdef USMX_KERNEL_PTX  // a string literal: the folder into which the build has put them

USMX_EMBED(ptx_copy, USMX_KERNEL_PTX "/copy_elements.ptx")
USMX_EMBED(ptx_fill, USMX_KERNEL_PTX "/fill.ptx")
USMX_EMBED(ptx_select, USMX_KERNEL_PTX "/select.ptx")
USMX_EMBED(ptx_cast, USMX_KERNEL_PTX "/cast.ptx")
USMX_EMBED(ptx_cast_double, USMX_KERNEL_PTX "/cast_double.ptx")

namespace usmx::inline v1::detail {

std::span<const char> kernel_ptx(kernel_group group) {
  switch (group) {
    case kernel_group::copy:
      return {usmx_ptx_copy_begin, usmx_ptx_copy_end};
    case kernel_group::fill:
      return {usmx_ptx_fill_begin, usmx_ptx_fill_end};
    case kernel_group::select:
      return {usmx_ptx_select_begin, usmx_ptx_select_end};
    case kernel_group::cast:
      return {usmx_ptx_cast_begin, usmx_ptx_cast_end};
    case kernel_group::cast_double:
      return {usmx_ptx_cast_double_begin, usmx_ptx_cast_double_end};
    case kernel_group::cast_integer_double:
      break;
  }
  return {};
}

}  // namespace usmx::inline v1::detail

#else

namespace usmx::inline v1::detail {

std::span<const char> kernel_ptx(kernel_group) { return {}; }

}  // namespace usmx::inline v1::detail

#endif
