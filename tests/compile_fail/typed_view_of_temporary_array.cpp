// Nor does a typed one.
// Error: use of deleted function .*::host_as
#include "headers.hpp"

usmx::array make();

#ifdef WRONG
const auto view = make().host_as<double, 2>();
#else
const usmx::array made = make();
const auto view = made.host_as<double, 2>();
#endif
