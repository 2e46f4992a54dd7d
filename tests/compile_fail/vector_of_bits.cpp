// A std::vector<bool> has no elements to copy into.
// Error: names the element type, which is not bool
#include "headers.hpp"

#ifdef WRONG
auto values(const usmx::array& a) { return usmx::to_vector<bool>(a); }
#else
auto values(const usmx::array& a) { return usmx::to_vector<unsigned char>(a); }
#endif
