#include "compute/host_calls.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <variant>

#include "array/array.hpp"
#include "copy/convert.hpp"
#include "generated_kernels/call.hpp"
#include "usmx/layout/for_each.hpp"

namespace usmx::inline v1::internal {
namespace {

/// How many elements of a row are computed at a time: as many as the nearest cache has in copies.
constexpr std::ptrdiff_t most_at_once = 512;
constexpr std::size_t largest_element = 2 * sizeof(double);
using copies = std::array<std::byte, most_at_once * largest_element>;

const array* array_in(const kernel_argument& operand) {
  const auto* found = std::get_if<const array*>(&operand.value());
  return found == nullptr ? nullptr : *found;
}

std::vector<const array*> arrays_in(std::span<const kernel_argument> operands) {
  std::vector<const array*> found;
  for (const kernel_argument& each : operands) {
    if (const array* a = array_in(each)) {
      found.push_back(a);
    }
  }
  return found;
}

using element = std::array<std::byte, largest_element>;

/// A number as an element of the type, which has it.
element element_of(const kernel_argument::number& value, dtype type) {
  element made{};
  std::visit(
      [&]<class T>(const T& number) {
        const detail::conversion convert(dtype::of<T>(), type);
        convert.adjacent(reinterpret_cast<const std::byte*>(&number), made.data(), 1);
      },
      value);
  return made;
}

/// One operand along a row, in the type of the loop.
class operand_row {
 public:
  /// An array's elements with this step in bytes. `at_hand` is memory for some of them.
  operand_row(dtype from, dtype to, std::ptrdiff_t step, copies& at_hand)
      : step_(step),
        itemsize_(static_cast<std::ptrdiff_t>(to.itemsize())),
        is_direct_(from == to && step == itemsize_),
        is_adjacent_(step == static_cast<std::ptrdiff_t>(from.itemsize())),
        convert_(from, to),
        copies_(at_hand.data()) {}

  /// A number, which is the same for all rows.
  operand_row(const element& value, dtype type, copies& at_hand)
      : operand_row(type, type, 0, at_hand) {
    value_ = value;
  }

  bool is_repeated() const noexcept { return step_ == 0; }
  /// Whether the loop reads the array's own elements.
  bool is_direct() const noexcept { return is_direct_; }

  /// The elements from `first` on; the number of operands without memory. Repeated ones are one.
  const void* one(const std::byte* first) {
    if (first != nullptr) {
      convert_.adjacent(first, value_.data(), 1);
    }
    return value_.data();
  }
  const void* read(const std::byte* first, std::ptrdiff_t count) {
    if (is_direct_) {
      return first;
    }
    if (step_ == 0) {
      repeat(one(first), count);
    } else if (is_adjacent_) {
      convert_.adjacent(first, copies_, count);
    } else {
      convert_.strided(first, step_, copies_, itemsize_, count);
    }
    return copies_;
  }

  std::ptrdiff_t step() const noexcept { return step_; }

 private:
  /// Fills the copies with one element; each time with as many as there are already.
  void repeat(const void* from, std::ptrdiff_t count) {
    const std::ptrdiff_t nbytes = count * itemsize_;
    std::memcpy(copies_, from, static_cast<std::size_t>(itemsize_));
    for (std::ptrdiff_t done = itemsize_; done < nbytes; done *= 2) {
      std::memcpy(copies_ + done, copies_, static_cast<std::size_t>(std::min(done, nbytes - done)));
    }
  }

  std::ptrdiff_t step_;
  std::ptrdiff_t itemsize_;
  bool is_direct_;
  bool is_adjacent_;
  detail::conversion convert_;
  element value_{};
  std::byte* copies_;
};

/// The result along a row.
class output_row {
 public:
  output_row(dtype from, dtype to, std::ptrdiff_t step)
      : step_(step),
        itemsize_(static_cast<std::ptrdiff_t>(from.itemsize())),
        is_direct_(from == to && step == itemsize_),
        is_adjacent_(step == static_cast<std::ptrdiff_t>(to.itemsize())),
        convert_(from, to) {}

  bool is_direct() const noexcept { return is_direct_; }
  void* target(std::byte* first) { return is_direct_ ? first : copies_.data(); }
  void write(std::byte* first, std::ptrdiff_t count) {
    if (is_direct_) {
      return;
    }
    if (is_adjacent_) {
      convert_.adjacent(copies_.data(), first, count);
    } else {
      convert_.strided(copies_.data(), itemsize_, first, step_, count);
    }
  }
  std::ptrdiff_t step() const noexcept { return step_; }

 private:
  std::ptrdiff_t step_;
  std::ptrdiff_t itemsize_;
  bool is_direct_;
  bool is_adjacent_;
  detail::conversion convert_;
  copies copies_;
};

using row_pointers = std::array<std::byte*, max_function_operands + 1>;  // the output last

/// The rows of one call, all of which have the same steps.
class row_computer {
 public:
  row_computer(const host_loops& loops, std::span<operand_row> operands, output_row& output)
      : loop_(loops.arrays), operands_(operands), output_(output) {
    bool are_direct = output.is_direct();
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const host_loops::loop of_number = operands.size() != 2 ? nullptr
                                         : k == 0             ? loops.number_first
                                                              : loops.number_second;
      is_one_[k] = of_number != nullptr && loop_ == loops.arrays && operands[k].is_repeated();
      loop_ = is_one_[k] ? of_number : loop_;
      are_direct = are_direct && (is_one_[k] || operands[k].is_direct());
    }
    if (are_direct) {
      most_ = std::numeric_limits<std::ptrdiff_t>::max();
    }
  }

