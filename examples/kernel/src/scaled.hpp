// Multiplies the elements of a vector, by a kernel on the device.
#pragma once

#include <usmx/array.hpp>

using vector_argument = usmx::read<double, 1, usmx::c_contig>;

/// A new array in memory of the same kind: `factor` times `x`. The kernel may still run: who uses
/// the result comes after it.
usmx::array scaled(const vector_argument& x, double factor);
