// Elements that are const are not written.
// Error: assignment of read-only location
#include "headers.hpp"

void write(usmx::strided_view<const double, 1> source, usmx::strided_view<double, 1> destination) {
#ifdef WRONG
  source[0] = 1;
#endif
  destination[0] = source[0];
}
