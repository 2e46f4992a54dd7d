#include "kernels/groups.hpp"

#ifdef USMX_KERNEL_OBJECTS  // a string literal: the folder into which the build has put them
#define USMX_EMBED_OBJECTS(group, file)                                             \
  USMX_EMBED(object_##group, USMX_KERNEL_OBJECTS "/" #group ".syclbin")             \
  USMX_EMBED(object_##group##_wide, USMX_KERNEL_OBJECTS "/" #group "_wide.syclbin") \
  USMX_EMBED(ptx_##group, USMX_KERNEL_OBJECTS "/" #group ".ptx")
USMX_KERNEL_GROUPS(USMX_EMBED_OBJECTS)
#endif

namespace usmx::inline v1::detail {

std::span<const char> kernel_object([[maybe_unused]] kernel_group group,
                                    [[maybe_unused]] kernel_shape shape) {
#ifdef USMX_KERNEL_OBJECTS
#define USMX_BYTES(group, file) {usmx_object_##group##_begin, usmx_object_##group##_end},
#define USMX_WIDE_BYTES(group, file) \
  {usmx_object_##group##_wide_begin, usmx_object_##group##_wide_end},
#define USMX_PTX_BYTES(group, file) {usmx_ptx_##group##_begin, usmx_ptx_##group##_end},
  static const std::span<const char> all[][kernel_group_count] = {
      {USMX_KERNEL_GROUPS(USMX_BYTES)},
      {USMX_KERNEL_GROUPS(USMX_WIDE_BYTES)},
      {USMX_KERNEL_GROUPS(USMX_PTX_BYTES)}};
  return all[static_cast<std::size_t>(shape)][static_cast<std::size_t>(group)];
#else
  return {};
#endif
}

}  // namespace usmx::inline v1::detail