  void compute(row_pointers at, std::ptrdiff_t extent) {
    if (extent <= most_) {
      compute_some(at, extent);
      return;
    }
    for (std::ptrdiff_t done = 0; done < extent; done += most_) {
      const std::ptrdiff_t count = std::min(most_, extent - done);
      compute_some(at, count);
      for (std::size_t k = 0; k < operands_.size(); ++k) {
        at[k] = at[k] == nullptr ? nullptr : at[k] + operands_[k].step() * count;
      }
      at.back() += output_.step() * count;
    }
  }

 private:
  void compute_some(const row_pointers& at, std::ptrdiff_t count) {
    host_loops::operands from{};
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      from[k] = is_one_[k] ? operands_[k].one(at[k]) : operands_[k].read(at[k], count);
    }
    loop_(from, output_.target(at.back()), count);
    output_.write(at.back(), count);
  }

  host_loops::loop loop_;
  std::span<operand_row> operands_;
  output_row& output_;
  /// Which operand the loop takes as a number.
  std::array<bool, max_function_operands> is_one_{};
  std::ptrdiff_t most_ = most_at_once;
};

}  // namespace

const host_loops* host_loops_for(const host_function& function, const function_row& row,
                                 const elementwise_types& types) noexcept {
  const std::span inputs = std::span(types.inputs).first(row.operand_count());
  const auto is_computed = [&](type_code each) { return each == types.computed; };
  if (compares_as_they_are(row, types) && !std::ranges::all_of(inputs, is_computed)) {
    return nullptr;
  }
  const host_loops& found = function.loops[static_cast<std::size_t>(types.computed)];
  return found.arrays == nullptr ? nullptr : &found;
}

host_call::host_call(const host_loops& loops, const function_row& row,
                     const elementwise_types& types, std::span<const kernel_argument> operands)
    : loops_(loops), types_(types), operands_(operands), conditions_(row.conditions) {
  const std::vector<const array*> arrays = arrays_in(operands);
  shape_ = detail::common_shape(row.name, arrays);
  output_layout_ = detail::common_layout(arrays, shape_);
}

bool host_call::may_write(const array& out) const {
  if (out.readonly() || out.type().code() != types_.result ||
      !std::ranges::equal(out.shape(), shape_) || detail::is_crowded(private_view(out))) {
    return false;
  }
  const array_view to = private_view(out);
  return std::ranges::none_of(operands_, [&](const kernel_argument& each) {
    const array* a = array_in(each);
    const bool is_same = a != nullptr && a->type().itemsize() == out.type().itemsize() &&
                         first_element(*a) == first_element(out) &&
                         std::ranges::equal(a->shape(), shape_) &&
                         std::ranges::equal(a->strides(), out.strides());
    return a != nullptr && !is_same && may_overlap(private_view(*a), to);
  });
}

void host_call::run(const array& out) const {
  const std::size_t count = operands_.size();
  std::array<layout, max_function_operands> layouts;
  std::array<detail::loop_operand, max_function_operands + 1> sides;
  const std::vector<std::ptrdiff_t> none(shape_.size());  // the strides of numbers
  for (std::size_t k = 0; k < count; ++k) {
    const array* a = array_in(operands_[k]);
    layouts[k] = a == nullptr ? layout() : broadcast(a->layout(), shape_);
    sides[k] = {a == nullptr ? std::span<const std::ptrdiff_t>(none) : layouts[k].strides(),
                a == nullptr ? 1 : static_cast<std::ptrdiff_t>(a->type().itemsize()), true};
  }
  sides[count] = {out.strides(), static_cast<std::ptrdiff_t>(out.type().itemsize()), false};
  detail::operand_loop loop;
  set_loop(loop, shape_, std::span(sides).first(count + 1), count);

  const detail::loop_dimension single{1, {}};
  const detail::loop_dimension& columns = loop.ndim == 0 ? single : loop.dimensions().back();
  std::array<copies, max_function_operands> at_hand;
  std::vector<operand_row> rows;
  rows.reserve(count);
  row_pointers at{};
  for (std::size_t k = 0; k < count; ++k) {
    const dtype to = k < static_cast<std::size_t>(conditions_) ? bool_ : dtype(types_.computed);
    if (const array* a = array_in(operands_[k])) {
      rows.emplace_back(a->type(), to, columns.strides[k], at_hand[k]);
      at[k] = first_element(*a) + loop.offsets[k];
    } else {
      const auto& number = std::get<kernel_argument::number>(operands_[k].value());
      rows.emplace_back(element_of(number, to), to, at_hand[k]);
    }
  }
  output_row output(loops_.result, out.type(), columns.strides[count]);
  at.back() = first_element(out) + loop.offsets[count];
  row_computer computer(loops_, rows, output);

  const std::span<const detail::loop_dimension> outer =
      loop.dimensions().first(loop.ndim == 0 ? 0 : loop.ndim - 1);
  const auto extent_of = [&](std::size_t k) { return outer[k].extent; };
  const auto move = [&](std::size_t dimension, std::ptrdiff_t steps) {
    for (std::size_t k = 0; k < count; ++k) {
      at[k] = at[k] == nullptr ? nullptr : at[k] + outer[dimension].strides[k] * steps;
    }
    at.back() += outer[dimension].strides[count] * steps;
  };
  detail::for_each_index(outer.size(), extent_of, move,
                         [&](auto) { computer.compute(at, columns.extent); });
}

}  // namespace usmx::inline v1::internal
