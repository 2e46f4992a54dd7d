// usmx._core: the C++ library in Python. It knows Python's types and holds no rules.
#include <atomic>
#include <cstdlib>

#include "container/container.hpp"
#include "elements/dtype_argument.hpp"
#include "exchange/producers.hpp"
#include "memory/memory.hpp"
#include "module/module.hpp"
#include "support/errors.hpp"
#include "support/hooks.hpp"
#include "support/inspectable.hpp"
#include "support/interpreter_lock.hpp"
#include "support/log_warnings.hpp"
#include "support/refusing.hpp"
#include "support/scopes.hpp"
#include "sycl_objects/classes.hpp"
#include "sycl_objects/dpctl_objects.hpp"
#include "sycl_objects/order_manager.hpp"
#include "sycl_objects/queue_argument.hpp"
#include "user_kernels/user_kernels.hpp"
#include "usmx/base/version.hpp"
#include "usmx/layout/layout.hpp"

NB_MODULE(_core, m) {
  using namespace usmx::bindings;
  // The classes are those of the process, and the library holds functions of this module.
  static std::atomic<bool> is_loaded = false;
  if (is_loaded.exchange(true)) {
    throw nb::import_error(
        "usmx cannot be loaded more than once per process: usmx._core was taken out of "
        "sys.modules, start a new process instead");
  }
  // What other packages still hold when the process ends is theirs to let go, and a cycle through
  // an array that holds its producer is not collected: no report on stderr, but for the tests.
  nb::set_leak_warnings(std::getenv("USMX_LEAK_WARNINGS") != nullptr);
  m.attr("__version__") = USMX_VERSION_STRING;
  m.attr("_max_ndim") = usmx::max_ndim;
  log_warnings();
  connect_order_manager();
#ifdef USMX_CHECK_LOCKS
  usmx::internal::set_interpreter_check(&has_interpreter_lock);
#endif
  bind_errors(m);
  bind_hooks(m);
  bind_refusing(m);
  bind_scopes(m);
  bind_sycl_device(m);
  bind_sycl_platform(m);
  bind_sycl_context(m);
  auto queue_class = bind_sycl_queue(m);
  bind_sycl_event(m);
  bind_instance_check(m);
  bind_latest_device(m);
  bind_watched_waits(m);
  auto device_class = bind_device(m);
  bind_queue_argument(m, device_class);
  bind_dtype_functions(m);
  bind_memory_classes(m);
  bind_queue_commands(queue_class);
  bind_adoption(m);
  bind_shared_memory(m);
  bind_resources(m);
  bind_pools(m);
  bind_array_class(m);
  bind_producers(m);
  // What the functions of the package are made of.
  bind_items(m);
  bind_shapes(m);
  bind_creation(m);
  bind_copies(m);
  bind_from_others(m);
  bind_user_kernels(m);
  bind_elementwise(m);
  bind_reduction(m);
  bind_c_api(m);
  bind_versions(m);
  bind_dlpack_table();
  bind_kernel_cache(m);
  bind_inspectable(m);
}
