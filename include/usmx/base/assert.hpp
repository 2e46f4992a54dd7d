// Preconditions that builds without NDEBUG check, in host and device code alike. No SYCL here.
#pragma once

#include <cassert>

#if !defined(USMX_ASSERT)
#define USMX_ASSERT(condition) assert(condition)
#endif
