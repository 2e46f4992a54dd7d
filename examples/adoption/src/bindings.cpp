// The Python module usmx_adoption._native: memory of a foreign library becomes an array, and goes
// back to that library when nobody looks at it any more.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <sycl/usm.hpp>
#include <usmx/array.hpp>
#include <usmx/python/nanobind.hpp>
#include <usmx/runtime.hpp>

namespace nb = nanobind;

/// Stands for a library that takes pictures, and has a function of its own to free them.
namespace camera {

struct picture {
  float* pixels;  // USM
  std::ptrdiff_t rows;
  std::ptrdiff_t columns;
  sycl::queue queue;
};

std::atomic<int> pictures_alive = 0;

picture* take(std::ptrdiff_t rows, std::ptrdiff_t columns, const sycl::queue& queue) {
  const auto count = static_cast<std::size_t>(rows * columns);
  auto* pixels = sycl::malloc_shared<float>(count, queue);
  if (pixels == nullptr) throw std::bad_alloc();
  std::fill_n(pixels, count, 0.5F);
  ++pictures_alive;
  return new picture{pixels, rows, columns, queue};
}

void free_picture(picture* taken) {
  sycl::free(taken->pixels, taken->queue);
  delete taken;
  --pictures_alive;
}

}  // namespace camera

usmx::array take_picture(std::uint16_t rows, std::uint16_t columns) {
  camera::picture* picture = camera::take(rows, columns, usmx::default_queue());
  const std::array<std::ptrdiff_t, 2> shape = {picture->rows, picture->columns};
  // From here on the picture is freed, once, whatever happens: also where adopt throws.
  return usmx::array::adopt(picture->pixels, shape, usmx::dtype::of<float>(), picture->queue,
                            [picture](void*) { camera::free_picture(picture); });
}

NB_MODULE(_native, module) {
  usmx::python::import_usmx();
  module.def("take_picture", &take_picture, nb::arg("rows"), nb::arg("columns"),
             nb::call_guard<nb::gil_scoped_release>(),
             "Take a picture, float32, in memory of the camera's library.");
  module.def(
      "pictures_alive", [] { return camera::pictures_alive.load(); },
      "Return how many pictures the camera's library has not got back.");
}
