// The operators call functions of another header.
// Error: operators of arrays are in usmx/compute/operators.hpp
#include "headers.hpp"

inline void add_up(const usmx::array& a) {
#ifdef WRONG
  static_cast<void>(a + 1);
#else
  static_cast<void>(a);
#endif
}
