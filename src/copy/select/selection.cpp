#include "copy/select/selection.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <numeric>
#include <type_traits>
#include <utility>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "base/ranked_mutex.hpp"
#include "base/threads.hpp"
#include "copy/convert.hpp"
#include "copy/copy.hpp"
#include "copy/select/index_blocks.hpp"
#include "copy/staging.hpp"
#include "layout/layout.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/copy/select/selection.hpp"
#include "usmx/layout/for_each.hpp"

namespace usmx::inline v1::detail {
namespace {

using axis_span = std::span<const std::ptrdiff_t>;

/// The distance in bytes from each element of the common shape to the next; none if the distances
/// differ.
std::optional<std::ptrdiff_t> single_step(axis_span shape, axis_span strides) {
  std::optional<std::ptrdiff_t> step;
  std::ptrdiff_t next = 0;
  for (std::size_t k = shape.size(); k > 0; --k) {
    if (shape[k - 1] == 1) {
      continue;
    }
    if (step && strides[k - 1] != next) {
      return std::nullopt;
    }
    step = step.value_or(strides[k - 1]);
    next = strides[k - 1] * shape[k - 1];
  }
  return step.value_or(0);
}

/// Makes a row of adjacent items one item.
void absorb_rows(transfer& moved) {
  for (std::size_t k = moved.rest.size(); k > 0; --k) {
    const rest_dimension& d = moved.rest[k - 1];
    const auto item = static_cast<std::ptrdiff_t>(moved.item_nbytes);
    if (d.linear_stride == item && d.indexed_stride == item) {
      moved.item_nbytes *= static_cast<std::size_t>(d.extent);
      moved.rest.erase(moved.rest.begin() + static_cast<std::ptrdiff_t>(k - 1));
    }
  }
}

std::size_t common_begin(const selection& selected) {
  return static_cast<std::size_t>(selected.position());
}

bool is_indexed(const selection& selected, int dimension) {
  return std::ranges::any_of(selected.indices(),
                             [=](const axis_index& index) { return index.dimension == dimension; });
}

index_blocks blocks_of(const selection& selected, const array_view& indexed) {
  return {selected.common_shape(), selected.indices(), scales_of(indexed, selected)};
}

/// Calls `body(linear, indexed)` with byte addresses, once for each index of the outermost `outer`
/// dimensions of the rest.
template <class Body>
void for_each_rest(const transfer& moved, std::size_t outer, std::byte* linear, const Body& body) {
  std::byte* indexed = moved.indexed;
  for_each_index(
      outer, [&](std::size_t k) { return moved.rest[k].extent; },
      [&](std::size_t k, std::ptrdiff_t steps) {
        linear += moved.rest[k].linear_stride * steps;
        indexed += moved.rest[k].indexed_stride * steps;
      },
      [&](std::span<const std::ptrdiff_t>) { body(linear, indexed); });
}

/// Whether the innermost rest dimension is the inner loop, and not the offsets of a block: if it
/// walks through the linear side in smaller steps, or is much longer.
bool walks_rest_first(const transfer& moved, std::ptrdiff_t offsets) {
  if (moved.rest.empty()) {
    return false;
  }
  const rest_dimension& row = moved.rest.back();
  return std::abs(row.linear_stride) < std::abs(moved.linear_step) || offsets < row.extent / 8;
}

/// Moves the items that one block of offsets leads to. `move(linear, indexed)` moves one item.
template <class Move>
void move_block(const transfer& moved, std::span<const std::int64_t> offsets, std::byte* linear,
                Move move) {
  const std::size_t ndim = moved.rest.size();
  if (!walks_rest_first(moved, std::ssize(offsets))) {
    for_each_rest(moved, ndim, linear, [&](std::byte* to, std::byte* base) {
      for (const std::int64_t offset : offsets) {
        move(to, base + offset);
        to += moved.linear_step;
      }
    });
    return;
  }
  const rest_dimension& row = moved.rest.back();
  for_each_rest(moved, ndim - 1, linear, [&](std::byte* to, std::byte* base) {
    for (const std::int64_t offset : offsets) {
      for (std::ptrdiff_t i = 0; i < row.extent; ++i) {
        move(to + i * row.linear_stride, base + offset + i * row.indexed_stride);
      }
      to += moved.linear_step;
    }
  });
}

template <class Move>
void move_all(const transfer& moved, std::byte* linear, index_blocks& blocks, Move move) {
  for (auto offsets = blocks.next(); !offsets.empty(); offsets = blocks.next()) {
    move_block(moved, offsets, linear, move);
    linear += std::ssize(offsets) * moved.linear_step;
  }
}

class first_failure {
 public:
  void note(std::ptrdiff_t task) noexcept {
    const std::lock_guard lock(mutex_);
    if (failure_ == nullptr || task < task_) {
      failure_ = std::current_exception();
      task_ = task;
    }
  }
  void rethrow() const {
    if (failure_ != nullptr) {
      std::rethrow_exception(failure_);
    }
  }

