#include "copy/host.hpp"

#include <cstdint>
#include <utility>

namespace usmx::inline v1::detail {
namespace {

class row_copy {
 public:
  row_copy(const copy_plan& plan, const index_space& outer, const copy_dimension& row,
           std::size_t itemsize, const host_thresholds& thresholds) noexcept
      : plan_(plan),
        outer_(outer),
        row_(row),
        move_(plan.source_type, plan.destination_type, itemsize, row.strides[source_side],
              row.strides[destination_side]),
        row_nbytes_(row.extent * static_cast<std::ptrdiff_t>(itemsize)),
        share_(outer.size() * row_nbytes_, thresholds) {}

  void run() const noexcept {
    if (share_.parallel && row_nbytes_ >= 2 * share_.task_nbytes) {
      return run_parts_of_rows();
    }
    share_.run(outer_.size(), row_nbytes_, [&](std::ptrdiff_t first, std::ptrdiff_t end) {
      move_rows(first, end, 0, row_.extent);
    });
  }

 private:
  void run_parts_of_rows() const noexcept {
    const std::ptrdiff_t part =
        std::max<std::ptrdiff_t>(share_.task_nbytes / move_.destination_itemsize(), 1);
    const std::ptrdiff_t parts = ceil_divide(row_.extent, part);
    for_each_task(outer_.size() * parts, [&](std::ptrdiff_t task) {
      const std::ptrdiff_t row = task / parts;
      const std::ptrdiff_t first = task % parts * part;
      move_rows(row, row + 1, first, std::min(part, row_.extent - first));
    });
  }

  /// Moves `count` items, beginning with `item`, of the rows from `first` to `end` - 1.
  void move_rows(std::ptrdiff_t first, std::ptrdiff_t end, std::ptrdiff_t item,
                 std::ptrdiff_t count) const noexcept {
    const bool streams = share_.streaming && move_.can_stream() &&
                         count * move_.destination_itemsize() >= 4 * line_nbytes;
    outer_.for_each_run(
        first, end,
        [&](std::ptrdiff_t source_offset, std::ptrdiff_t destination_offset, std::ptrdiff_t rows,
            const copy_dimension& step) {
          const block b{
              plan_.source + source_offset + item * row_.strides[source_side],
              plan_.destination + destination_offset + item * row_.strides[destination_side],
              rows,
              step.strides[source_side],
              step.strides[destination_side],
              count,
              row_.strides[source_side],
              row_.strides[destination_side],
              static_cast<std::size_t>(move_.destination_itemsize())};
          streams ? stream_rows(b) : move_(b);
        });
    if (streams) {
      finish_streaming();
    }
  }

  void stream_rows(const block& b) const noexcept {
    for (std::ptrdiff_t row = 0; row < b.rows; ++row) {
      move_.stream_row(b.source + row * b.source_row_step, b.source_step,
                       b.destination + row * b.destination_row_step, b.count);
    }
  }

  const copy_plan& plan_;
  const index_space& outer_;
  copy_dimension row_;
  block_mover move_;
  std::ptrdiff_t row_nbytes_;
  sharing share_;
};

class tiled_copy {
 public:
  /// `across` is the dimension in which the source has its smallest step, `along` that in which the
  /// destination has it.
  tiled_copy(const copy_plan& plan, const index_space& outer, const copy_dimension& across,
             const copy_dimension& along, std::size_t itemsize,
             const host_thresholds& thresholds) noexcept
      : plan_(plan),
        outer_(outer),
        across_(across),
        along_(along),
        move_(plan.source_type, plan.destination_type, itemsize, across.strides[source_side],
              across.strides[destination_side]),
        itemsize_(static_cast<std::ptrdiff_t>(itemsize)),
        share_(outer.size() * across.extent * along.extent * itemsize_, thresholds) {
    const bool adjacent = across.strides[source_side] == move_.source_itemsize() &&
                          along.strides[destination_side] == itemsize_ && can_transpose(itemsize);
    transposes_ = adjacent && !move_.converts();
    converts_and_transposes_ = adjacent && move_.converts();
    // A tile has whole cache lines of the destination, as many as the scratch memory has room for.
    tile_along_ = std::clamp<std::ptrdiff_t>(4 * line_nbytes / itemsize_, 1, along.extent);
    tile_across_ =
        std::clamp<std::ptrdiff_t>(scratch_nbytes / (tile_along_ * itemsize_), 1, across.extent);
    const bool by_lines =
        (transposes_ || converts_and_transposes_) && tile_along_ * itemsize_ >= 2 * line_nbytes;
    const bool crowded = is_crowded(across.strides[destination_side]);
    streams_ = by_lines && (share_.streaming || (crowded && share_.parallel));
    through_scratch_ = by_lines && (share_.streaming || crowded);
    first_along_ = through_scratch_ ? items_to_line() : tile_along_;
    tiles_along_ = 1 + ceil_divide(along.extent - first_along_, tile_along_);
    tiles_across_ = ceil_divide(across.extent, tile_across_);
  }

