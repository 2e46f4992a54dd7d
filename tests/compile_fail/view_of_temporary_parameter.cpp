// A parameter keeps the memory, its view does not.
// Error: use of deleted function .*::view\(\)
#include "headers.hpp"

using parameter = usmx::in<const double, 2>;
parameter make();

#ifdef WRONG
const auto view = make().view();
#else
const parameter made = make();
const auto view = made.view();
#endif
