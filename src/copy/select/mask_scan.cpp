#include "copy/select/mask_scan.hpp"

#include <array>
#include <tuple>
#include <utility>

#include "copy/arguments.hpp"
#include "copy/copy_internal.hpp"

namespace usmx::inline v1::detail {
std::optional<mask_scan> mask_scan::of(const array_view& mask) {
  return mask.size() == 0 || touched_by_host(mask) ? std::nullopt : by_kernels(mask);
}

std::optional<mask_scan> mask_scan::by_kernels(const array_view& mask) {
  if (!reached_by_kernels(mask, mask.queue())) {
    return std::nullopt;
  }
  std::optional<kernel_chain> chain = kernel_chain::on(mask.queue());
  if (!chain) {
    return std::nullopt;
  }
  mask_scan result(*std::move(chain), mask);
  result.make_compact();
  result.scan();
  return result;
}

/// Kernels look at bytes that lie one after the other.
void mask_scan::make_compact() {
  if (mask_.type() == type_code::bool_ && mask_.layout().is_c_contiguous()) {
    bytes_ = reinterpret_cast<const std::uint8_t*>(mask_.data());
    if (reinterpret_cast<std::uintptr_t>(bytes_) % sizeof(std::uint64_t) == 0) {
      return;
    }
  }
  const array_view made = chain_.compact(mask_, type_code::bool_);
  bytes_ = reinterpret_cast<const std::uint8_t*>(made.data());
}

void mask_scan::scan() {
  const std::int64_t size = mask_.size();
  chunks_ = ceiling_of(size, kernels::mask_chunk);
  std::int64_t all = 0;
  std::int64_t count = chunks_;
  do {
    levels_.begin[levels_.count++] = all;
    all += count;
    count = ceiling_of(count, kernels::scan_chunk);
  } while (count > 1);
  levels_.numbers = chain_.numbers<std::int64_t>(all + 1);  // the last one is the sum of all
  chain_.run(select_kernel("usmx_count"), chunks_, [&](std::int64_t per_group) {
    return std::tuple(bytes_, size, levels_.numbers, chunks_, per_group);
  });
  for (std::int64_t k = 0; k < levels_.count; ++k) {
    std::int64_t* const numbers = levels_.numbers + levels_.begin[k];
    const std::int64_t end = k + 1 < levels_.count ? levels_.begin[k + 1] : all;
    const std::int64_t length = end - levels_.begin[k];
    const std::int64_t chunks = ceiling_of(length, kernels::scan_chunk);
    chain_.run(select_kernel("usmx_scan"), chunks, [&](std::int64_t per_group) {
      return std::tuple(numbers, length, numbers + length, chunks, per_group);
    });
  }
  count_ = chain_.read(levels_.numbers + all);
}

void mask_scan::write(std::span<const array_view> coordinates) {
  if (coordinates.empty() || coordinates[0].size() == 0) {
    return;
  }
  std::int64_t divisor = 1;
  for (std::size_t k = coordinates.size(); k-- > 0;) {
    const array_view& list = coordinates[k];
    const std::int64_t extent = mask_.shape()[k];
    const kernels::coordinate_rule rule{
        divisor, extent, list.strides()[0] * static_cast<std::ptrdiff_t>(list.type().itemsize()),
        list.size()};
    chain_.run(select_kernel("usmx_coordinates"), chunks_, [&](std::int64_t per_group) {
      return std::tuple(bytes_, static_cast<std::int64_t>(mask_.size()), levels_, chunks_,
                        per_group, reinterpret_cast<std::int64_t*>(list.data()), rule);
    });
    divisor *= extent;
  }
  chain_.wait();
}

}  // namespace usmx::inline v1::detail
