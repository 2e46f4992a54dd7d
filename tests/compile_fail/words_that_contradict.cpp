// Where a parameter said two numbers of dimensions, the last one would win in silence.
// Error: says once its number of dimensions
#include "headers.hpp"

#ifdef WRONG
bool is_met = usmx::in<const float, usmx::shape<2, 1>, 1>::has_rank;
#else
bool is_met = usmx::in<const float, usmx::shape<2, 1>, usmx::c_contig>::has_rank;
#endif
