#include "compute/vendor_calls.hpp"

#include <utility>

#include <sycl/backend_types.hpp>
#include <sycl/device.hpp>

#include "array/array.hpp"
#include "copy/copy.hpp"
#include "memory/buffer.hpp"
#include "usmx/base/error.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1::internal {

array made_by(const vendor_call_way& way, layout where, dtype type, const array& beside,
              usm_kind kind) {
  const sycl::queue& queue = private_queue(beside);
  return way.make ? way.make(std::move(where), type, queue, kind)
                  : new_array(std::move(where), type, queue, kind, 0, first_use::in_order);
}

void run_on_host(const vendor_call_way& way, const host_work& work, bool wait) {
  if (!way.is_alone || !work.run_at_once()) {
    work.start(wait);
  }
}

bool is_on_cuda(const array& a) {
  return private_queue(a).get_backend() == sycl::backend::ext_oneapi_cuda;
}

dtype default_real_type(const array& a) {
  return nearest_supported(float64, support_of(private_queue(a).get_device()));
}

array in_type(const vendor_call_way& way, const array& a, dtype type) {
  if (a.type() == type) {
    return a;
  }
  array made = made_by(way, layout::c_order(a.shape()), type, a, a.kind());
  copy_for_call(a, made);
  return made;
}

void throw_no_library(std::string_view function, const array& a, const vendor_library& of_device) {
  if (host_reaches(a)) {
    const vendor_library host = find_host_library();
    throw device_error(detail::message(function, ": ", host.name, " cannot be used: ", host.text,
                                       ": ", host.install));
  }
  if (!of_device.name.empty() && !of_device.is_found) {
    throw device_error(detail::message(
        function, ": ", of_device.name, " cannot be used: ", of_device.text, ": ",
        of_device.install, "; or make the array in shared memory, for the host to compute"));
  }
  throw device_error(detail::message(
      function, ": oneMKL computes on memory that the host reaches, found memory of kind '",
      name(a.kind()), "' on ", private_queue(a).get_device().get_info<sycl::info::device::name>(),
      ": usmx does not call this device's own library yet; make the array in shared memory"));
}

}  // namespace usmx::inline v1::internal
