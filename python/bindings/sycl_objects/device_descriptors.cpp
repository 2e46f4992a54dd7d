#include "sycl_objects/classes.hpp"

#include <type_traits>

#include <sycl/ext/intel/info/device.hpp>
#include <sycl/ext/oneapi/experimental/composite_device.hpp>

#include "support/declare.hpp"
#include "support/errors.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

// ---- the runtime's answers, in Python

nb::object value_of(const std::string& text) { return nb::cast(text); }

template <class Plain>
  requires std::is_arithmetic_v<Plain>
nb::object value_of(Plain number) {
  return nb::cast(number);
}

template <class Enumeration>
  requires std::is_enum_v<Enumeration>
nb::object value_of(Enumeration member) {
  return to_python(member);
}

nb::object value_of(const sycl::detail::uuid_type& bytes) {
  return checked(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(bytes.data()),
                                           static_cast<Py_ssize_t>(bytes.size())));
}

nb::object value_of(const std::vector<std::size_t>& sizes) {
  nb::list list;
  for (const std::size_t size : sizes) {
    list.append(size);
  }
  return list;
}

template <class Enumeration>
nb::object value_of(const std::vector<Enumeration>& members) {
  return to_python(members);
}

template <int Dimensions>
nb::object value_of(const sycl::range<Dimensions>& range) {
  nb::list list;
  for (int axis = 0; axis < Dimensions; ++axis) {
    list.append(range[axis]);
  }
  return nb::tuple(list);
}

nb::object value_of(const std::optional<sycl::device>& device) {
  return device ? to_python(*device) : nb::none();
}

// ---- questions

using question = nb::object (*)(const sycl::device&);

template <class Info>
nb::object info(const sycl::device& device) {
  return value_of(device.get_info<Info>());
}

template <sycl::aspect Aspect>
nb::object has(const sycl::device& device) {
  return nb::cast(device.has(Aspect));
}

/// The answer to a question; None for devices that lack the aspect, for which the runtime refuses
/// to answer.
template <class Info, sycl::aspect Aspect>
nb::object info_with(const sycl::device& device) {
  return device.has(Aspect) ? info<Info>(device) : nb::none();
}

nb::object sizes_of_old(const sycl::device& device) {
  warn_at_call_site(PyExc_DeprecationWarning,
                    "SyclDevice.max_work_item_sizes is deprecated, use max_work_item_sizes3d");
  return info<sycl::info::device::max_work_item_sizes<3>>(device);
}

nb::object composite_of(const sycl::device& device) {
  namespace composite = sycl::ext::oneapi::experimental::info::device;
  return device.has(sycl::aspect::ext_oneapi_is_component)
             ? to_python(device.get_info<composite::composite_device>())
             : nb::none();
}

struct descriptor {
  const char* name;
  /// The type of the value, for the stub.
  const char* type;
  question ask;
  const char* doc;
  /// Whether the value is a number, a text, a member of an enumeration, or several of them.
  bool is_data = true;
};

constexpr bool object = false;

namespace id = sycl::info::device;
namespace intel = sycl::ext::intel::info::device;
using sycl::aspect;

