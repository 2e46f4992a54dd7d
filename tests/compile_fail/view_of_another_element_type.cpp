// Elements are not read as those of another type.
// Error: could not convert|cannot convert|conversion from .* requested
#include "headers.hpp"

#ifdef WRONG
usmx::strided_view<const float, 1> converted(usmx::strided_view<double, 1> view) { return view; }
#else
usmx::strided_view<const double, 1> converted(usmx::strided_view<double, 1> view) { return view; }
#endif
