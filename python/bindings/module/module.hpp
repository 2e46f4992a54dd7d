// The parts of the module that no other room needs.
#pragma once

#include <cstdint>

#include "support/nanobind.hpp"
#include "usmx/c_api.h"

namespace usmx::bindings {

/// Offers the table of usmx/c_api.h to extension modules.
void bind_c_api(nb::module_& m);

/// The function `accept` of that table.
int accept_version(const usmx_api* self, std::uint32_t major, std::uint32_t minor,
                   const void* code) noexcept;

/// What `usmx.importing_extension` explains with.
void bind_versions(nb::module_& m);

/// USMArray.__dlpack_c_exchange_api__, DLPack without a Python call, once the class is bound: the
/// table of C functions.
void bind_dlpack_table();

/// The disk cache of device kernels, for `python -m usmx cache`.
void bind_kernel_cache(nb::module_& m);

/// Detects waits of threads that hold the interpreter lock, for usmx's tests. Such waits are not
/// allowed, since dpctl and dpnp need the lock before their work can end (docs/decisions.md, 25).
void bind_watched_waits(nb::module_& m);

}  // namespace usmx::bindings
