// Layouts are valid exactly when arithmetic of twice the width says so, and what is cut out of them
// or reshaped has the elements that Python's rules, written down plainly, say.
#include <algorithm>
#include <optional>
#include <vector>

#include "support.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/layout.hpp"

namespace {

using fuzz::exact_layout;
using fuzz::int128;
using fuzz::numbers;
using usmx::index_item;
using usmx::layout;

/// Of what is enumerated.
constexpr std::ptrdiff_t most_elements = 512;

numbers copied(std::span<const std::ptrdiff_t> entries) { return {entries.begin(), entries.end()}; }

void check_invariants(const layout& made) {
  const numbers shape = copied(made.shape());
  const exact_layout exact(shape, copied(made.strides()), made.offset());
  USMX_EXPECT(made.ndim() <= usmx::max_ndim);
  USMX_EXPECT(std::none_of(shape.begin(), shape.end(), [](auto n) { return n < 0; }));
  USMX_EXPECT(exact.is_valid());
  USMX_EXPECT(made.span().has_value() == exact.has_elements);
  USMX_EXPECT((made.size() != 0) == exact.has_elements);
  if (exact.has_elements) {
    USMX_EXPECT(made.span()->first == exact.first && made.span()->last == exact.last);
  }
}

/// Calls `visit` with each multi-index of a shape, in C order.
template <class Visit>
void for_each_index(const numbers& shape, Visit visit) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
  numbers index(shape.size(), 0);
  for (;;) {
    visit(index);
    std::size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

int128 offset_at(const layout& source, const numbers& index) {
  int128 offset = source.offset();
  for (std::size_t k = 0; k < index.size(); ++k) offset += int128{index[k]} * source.strides()[k];
  return offset;
}

std::vector<int128> offsets_of(const layout& source) {
  std::vector<int128> offsets;
  for_each_index(copied(source.shape()),
                 [&](const numbers& index) { offsets.push_back(offset_at(source, index)); });
  return offsets;
}

// Construction

std::optional<layout> draw_layout(FuzzedDataProvider& input) {
  const numbers shape = fuzz::draw_shape(input);
  const auto ndim = shape.size();
  const bool fitting = input.ConsumeIntegralInRange(0, 15) != 0;
  numbers strides = fuzz::draw(input, fitting ? ndim : input.ConsumeIntegralInRange(0, 6));
  const std::ptrdiff_t offset = fuzz::draw(input);
  const int how = input.ConsumeIntegralInRange(0, 3);
  const bool well_formed = ndim <= usmx::max_ndim &&
                           std::none_of(shape.begin(), shape.end(), [](auto n) { return n < 0; }) &&
                           (how > 1 || strides.size() == ndim);
  try {
    layout made = how == 3   ? layout::c_order(shape, offset)
                  : how == 2 ? layout::f_order(shape, offset)
                             : layout::strided(shape, strides, offset);
    USMX_EXPECT(well_formed);
    check_invariants(made);
    USMX_EXPECT(copied(made.shape()) == shape && made.offset() == offset);
    USMX_EXPECT(how > 1 || copied(made.strides()) == strides);
    USMX_EXPECT(how != 3 || made.is_c_contiguous());
    USMX_EXPECT(how != 2 || made.is_f_contiguous());
    return made;
  } catch (const usmx::value_error& error) {
    USMX_EXPECT(!well_formed);
    USMX_EXPECT(fuzz::is_readable(error.what()));
  } catch (const usmx::overflow_error& error) {
    USMX_EXPECT(well_formed);
    USMX_EXPECT(fuzz::is_readable(error.what()));
    if (how < 2) {
      USMX_EXPECT(!exact_layout(shape, strides, offset).is_valid());
    } else {
      // Compact strides reach from the offset to size - 1 behind it.
      const exact_layout sized(shape, numbers(ndim, 0), 0);
      int128 size = 1;
      for (const std::ptrdiff_t n : shape) size *= sized.size_fits ? n : 1;
      USMX_EXPECT(sized.has_elements && (!sized.size_fits || !fuzz::fits(offset + size - 1)));
    }
  }
  return std::nullopt;
}

void check_with_offset(const layout& source, std::ptrdiff_t offset) {
  const bool valid =
      exact_layout(copied(source.shape()), copied(source.strides()), offset).is_valid();
  try {
    check_invariants(source.with_offset(offset));
    USMX_EXPECT(valid);
  } catch (const usmx::overflow_error&) {
    USMX_EXPECT(!valid);
  }
}

// Subscription

std::vector<index_item> draw_items(FuzzedDataProvider& input) {
  const auto bound = [&] { return input.ConsumeBool() ? index_item::none : fuzz::draw(input); };
  std::vector<index_item> items;
  for (int left = input.ConsumeIntegralInRange(0, 6); left > 0; --left) {
    switch (input.ConsumeIntegralInRange(0, 7)) {
      case 0:
        items.push_back(index_item::newaxis());
        break;
      case 1:
        items.push_back(index_item::ellipsis());
        break;
      case 2:
      case 3:
        items.push_back(index_item::integer(fuzz::draw(input)));
        break;
      default: {
        const auto start = bound();
        const auto stop = bound();
        items.push_back(index_item::slice(start, stop, fuzz::draw(input)));
      }
    }
  }
  return items;
}

/// Indices start, start + step, ... of one axis.
struct selection {
  int128 start;
  int128 step;
  std::ptrdiff_t length;
};

/// Python's slice(start, stop, step).indices(extent).
selection sliced(const index_item& slice, std::ptrdiff_t extent) {
  const int128 step = slice.step;
  const int128 lowest = step < 0 ? -1 : 0;
  const int128 highest = step < 0 ? int128{extent} - 1 : int128{extent};
  const auto bound = [&](std::ptrdiff_t given, int128 otherwise) {
    if (given == index_item::none) return otherwise;
    const int128 from_front = given < 0 ? int128{given} + extent : int128{given};
    return std::clamp(from_front, lowest, highest);
  };
  const int128 start = bound(slice.start, step < 0 ? highest : lowest);
  const int128 stop = bound(slice.stop, step < 0 ? lowest : highest);
  const int128 distance = step < 0 ? start - stop : stop - start;
  const int128 stride = step < 0 ? -step : step;
  const int128 length = distance <= 0 ? 0 : (distance - 1) / stride + 1;
  return {start, step, static_cast<std::ptrdiff_t>(length)};
}

/// What each dimension of the result selects, and of which axis; none for a new one.
struct dimension {
  std::optional<std::size_t> axis;
  selection selected;
};

struct expected_view {
  std::vector<dimension> dimensions;
  int128 offset;
};

/// None where Python raises.
std::optional<expected_view> expected_subscript(const layout& source,
                                                const std::vector<index_item>& items) {
  using kind = index_item::kind;
  const auto count = [&](kind what) {
    return std::count_if(items.begin(), items.end(), [&](auto& item) { return item.what == what; });
  };
  const auto ndim = static_cast<std::size_t>(source.ndim());
  const auto taken = static_cast<std::size_t>(count(kind::integer) + count(kind::slice));
  if (count(kind::ellipsis) > 1 || taken > ndim) return std::nullopt;

  expected_view view{{}, source.offset()};
  std::size_t axis = 0;
  const auto take_whole = [&](std::size_t axes) {
    for (; axes > 0; --axes, ++axis) {
      view.dimensions.push_back({axis, {0, 1, source.shape()[axis]}});
    }
  };
  for (const index_item& item : items) {
    if (item.what == kind::ellipsis) {
      take_whole(ndim - taken);
    } else if (item.what == kind::newaxis) {
      view.dimensions.push_back({std::nullopt, {0, 1, 1}});
    } else if (item.what == kind::integer) {
      const std::ptrdiff_t extent = source.shape()[axis];
      const int128 index = item.start < 0 ? int128{item.start} + extent : int128{item.start};
      if (index < 0 || index >= extent) return std::nullopt;
      // Without elements strides may be anything, and where element zero lies says nothing.
      if (source.size() > 0) view.offset += index * source.strides()[axis];
      ++axis;
    } else {
      if (item.step == 0) return std::nullopt;
      view.dimensions.push_back({axis, sliced(item, source.shape()[axis])});
      ++axis;
    }
  }
  take_whole(ndim - axis);
  if (view.dimensions.size() > static_cast<std::size_t>(usmx::max_ndim)) return std::nullopt;
  return view;
}

void check_elements(const layout& source, const expected_view& expected, const layout& found) {
  for_each_index(copied(found.shape()), [&](const numbers& index) {
    int128 offset = expected.offset;
    for (std::size_t k = 0; k < index.size(); ++k) {
      const auto& [axis, selected] = expected.dimensions[k];
      if (axis) offset += (selected.start + index[k] * selected.step) * source.strides()[*axis];
    }
    USMX_EXPECT(offset_at(found, index) == offset);
  });
}

std::optional<layout> check_subscript(const layout& source, const std::vector<index_item>& items) {
  const auto expected = expected_subscript(source, items);
  try {
    layout found = usmx::subscript(source, items);
    USMX_EXPECT(expected.has_value());
    check_invariants(found);
    numbers shape;
    for (const dimension& d : expected->dimensions) shape.push_back(d.selected.length);
    USMX_EXPECT(copied(found.shape()) == shape);
    if (found.size() <= most_elements) check_elements(source, *expected, found);
    return found;
  } catch (const usmx::index_error& error) {
    USMX_EXPECT(!expected && fuzz::is_readable(error.what()));
  } catch (const usmx::value_error& error) {
    USMX_EXPECT(!expected && fuzz::is_readable(error.what()));
  }
  return std::nullopt;
}

// Reshaping

/// A shape with as many elements, most of the time.
numbers draw_factors(FuzzedDataProvider& input, std::ptrdiff_t size) {
  if (size == 0 || input.ConsumeIntegralInRange(0, 7) == 0) return fuzz::draw_shape(input);
  numbers factors;
  std::ptrdiff_t left = size;
  for (int more = input.ConsumeIntegralInRange(0, 6); more > 0; --more) {
    const std::ptrdiff_t n = input.ConsumeIntegralInRange<std::ptrdiff_t>(1, 8);
    if (left % n == 0) {
      factors.push_back(n);
      left /= n;
    }
  }
  factors.insert(factors.begin() + input.ConsumeIntegralInRange<std::ptrdiff_t>(
                                       0, static_cast<std::ptrdiff_t>(factors.size())),
                 left);
  return factors;
}

/// Whether any strides give the elements, in that order, under that shape.
bool has_view(const std::vector<int128>& elements, const numbers& shape) {
  std::vector<int128> strides(shape.size());
  std::size_t distance = 1;
  for (std::size_t k = shape.size(); k-- > 0;) {
    if (shape[k] > 1) strides[k] = elements[distance] - elements[0];
    distance *= static_cast<std::size_t>(shape[k]);
  }
  bool same = true;
  std::size_t position = 0;
  for_each_index(shape, [&](const numbers& index) {
    int128 offset = elements[0];
    for (std::size_t k = 0; k < index.size(); ++k) offset += index[k] * strides[k];
    same = same && offset == elements[position++];
  });
  return same;
}

void check_reshaped(const layout& source, const numbers& shape) {
  const exact_layout wanted(shape, numbers(shape.size(), 0), 0);
  int128 size = wanted.has_elements ? 1 : 0;
  for (const std::ptrdiff_t n : shape) size *= wanted.size_fits ? n : 1;
  const bool allowed = shape.size() <= usmx::max_ndim && wanted.size_fits &&
                       size == source.size() &&
                       std::none_of(shape.begin(), shape.end(), [](auto n) { return n < 0; });
  try {
    const std::optional<layout> found = usmx::reshaped(source, shape);
    USMX_EXPECT(allowed);
    if (found) {
      check_invariants(*found);
      USMX_EXPECT(copied(found->shape()) == shape);
    }
    if (source.size() > most_elements) return;
    const std::vector<int128> elements = offsets_of(source);
    if (found) {
      USMX_EXPECT(offsets_of(*found) == elements);
    } else {
      USMX_EXPECT(!elements.empty() && !has_view(elements, shape));
    }
  } catch (const usmx::value_error& error) {
    USMX_EXPECT(!allowed && fuzz::is_readable(error.what()));
  } catch (const usmx::overflow_error& error) {
    USMX_EXPECT(!allowed && fuzz::is_readable(error.what()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  const std::optional<layout> source = draw_layout(input);
  if (!source) return 0;
  check_with_offset(*source, fuzz::draw(input));
  const std::optional<layout> part = check_subscript(*source, draw_items(input));
  const layout& reshaped = part ? *part : *source;
  check_reshaped(reshaped, draw_factors(input, reshaped.size()));
  return 0;
}