 private:
  ranked_mutex<lock_rank::task_failure> mutex_;
  std::exception_ptr failure_;
  std::ptrdiff_t task_ = 0;
};

/// The number of offsets that a thread takes at a time, some 100 us of work.
std::ptrdiff_t offsets_of_task(std::ptrdiff_t offsets, std::size_t nbytes) {
  constexpr std::ptrdiff_t task_nbytes = std::ptrdiff_t{512} << 10;
  constexpr std::ptrdiff_t most = std::ptrdiff_t{32} << 10;
  const std::ptrdiff_t each = static_cast<std::ptrdiff_t>(nbytes) / offsets;
  return std::clamp<std::ptrdiff_t>(task_nbytes / std::max<std::ptrdiff_t>(each, 1), 1, most);
}

/// Moves all items to the linear side, on several threads if that pays: each element has a position
/// of its own there, unless the step is 0.
template <class Move>
void gather_all(const transfer& moved, index_blocks& blocks, std::size_t nbytes, Move move) {
  const std::ptrdiff_t all = blocks.size();
  const std::ptrdiff_t share = offsets_of_task(all, nbytes);
  if (all <= share || moved.linear_step == 0) {
    return move_all(moved, moved.linear, blocks, move);
  }
  first_failure failure;
  for_each_task((all + share - 1) / share, [&](std::ptrdiff_t task) {
    const std::ptrdiff_t first = task * share;
    try {
      index_blocks own = blocks.part(first, std::min(share, all - first));
      move_all(moved, moved.linear + first * moved.linear_step, own, move);
    } catch (...) {
      failure.note(task);
    }
  });
  failure.rethrow();
}

}  // namespace

std::vector<std::ptrdiff_t> scales_of(const array_view& indexed, const selection& selected) {
  const auto item = static_cast<std::ptrdiff_t>(indexed.type().itemsize());
  std::vector<std::ptrdiff_t> result;
  for (const axis_index& index : selected.indices()) {
    result.push_back(indexed.strides()[static_cast<std::size_t>(index.dimension)] * item);
  }
  return result;
}

std::optional<transfer> plan_transfer(const array_view& indexed, const selection& selected,
                                      const array_view& linear) {
  const auto item = static_cast<std::ptrdiff_t>(indexed.type().itemsize());
  const std::size_t begin = common_begin(selected);
  const std::size_t n = selected.common_shape().size();
  const auto step = single_step(selected.common_shape(), linear.strides().subspan(begin, n));
  if (!step) {
    return std::nullopt;
  }
  transfer result{linear.data(), indexed.data(), indexed.type().itemsize(), *step * item, {}};
  std::size_t k = 0;
  for (int d = 0; d < indexed.ndim(); ++d) {
    if (is_indexed(selected, d)) {
      continue;
    }
    k += k == begin ? n : 0;
    const auto from = static_cast<std::size_t>(d);
    if (indexed.shape()[from] != 1) {
      result.rest.push_back(
          {indexed.shape()[from], linear.strides()[k] * item, indexed.strides()[from] * item});
    }
    ++k;
  }
  absorb_rows(result);
  return result;
}

void move_to_linear(const transfer& moved, const array_view& indexed, const selection& selected,
                    std::size_t nbytes) {
  index_blocks blocks = blocks_of(selected, indexed);
  with_item_size(moved.item_nbytes, [&](auto size) {
    gather_all(moved, blocks, nbytes,
               [size](std::byte* to, const std::byte* from) { std::memcpy(to, from, size); });
  });
}

void move_to_indexed(const transfer& moved, const array_view& indexed, const selection& selected) {
  index_blocks blocks = blocks_of(selected, indexed);
  with_item_size(moved.item_nbytes, [&](auto size) {
    move_all(moved, moved.linear, blocks,
             [size](const std::byte* from, std::byte* to) { std::memcpy(to, from, size); });
  });
}

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1 {
namespace {

using axis_span = std::span<const std::ptrdiff_t>;

/// The dimension of the entry for a mask without dimensions, which selects along no axis.
constexpr int no_dimension = -1;

bool is_mask(const array_view& array) noexcept { return array.type() == type_code::bool_; }

/// An item of a key whose arrays are finished.
using finished_item = std::variant<index_item, array_view, each_index>;

/// The number of axes that an item selects along; an ellipsis stands for all that are left.
int axes_of(const finished_item& item) noexcept {
  if (const auto* array = std::get_if<array_view>(&item)) {
    return is_mask(*array) ? array->ndim() : 1;
  }
  if (std::holds_alternative<each_index>(item)) {
    return 1;
  }
  const index_item::kind what = std::get<index_item>(item).what;
  return what == index_item::kind::integer || what == index_item::kind::slice ? 1 : 0;
}

/// The key with a whole slice in the place of each array.
std::vector<index_item> basic_items(std::span<const finished_item> key) {
  std::vector<index_item> items;
  for (const finished_item& item : key) {
    if (const auto* basic = std::get_if<index_item>(&item)) {
      items.push_back(*basic);
    } else {
      items.insert(items.end(), static_cast<std::size_t>(axes_of(item)),
                   index_item::slice(index_item::none, index_item::none, 1));
    }
  }
  return items;
}

/// Finds the position at which NumPy puts the dimensions of the arrays: see selection::position.
class position_finder {
 public:
  void pass_index() noexcept {
    if (separated_) {
      position_ = 0;
    } else if (!position_) {
      position_ = dimensions_;
    }
  }
  void pass_dimensions(int n) noexcept {
    separated_ = separated_ || position_.has_value();
    dimensions_ += n;
  }
  int position() const noexcept { return position_.value_or(0); }

 private:
  int dimensions_ = 0;
  std::optional<int> position_;
  bool separated_ = false;
};

void require_index_type(const array_view& array) {
  const char kind = array.type().kind();
  if (kind != 'b' && kind != 'i' && kind != 'u') {
    throw index_error(detail::message(
        "an array in an index must be of an integer type or bool, found ", array.type()));
  }
}

array_view finished(const array& values) {
  const array_view view = internal::private_view(values);
  require_index_type(view);
  detail::wait_before(values, detail::access::read);
  return view;
}

array_view finished(const array_view& values) {
  detail::require_host_memory("selection::of", values);
  require_index_type(values);
  return values;
}

/// Waits for the work before reading the arrays of a key.
std::vector<finished_item> finished(std::span<const key_item> key) {
  std::vector<finished_item> items;
  for (const key_item& item : key) {
    std::visit(
        [&]<class Item>(const Item& given) {
          if constexpr (std::is_same_v<Item, index_item> || std::is_same_v<Item, each_index>) {
            items.emplace_back(given);
          } else {
            items.emplace_back(finished(given));
          }
        },
        item);
  }
  return items;
}

/// Follows NumPy: an axis of length 0 fits every axis, and selects nothing.
void require_mask_shape(const array_view& mask, axis_span shape, int first_axis) {
  for (int k = 0; k < mask.ndim(); ++k) {
    const auto axis = static_cast<std::size_t>(first_axis + k);
    const std::ptrdiff_t found = mask.shape()[static_cast<std::size_t>(k)];
    if (found != shape[axis] && found != 0) {
      throw index_error(
          detail::message("a mask must have the shape of the axes that it selects along: expected ",
                          shape[axis], " elements along axis ", axis, ", found ", found));
    }
  }
}

/// The only mask of a key; null if the key has other items, or nobody walks through the mask as it
/// is.
std::shared_ptr<detail::mask_scan> find_only_mask(std::span<const finished_item> key,
                                                  const layout& where) {
  const auto* mask = key.size() == 1 ? std::get_if<array_view>(&key[0]) : nullptr;
  if (mask == nullptr || !is_mask(*mask) || mask->ndim() == 0 || mask->ndim() != where.ndim()) {
    return nullptr;
  }
  require_mask_shape(*mask, where.shape(), 0);
  auto walked = detail::mask_scan::by_host(*mask);
  auto scanned = walked ? std::move(walked) : detail::mask_scan::of(*mask);
  return scanned ? std::make_shared<detail::mask_scan>(*std::move(scanned)) : nullptr;
}

bool is_reached(const axis_index& index) {
  return index.elements.size() == 0 || (!index.is_each && detail::touched_by_host(index.elements));
}

const sycl::queue& queue_of_arrays(std::span<const finished_item> key) {
  for (const finished_item& item : key) {
    if (const auto* array = std::get_if<array_view>(&item)) {
      return array->queue();
    }
  }
  throw value_error("a key with an each_index must have an array, too, found none");
}

/// The integers of an index in memory that the host may touch, without repetitions.
internal::staging on_host_once(const axis_index& index) {
  const array_view once = detail::each_once(index.elements);
  if (!index.is_each) {
    return internal::staging::fetched(once);
  }
  internal::staging result(once.shape(), type_code::int64, once.queue());
  auto* const first = reinterpret_cast<std::int64_t*>(result.view().data());
  std::iota(first, first + once.size(), std::int64_t{0});
  return result;
}

}  // namespace

const array_view& selection::keep(internal::staging&& values) const {
  return kept_.emplace_back(std::make_shared<const internal::staging>(std::move(values)))->view();
}

array_view selection::keep(const array& values) const {
  memory_.push_back(values.owner());
  return internal::private_view(values);
}

void selection::add(int axis, int dimension, std::ptrdiff_t extent, const array_view& values) {
  indices_.push_back({axis, dimension, extent, values});
}

void selection::add_mask(int axis, int dimension, const layout& where, const array_view& mask) {
  require_mask_shape(mask, where.shape(), axis);
  auto scanned = mask.ndim() == 0 ? std::nullopt : detail::mask_scan::of(mask);
  const std::array count{scanned ? scanned->count() : detail::count_nonzero(mask)};
  if (mask.ndim() == 0) {
    // The mask selects along no axis, yet has a say in the common shape.
    indices_.push_back({axis, no_dimension, 1,
                        array_view(nullptr, type_code::int64, layout::c_order(count),
                                   usm_kind::unknown, mask.queue(), true)});
    return;
  }
  std::vector<array_view> coordinates;
  for (int k = 0; k < mask.ndim(); ++k) {
    coordinates.push_back(scanned ? keep(empty(count, type_code::int64, mask.queue()))
                                  : keep(internal::staging(count, type_code::int64, mask.queue())));
    add(axis + k, dimension + k, where.shape()[static_cast<std::size_t>(axis + k)],
        coordinates.back());
  }
  scanned ? scanned->write(coordinates) : detail::nonzero(mask, coordinates);
}

void selection::add_each(int axis, int dimension, std::ptrdiff_t extent, const each_index& each,
                         const sycl::queue& queue) {
  std::vector<std::ptrdiff_t> shape(static_cast<std::size_t>(each.ndim), 1);
  shape.at(static_cast<std::size_t>(each.dimension)) = extent;
  indices_.push_back({axis, dimension, extent,
                      array_view(nullptr, type_code::int64, layout::c_order(shape),
                                 usm_kind::unknown, queue, true),
                      true});
}

detail::mask_scan* detail::only_mask(const selection& selected) {
  return selected.only_mask_.get();
}

void selection::count_only_mask() const {
  if (only_mask_ && shape_.empty()) {
    const detail::runtime_call call;
    common_shape_ = shape_ = {only_mask_->count()};
  }
}

void selection::write_only_mask() const {
  if (!only_mask_ || !indices_.empty()) {
    return;
  }
  const detail::runtime_call call;
  const array_view& mask = only_mask_->mask();
  std::vector<array_view> coordinates;
  const std::array count{only_mask_->count()};
  for (int k = 0; k < mask.ndim(); ++k) {
    coordinates.push_back(only_mask_->is_on_host()
                              ? keep(internal::staging(count, type_code::int64, mask.queue()))
                              : keep(empty(count, type_code::int64, mask.queue())));
  }
  only_mask_->write(coordinates);
  for (int k = 0; k < mask.ndim(); ++k) {
    const auto axis = static_cast<std::size_t>(k);
    indices_.push_back({k, k, mask.shape()[axis], coordinates[axis]});
  }
}

std::span<const axis_index> selection::indices() const {
  write_only_mask();
  return indices_;
}

std::span<const std::ptrdiff_t> selection::common_shape() const {
  count_only_mask();
  return common_shape_;
}

std::span<const std::ptrdiff_t> selection::shape() const {
  count_only_mask();
  return shape_;
}

void selection::broadcast_indices() {
  std::size_t ndim = 0;
  for (const axis_index& index : indices_) {
    ndim = std::max(ndim, index.elements.shape().size());
  }
  common_shape_.assign(ndim, 1);
  bool compatible = true;
  for (const axis_index& index : indices_) {
    const axis_span shape = index.elements.shape();
    for (std::size_t k = 0; k < shape.size(); ++k) {
      std::ptrdiff_t& common = common_shape_[ndim - shape.size() + k];
      compatible = compatible && (common == shape[k] || common == 1 || shape[k] == 1);
      common = common == 1 ? shape[k] : common;
    }
  }
  if (!compatible) {
    const auto shape_text = [](const axis_index& each) {
      return tuple_text(each.elements.shape());
    };
    throw index_error(detail::message(
        "shape mismatch: arrays in an index could not be broadcast together, found shapes ",
        detail::listed(indices_, shape_text, " ")));
  }
  std::erase_if(indices_, [](const axis_index& index) { return index.dimension == no_dimension; });
  for (axis_index& index : indices_) {
    index.elements =
        index.elements.with_layout_unchecked(broadcast(index.elements.layout(), common_shape_));
  }
}

void selection::find_shape() {
  for (int k = 0; k < basic_.ndim(); ++k) {
    if (std::ranges::none_of(indices_,
                             [&](const axis_index& index) { return index.dimension == k; })) {
      shape_.push_back(basic_.shape()[static_cast<std::size_t>(k)]);
    }
  }
  shape_.insert(shape_.begin() + position_, common_shape_.begin(), common_shape_.end());
  if (shape_.size() > static_cast<std::size_t>(max_ndim)) {
    throw index_error(detail::message("what is selected must have at most ", max_ndim,
                                      " dimensions, found ", shape_.size()));
  }
  static_cast<void>(layout::c_order(shape_));  // there can be as many elements
}

selection selection::of(const layout& where, std::span<const key_item> given) {
  const detail::runtime_call call;
  const std::vector<finished_item> key = finished(given);
  int axes_left = where.ndim();
  for (const finished_item& item : key) {
    axes_left -= axes_of(item);
  }
  selection result(subscript(where, basic_items(key)));
  for (const key_item& item : given) {
    if (const auto* values = std::get_if<array>(&item)) {
      result.keep(*values);
    }
  }
  if (auto mask = find_only_mask(key, where)) {
    result.only_mask_ = std::move(mask);
    result.unique_ = true;
    return result;
  }
  position_finder finder;
  int axis = 0;
  int dimension = 0;
  int masks = 0;
  for (const finished_item& item : key) {
    int axes = axes_of(item);
    int dimensions = axes;
    const auto* array = std::get_if<array_view>(&item);
    if (array != nullptr && is_mask(*array)) {
      ++masks;
      result.add_mask(axis, dimension, where, *array);
    } else if (array != nullptr) {
      result.add(axis, dimension, where.shape()[static_cast<std::size_t>(axis)], *array);
    } else if (const auto* each = std::get_if<each_index>(&item)) {
      result.add_each(axis, dimension, where.shape()[static_cast<std::size_t>(axis)], *each,
                      queue_of_arrays(key));
    }
    const auto* basic = std::get_if<index_item>(&item);
    if (basic == nullptr || basic->what == index_item::kind::integer) {
      finder.pass_index();
      dimensions = basic == nullptr ? axes : 0;
    } else {
      axes = basic->what == index_item::kind::ellipsis ? axes_left : axes;
      dimensions = basic->what == index_item::kind::newaxis ? 1 : axes;
      finder.pass_dimensions(dimensions);
    }
    axis += axes;
    dimension += dimensions;
  }
  const auto arrays = std::ranges::count_if(
      key, [](const finished_item& item) { return std::holds_alternative<array_view>(item); });
  result.unique_ = arrays == 1 && masks == 1;
  result.broadcast_indices();
  result.position_ = finder.position();
  result.find_shape();
  return result;
}

void selection::check() const {
  if (only_mask_ || std::ranges::find(common_shape_, 0) != common_shape_.end()) {
    return;
  }
  for (const axis_index& index : indices_) {
    if (!index.is_each && !is_reached(index)) {
      return on_host().check();
    }
  }
  for (const axis_index& index : indices_) {
    if (!index.is_each) {
      detail::check_indices(index);
    }
  }
}

bool selection::is_on_host() const {
  return (!only_mask_ || only_mask_->is_on_host()) &&
         std::ranges::all_of(indices_, [](const axis_index& index) { return is_reached(index); });
}

selection selection::on_host() const {
  count_only_mask();
  write_only_mask();
  selection result = *this;
  result.only_mask_ = nullptr;
  for (axis_index& index : result.indices_) {
    if (!is_reached(index)) {
      const array_view& once = result.keep(on_host_once(index));
      index.elements = once.with_layout_unchecked(broadcast(once.layout(), index.elements.shape()));
      index.is_each = false;
    }
  }
  return result;
}

void selection::keep_from(const array_view& written) {
  if (written.size() == 0) {
    return;
  }
  const auto bytes_of = [](const array_view& view) {
    return detail::bytes_of(view.origin(), view.layout(), view.type().itemsize());
  };
  const detail::byte_range target = bytes_of(written);
  if (only_mask_ && only_mask_->is_on_host() && overlap(bytes_of(only_mask_->mask()), target)) {
    count_only_mask();
    write_only_mask();
    only_mask_ = nullptr;
  }
  for (axis_index& index : indices_) {
    const array_view& elements = index.elements;
    if (elements.size() != 0 && !index.is_each && overlap(bytes_of(elements), target)) {
      index.elements = keep(internal::staging::fetched(elements));
    }
  }
}

}  // namespace usmx::inline v1
