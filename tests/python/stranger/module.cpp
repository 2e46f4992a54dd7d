// An extension that knows neither usmx nor SYCL: it takes and gives arrays as nanobind does.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>

namespace nb = nanobind;

namespace {

using any_array = nb::ndarray<nb::array_api>;
using usm_array = nb::ndarray<nb::ro, nb::device::oneapi>;
using host_array = nb::ndarray<double, nb::ndim<1>, nb::device::cpu>;

nb::tuple numbers(std::size_t count, auto number) {
  nb::list all;
  for (std::size_t k = 0; k < count; ++k) {
    all.append(number(k));
  }
  return nb::tuple(all);
}

nb::tuple described(const usm_array& a) {
  return nb::make_tuple(nb::make_tuple(a.device_type(), a.device_id()),
                        reinterpret_cast<std::uintptr_t>(a.data()),
                        numbers(a.ndim(), [&](std::size_t k) { return a.shape(k); }),
                        numbers(a.ndim(), [&](std::size_t k) { return a.stride(k); }),
                        nb::make_tuple(a.dtype().code, a.dtype().bits));
}

void double_all(const host_array& a) {
  for (std::size_t k = 0; k < a.shape(0); ++k) {
    a(k) *= 2;
  }
}

nb::ndarray<nb::array_api, double> counted(std::size_t size) {
  auto* values = new double[size];
  for (std::size_t k = 0; k < size; ++k) {
    values[k] = static_cast<double>(k);
  }
  const nb::capsule owner(values, [](void* held) noexcept { delete[] static_cast<double*>(held); });
  return {values, {size}, owner};
}

}  // namespace

NB_MODULE(stranger, m) {
  m.def("described", &described);
  m.def("double_all", &double_all);
  m.def("same", [](const any_array& a) { return a; });
  m.def("counted", &counted);
}
