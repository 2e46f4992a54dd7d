#include "kernels/groups.hpp"

#include <algorithm>

#include "layout/layout.hpp"

namespace usmx::inline v1::detail {
namespace {

bool is_integer(type_code code) {
  const char kind = dtype(code).kind();
  return kind == 'i' || kind == 'u';
}

std::size_t size_of(type_code code) { return dtype(code).itemsize(); }

bool is_complex(type_code code) { return dtype(code).kind() == 'c'; }

bool is_double(type_code code) {
  return (is_complex(code) ? internal::part_type(code) : dtype(code)) == dtype::of<double>();
}

/// The source type whose kernel does it: see USMX_CASTS.
type_code source_in_list(type_code from, type_code to) {
  if (is_integer(from) &&
      (to == type_code::bool_ || (is_integer(to) && size_of(to) < size_of(from)))) {
    return code_of('u', size_of(from));
  }
  if (is_complex(from) && !is_complex(to) && to != type_code::bool_) {
    return internal::part_type(from).code();
  }
  return from;
}

type_code destination_in_list(type_code from, type_code to) {
  const bool by_size = is_integer(from) || from == type_code::bool_ || size_of(to) < 4;
  return is_integer(to) && by_size ? code_of('i', size_of(to)) : to;
}

bool keeps_bytes(type_code from, type_code to) {
  return from == to || (is_integer(from) && is_integer(to) && size_of(from) == size_of(to));
}

std::size_t index_of(kernel_group group, std::string_view name) {
  const auto names = names_of(group);
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

std::string_view short_name(type_code code) { return dtype(code).typestr().substr(1); }

kernel_id find_cast(type_code from, type_code to, bool fp64) {
  const kernel_group group = !is_double(from) && !is_double(to) ? kernel_group::cast
                             : fp64                             ? kernel_group::cast_double
                                                                : kernel_group::cast_integer_double;
  const std::string name =
      std::string("usmx_cast_").append(short_name(from)).append("_").append(short_name(to));
  return {group, index_of(group, name)};
}

cast_step make_step(type_code from, type_code to, bool fp64) {
  if (keeps_bytes(from, to)) {
    return {std::nullopt, size_of(from), dtype(from).alignment()};
  }
  const type_code source = source_in_list(from, to);
  const dtype read = source;
  // Reading the real part may be the whole conversion of a complex number: the part may have the
  // right type already.
  if (source == to) {
    return {std::nullopt, read.itemsize(), read.alignment()};
  }
  return {find_cast(source, destination_in_list(source, to), fp64), read.itemsize(),
          read.alignment()};
}

using steps = std::array<std::array<std::array<cast_step, 2>, type_count>, type_count>;

steps make_steps() {
  steps all;
  for (std::size_t from = 0; from < type_count; ++from) {
    for (std::size_t to = 0; to < type_count; ++to) {
      for (const bool fp64 : {false, true}) {
        all[from][to][fp64] =
            make_step(static_cast<type_code>(from), static_cast<type_code>(to), fp64);
      }
    }
  }
  return all;
}

}  // namespace

std::string name_of(kernel_group group, kernel_shape shape) {
#define USMX_NAME(name, file) #name,
  constexpr std::array names{USMX_KERNEL_GROUPS(USMX_NAME)};
#undef USMX_NAME
  return std::string(names[static_cast<std::size_t>(group)]) +
         (shape == kernel_shape::wide    ? "_wide"
          : shape == kernel_shape::tiled ? "_tiled"
                                         : "");
}

std::string_view source_file_of(kernel_group group) {
#define USMX_FILE(name, file) #file ".cpp",
  constexpr std::array files{USMX_KERNEL_GROUPS(USMX_FILE)};
#undef USMX_FILE
  return files[static_cast<std::size_t>(group)];
}

kernel_id positions_kernel(type_code type) {
  return select_kernel(std::string("usmx_positions_").append(short_name(type)));
}
kernel_id select_kernel(std::string_view name) {
  return {kernel_group::select, index_of(kernel_group::select, name)};
}

cast_step cast_of(type_code from, type_code to, bool fp64) {
  static const steps all = make_steps();
  return all[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)][fp64];
}

}  // namespace usmx::inline v1::detail
