// As many indices as dimensions.
// Error: use of deleted function
#include "headers.hpp"

double element(usmx::strided_view<const double, 2> view) {
#ifdef WRONG
  return view(0);
#else
  return view(0, 0);
#endif
}
