// Error: since usmx 0\.2: use usmx::new_name instead
#include "headers.hpp"

namespace usmx {

int new_name();
USMX_DEPRECATED("0.2", "usmx::new_name") int old_name();

}  // namespace usmx

#ifdef WRONG
int used() { return usmx::old_name(); }
#else
int used() { return usmx::new_name(); }
#endif
