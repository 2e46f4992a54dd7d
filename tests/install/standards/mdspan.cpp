// Views go to std::mdspan and back. Ends with 0 if they are right, with 77 if there is no
// std::mdspan.
#include <usmx/layout/strided_view.hpp>

#if !defined(__cpp_lib_mdspan)
int main() { return 77; }
#else
#include <array>
#include <concepts>
#include <cstddef>
#include <mdspan>

namespace {

using usmx::strided_view;
using strides = std::array<std::ptrdiff_t, 2>;

template <class T>
using strided_mdspan = std::mdspan<T, std::dextents<std::ptrdiff_t, 2>, std::layout_stride>;

static_assert(!std::convertible_to<strided_view<const int, 2>, strided_mdspan<int> >);
static_assert(!std::convertible_to<strided_mdspan<const int>, strided_view<int, 2> >);

std::array<int, 6> storage;

bool view_goes_to_mdspan_and_back() {
  const strided_view<int, 2> view(storage.data(), {2, 3}, {3, 1});
  const strided_mdspan<int> span = view;
  const strided_view<const int, 2> back = span;
  return span.extent(1) == 3 && span.stride(0) == 3 && span.data_handle() == view.data() &&
         &back(1, 2) == &view(1, 2);
}

bool mdspans_of_every_strided_mapping_are_taken() {
  const strided_view<int, 2> right = std::mdspan(storage.data(), 2, 3);
  const std::mdspan<int, std::extents<int, 3, 2>, std::layout_left> span(storage.data());
  const strided_view<int, 2> left = span;
  return right.strides() == strides{3, 1} && left.strides() == strides{1, 3};
}

}  // namespace

int main() {
  return view_goes_to_mdspan_and_back() && mdspans_of_every_strided_mapping_are_taken() ? 0 : 1;
}
#endif
