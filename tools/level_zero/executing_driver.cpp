// A driver for Level Zero's loader (ZE_ENABLE_ALT_DRIVERS): Intel's own, of which commands also
// take effect. In its simulation mode (SetCommandStreamReceiver=1) Intel's driver does everything
// but execute commands. Here copies and fills are made by the host, and kernels by the OpenCL CPU
// device from the same SPIR-V, at once when they are appended. This needs device memory that has
// host addresses (EnableLocalMemory=0, or an integrated product).
//
// The loader looks entry points up by dlsym, which searches the libraries that this one is linked
// with, too: Intel's driver answers for all that is not here.
#include <dlfcn.h>
#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opencl_cpu.hpp"

namespace executing {
namespace {

// ---- what the entry points share

/// Guards everything here. Commands take effect one after the other.
std::recursive_mutex& mutex() {
  static auto& only = *new std::recursive_mutex;  // as all below: used until the process has ended
  return only;
}
using lock_guard = std::lock_guard<std::recursive_mutex>;

/// A kernel and how it is to be launched.
struct launchable {
  kernel runs;
  std::map<std::uint32_t, std::vector<char>> arguments{};
  std::array<std::size_t, 3> group_size{1, 1, 1};
  std::array<std::size_t, 3> offset{0, 0, 0};
};

std::map<ze_module_handle_t, std::shared_ptr<program>>& programs() {
  static auto& all = *new std::map<ze_module_handle_t, std::shared_ptr<program>>;
  return all;
}
std::map<ze_kernel_handle_t, launchable>& kernels() {
  static auto& all = *new std::map<ze_kernel_handle_t, launchable>;
  return all;
}

launchable* find(ze_kernel_handle_t kernel) {
  const auto found = kernels().find(kernel);
  return found == kernels().end() ? nullptr : &found->second;
}

/// Intel's functions, which the tables had before.
struct {
  ze_module_dditable_t module;
  ze_kernel_dditable_t kernel;
  ze_kernel_exp_dditable_t kernel_exp;
  ze_command_list_dditable_t list;
  ze_event_dditable_t event;
  ze_device_dditable_t device;
} intels;

// ---- modules

/// What a native binary ends with that was made from SPIR-V: each part with its size before it, the
/// size of all, and this. ELF's readers do not look there.
constexpr std::string_view trailer_mark = "usmx-level-zero-spirv";

void append_size(std::string& to, std::uint64_t size) {
  to.append(reinterpret_cast<const char*>(&size), sizeof size);
}

std::uint64_t size_at(const char* from) {
  std::uint64_t size;
  std::memcpy(&size, from, sizeof size);
  return size;
}

std::string trailer_of(const program_source& source) {
  std::string trailer;
  for (const std::vector<char>& part : source.parts) {
    append_size(trailer, part.size());
    trailer.append(part.data(), part.size());
  }
  append_size(trailer, trailer.size());
  return trailer.append(trailer_mark);
}

/// The parts in a trailer; none where there is none.
std::vector<std::vector<char>> parts_of(std::string_view binary) {
  std::vector<std::vector<char>> parts;
  if (!binary.ends_with(trailer_mark)) {
    return parts;
  }
  binary.remove_suffix(trailer_mark.size());
  const std::uint64_t all = size_at(binary.data() + binary.size() - sizeof(std::uint64_t));
  binary.remove_suffix(sizeof(std::uint64_t));
  for (binary = binary.substr(binary.size() - all); !binary.empty();) {
    const std::uint64_t size = size_at(binary.data());
    binary.remove_prefix(sizeof size);
    parts.emplace_back(binary.begin(), binary.begin() + static_cast<std::ptrdiff_t>(size));
    binary.remove_prefix(size);
  }
  return parts;
}

void add_constants(program_source& source, const ze_module_constants_t* constants) {
  for (std::uint32_t k = 0; constants != nullptr && k < constants->numConstants; ++k) {
    std::uint64_t value;
    std::memcpy(&value, constants->pConstantValues[k], sizeof value);
    source.constants.emplace_back(constants->pConstantIds[k], value);
  }
}

program_source source_of(const ze_module_desc_t& described) {
  program_source source;
  const auto add = [&](const std::uint8_t* data, std::size_t size,
                       const ze_module_constants_t* constants) {
    source.parts.emplace_back(data, data + size);
    add_constants(source, constants);
  };
  if (described.format != ZE_MODULE_FORMAT_IL_SPIRV) {
    source.parts =
        parts_of({reinterpret_cast<const char*>(described.pInputModule), described.inputSize});
    if (source.parts.empty()) {
      complain("a native module without SPIR-V: its kernels cannot be run");
    }
    return source;
  }
  const auto* several = static_cast<const ze_module_program_exp_desc_t*>(described.pNext);
  if (several != nullptr && several->stype == ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC) {
    for (std::uint32_t k = 0; k < several->count; ++k) {
      add(several->pInputModules[k], several->inputSizes[k],
          several->pConstants == nullptr ? nullptr : several->pConstants[k]);
    }
  } else {
    add(described.pInputModule, described.inputSize, described.pConstants);
  }
  source.optimized = described.pBuildFlags == nullptr ||
                     std::strstr(described.pBuildFlags, "-ze-opt-disable") == nullptr;
  return source;
}

ze_result_t create_module(ze_context_handle_t context, ze_device_handle_t device,
                          const ze_module_desc_t* described, ze_module_handle_t* made,
                          ze_module_build_log_handle_t* log) {
  const ze_result_t result = intels.module.pfnCreate(context, device, described, made, log);
  if (result == ZE_RESULT_SUCCESS) {
    const lock_guard lock(mutex());
    programs()[*made] = std::make_shared<program>(source_of(*described));
  }
  return result;
}

ze_result_t destroy_module(ze_module_handle_t module) {
  {
    const lock_guard lock(mutex());
    programs().erase(module);
  }
  return intels.module.pfnDestroy(module);
}

ze_result_t get_native_binary(ze_module_handle_t module, std::size_t* size, std::uint8_t* binary) {
  std::size_t native_size = 0;
  if (const ze_result_t result = intels.module.pfnGetNativeBinary(module, &native_size, nullptr);
      result != ZE_RESULT_SUCCESS) {
    return result;
  }
  std::string trailer;
  {
    const lock_guard lock(mutex());
    if (const auto found = programs().find(module); found != programs().end()) {
      trailer = trailer_of(found->second->source());
    }
  }
  *size = native_size + trailer.size();
  if (binary == nullptr) {
    return ZE_RESULT_SUCCESS;
  }
  std::ranges::copy(trailer, binary + native_size);
  return intels.module.pfnGetNativeBinary(module, &native_size, binary);
}

// ---- kernels

ze_result_t create_kernel(ze_module_handle_t module, const ze_kernel_desc_t* described,
                          ze_kernel_handle_t* made) {
  const ze_result_t result = intels.kernel.pfnCreate(module, described, made);
  if (result == ZE_RESULT_SUCCESS) {
    const lock_guard lock(mutex());
    const auto of = programs().find(module);
    kernels().insert_or_assign(
        *made,
        launchable{kernel(of == programs().end() ? nullptr : of->second, described->pKernelName)});
  }
  return result;
}

ze_result_t destroy_kernel(ze_kernel_handle_t kernel) {
  {
    const lock_guard lock(mutex());
    kernels().erase(kernel);
  }
  return intels.kernel.pfnDestroy(kernel);
}

ze_result_t set_group_size(ze_kernel_handle_t kernel, std::uint32_t x, std::uint32_t y,
                           std::uint32_t z) {
  {
    const lock_guard lock(mutex());
    if (launchable* found = find(kernel)) {
      found->group_size = {x, y, z};
    }
  }
  return intels.kernel.pfnSetGroupSize(kernel, x, y, z);
}

void set_argument(launchable& kernel, std::uint32_t index, std::size_t nbytes, const void* value) {
  kernel.runs.set_argument(index, nbytes, value);
  const auto* first = static_cast<const char*>(value);
  kernel.arguments[index].assign(first, first == nullptr ? first : first + nbytes);
}

ze_result_t set_argument(ze_kernel_handle_t kernel, std::uint32_t index, std::size_t nbytes,
                         const void* value) {
  const ze_result_t result = intels.kernel.pfnSetArgumentValue(kernel, index, nbytes, value);
  if (result == ZE_RESULT_SUCCESS) {
    const lock_guard lock(mutex());
    if (launchable* found = find(kernel)) {
      set_argument(*found, index, nbytes, value);
    }
  }
  return result;
}

ze_result_t set_offset(ze_kernel_handle_t kernel, std::uint32_t x, std::uint32_t y,
                       std::uint32_t z) {
  {
    const lock_guard lock(mutex());
    if (launchable* found = find(kernel)) {
      found->offset = {x, y, z};
    }
  }
  return intels.kernel_exp.pfnSetGlobalOffsetExp(kernel, x, y, z);
}

/// An error is better than a result that is missing: some kernels are written for Intel's GPUs
/// alone.
ze_result_t launch(launchable& kernel, const ze_group_count_t& count) {
  const std::array<std::size_t, 3> groups{count.groupCountX, count.groupCountY, count.groupCountZ};
  return kernel.runs.run(groups.data(), kernel.group_size.data(), kernel.offset.data())
             ? ZE_RESULT_SUCCESS
             : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

// ---- times: the simulation mode has none, so that profiling would be an error for every command

using event_handle = ze_event_handle_t;

/// Each about as long as a real device's. Not 0, which stands for a time that is unknown.
std::uint64_t ticks() {
  using tick = std::chrono::duration<std::uint64_t, std::ratio<64, 1'000'000'000>>;
  static const auto first = std::chrono::steady_clock::now();
  return std::chrono::duration_cast<tick>(std::chrono::steady_clock::now() - first).count() + 1;
}

std::map<event_handle, ze_kernel_timestamp_data_t>& times() {
  static auto& all = *new std::map<event_handle, ze_kernel_timestamp_data_t>;
  return all;
}

/// A command that is taking effect; its event has its times from when it has.
class timed_command {
 public:
  explicit timed_command(event_handle signal) : signal_(signal), start_(ticks()) {}
  timed_command(const timed_command&) = delete;
  timed_command& operator=(const timed_command&) = delete;
  ~timed_command() {
    if (signal_ != nullptr) {
      const lock_guard lock(mutex());
      times().insert_or_assign(signal_, ze_kernel_timestamp_data_t{start_, ticks()});
    }
  }

 private:
  const event_handle signal_;
  const std::uint64_t start_;
};

ze_result_t query_kernel_timestamp(event_handle event, ze_kernel_timestamp_result_t* result) {
  const lock_guard lock(mutex());
  const auto found = times().find(event);
  if (found == times().end()) {
    return ZE_RESULT_NOT_READY;
  }
  *result = {.global = found->second, .context = found->second};
  return ZE_RESULT_SUCCESS;
}

ze_result_t get_global_timestamps(ze_device_handle_t device, std::uint64_t* host,
                                  std::uint64_t* of_device) {
  const ze_result_t result = intels.device.pfnGetGlobalTimestamps(device, host, of_device);
  if (result == ZE_RESULT_SUCCESS) {
    *of_device = ticks();
  }
  return result;
}

ze_result_t destroy_event(event_handle event) {
  {
    const lock_guard lock(mutex());
    times().erase(event);
  }
  return intels.event.pfnDestroy(event);
}

// ---- whose memory kernels may use: what a GPU punishes by the end of all work on it

using list_handle = ze_command_list_handle_t;

struct list_home {
  ze_context_handle_t context;
  ze_device_handle_t device;
};
std::map<list_handle, list_home>& lists() {
  static auto& all = *new std::map<list_handle, list_home>;
  return all;
}

ze_result_t create_list(ze_context_handle_t context, ze_device_handle_t device,
                        const ze_command_list_desc_t* described, list_handle* made) {
  const ze_result_t result = intels.list.pfnCreate(context, device, described, made);
  if (result == ZE_RESULT_SUCCESS) {
    const lock_guard lock(mutex());
    lists().insert_or_assign(*made, list_home{context, device});
  }
  return result;
}

ze_result_t create_immediate_list(ze_context_handle_t context, ze_device_handle_t device,
                                  const ze_command_queue_desc_t* described, list_handle* made) {
  const ze_result_t result = intels.list.pfnCreateImmediate(context, device, described, made);
  if (result == ZE_RESULT_SUCCESS) {
    const lock_guard lock(mutex());
    lists().insert_or_assign(*made, list_home{context, device});
  }
  return result;
}

ze_device_handle_t root_of(ze_device_handle_t device) {
  ze_device_handle_t root = nullptr;
  return intels.device.pfnGetRootDevice != nullptr &&
                 intels.device.pfnGetRootDevice(device, &root) == ZE_RESULT_SUCCESS &&
                 root != nullptr
             ? root
             : device;
}

/// In this mode Intel's driver has no peers.
bool has_peers() { return std::getenv("CPUEXEC_PEER_ACCESS") != nullptr; }

ze_result_t can_access_peer(ze_device_handle_t device, ze_device_handle_t peer, ze_bool_t* can) {
  const ze_result_t result = intels.device.pfnCanAccessPeer(device, peer, can);
  if (result == ZE_RESULT_SUCCESS && has_peers()) {
    *can = 1;
  }
  return result;
}

ze_result_t get_peer_properties(ze_device_handle_t device, ze_device_handle_t peer,
                                ze_device_p2p_properties_t* found) {
  const ze_result_t result = intels.device.pfnGetP2PProperties(device, peer, found);
  if (result == ZE_RESULT_SUCCESS && has_peers()) {
    found->flags |= ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS;
  }
  return result;
}

/// Whether a word is an address of another device's memory that this device does not reach.
bool is_out_of_reach(const list_home& where, std::uint64_t word) {
  const auto* address = reinterpret_cast<const void*>(word);
  ze_memory_allocation_properties_t found{.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES,
                                          .pNext = nullptr,
                                          .type = ZE_MEMORY_TYPE_UNKNOWN,
                                          .id = 0,
                                          .pageSize = 0};
  ze_device_handle_t owner = nullptr;
  if (zeMemGetAllocProperties(where.context, address, &found, &owner) != ZE_RESULT_SUCCESS ||
      found.type != ZE_MEMORY_TYPE_DEVICE || owner == nullptr) {
    return false;
  }
  ze_bool_t can = 0;
  return root_of(owner) != root_of(where.device) &&
         (can_access_peer(where.device, owner, &can) != ZE_RESULT_SUCCESS || can == 0);
}

/// Structures may hold addresses, too: so each word of an argument is looked at.
void require_reach(list_handle list, const launchable& kernel) {
  const auto where = lists().find(list);
  for (const auto& [index, bytes] : kernel.arguments) {
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes.size();
         at += sizeof(std::uint64_t)) {
      if (where != lists().end() && is_out_of_reach(where->second, size_at(bytes.data() + at))) {
        complain("argument %u of a kernel is another device's memory, out of reach", index);
        std::_Exit(EXIT_FAILURE);
      }
    }
  }
}

// ---- commands: Intel's driver checks and records them, then they take effect

ze_result_t copy_if(ze_result_t result, void* to, const void* from, std::size_t nbytes) {
  if (result == ZE_RESULT_SUCCESS) {
    trace("copy %p <- %p, %zu bytes", to, from, nbytes);
    const lock_guard lock(mutex());
    std::memmove(to, from, nbytes);
  }
  return result;
}

ze_result_t fill_if(ze_result_t result, void* to, const void* pattern, std::size_t pattern_nbytes,
                    std::size_t nbytes) {
  if (result == ZE_RESULT_SUCCESS) {
    trace("fill %p, %zu bytes of %zu", to, nbytes, pattern_nbytes);
    const lock_guard lock(mutex());
    std::size_t filled = std::min(pattern_nbytes, nbytes);
    std::memcpy(to, pattern, filled);
    while (filled < nbytes) {  // behind itself what is there already
      const std::size_t now = std::min(filled, nbytes - filled);
      std::memcpy(static_cast<char*>(to) + filled, to, now);
      filled += now;
    }
  }
  return result;
}

ze_result_t launch_if(ze_result_t result, list_handle list, ze_kernel_handle_t kernel,
                      const ze_group_count_t& groups) {
  if (result != ZE_RESULT_SUCCESS) {
    return result;
  }
  const lock_guard lock(mutex());
  launchable* found = find(kernel);
  if (found == nullptr) {
    return ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
  }
  require_reach(list, *found);
  return launch(*found, groups);
}

ze_result_t append_copy(list_handle list, void* to, const void* from, std::size_t nbytes,
                        event_handle signal, std::uint32_t count, event_handle* before) {
  const timed_command timed(signal);
  return copy_if(intels.list.pfnAppendMemoryCopy(list, to, from, nbytes, signal, count, before), to,
                 from, nbytes);
}

ze_result_t append_copy_with_parameters(list_handle list, void* to, const void* from,
                                        std::size_t nbytes, const void* extension,
                                        event_handle signal, std::uint32_t count,
                                        event_handle* before) {
  const timed_command timed(signal);
  return copy_if(intels.list.pfnAppendMemoryCopyWithParameters(list, to, from, nbytes, extension,
                                                               signal, count, before),
                 to, from, nbytes);
}

ze_result_t append_copy_from_context(list_handle list, void* to, ze_context_handle_t context,
                                     const void* from, std::size_t nbytes, event_handle signal,
                                     std::uint32_t count, event_handle* before) {
  const timed_command timed(signal);
  return copy_if(intels.list.pfnAppendMemoryCopyFromContext(list, to, context, from, nbytes, signal,
                                                            count, before),
                 to, from, nbytes);
}

ze_result_t append_fill(list_handle list, void* to, const void* pattern, std::size_t pattern_nbytes,
                        std::size_t nbytes, event_handle signal, std::uint32_t count,
                        event_handle* before) {
  const timed_command timed(signal);
  return fill_if(intels.list.pfnAppendMemoryFill(list, to, pattern, pattern_nbytes, nbytes, signal,
                                                 count, before),
                 to, pattern, pattern_nbytes, nbytes);
}

ze_result_t append_fill_with_parameters(list_handle list, void* to, const void* pattern,
                                        std::size_t pattern_nbytes, std::size_t nbytes,
                                        const void* extension, event_handle signal,
                                        std::uint32_t count, event_handle* before) {
  const timed_command timed(signal);
  return fill_if(intels.list.pfnAppendMemoryFillWithParameters(
                     list, to, pattern, pattern_nbytes, nbytes, extension, signal, count, before),
                 to, pattern, pattern_nbytes, nbytes);
}

ze_result_t append_region(list_handle list, void* to, const ze_copy_region_t* to_region,
                          std::uint32_t to_pitch, std::uint32_t to_slice, const void* from,
                          const ze_copy_region_t* from_region, std::uint32_t from_pitch,
                          std::uint32_t from_slice, event_handle signal, std::uint32_t count,
                          event_handle* before) {
  const timed_command timed(signal);
  const ze_result_t result = intels.list.pfnAppendMemoryCopyRegion(
      list, to, to_region, to_pitch, to_slice, from, from_region, from_pitch, from_slice, signal,
      count, before);
  const auto place = [](const ze_copy_region_t& region, std::size_t pitch, std::size_t slice,
                        std::size_t y, std::size_t z) {
    return region.originX + (region.originY + y) * pitch + (region.originZ + z) * slice;
  };
  for (std::size_t z = 0; z < std::max(to_region->depth, 1U); ++z) {
    for (std::size_t y = 0; y < to_region->height; ++y) {
      copy_if(result, static_cast<char*>(to) + place(*to_region, to_pitch, to_slice, y, z),
              static_cast<const char*>(from) + place(*from_region, from_pitch, from_slice, y, z),
              to_region->width);
    }
  }
  return result;
}

/// Every command takes effect when it is appended, so there is nothing to wait for.
ze_result_t append_barrier(list_handle list, event_handle signal, std::uint32_t count,
                           event_handle* before) {
  const timed_command timed(signal);
  return intels.list.pfnAppendBarrier(list, signal, count, before);
}

ze_result_t append_signal(list_handle list, event_handle signal) {
  const timed_command timed(signal);
  return intels.list.pfnAppendSignalEvent(list, signal);
}

ze_result_t append_launch(list_handle list, ze_kernel_handle_t kernel,
                          const ze_group_count_t* groups, event_handle signal, std::uint32_t count,
                          event_handle* before) {
  const timed_command timed(signal);
  return launch_if(intels.list.pfnAppendLaunchKernel(list, kernel, groups, signal, count, before),
                   list, kernel, *groups);
}

ze_result_t append_cooperative_launch(list_handle list, ze_kernel_handle_t kernel,
                                      const ze_group_count_t* groups, event_handle signal,
                                      std::uint32_t count, event_handle* before) {
  const timed_command timed(signal);
  return launch_if(
      intels.list.pfnAppendLaunchCooperativeKernel(list, kernel, groups, signal, count, before),
      list, kernel, *groups);
}

ze_result_t append_launch_with_parameters(list_handle list, ze_kernel_handle_t kernel,
                                          const ze_group_count_t* groups, const void* extension,
                                          event_handle signal, std::uint32_t count,
                                          event_handle* before) {
  const timed_command timed(signal);
  return launch_if(intels.list.pfnAppendLaunchKernelWithParameters(list, kernel, groups, extension,
                                                                   signal, count, before),
                   list, kernel, *groups);
}

ze_result_t append_launch_with_arguments(list_handle list, ze_kernel_handle_t kernel,
                                         const ze_group_count_t groups,
                                         const ze_group_size_t group_size, void** arguments,
                                         const void* extension, event_handle signal,
                                         std::uint32_t count, event_handle* before) {
  const timed_command timed(signal);
  const ze_result_t result = intels.list.pfnAppendLaunchKernelWithArguments(
      list, kernel, groups, group_size, arguments, extension, signal, count, before);
  const lock_guard lock(mutex());
  launchable* found = find(kernel);
  if (result != ZE_RESULT_SUCCESS || found == nullptr) {
    return result;
  }
  found->group_size = {group_size.groupSizeX, group_size.groupSizeY, group_size.groupSizeZ};
  const auto parameters = found->runs.parameters();
  for (std::uint32_t k = 0; k < parameters.size(); ++k) {
    switch (parameters[k].is) {
      case parameter::kind::local:
        set_argument(*found, k, *static_cast<const std::size_t*>(arguments[k]), nullptr);
        break;
      case parameter::kind::pointer:
        set_argument(*found, k, sizeof(void*), arguments[k]);
        break;
      default:
        set_argument(*found, k, parameters[k].nbytes, arguments[k]);
    }
  }
  require_reach(list, *found);
  return launch(*found, groups);
}

// ---- what the simulation mode leaves out

/// Memory cannot be made resident there; the SYCL runtime's adapter v2 asks for it.
ze_result_t make_resident(ze_context_handle_t, ze_device_handle_t, void*, std::size_t) {
  return ZE_RESULT_SUCCESS;
}

/// No event's status becomes complete there, while a wait for one ends at once.
ze_result_t query_event_status(ze_event_handle_t event) {
  return intels.event.pfnHostSynchronize(event, 0);
}

/// Intel's function of that name, which one of the same name here hides.
template <class Function>
Function intels_own(const char* name) {
  static void* const library = dlopen("libze_intel_gpu.so.1", RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function>(dlsym(library, name));
}

template <class Function>
void replace(Function& entry, Function by) {
  if (entry != nullptr) {
    entry = by;
  }
}

}  // namespace
}  // namespace executing

// ---- the tables that the loader asks for

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED ze_result_t zeGetModuleProcAddrTable(ze_api_version_t version,
                                              ze_module_dditable_t* table) {
  using namespace executing;
  const auto result =
      intels_own<decltype(&zeGetModuleProcAddrTable)>("zeGetModuleProcAddrTable")(version, table);
  intels.module = *table;
  table->pfnCreate = create_module;
  table->pfnDestroy = destroy_module;
  table->pfnGetNativeBinary = get_native_binary;
  return result;
}

EXPORTED ze_result_t zeGetKernelProcAddrTable(ze_api_version_t version,
                                              ze_kernel_dditable_t* table) {
  using namespace executing;
  const auto result =
      intels_own<decltype(&zeGetKernelProcAddrTable)>("zeGetKernelProcAddrTable")(version, table);
  intels.kernel = *table;
  table->pfnCreate = create_kernel;
  table->pfnDestroy = destroy_kernel;
  table->pfnSetGroupSize = set_group_size;
  table->pfnSetArgumentValue = set_argument;
  return result;
}

EXPORTED ze_result_t zeGetKernelExpProcAddrTable(ze_api_version_t version,
                                                 ze_kernel_exp_dditable_t* table) {
  using namespace executing;
  const auto result = intels_own<decltype(&zeGetKernelExpProcAddrTable)>(
      "zeGetKernelExpProcAddrTable")(version, table);
  intels.kernel_exp = *table;
  table->pfnSetGlobalOffsetExp = set_offset;
  return result;
}

EXPORTED ze_result_t zeGetContextProcAddrTable(ze_api_version_t version,
                                               ze_context_dditable_t* table) {
  using namespace executing;
  const auto result =
      intels_own<decltype(&zeGetContextProcAddrTable)>("zeGetContextProcAddrTable")(version, table);
  table->pfnMakeMemoryResident = make_resident;
  table->pfnEvictMemory = make_resident;
  return result;
}

EXPORTED ze_result_t zeGetDeviceProcAddrTable(ze_api_version_t version,
                                              ze_device_dditable_t* table) {
  using namespace executing;
  const auto result =
      intels_own<decltype(&zeGetDeviceProcAddrTable)>("zeGetDeviceProcAddrTable")(version, table);
  intels.device = *table;
  table->pfnCanAccessPeer = can_access_peer;
  table->pfnGetP2PProperties = get_peer_properties;
  table->pfnGetGlobalTimestamps = get_global_timestamps;
  return result;
}

EXPORTED ze_result_t zeGetEventProcAddrTable(ze_api_version_t version, ze_event_dditable_t* table) {
  using namespace executing;
  const auto result =
      intels_own<decltype(&zeGetEventProcAddrTable)>("zeGetEventProcAddrTable")(version, table);
  intels.event = *table;
  table->pfnQueryStatus = query_event_status;
  table->pfnQueryKernelTimestamp = query_kernel_timestamp;
  table->pfnDestroy = destroy_event;
  return result;
}

EXPORTED ze_result_t zeGetCommandListProcAddrTable(ze_api_version_t version,
                                                   ze_command_list_dditable_t* table) {
  using namespace executing;
  const auto result = intels_own<decltype(&zeGetCommandListProcAddrTable)>(
      "zeGetCommandListProcAddrTable")(version, table);
  intels.list = *table;
  table->pfnCreate = create_list;
  table->pfnCreateImmediate = create_immediate_list;
  table->pfnAppendMemoryCopy = append_copy;
  table->pfnAppendMemoryCopyRegion = append_region;
  table->pfnAppendMemoryCopyFromContext = append_copy_from_context;
  table->pfnAppendMemoryFill = append_fill;
  table->pfnAppendBarrier = append_barrier;
  table->pfnAppendSignalEvent = append_signal;
  table->pfnAppendLaunchKernel = append_launch;
  table->pfnAppendLaunchCooperativeKernel = append_cooperative_launch;
  // Which came later.
  replace(table->pfnAppendMemoryCopyWithParameters, append_copy_with_parameters);
  replace(table->pfnAppendMemoryFillWithParameters, append_fill_with_parameters);
  replace(table->pfnAppendLaunchKernelWithParameters, append_launch_with_parameters);
  replace(table->pfnAppendLaunchKernelWithArguments, append_launch_with_arguments);
  return result;
}
