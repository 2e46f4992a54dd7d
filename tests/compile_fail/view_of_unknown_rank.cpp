// Without a number of dimensions there are the elements' address, shape and strides.
// Error: no matching function for call|constraints not satisfied|has no member
#include "headers.hpp"

std::ptrdiff_t size(const usmx::in<const double>& x) {
#ifdef WRONG
  return x.view().size();
#else
  return x.size();
#endif
}
