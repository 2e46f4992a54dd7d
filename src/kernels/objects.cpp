#include "kernels/groups.hpp"

#ifdef USMX_KERNEL_OBJECTS  // a string literal: the folder into which the build has put them
#define USMX_EMBED_OBJECTS(group, file)                                 \
  USMX_EMBED(object_##group, USMX_KERNEL_OBJECTS "/" #group ".syclbin") \
  USMX_EMBED(object_##group##_wide, USMX_KERNEL_OBJECTS "/" #group "_wide.syclbin")
USMX_KERNEL_GROUPS(USMX_EMBED_OBJECTS)
#endif

#ifdef USMX_KERNEL_PTX  // a string literal: the folder into which the build has put them
USMX_EMBED(ptx_copy, USMX_KERNEL_PTX "/copy_elements.ptx")
USMX_EMBED(ptx_fill, USMX_KERNEL_PTX "/fill.ptx")
USMX_EMBED(ptx_select, USMX_KERNEL_PTX "/select.ptx")
USMX_EMBED(ptx_cast, USMX_KERNEL_PTX "/cast.ptx")
USMX_EMBED(ptx_cast_double, USMX_KERNEL_PTX "/cast_double.ptx")
#endif

namespace usmx::inline v1::detail {

std::span<const char> kernel_object([[maybe_unused]] kernel_group group,
                                    [[maybe_unused]] kernel_shape shape) {
#ifdef USMX_KERNEL_OBJECTS
#define USMX_OBJECT_BYTES(group, file) {usmx_object_##group##_begin, usmx_object_##group##_end},
#define USMX_WIDE_OBJECT_BYTES(group, file) \
  {usmx_object_##group##_wide_begin, usmx_object_##group##_wide_end},
  static const std::span<const char> narrow[] = {USMX_KERNEL_GROUPS(USMX_OBJECT_BYTES)};
  static const std::span<const char> wide[] = {USMX_KERNEL_GROUPS(USMX_WIDE_OBJECT_BYTES)};
  return (shape == kernel_shape::wide ? wide : narrow)[static_cast<std::size_t>(group)];
#else
  return {};
#endif
}

std::span<const char> kernel_ptx([[maybe_unused]] kernel_group group) {
#ifdef USMX_KERNEL_PTX
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
#endif
  return {};
}

}  // namespace usmx::inline v1::detail
