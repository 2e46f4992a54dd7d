// Linear algebra on GPUs by oneMKL's LAPACK for SYCL (docs/decisions.md, 213). Not installed.
#pragma once

#include "usmx/base/api.hpp"
#include "vendors/cusolver.hpp"

namespace usmx::inline v1::detail {

/// Whether oneMKL's LAPACK for GPUs is found. Loads it.
bool has_onemkl_lapack();

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1::internal {

/// Runs a call as start_cuda_solver() starts it, and waits for it, since the library tells of a
/// matrix that has failed by an exception. It has the routines lu with pivots of int64, lu_solve,
/// cholesky, qr, q, eigh, eigvalsh and svd_steps. Throws as start_cuda_solver().
USMX_API void run_onemkl_solver(const solver_call&);

}  // namespace usmx::inline v1::internal
