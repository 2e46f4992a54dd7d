// Finding devices and drivers: discovery in dpctl's order, filter selectors with dpctl's grammar,
// one cached queue for each context and device. Memory is not asked about here: see usm.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/queue.hpp>

#include "usmx/detail/api.hpp"

namespace usmx {

/// Throws fork_error in a child that was forked after usmx had used the runtime. Whatever needs the
/// runtime does so too; letting memory go leaks it there instead.
USMX_API void require_usable_process();

/// A thread that has called usmx is somebody's own, and memory that it lets go is freed at once. On
/// any other, perhaps one of the runtime's, it is freed later (see buffer). This says that the
/// calling thread is somebody's own.
USMX_API void note_user_thread() noexcept;
USMX_API bool is_user_thread() noexcept;

/// All root devices, platform by platform, in the order dpctl lists them. Empty when there is none.
USMX_API std::vector<sycl::device> get_devices();

/// The device a filter selector names: `backend:device_type:index`, lower case, in this order, any
/// part left out or empty but not all of them; a comma means "else". The index counts the devices
/// that fit the other parts (a bare number: all devices); without one the device that the runtime
/// likes best among them is taken. Throws value_error when the string is not of that grammar,
/// device_error, saying which devices there are, when none matches.
USMX_API sycl::device select_device(std::string_view filter);

/// The runtime's default device. Throws device_error, with a diagnosis, when there is none.
USMX_API sycl::device default_device();

/// The fully qualified filter selector of a root device, "opencl:cpu:0". Throws value_error for a
/// sub-device, which no filter can name.
USMX_API std::string filter_string(const sycl::device&);

/// "opencl", "level_zero", "cuda", "hip", "all", ...: a backend as filter selectors spell it.
USMX_API std::string_view backend_name(sycl::backend);
/// "cpu", "gpu", "accelerator", ...: a device's type as filter selectors spell it.
USMX_API std::string_view device_type_name(const sycl::device&);

/// The platform's default context, which all users of that platform share.
USMX_API sycl::context default_context(const sycl::device&);

/// The queue that usmx keeps for a context and one of its devices, or a sub-device of one. It is
/// out of order: consumers such as dpnp dead-lock on in-order queues (docs/decisions.md). The same
/// pair gives the same queue for as long as somebody holds it. Throws value_error when the device
/// is not of the context, and where the back end (OpenCL) has no queues for sub-devices in their
/// parent's context: those need a context made of the sub-device.
USMX_API sycl::queue cached_queue(const sycl::context&, const sycl::device&);
/// In the platform's default context.
USMX_API sycl::queue cached_queue(const sycl::device&);
/// On the default device.
USMX_API sycl::queue default_queue();

/// To be called when somebody outside of usmx gets hold of a cached queue: from now on there may be
/// work on those queues that usmx has not submitted.
USMX_API void note_cached_queues_handed_out() noexcept;
USMX_API bool cached_queues_handed_out() noexcept;

/// Waits until everything submitted to usmx's own queues has finished. Happens by itself at exit.
USMX_API void synchronize();

/// To be called before a SYCL object that somebody else made is touched: it may be of another
/// runtime (libsycl of another major version), and would crash in this one. Throws runtime_conflict
/// naming the libraries while more than one is mapped. Costs some 10 ns unless a library was loaded
/// since the last call.
USMX_API void check_single_runtime();

/// Why no device is found, for people: what is set in the environment, and which driver is there.
USMX_API std::string diagnose_missing_device();

/// "Intel(R) ... [opencl:cpu:0]": for messages.
USMX_API std::string describe(const sycl::device&);
/// "context 0x55d0... of 1 device (...)": for messages.
USMX_API std::string describe(const sycl::context&);

}  // namespace usmx
