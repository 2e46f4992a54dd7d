// Which SYCL runtimes are mapped in this process: more than one crash each other.
#pragma once

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// To be called before a SYCL object that somebody else made is touched: it may be of another
/// runtime (libsycl of another major version), and would crash in this one. Throws runtime_conflict
/// naming the libraries while more than one is mapped. Costs some 10 ns unless a library was loaded
/// since the last call.
USMX_API void check_single_runtime();

}  // namespace usmx::inline v1
