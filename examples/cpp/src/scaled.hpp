// Multiplies the elements of a vector, on the host.
#pragma once

#include <usmx/array.hpp>

using vector_argument = usmx::host<const double, 1>;

/// A new array in memory of the same kind: `factor` times `x`.
usmx::array scaled(const vector_argument& x, double factor);
