#include "copy_host.hpp"

#include <cstring>
#include <type_traits>

#include "convert.hpp"

namespace usmx::detail {
namespace {

/// ItemSize: std::size_t, or an integral_constant of it, with which a memcpy is one instruction.
template <class ItemSize>
void copy_strided_row(const std::byte* source, std::byte* destination, const copy_dimension& d,
                      ItemSize itemsize) {
  for (std::ptrdiff_t i = 0; i < d.extent; ++i) {
    std::memcpy(destination, source, itemsize);
    source += d.source_stride;
    destination += d.destination_stride;
  }
}

void copy_rows(const copy_plan& plan) {
  for_each_row(plan, [n = plan.row_nbytes()](const std::byte* source, std::byte* destination) {
    std::memcpy(destination, source, n);
  });
}

void copy_items(const copy_plan& plan) {
  const auto copy_with = [&](auto itemsize) {
    for_each_row(plan, [&](const std::byte* source, std::byte* destination) {
      copy_strided_row(source, destination, plan.dimensions().back(), itemsize);
    });
  };
  switch (plan.source_type.itemsize()) {
    case 1:
      return copy_with(std::integral_constant<std::size_t, 1>());
    case 2:
      return copy_with(std::integral_constant<std::size_t, 2>());
    case 4:
      return copy_with(std::integral_constant<std::size_t, 4>());
    case 8:
      return copy_with(std::integral_constant<std::size_t, 8>());
    case 16:
      return copy_with(std::integral_constant<std::size_t, 16>());
    default:  // structured types
      return copy_with(plan.source_type.itemsize());
  }
}

void convert_items(const copy_plan& plan) {
  const row_conversion convert = conversion(plan.source_type, plan.destination_type);
  const copy_dimension row = plan.ndim == 0 ? copy_dimension{1, 0, 0} : plan.dimensions().back();
  for_each_row(plan, [&](const std::byte* source, std::byte* destination) {
    convert(source, row.source_stride, destination, row.destination_stride, row.extent);
  });
}

}  // namespace

void copy_on_host(const copy_plan& plan) {
  if (plan.converts()) {
    return convert_items(plan);
  }
  return plan.has_rows() ? copy_rows(plan) : copy_items(plan);
}

}  // namespace usmx::detail
