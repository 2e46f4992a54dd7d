// The typed view of a temporary keeps the memory, the plain view in it does not.
// Error: use of deleted function .*::operator usmx.*strided_view
#include "headers.hpp"

usmx::array make();

#ifdef WRONG
const usmx::strided_view<double, 2> view = make().host_as<double, 2>();
#else
const auto kept = make().host_as<double, 2>();
const usmx::strided_view<double, 2> view = kept;
#endif