// SYCL calls sub_group_independent_forward_progress deprecated; dpctl's devices have it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
constexpr descriptor descriptors[] = {
    // the device itself
    {"name", "str", info<id::name>, "The name that the driver gives."},
    {"vendor", "str", info<id::vendor>, "The vendor that the driver names."},
    {"vendor_id", "int", info<id::vendor_id>, "The vendor's number, that of PCI where it has one."},
    {"driver_version", "str", info<id::driver_version>, "The version of the driver."},
    {"version", "str", info<id::version>, "The version of the back end's interface."},
    {"backend_version", "str", info<id::backend_version>, "The version of the back end's runtime."},
    {"backend", "backend_type",
     [](const sycl::device& device) { return to_python(device.get_backend()); },
     "The back end, a member of backend_type. It equals its name as filter selectors spell it, "
     "too."},
    {"device_type", "device_type", info<id::device_type>,
     "The type, a member of device_type. It equals its name as filter selectors spell it, too."},
    {"is_cpu", "bool", [](const sycl::device& d) { return nb::object(nb::cast(d.is_cpu())); },
     "Whether the device is a CPU."},
    {"is_gpu", "bool", [](const sycl::device& d) { return nb::object(nb::cast(d.is_gpu())); },
     "Whether the device is a GPU."},
    {"is_accelerator", "bool",
     [](const sycl::device& d) { return nb::object(nb::cast(d.is_accelerator())); },
     "Whether the device is an accelerator."},
    {"is_available", "bool", info<id::is_available>, "Whether the device can be used."},
    {"uuid", "bytes | None", info_with<intel::uuid, aspect::ext_intel_device_info_uuid>,
     "16 bytes that identify the device on every machine. None where the driver has none."},
    {"default_selector_score", "int",
     [](const sycl::device& d) { return nb::object(nb::cast(default_selector_score(d))); },
     "The score that the runtime's default selector gives: the device of the highest score is the "
     "default one, and one of a negative score is never chosen."},

    // devices it belongs to
    {"sycl_platform", "SyclPlatform",
     [](const sycl::device& device) { return to_python(device.get_platform()); },
     "The platform: the driver with all its devices.", object},
    {"parent_device", "SyclDevice | None",
     [](const sycl::device& device) { return value_of(parent_device(device)); },
     "The device that a sub-device is part of. None for a root device.", object},
    {"composite_device", "SyclDevice | None", composite_of,
     "The composite device that a component is part of (Level Zero). None for any other device.",
     object},

    // work
    {"max_compute_units", "int", info<id::max_compute_units>,
     "The number of compute units; of a CPU, its hardware threads."},
    {"max_clock_frequency", "int", info<id::max_clock_frequency>,
     "The highest clock frequency in MHz. 0 where the driver does not tell."},
    {"profiling_timer_resolution", "int", info<id::profiling_timer_resolution>,
     "The resolution of the clock of profiled events, in nanoseconds."},
    {"max_work_item_dims", "int", info<id::max_work_item_dimensions>,
     "The most dimensions that a range of work-items may have."},
    {"max_work_item_sizes1d", "tuple[int]", info<id::max_work_item_sizes<1>>,
     "The most work-items of a work-group in each dimension, for ranges of one dimension."},
    {"max_work_item_sizes2d", "tuple[int, int]", info<id::max_work_item_sizes<2>>,
     "The most work-items of a work-group in each dimension, for ranges of two dimensions."},
    {"max_work_item_sizes3d", "tuple[int, int, int]", info<id::max_work_item_sizes<3>>,
     "The most work-items of a work-group in each dimension, for ranges of three dimensions."},
    {"max_work_item_sizes", "tuple[int, int, int]", sizes_of_old,
     "The old name of max_work_item_sizes3d. Gives a DeprecationWarning.", object},
    {"max_work_group_size", "int", info<id::max_work_group_size>,
     "The most work-items that a work-group may have."},
    {"max_num_sub_groups", "int", info<id::max_num_sub_groups>,
     "The most sub-groups that a work-group may have."},
    {"sub_group_sizes", "list[int]", info<id::sub_group_sizes>,
     "How many work-items a sub-group may have."},
    {"sub_group_independent_forward_progress", "bool",
     info<id::sub_group_independent_forward_progress>,
     "Whether the sub-groups of a work-group make progress independently of each other."},
    {"max_parameter_size", "int", info<id::max_parameter_size>,
     "The most bytes that the arguments of a kernel may have."},

    // memory
    {"global_mem_size", "int", info<id::global_mem_size>, "The bytes of the device's memory."},
    {"max_mem_alloc_size", "int", info<id::max_mem_alloc_size>,
     "The most bytes that one allocation may have."},
    {"global_mem_cache_type", "global_mem_cache_type", info<id::global_mem_cache_type>,
     "The kind of cache that the device's memory has, a member of global_mem_cache_type."},
    {"global_mem_cache_size", "int", info<id::global_mem_cache_size>, "The bytes of that cache."},
    {"global_mem_cache_line_size", "int", info<id::global_mem_cache_line_size>,
     "The bytes of a line of that cache."},
    {"local_mem_type", "local_mem_type", info<id::local_mem_type>,
     "Where local memory is, a member of local_mem_type."},
    {"local_mem_size", "int", info<id::local_mem_size>,
     "The bytes of local memory that a work-group may use."},
    {"mem_base_addr_align", "int", info<id::mem_base_addr_align>,
     "The alignment of a sub-buffer's first byte, in bits."},
    {"address_bits", "int", info<id::address_bits>, "The bits of an address: 32 or 64."},
    {"error_correction_support", "bool", info<id::error_correction_support>,
     "Whether the device corrects errors in its memory."},

    // floating point and memory order
    {"half_fp_config", "tuple[fp_config, ...]", info<id::half_fp_config>,
     "The device's abilities with float16, members of fp_config. Empty without that type."},
    {"single_fp_config", "tuple[fp_config, ...]", info<id::single_fp_config>,
     "The device's abilities with float32, members of fp_config."},
    {"double_fp_config", "tuple[fp_config, ...]", info<id::double_fp_config>,
     "The device's abilities with float64, members of fp_config. Empty without that type."},
    {"atomic_memory_order_capabilities", "tuple[memory_order, ...]",
     info<id::atomic_memory_order_capabilities>,
     "The memory orders of atomic operations, members of memory_order."},
    {"atomic_fence_order_capabilities", "tuple[memory_order, ...]",
     info<id::atomic_fence_order_capabilities>,
     "The memory orders of fences, members of memory_order."},
    {"atomic_memory_scope_capabilities", "tuple[memory_scope, ...]",
     info<id::atomic_memory_scope_capabilities>,
     "The scopes of atomic operations, members of memory_scope."},
    {"atomic_fence_scope_capabilities", "tuple[memory_scope, ...]",
     info<id::atomic_fence_scope_capabilities>, "The scopes of fences, members of memory_scope."},

    // vectors
    {"preferred_vector_width_char", "int", info<id::preferred_vector_width_char>,
     "How many 1-byte integers a vector should have."},
    {"preferred_vector_width_short", "int", info<id::preferred_vector_width_short>,
     "How many 2-byte integers a vector should have."},
    {"preferred_vector_width_int", "int", info<id::preferred_vector_width_int>,
     "How many 4-byte integers a vector should have."},
    {"preferred_vector_width_long", "int", info<id::preferred_vector_width_long>,
     "How many 8-byte integers a vector should have."},
    {"preferred_vector_width_float", "int", info<id::preferred_vector_width_float>,
     "How many float32 numbers a vector should have."},
    {"preferred_vector_width_double", "int", info<id::preferred_vector_width_double>,
     "How many float64 numbers a vector should have. 0 without that type."},
    {"preferred_vector_width_half", "int", info<id::preferred_vector_width_half>,
     "How many float16 numbers a vector should have. 0 without that type."},
    {"native_vector_width_char", "int", info<id::native_vector_width_char>,
     "How many 1-byte integers a vector of the device has."},
    {"native_vector_width_short", "int", info<id::native_vector_width_short>,
     "How many 2-byte integers a vector of the device has."},
    {"native_vector_width_int", "int", info<id::native_vector_width_int>,
     "How many 4-byte integers a vector of the device has."},
    {"native_vector_width_long", "int", info<id::native_vector_width_long>,
     "How many 8-byte integers a vector of the device has."},
    {"native_vector_width_float", "int", info<id::native_vector_width_float>,
     "How many float32 numbers a vector of the device has."},
    {"native_vector_width_double", "int", info<id::native_vector_width_double>,
     "How many float64 numbers a vector of the device has. 0 without that type."},
    {"native_vector_width_half", "int", info<id::native_vector_width_half>,
     "How many float16 numbers a vector of the device has. 0 without that type."},

    // images
    {"max_read_image_args", "int", info<id::max_read_image_args>,
     "The most images that a kernel may read."},
    {"max_write_image_args", "int", info<id::max_write_image_args>,
     "The most images that a kernel may write."},
    {"max_samplers", "int", info<id::max_samplers>, "The most samplers that a kernel may use."},
    {"image_2d_max_width", "int", info<id::image2d_max_width>,
     "The largest width of a two-dimensional image, in pixels."},
    {"image_2d_max_height", "int", info<id::image2d_max_height>,
     "The largest height of a two-dimensional image, in pixels."},
    {"image_3d_max_width", "int", info<id::image3d_max_width>,
     "The largest width of a three-dimensional image, in pixels."},
    {"image_3d_max_height", "int", info<id::image3d_max_height>,
     "The largest height of a three-dimensional image, in pixels."},
    {"image_3d_max_depth", "int", info<id::image3d_max_depth>,
     "The largest depth of a three-dimensional image, in pixels."},
    {"image_max_buffer_size", "int", info<id::image_max_buffer_size>,
     "The most pixels of a one-dimensional image made of a buffer."},

    // parts
    {"partition_max_sub_devices", "int", info<id::partition_max_sub_devices>,
     "The most sub-devices that create_sub_devices can make. 0 if the device cannot be divided."},
    {"partition_properties", "tuple[partition_property, ...]", info<id::partition_properties>,
     "The ways in which the device can be parted, members of partition_property."},
    {"partition_affinity_domains", "tuple[str, ...]", info<id::partition_affinity_domains>,
     "The affinity domains by which the device can be parted."},
    {"partition_type_property", "partition_property", info<id::partition_type_property>,
     "How this sub-device was made, a member of partition_property."},
    {"partition_type_affinity_domain", "str", info<id::partition_type_affinity_domain>,
     "The affinity domain by which this sub-device was made, or 'not_applicable'."},

    // aspects
    {"has_aspect_cpu", "bool", has<aspect::cpu>, "Whether the device executes code on a CPU."},
    {"has_aspect_gpu", "bool", has<aspect::gpu>, "Whether the device is a GPU."},
    {"has_aspect_accelerator", "bool", has<aspect::accelerator>,
     "Whether the device is a dedicated accelerator."},
    {"has_aspect_custom", "bool", has<aspect::custom>,
     "Whether the device has fixed functions that no kernel can be written for."},
    {"has_aspect_emulated", "bool", has<aspect::emulated>,
     "Whether the device is emulated, and so for debugging and not for speed."},
    {"has_aspect_host_debuggable", "bool", has<aspect::host_debuggable>,
     "Whether a debugger of the host can debug kernels."},
    {"has_aspect_fp16", "bool", has<aspect::fp16>, "Whether kernels may use float16."},
    {"has_aspect_fp64", "bool", has<aspect::fp64>, "Whether kernels may use float64."},
    {"has_aspect_atomic64", "bool", has<aspect::atomic64>,
     "Whether kernels may use atomic operations of 8 bytes."},
    {"has_aspect_image", "bool", has<aspect::image>, "Whether kernels may use images."},
    {"has_aspect_online_compiler", "bool", has<aspect::online_compiler>,
     "Whether kernels can be compiled from source."},
    {"has_aspect_online_linker", "bool", has<aspect::online_linker>,
     "Whether compiled kernels can be linked."},
    {"has_aspect_queue_profiling", "bool", has<aspect::queue_profiling>,
     "Whether queues can measure times: ``property='enable_profiling'``."},
    {"has_aspect_usm_device_allocations", "bool", has<aspect::usm_device_allocations>,
     "Whether memory of kind 'device' can be allocated."},
    {"has_aspect_usm_host_allocations", "bool", has<aspect::usm_host_allocations>,
     "Whether memory of kind 'host' can be allocated."},
    {"has_aspect_usm_shared_allocations", "bool", has<aspect::usm_shared_allocations>,
     "Whether memory of kind 'shared' can be allocated."},
    {"has_aspect_usm_system_allocations", "bool", has<aspect::usm_system_allocations>,
     "Whether kernels may use any memory of the host."},
    {"has_aspect_usm_atomic_host_allocations", "bool", has<aspect::usm_atomic_host_allocations>,
     "Whether the host and kernels may modify memory of kind 'host' atomically at the same time."},
    {"has_aspect_usm_atomic_shared_allocations", "bool", has<aspect::usm_atomic_shared_allocations>,
     "Whether the host and kernels may modify memory of kind 'shared' atomically at the same "
     "time."},
    {"has_aspect_is_composite", "bool", has<aspect::ext_oneapi_is_composite>,
     "Whether the device is made of several: component_devices()."},
    {"has_aspect_is_component", "bool", has<aspect::ext_oneapi_is_component>,
     "Whether the device is part of a composite one: composite_device."},
};
#pragma GCC diagnostic pop

