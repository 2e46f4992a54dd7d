// The devices of the machine and their names. selectors.hpp chooses a device by a filter.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sycl/backend_types.hpp>
#include <sycl/device.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// All root devices, platform by platform, in the order in which dpctl lists them. The list is
/// empty if there are none. Throws fork_error in a forked child.
USMX_API std::vector<sycl::device> get_devices();

/// The device that the runtime's default selector chooses. Throws device_error, whose message says
/// why, when there is no device, and fork_error in a forked child.
USMX_API sycl::device default_device();

/// The score that the runtime's default selector gives to a device. The device of the highest score
/// is the default one, and a device of a negative score is never chosen. Throws fork_error in a
/// forked child.
USMX_API int default_selector_score(const sycl::device&);

/// The device that a sub-device is part of, or none for a root device. Throws fork_error in a
/// forked child.
USMX_API std::optional<sycl::device> parent_device(const sycl::device&);

/// Whether kernels of a device can use memory of kind 'device' of a peer, or also modify it
/// atomically. False for a device of another back end or of one without such access, where SYCL's
/// own function fails, and for the device itself. Throws fork_error in a forked child.
USMX_API bool can_access_peer(
    const sycl::device&, const sycl::device& peer,
    sycl::ext::oneapi::peer_access = sycl::ext::oneapi::peer_access::access_supported);
/// Lets kernels of a device use memory of kind 'device' of a peer. Throws value_error for a device
/// of another back end or of one without such access, and for the device itself; sycl::exception
/// when the runtime refuses; fork_error in a forked child.
USMX_API void enable_peer_access(const sycl::device&, const sycl::device& peer);
/// Ends what enable_peer_access() began. Throws the same, also if access is not enabled.
USMX_API void disable_peer_access(const sycl::device&, const sycl::device& peer);

/// The name of a back end in filter selectors: "opencl", "level_zero", "cuda", "hip", "all", ...,
/// or "unknown". The string lives for ever.
USMX_API std::string_view backend_name(sycl::backend);
/// The name of the device's type in filter selectors: "cpu", "gpu", "accelerator", ..., or
/// "unknown". The string lives for ever.
USMX_API std::string_view device_type_name(const sycl::device&);

/// Describes a device for messages: "Intel(R) ... [opencl:cpu:0]".
USMX_API std::string describe(const sycl::device&);

}  // namespace usmx::inline v1
