// The product of two matrices, by oneMKL.
#pragma once

#include <usmx/array.hpp>

using matrix_argument = usmx::read<double, 2, usmx::c_contig>;

/// The matrix product on a's queue, in memory of a's kind. oneMKL may still compute: who uses the
/// result comes after it. Throws usmx::value_error for matrices that do not fit.
usmx::array product(const matrix_argument& a, const matrix_argument& b);
