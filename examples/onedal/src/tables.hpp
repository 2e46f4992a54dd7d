// oneDAL's tables over the memory of usmx arrays, and usmx arrays over the memory of tables.
#pragma once

#include <array>
#include <cstddef>
#include <oneapi/dal/table/homogen.hpp>
#include <oneapi/dal/table/row_accessor.hpp>
#include <string>
#include <usmx/array/array.hpp>
#include <usmx/array/array_view.hpp>
#include <usmx/base/error.hpp>

namespace tables {

namespace dal = oneapi::dal;

/// oneDAL's name for the array's order. Throws usmx::value_error when it is not two-dimensional,
/// has no elements, or has gaps.
inline dal::data_layout layout_of(const usmx::array_view& x) {
  if (x.ndim() != 2 || x.size() == 0) {
    throw usmx::value_error("expected rows and columns with elements, found shape " +
                            usmx::tuple_text(x.shape()));
  }
  if (x.kind() == usmx::usm_kind::unknown) {
    throw usmx::value_error("expected unified shared memory, found ordinary host memory");
  }
  if (x.layout().is_c_contiguous()) {
    return dal::data_layout::row_major;
  }
  if (x.layout().is_f_contiguous()) {
    return dal::data_layout::column_major;
  }
  throw usmx::value_error("expected a C- or F-contiguous array, found strides " +
                          usmx::tuple_text(x.strides()) + " for shape " +
                          usmx::tuple_text(x.shape()));
}

/// A table over the array's memory, which the table and its copies keep alive. The array's elements
/// are of that type. oneDAL only reads them, and does not know of work that is under way.
template <class Float>
dal::homogen_table over(const usmx::array& x) {
  const usmx::array_view view = x.view();
  const dal::data_layout layout = layout_of(view);
  return {view.queue(),
          reinterpret_cast<const Float*>(view.data()),
          view.shape()[0],
          view.shape()[1],
          [x](const Float*) {},
          {},
          layout};
}

/// The elements of a table as an array in USM, (rows, columns), owned by oneDAL: usmx lets go of
/// them by letting go of oneDAL's block. A CPU device computes on the host and gives ordinary
/// memory, which `pull` copies; USM it hands out as it is. Nobody else has the table: it is the
/// caller's own result.
template <class T>
usmx::array to_array(const dal::table& table, sycl::queue queue) {
  dal::array<T> block =
      dal::row_accessor<const T>(table).pull(queue, {0, -1}, sycl::usm::alloc::shared);
  const std::array<std::ptrdiff_t, 2> shape{table.get_row_count(), table.get_column_count()};
  return usmx::array::adopt(const_cast<T*>(block.get_data()), shape, usmx::dtype::of<T>(), queue,
                            [block](void*) mutable noexcept { block.reset(); });
}

}  // namespace tables
