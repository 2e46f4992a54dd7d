// What is written to a copy would be lost.
// Error: usmx::convert may pass a copy, so its elements are const
#include "headers.hpp"

#ifdef WRONG
using parameter = usmx::convert<double, 1>;
#else
using parameter = usmx::convert<const double, 1>;
#endif
constexpr bool has_rank = parameter::has_rank;
