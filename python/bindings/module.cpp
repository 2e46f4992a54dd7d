// usmx._core: the C++ library in Python. It knows Python's types and holds no rules.
#include <cstdlib>

#include "adoption.hpp"
#include "api_table.hpp"
#include "array.hpp"
#include "device.hpp"
#include "dtype_argument.hpp"
#include "errors.hpp"
#include "kernel_cache.hpp"
#include "memory.hpp"
#include "support.hpp"
#include "support/log_warnings.hpp"
#include "sycl_event.hpp"
#include "sycl_objects.hpp"
#include "usmx/base/version.hpp"

NB_MODULE(_core, m) {
  using namespace usmx::bindings;
  // What other packages still hold when the process ends is theirs to let go, and a cycle through
  // an array that holds its producer is not collected: no report on stderr, but for the tests.
  nb::set_leak_warnings(std::getenv("USMX_LEAK_WARNINGS") != nullptr);
  m.attr("__version__") = USMX_VERSION_STRING;
  log_warnings();
  bind_errors(m);
  bind_sycl_objects(m);
  bind_dtype_functions(m);
  bind_device_object(m);
  bind_sycl_event(m);
  bind_memory(m);
  bind_adoption(m);
  bind_array(m);
  bind_api_table(m);
  bind_kernel_cache(m);
}