  void run() const noexcept {
    share_.run(outer_.size() * tiles_across_ * tiles_along_, tile_across_ * tile_along_ * itemsize_,
               [&](std::ptrdiff_t first, std::ptrdiff_t end) { move_tiles(first, end); });
  }

 private:
  /// Whether lines at that distance share so few sets of the nearest cache (it has 64 sets of 8
  /// lines) that it cannot hold them until they are filled.
  static bool is_crowded(std::ptrdiff_t stride) noexcept { return stride % 2048 == 0; }

  /// The length of the first tile with which the next ones start at a cache line.
  std::ptrdiff_t items_to_line() const noexcept {
    const auto beyond = static_cast<std::ptrdiff_t>(
        reinterpret_cast<std::uintptr_t>(plan_.destination) % line_nbytes);
    const std::ptrdiff_t items = (line_nbytes - beyond) / itemsize_;
    return std::clamp<std::ptrdiff_t>(items, 1, tile_along_);
  }

  void move_tiles(std::ptrdiff_t first, std::ptrdiff_t end) const noexcept {
    const std::ptrdiff_t plane = tiles_across_ * tiles_along_;
    while (first < end) {
      const std::ptrdiff_t outer = first / plane;
      const std::ptrdiff_t last = std::min(end, (outer + 1) * plane);
      outer_.for_each_run(outer, outer + 1,
                          [&](std::ptrdiff_t source_offset, std::ptrdiff_t destination_offset,
                              std::ptrdiff_t, const copy_dimension&) {
                            for (std::ptrdiff_t t = first; t < last; ++t) {
                              move_tile(t % plane, source_offset, destination_offset);
                            }
                          });
      first = last;
    }
    if (streams_) {
      finish_streaming();
    }
  }

  void move_tile(std::ptrdiff_t tile, std::ptrdiff_t source_offset,
                 std::ptrdiff_t destination_offset) const noexcept {
    const std::ptrdiff_t across = tile % tiles_across_ * tile_across_;
    const std::ptrdiff_t which = tile / tiles_across_;
    const std::ptrdiff_t along = which == 0 ? 0 : first_along_ + (which - 1) * tile_along_;
    const std::ptrdiff_t longest = which == 0 ? first_along_ : tile_along_;
    move_tile(block{plan_.source + source_offset + across * across_.strides[source_side] +
                        along * along_.strides[source_side],
                    plan_.destination + destination_offset +
                        across * across_.strides[destination_side] +
                        along * along_.strides[destination_side],
                    std::min(longest, along_.extent - along), along_.strides[source_side],
                    along_.strides[destination_side],
                    std::min(tile_across_, across_.extent - across), across_.strides[source_side],
                    across_.strides[destination_side], static_cast<std::size_t>(itemsize_)});
  }

  void move_tile(const block& tile) const noexcept {
    if (transposes_) {
      return transpose_tile(tile);
    }
    if (converts_and_transposes_) {
      return convert_and_transpose(tile);
    }
    move_by_longer_side(tile);
  }

  void move_by_longer_side(block tile) const noexcept {
    if (!move_.converts() && tile.rows > tile.count) {
      std::swap(tile.rows, tile.count);
      std::swap(tile.source_row_step, tile.source_step);
      std::swap(tile.destination_row_step, tile.destination_step);
      return move_kernel(tile.itemsize, tile.source_step, tile.destination_step)(tile);
    }
    move_(tile);
  }

  void convert_and_transpose(const block& tile) const noexcept {
    alignas(line_nbytes) scratch converted;
    block to_scratch = tile;
    to_scratch.destination = converted.data();
    to_scratch.destination_step = itemsize_;
    to_scratch.destination_row_step = tile.count * itemsize_;
    block_mover(plan_.source_type, plan_.destination_type, tile.itemsize, tile.source_step,
                itemsize_)(to_scratch);
    block from_scratch = tile;
    from_scratch.source = converted.data();
    from_scratch.source_step = itemsize_;
    from_scratch.source_row_step = to_scratch.destination_row_step;
    transpose_tile(from_scratch);
  }

