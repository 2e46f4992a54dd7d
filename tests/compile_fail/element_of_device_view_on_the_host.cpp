// The host takes no element of a view for kernels.
// Error: no match for call
#include "headers.hpp"

double element(const usmx::array& x) {
#ifdef WRONG
  return x.device_as<const double, 2>()(0, 0);
#else
  return x.host_as<const double, 2>()(0, 0);
#endif
}
