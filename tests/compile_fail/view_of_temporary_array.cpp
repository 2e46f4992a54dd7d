// A view does not keep the memory.
// Error: use of deleted function .*array::view\(\)
#include "headers.hpp"

usmx::array make();

#ifdef WRONG
const usmx::array_view view = make().view();
#else
const usmx::array made = make();
const usmx::array_view view = made.view();
#endif
