// A parameter of const elements takes read-only arrays.
// Error: assignment of read-only location
#include "headers.hpp"

void write(const usmx::host<const double, 2>& source, const usmx::host<double, 2>& destination) {
#ifdef WRONG
  source.view()(0, 0) = 1;
#endif
  destination.view()(0, 0) = source.view()(0, 0);
}
