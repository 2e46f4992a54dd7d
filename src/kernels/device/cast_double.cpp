// Kernels that convert between element types of which at least one has double precision.
#include "elements.hpp"
#include "kernel_list.hpp"
#include "strided.hpp"

using namespace usmx::kernels;

#define USMX_CAST(from, to)                                                                 \
  USMX_KERNEL usmx_cast_##from##_##to(const from* source, to* destination, traversal t) {   \
    transform(source, destination, t, [](from element) { return converted<to>(element); }); \
  }

USMX_DOUBLE_CASTS(USMX_CAST)
