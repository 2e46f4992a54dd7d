// The parts of the module that no other room needs.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// Offers the table of usmx/c_api.h to extension modules.
void bind_c_api(nb::module_& m);

/// USMArray.__dlpack_c_exchange_api__, DLPack without a Python call, once the class is bound: the
/// table of C functions.
void bind_dlpack_table();

/// The disk cache of device kernels, for `python -m usmx cache`.
void bind_kernel_cache(nb::module_& m);

/// Detects waits of threads that hold the interpreter lock, for usmx's tests. Such waits are not
/// allowed, since dpctl and dpnp need the lock before their work can end (docs/decisions.md, 25).
void bind_watched_waits(nb::module_& m);

}  // namespace usmx::bindings