  void transpose_tile(const block& tile) const noexcept {
    if (!through_scratch_) {
      return transpose(tile);
    }
    alignas(line_nbytes) scratch transposed;
    const std::ptrdiff_t row_nbytes = tile.rows * itemsize_;
    block to_scratch = tile;
    to_scratch.destination = transposed.data();
    to_scratch.destination_row_step = itemsize_;
    to_scratch.destination_step = row_nbytes;
    transpose(to_scratch);
    for (std::ptrdiff_t k = 0; k < tile.count; ++k) {
      std::byte* const row = tile.destination + k * tile.destination_step;
      const std::byte* const lines = transposed.data() + k * row_nbytes;
      if (streams_) {
        stream(row, lines, static_cast<std::size_t>(row_nbytes));
      } else {
        std::memcpy(row, lines, static_cast<std::size_t>(row_nbytes));
      }
    }
  }

  const copy_plan& plan_;
  const index_space& outer_;
  copy_dimension across_;
  copy_dimension along_;
  block_mover move_;
  std::ptrdiff_t itemsize_;
  sharing share_;
  bool transposes_;
  bool converts_and_transposes_;
  bool streams_;
  bool through_scratch_;
  std::ptrdiff_t tile_along_;
  std::ptrdiff_t tile_across_;
  std::ptrdiff_t first_along_;
  std::ptrdiff_t tiles_along_;
  std::ptrdiff_t tiles_across_;
};

/// The dimension in which the source has its smallest step, the innermost one of several.
std::size_t source_innermost(std::span<const copy_dimension> dimensions) noexcept {
  std::size_t found = dimensions.size() - 1;
  const auto step = [&](std::size_t k) { return std::abs(dimensions[k].strides[source_side]); };
  for (std::size_t k = dimensions.size(); k-- > 0;) {
    // Repeated items (a step of 0) are no runs, so any other dimension is preferred.
    if (step(k) != 0 && (step(found) == 0 || step(k) < step(found))) {
      found = k;
    }
  }
  return found;
}

/// Whether a run of few adjacent items is as long as a number, and so is moved as one item.
bool is_one_item(const copy_plan& plan, const copy_dimension& d) noexcept {
  const auto itemsize = static_cast<std::ptrdiff_t>(plan.source_type.itemsize());
  return !plan.converts() && d.strides[source_side] == itemsize &&
         d.strides[destination_side] == itemsize && d.extent <= 16 &&
         can_transpose(static_cast<std::size_t>(d.extent * itemsize));
}

bool repeats_one_element(const copy_plan& plan) noexcept {
  return std::ranges::all_of(plan.dimensions(),
                             [](const copy_dimension& d) { return d.strides[source_side] == 0; });
}

/// Converts the one element of the source once, and repeats the result.
void convert_and_repeat(copy_plan plan, const host_thresholds& thresholds) noexcept {
  std::array<std::byte, 16> element;  // as large as the largest plain type
  conversion(plan.source_type, plan.destination_type).strided(plan.source, 0, element.data(), 0, 1);
  plan.source = element.data();
  plan.source_type = plan.destination_type;
  copy_on_host(plan, thresholds);
}

}  // namespace

void copy_on_host(const copy_plan& plan, const host_thresholds& thresholds) noexcept {
  if (plan.converts() && repeats_one_element(plan)) {
    return convert_and_repeat(plan, thresholds);
  }
  std::span<const copy_dimension> dimensions = plan.dimensions();
  std::size_t itemsize = plan.destination_type.itemsize();
  if (dimensions.size() > 1 && is_one_item(plan, dimensions.back())) {
    itemsize *= static_cast<std::size_t>(dimensions.back().extent);
    dimensions = dimensions.first(dimensions.size() - 1);
  }
  index_space outer;
  if (dimensions.empty()) {
    const auto step = static_cast<std::ptrdiff_t>(itemsize);
    const copy_dimension single{1, step, step};
    return row_copy(plan, outer, single, itemsize, thresholds).run();
  }
  const std::size_t along = dimensions.size() - 1;
  const std::size_t across = source_innermost(dimensions);
  for (std::size_t k = 0; k < along; ++k) {
    if (k != across) {
      outer.add(dimensions[k]);
    }
  }
  if (across == along) {
    row_copy(plan, outer, dimensions[along], itemsize, thresholds).run();
  } else {
    tiled_copy(plan, outer, dimensions[across], dimensions[along], itemsize, thresholds).run();
  }
}

}  // namespace usmx::inline v1::detail
