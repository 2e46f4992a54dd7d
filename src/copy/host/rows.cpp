#include "copy/host/rows.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "copy/host/block_mover.hpp"
#include "copy/host/sharing.hpp"

namespace usmx::inline v1::detail {
namespace {

class row_copy {
 public:
  row_copy(const copy_plan& plan, const index_space& outer, const copy_dimension& row,
           std::size_t itemsize, const host_thresholds& thresholds) noexcept
      : plan_(plan),
        outer_(outer),
        row_(row),
        move_(plan.source_type, plan.destination_type, itemsize, row.source_stride,
              row.destination_stride),
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

  /// `count` items from `item` on of the rows from `first` to `end` - 1.
  void move_rows(std::ptrdiff_t first, std::ptrdiff_t end, std::ptrdiff_t item,
                 std::ptrdiff_t count) const noexcept {
    const bool streams = share_.streaming && move_.can_stream() &&
                         count * move_.destination_itemsize() >= 4 * line_nbytes;
    outer_.for_each_run(
        first, end,
        [&](std::ptrdiff_t source_offset, std::ptrdiff_t destination_offset, std::ptrdiff_t rows,
            const copy_dimension& step) {
          const block b{plan_.source + source_offset + item * row_.source_stride,
                        plan_.destination + destination_offset + item * row_.destination_stride,
                        rows,
                        step.source_stride,
                        step.destination_stride,
                        count,
                        row_.source_stride,
                        row_.destination_stride,
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

}  // namespace

void copy_rows(const copy_plan& plan, const index_space& outer, const copy_dimension& row,
               std::size_t itemsize, const host_thresholds& thresholds) noexcept {
  row_copy(plan, outer, row, itemsize, thresholds).run();
}

}  // namespace usmx::inline v1::detail
