// The rows of an array, through which algorithms go one by one, and the kernels that do so. Not
// installed.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sycl/queue.hpp>

#include "array/array.hpp"
#include "memory/buffer.hpp"
#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::internal {

inline std::ptrdiff_t divided_up(std::ptrdiff_t a, std::ptrdiff_t b) { return (a + b - 1) / b; }

/// Throws type_error for structured elements.
void require_plain(std::string_view function, dtype);

/// Throws unless a result of that type and shape, on that queue, can be written to `out`:
/// type_error where it changes its kind by that, value_error for another shape or queue,
/// read_only_error.
void require_output(std::string_view function, const array& out, dtype type,
                    std::span<const std::ptrdiff_t> shape, const sycl::queue&);

/// A view with this axis last.
array with_axis_last(const array&, int axis);
/// A layout whose axis `axis` is the last one of rows in C order of that shape.
layout of_rows(std::span<const std::ptrdiff_t> shape, int axis);

/// The elements in another type: the array itself if it has that, else a copy.
array in_type(const array&, dtype);
/// The elements in C order: the array itself or a copy.
array in_c_order(const array&);
/// The elements in C order and one dimension: a view or a copy.
array flattened(const array&);
/// The elements in C order for kernels: the array itself or a copy. Bools are a copy in any case,
/// in which true is the byte 1.
array rows_for_kernels(const array&);

/// The elements in C order for the host, which reaches them, while no work on them is unfinished:
/// where they are, or a copy, in which true is the byte 1.
class rows_on_host {
 public:
  /// The array outlives this.
  explicit rows_on_host(const array&);

  const std::byte* first() const noexcept { return first_; }

 private:
  std::vector<std::byte> copied_;
  const std::byte* first_;
};

/// An array without values beside another one, whose first use comes in the order of all work.
array new_beside(const array&, std::span<const std::ptrdiff_t> shape, dtype);

/// Whether an array is on a CPU with float64, of whose kernels the host has the bits.
bool is_of_cpu(const array&);

/// Whether the host computes with the elements as a kernel does: on a CPU with float64, whose
/// memory it reaches, and where no work on them may be unfinished.
USMX_API bool is_ready_on_cpu(const array&);

/// Computes what a call on `x` makes, on the host if it is for the host.
template <class Call>
array computed(const Call& call, const array& x) {
  const bool is_for_host = call.is_for_host();
  array made = new_array(call.made_layout(), call.made_type(), private_queue(x), x.kind(), 0,
                         is_for_host ? first_use::at_once : first_use::in_order);
  if (is_for_host && call.is_for_host()) {  // another thread may have begun work meanwhile
    call.run_on_host(made);
  } else {
    call.run_kernels(made);
  }
  return made;
}

/// How kernels share rows out: as the device's work items run, or by groups of them in any case,
/// which is for tests without a GPU.
enum class row_sharing { by_device, by_groups };

/// Whether work items of a group run at once, as those of GPUs do, or are to be used as if they
/// did.
bool has_groups_in_step(const array&, row_sharing);

/// The kernels of one of the files of compute/device, which may include others, for a queue's
/// device. The macros are defined before it.
std::vector<kernel> compile_device_text(const sycl::queue&, std::string_view file,
                                        std::span<const std::string> names,
                                        std::span<const std::pair<std::string, std::string>> macros,
                                        const std::function<void(std::chrono::seconds)>& progress);

/// Runs a kernel in groups of so many work items; 0: usmx chooses.
void launch_items(const kernel&, const sycl::queue&, std::ptrdiff_t items, std::ptrdiff_t group,
                  std::initializer_list<kernel_argument>);
/// Work items that each go through a part of an array. On CPUs each is a group of its own: else the
/// compiler makes vectors of them, which then read places far apart.
void launch_parts(const kernel&, const sycl::queue&, std::ptrdiff_t items,
                  std::initializer_list<kernel_argument>);

}  // namespace usmx::inline v1::internal
