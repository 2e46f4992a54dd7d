// Arrays have elements of 14 types.
// Error: element_type
#include "headers.hpp"

#ifdef WRONG
void take(usmx::in<const long double, 1> x);
#else
void take(usmx::in<const double, 1> x);
#endif
