// A view of T is one of const T, not the other way round.
// Error: could not convert|cannot convert|conversion from .* requested
#include "headers.hpp"

#ifdef WRONG
usmx::strided_view<double, 1> converted(usmx::strided_view<const double, 1> view) { return view; }
#else
usmx::strided_view<const double, 1> converted(usmx::strided_view<double, 1> view) { return view; }
#endif
