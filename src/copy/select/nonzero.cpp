#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <memory>

#include "base/process_state.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/select/selection.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx {
namespace {

/// Elements that are looked at together; their places fit a small cache.
constexpr std::ptrdiff_t block_size = 1024;

struct half {
  std::uint16_t bits;
};

bool is_nonzero(half value) noexcept { return (value.bits & 0x7fff) != 0; }
bool is_nonzero(auto value) noexcept { return value != decltype(value)(0); }

/// Calls `body` with a value of the C++ type of an element; a bool is the byte that it is.
template <class Body>
auto with_element_type(dtype type, Body body) {
  switch (type.code()) {
    case type_code::bool_:
    case type_code::int8:
    case type_code::uint8:
      return body(std::uint8_t());
    case type_code::int16:
    case type_code::uint16:
      return body(std::uint16_t());
    case type_code::int32:
    case type_code::uint32:
      return body(std::uint32_t());
    case type_code::int64:
    case type_code::uint64:
      return body(std::uint64_t());
    case type_code::float16:
      return body(half());
    case type_code::float32:
      return body(float());
    case type_code::float64:
      return body(double());
    case type_code::complex64:
      return body(std::complex<float>());
    case type_code::complex128:
      return body(std::complex<double>());
    case type_code::structured:
      break;
  }
  throw type_error(
      detail::message("elements to be compared with zero must have a plain type, found ", type));
}

/// Calls `body(first element, index)` for each row along the last dimension, in C order, with the
/// index of the row's first element. The shape has elements and at least one dimension.
template <class Body>
void for_each_row(const array_view& view, Body body) {
  const auto item = static_cast<std::ptrdiff_t>(view.type().itemsize());
  const auto outer = static_cast<std::size_t>(view.ndim() - 1);
  std::array<std::ptrdiff_t, max_ndim> index{};
  const std::byte* row = view.data();
  for (;;) {
    body(row, index);
    std::size_t k = outer;
    for (; k > 0; --k) {
      const std::ptrdiff_t stride = view.strides()[k - 1] * item;
      row += stride;
      if (++index[k - 1] < view.shape()[k - 1]) {
        break;
      }
      row -= stride * view.shape()[k - 1];
      index[k - 1] = 0;
    }
    if (k == 0) {
      return;
    }
  }
}

template <class T>
T element_at(const std::byte* address) noexcept {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return value;
}

template <class T>
std::ptrdiff_t count_row(const std::byte* row, std::ptrdiff_t stride, std::ptrdiff_t n) noexcept {
  std::ptrdiff_t count = 0;
  if (stride == sizeof(T)) {
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      count += is_nonzero(element_at<T>(row + i * static_cast<std::ptrdiff_t>(sizeof(T))));
    }
  } else {
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      count += is_nonzero(element_at<T>(row + i * stride));
    }
  }
  return count;
}

/// Where in a row the elements are that are not zero; returns how many.
template <class T>
std::ptrdiff_t find_in_block(const std::byte* row, std::ptrdiff_t stride, std::ptrdiff_t first,
                             std::ptrdiff_t n, std::int64_t* places) noexcept {
  std::ptrdiff_t found = 0;
  for (std::ptrdiff_t i = first; i < first + n; ++i) {  // without a branch that is hard to predict
    places[found] = i;
    found += is_nonzero(element_at<T>(row + i * stride));
  }
  return found;
}

/// Elements that the host may touch, with at least one dimension: `view` itself, or a compact copy
/// in `kept`.
array_view tested_on_host(const array_view& view, std::unique_ptr<std::byte[]>& kept) {
  layout where =
      view.ndim() == 0 ? *reshaped(view.layout(), std::array{std::ptrdiff_t{1}}) : view.layout();
  if (host_may_touch(view.kind(), view.device())) {
    return {view.origin(), view.type(), std::move(where), view.kind(), view.queue(), true};
  }
  kept = std::make_unique_for_overwrite<std::byte[]>(view.nbytes());
  const array_view target(kept.get(), view.type(), layout::c_order(view.shape()), usm_kind::unknown,
                          view.queue(), false);
  copy(view, target);
  return {kept.get(),        view.type(),  layout::c_order(where.shape()),
          usm_kind::unknown, view.queue(), true};
}

/// One int64 array that is being filled from its start, on the host.
struct coordinate_list {
  std::int64_t* data;
  std::ptrdiff_t stride;