// ---- properties that only Intel's drivers know

struct intel_descriptor {
  const char* name;
  aspect has;
  question ask;
};

constexpr intel_descriptor intel_descriptors[] = {
    {"device_id", aspect::ext_intel_device_id, info<intel::device_id>},
    {"gpu_eu_count", aspect::ext_intel_gpu_eu_count, info<intel::gpu_eu_count>},
    {"gpu_hw_threads_per_eu", aspect::ext_intel_gpu_hw_threads_per_eu,
     info<intel::gpu_hw_threads_per_eu>},
    {"gpu_eu_simd_width", aspect::ext_intel_gpu_eu_simd_width, info<intel::gpu_eu_simd_width>},
    {"gpu_slices", aspect::ext_intel_gpu_slices, info<intel::gpu_slices>},
    {"gpu_subslices_per_slice", aspect::ext_intel_gpu_subslices_per_slice,
     info<intel::gpu_subslices_per_slice>},
    {"gpu_eu_count_per_subslice", aspect::ext_intel_gpu_eu_count_per_subslice,
     info<intel::gpu_eu_count_per_subslice>},
    {"max_mem_bandwidth", aspect::ext_intel_max_mem_bandwidth, info<intel::max_mem_bandwidth>},
    {"free_memory", aspect::ext_intel_free_memory, info<intel::free_memory>},
    {"memory_clock_rate", aspect::ext_intel_memory_clock_rate, info<intel::memory_clock_rate>},
    {"memory_bus_width", aspect::ext_intel_memory_bus_width, info<intel::memory_bus_width>},
};

