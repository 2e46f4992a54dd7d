// The SYCL runtimes that are loaded in this process. Two of them make the process crash.
#pragma once

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// Throws runtime_conflict, whose message has the paths of the libraries, while more than one SYCL
/// runtime is loaded. Code calls this before it uses a SYCL object that another library made: an
/// object of another runtime (libsycl of another major version) makes this one crash. The call
/// takes some 10 ns unless a library was loaded since the last one.
USMX_API void check_single_runtime();

}  // namespace usmx::inline v1
