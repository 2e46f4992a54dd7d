// usmx._core: the C++ library in Python. It knows Python's types and holds no rules.
#include <cstdlib>

#include "container/array_class.hpp"
#include "container/arrow_methods.hpp"
#include "container/copies.hpp"
#include "container/dlpack_methods.hpp"
#include "container/items.hpp"
#include "container/making.hpp"
#include "container/shapes.hpp"
#include "container/shortcut.hpp"
#include "elements/dtype_argument.hpp"
#include "exchange/producers.hpp"
#include "memory/adoption.hpp"
#include "memory/memory_classes.hpp"
#include "memory/pools.hpp"
#include "memory/resources.hpp"
#include "module/c_api.hpp"
#include "module/dlpack_table.hpp"
#include "module/kernel_cache.hpp"
#include "module/watched_waits.hpp"
#include "support/errors.hpp"
#include "support/hooks.hpp"
#include "support/interpreter_lock.hpp"
#include "support/log_warnings.hpp"
#include "support/refusing.hpp"
#include "sycl_objects/device.hpp"
#include "sycl_objects/instance_check.hpp"
#include "sycl_objects/queue_argument.hpp"
#include "sycl_objects/sycl_context.hpp"
#include "sycl_objects/sycl_device.hpp"
#include "sycl_objects/sycl_event.hpp"
#include "sycl_objects/sycl_queue.hpp"
#include "usmx/base/version.hpp"
#include "usmx/layout/layout.hpp"

NB_MODULE(_core, m) {
  using namespace usmx::bindings;
  // What other packages still hold when the process ends is theirs to let go, and a cycle through
  // an array that holds its producer is not collected: no report on stderr, but for the tests.
  nb::set_leak_warnings(std::getenv("USMX_LEAK_WARNINGS") != nullptr);
  m.attr("__version__") = USMX_VERSION_STRING;
  m.attr("_max_ndim") = usmx::max_ndim;
  log_warnings();
#ifdef USMX_CHECK_LOCKS
  usmx::internal::set_interpreter_check(&has_interpreter_lock);
#endif
  bind_errors(m);
  bind_hooks(m);
  bind_refusing(m);
  bind_sycl_device(m);
  bind_sycl_context(m);
  bind_sycl_queue(m);
  bind_sycl_event(m);
  bind_instance_check(m);
  bind_watched_waits(m);
  auto device_class = bind_device(m);
  bind_queue_argument(m, device_class);
  bind_dtype_functions(m);
  bind_memory_classes(m);
  bind_adoption(m);
  bind_resources(m);
  bind_pools(m);
  bind_array_class(m);
  bind_producers(m);
  // What the functions of the package are made of.
  bind_items(m);
  bind_shapes(m);
  bind_making(m);
  bind_copies(m);
  bind_from_arrow(m);
  bind_from_dlpack(m);
  bind_shortcut(m);
  bind_c_api(m);
  bind_dlpack_table();
  bind_kernel_cache(m);
}