  void put(std::ptrdiff_t at, const std::int64_t* values, std::ptrdiff_t n) const noexcept {
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      data[(at + i) * stride] = values[i];
    }
  }
  void repeat(std::ptrdiff_t at, std::int64_t value, std::ptrdiff_t n) const noexcept {
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      data[(at + i) * stride] = value;
    }
  }
};

void find_nonzero(const array_view& tested, std::span<const coordinate_list> lists,
                  std::ptrdiff_t capacity) {
  const auto item = static_cast<std::ptrdiff_t>(tested.type().itemsize());
  const std::size_t last = lists.size() - 1;
  const std::ptrdiff_t extent = tested.shape()[last];
  const std::ptrdiff_t stride = tested.strides()[last] * item;
  with_element_type(tested.type(), [&]<class T>(T) {
    std::array<std::int64_t, block_size + 1> places;
    std::ptrdiff_t filled = 0;
    for_each_row(tested, [&](const std::byte* row, const auto& index) {
      for (std::ptrdiff_t first = 0; first < extent; first += block_size) {
        const std::ptrdiff_t n = std::min(block_size, extent - first);
        // Somebody may have changed elements since they were counted.
        const std::ptrdiff_t found =
            std::min(find_in_block<T>(row, stride, first, n, places.data()), capacity - filled);
        for (std::size_t k = 0; k < last; ++k) {
          lists[k].repeat(filled, index[k], found);
        }
        lists[last].put(filled, places.data(), found);
        filled += found;
      }
    });
  });
}

void require_coordinates(const array_view& tested, std::span<const array_view> coordinates) {
  if (coordinates.size() != static_cast<std::size_t>(tested.ndim())) {
    throw value_error(detail::message("coordinates of elements in ", tested.ndim(),
                                      " dimensions need as many arrays, found ",
                                      coordinates.size()));
  }
  for (const array_view& list : coordinates) {
    if (list.type() != type_code::int64 || list.ndim() != 1 ||
        list.size() != coordinates[0].size()) {
      throw value_error(detail::message("an array of coordinates must be of int64 and shape (",
                                        coordinates[0].size(), ",), found ", list.type(), " and ",
                                        tuple_text(list.shape())));
    }
    if (list.readonly()) {
      throw read_only_error("an array of coordinates is read-only");
    }
  }
}

bool host_may_touch_all(std::span<const array_view> views) {
  return std::ranges::all_of(
      views, [](const array_view& view) { return host_may_touch(view.kind(), view.device()); });
}

/// Where the host cannot write, through ordinary memory.
void find_staged(const array_view& tested, std::span<const array_view> coordinates) {
  const auto count = static_cast<std::size_t>(coordinates[0].size());
  const auto staging = std::make_unique_for_overwrite<std::int64_t[]>(count * coordinates.size());
  std::vector<coordinate_list> lists;
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    lists.push_back({staging.get() + k * count, 1});
  }
  find_nonzero(tested, lists, coordinates[0].size());
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    copy({lists[k].data, type_code::int64, layout::c_order(coordinates[k].shape()),
          usm_kind::unknown, coordinates[k].queue(), true},
         coordinates[k]);
  }
}

}  // namespace

std::ptrdiff_t count_nonzero(const array_view& view) {
  return with_element_type(view.type(), [&]<class T>(T) -> std::ptrdiff_t {
    if (view.size() == 0) {
      return 0;
    }
    const detail::runtime_call call;
    std::unique_ptr<std::byte[]> kept;
    const array_view tested = tested_on_host(view, kept);
    const std::ptrdiff_t extent = tested.shape().back();
    const std::ptrdiff_t stride = tested.strides().back() * static_cast<std::ptrdiff_t>(sizeof(T));
    std::ptrdiff_t count = 0;
    for_each_row(tested, [&](const std::byte* row, const auto&) {
      count += count_row<T>(row, stride, extent);
    });
    return count;
  });
}

void nonzero(const array_view& view, std::span<const array_view> coordinates) {
  require_coordinates(view, coordinates);
  if (coordinates.empty() || coordinates[0].size() == 0 || view.size() == 0) {
    return;
  }
  const detail::runtime_call call;
  std::unique_ptr<std::byte[]> kept;
  const array_view tested = tested_on_host(view, kept);
  if (!host_may_touch_all(coordinates)) {
    return find_staged(tested, coordinates);
  }
  std::vector<coordinate_list> lists;
  for (const array_view& list : coordinates) {
    lists.push_back({reinterpret_cast<std::int64_t*>(list.data()), list.strides()[0]});
  }
  find_nonzero(tested, lists, coordinates[0].size());
}

}  // namespace usmx
