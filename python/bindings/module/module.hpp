// The parts of the module that no other room needs.
#pragma once

#include <cstdint>

#include "support/errors.hpp"
#include "support/interpreter_lock.hpp"
#include "support/nanobind.hpp"
#include "usmx/c_api.h"

namespace usmx::bindings {

/// Runs a body as guarded() does, for the tables' functions that need the interpreter lock: they
/// have it also if the caller lacks it. pybind11 makes arguments of what its casters have taken
/// under the function's call guard, which may have released the lock.
template <class Result, class Body>
Result guarded_with_lock(Result failed, Body body) noexcept {
  if (is_main_thread() && !has_interpreter()) {
    return failed;  // the thread that ends the process must not stop
  }
  const with_interpreter_lock locked;
  return guarded(failed, body);
}

/// Offers the table of usmx/c_api.h to extension modules.
void bind_c_api(nb::module_& m);

/// The function `accept` of that table.
int accept_version(const usmx_api* self, std::uint32_t major, std::uint32_t minor,
                   const void* code) noexcept;

/// The versions with which `usmx.importing_extension` explains an error.
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
