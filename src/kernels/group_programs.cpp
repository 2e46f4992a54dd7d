#include "kernels/group_programs.hpp"

// Made by cmake/UsmxKernels.cmake: a line USMX_SOURCE(symbol, name, path) for each file of
// src/kernels/device.
#define USMX_SOURCE(symbol, name, path) USMX_EMBED(source_##symbol, path)
#include "kernel_sources.inc"
#undef USMX_SOURCE

namespace usmx::inline v1::detail {
namespace {

/// The header, which NVIDIA's compiler lacks, as it has no standard library.
constexpr const char* cstdint_header = R"(
namespace std {
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
}
)";

std::vector<std::string> options_of(kernel_group group, kernel_shape shape) {
  std::vector<std::string> options;
  if (shape != kernel_shape::tiled) {
    // Kernels that need different aspects would get images of their own, and the runtime saves what
    // it links of several without their code.
    options.emplace_back(one_image_option);
  }
  if (group == kernel_group::cast_integer_double) {
    options.emplace_back("-DUSMX_INTEGER_DOUBLE");
  }
  if (shape != kernel_shape::narrow) {
    options.emplace_back("-DUSMX_WIDE_GROUPS");
  }
  return options;
}

}  // namespace

program program_of(kernel_group group, kernel_shape shape) {
#define USMX_SOURCE(symbol, name, path) \
  {name, std::string(usmx_source_##symbol##_begin, usmx_source_##symbol##_end)},
  std::vector<std::pair<std::string, std::string>> files = {
#include "kernel_sources.inc"
  };
#undef USMX_SOURCE
  if (shape == kernel_shape::tiled) {
    files.emplace_back("cstdint", cstdint_header);
  }
  const auto names = names_of(group);
  return make_own_program(source_file_of(group), {names.begin(), names.end()}, std::move(files),
                          options_of(group, shape));
}

}  // namespace usmx::inline v1::detail