/// The values that the driver knows: it says 0 for others. Empty for a device without the first
/// one. Both are as dpctl has it.
nb::dict intel_device_info(nb::handle argument) {
  require_usable_process();
  const internal::kept_thread_state kept;
  const sycl::device device = construct_device(argument);
  nb::dict found;
  for (const intel_descriptor& each : intel_descriptors) {
    if (!device.has(each.has)) {
      continue;
    }
    if (const nb::object value = each.ask(device); !value.equal(nb::int_(0))) {
      found[each.name] = value;
    }
  }
  return found.contains(intel_descriptors[0].name) ? found : nb::dict();
}

}  // namespace

void bind_device_descriptors(nb::module_& m, nb::class_<sycl::device>& cls) {
  nb::list data;
  for (const descriptor& each : descriptors) {
    const std::string signature = detail::message("def ", each.name, "(self) -> ", each.type);
    cls.def_prop_ro(
        each.name,
        [ask = each.ask](const sycl::device& device) {
          require_usable_process();
          const internal::kept_thread_state kept;
          return ask(device);
        },
        nb::sig(signature.c_str()), each.doc);
    if (each.is_data) {
      data.append(each.name);
    }
  }
  m.attr("_device_descriptors") = nb::tuple(data);
  declare<"def _intel_device_info(device: Any) -> dict[str, int]">(m, &intel_device_info);
}

}  // namespace usmx::bindings
