#include "generated_kernels/operand_loop.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <optional>

#include "layout/layout.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

void add_dimensions(operand_loop& loop, std::span<const std::ptrdiff_t> shape,
                    std::span<const loop_operand> operands) {
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] == 1) {
      continue;
    }
    loop_dimension& added = loop.all_dimensions[loop.ndim++];
    added.extent = shape[k];
    for (std::size_t i = 0; i < operands.size(); ++i) {
      added.strides[i] = operands[i].strides[k] * operands[i].item;
    }
  }
}

void walk_upwards(operand_loop& loop, std::size_t leading) {
  for (loop_dimension& d : loop.dimensions()) {
    if (d.strides[leading] >= 0) {
      continue;
    }
    for (std::size_t i = 0; i < loop.count; ++i) {
      loop.offsets[i] += d.strides[i] * (d.extent - 1);
      d.strides[i] = -d.strides[i];
    }
  }
}

void join_dimensions(operand_loop& loop) {
  loop.ndim = join_runs(loop.dimensions(), [&](loop_dimension& outer, const loop_dimension& inner) {
    for (std::size_t i = 0; i < loop.count; ++i) {
      if (outer.strides[i] != inner.strides[i] * inner.extent) {
        return false;
      }
    }
    const std::ptrdiff_t joined = outer.extent * inner.extent;
    outer = inner;
    outer.extent = joined;
    return true;
  });
}

/// Decides as the copy engine's is_transposed: a few columns are not worth tiles.
bool is_transposed(const loop_dimension& rows, const loop_dimension& columns, std::size_t operand) {
  constexpr std::ptrdiff_t worthwhile = 4;
  return rows.extent >= worthwhile && columns.extent >= worthwhile && rows.strides[operand] != 0 &&
         std::abs(rows.strides[operand]) < std::abs(columns.strides[operand]);
}

/// The dimension along which an operand that is read has its elements closest together, if that
/// is not the innermost one: the first such operand's.
std::optional<std::size_t> rows_of_tiles(const operand_loop& loop,
                                         std::span<const loop_operand> operands) {
  const std::span<const loop_dimension> all = loop.dimensions();
  for (std::size_t i = 0; i < loop.count; ++i) {
    std::size_t nearest = all.size() - 1;
    for (std::size_t k = 0; k < all.size(); ++k) {
      nearest = is_transposed(all[k], all[nearest], i) ? k : nearest;
    }
    if (operands[i].is_read && nearest != all.size() - 1) {
      return nearest;
    }
  }
  return std::nullopt;
}

constexpr std::size_t smallest_tile_edge = 16;
/// The local memory that each device has for variables: CUDA's devices have the least.
constexpr std::size_t most_local_nbytes = 49152;

std::size_t tiles_nbytes(std::size_t edge, std::size_t element_nbytes) {
  return edge * (edge + 1) * element_nbytes;
}

/// The edge of tiles, from 64 down to 16: the tiles of all operands should fit into a processor's
/// nearest cache.
std::size_t tile_edge(std::size_t element_nbytes) {
  constexpr std::size_t most_nbytes = 32768;
  std::size_t edge = 64;
  while (edge > smallest_tile_edge && tiles_nbytes(edge, element_nbytes) > most_nbytes) {
    edge /= 2;
  }
  return edge;
}

}  // namespace

step step_of(const loop_dimension& columns, std::size_t operand, std::ptrdiff_t item) noexcept {
  const std::ptrdiff_t stride = columns.strides[operand];
  if (stride == item) {
    return step::adjacent;
  }
  if (stride == 0) {
    return step::repeated;
  }
  if (stride == 2 * item) {
    return step::every_other;
  }
  return std::abs(stride) <= INT_MAX / columns.extent ? step::near : step::strided;
}

void set_loop(operand_loop& loop, std::span<const std::ptrdiff_t> shape,
              std::span<const loop_operand> operands, std::size_t leading) {
  loop.ndim = 0;
  loop.count = operands.size();
  std::ranges::fill(std::span(loop.offsets).first(loop.count), 0);
  add_dimensions(loop, shape, operands);
  walk_upwards(loop, leading);
  put_longest_first(loop.dimensions(), [&](const loop_dimension& d) { return d.strides[leading]; });
  join_dimensions(loop);
}

loop_form choose_form(operand_loop& loop, std::span<const loop_operand> operands,
                      std::size_t batch) {
  loop_form form{loop_kind::flat, 1, 0, batch, {}};
  if (loop.ndim == 0) {
    std::ranges::fill(std::span(form.steps).first(loop.count), step::adjacent);
    return form;
  }
  const loop_dimension& columns = loop.dimensions().back();
  for (std::size_t i = 0; i < loop.count; ++i) {
    form.steps[i] = step_of(columns, i, operands[i].item);
  }
  if (loop.ndim == 1) {
    const auto is_flat = [](step each) { return each == step::adjacent || each == step::repeated; };
    if (std::ranges::all_of(std::span(form.steps).first(loop.count), is_flat)) {
      return form;
    }
  }
  form.kind = loop_kind::rows;
  form.dimensions = std::clamp<std::size_t>(loop.ndim, 2, max_kernel_loop_dimensions);
  const std::optional<std::size_t> rows = rows_of_tiles(loop, operands);
  if (!rows) {
    return form;
  }
  const auto first = loop.dimensions().begin() + static_cast<std::ptrdiff_t>(*rows);
  std::rotate(first, first + 1, loop.dimensions().end() - 1);
  loop_form tiles = form;
  std::size_t element_nbytes = 0;
  for (std::size_t i = 0; i < loop.count; ++i) {
    const loop_dimension& rows_of_all = loop.all_dimensions[loop.ndim - 2];
    if (operands[i].is_read && is_transposed(rows_of_all, columns, i)) {
      const bool is_adjacent = rows_of_all.strides[i] == operands[i].item;
      tiles.steps[i] = is_adjacent ? step::transposed : step::turned;
      element_nbytes += static_cast<std::size_t>(operands[i].item);
    }
  }
  if (tiles_nbytes(smallest_tile_edge, element_nbytes) > most_local_nbytes) {
    return form;
  }
  tiles.kind = loop_kind::tiles;
  tiles.edge = tile_edge(element_nbytes);
  return tiles;
}

std::string to_string(const loop_form& form, std::size_t operand_count) {
  constexpr const char* names[] = {"flat", "rows", "tiles"};
  std::string text = message(names[static_cast<std::size_t>(form.kind)], ' ', form.dimensions, ' ',
                             form.edge, ' ', form.batch, ' ');
  for (std::size_t i = 0; i < operand_count; ++i) {
    text += static_cast<char>(form.steps[i]);
  }
  return text;
}

}  // namespace usmx::inline v1::detail
