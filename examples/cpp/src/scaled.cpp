#include "scaled.hpp"

#include <usmx/layout/for_each.hpp>

usmx::array scaled(const vector_argument& x, double factor) {
  const auto result = usmx::empty<double, 1>(x.shape(), x.queue(), x.array().kind());
  usmx::for_each([factor](double& to, double from) { to = factor * from; }, result.host_view(),
                 x.view());
  return result;
}
