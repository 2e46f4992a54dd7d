#include "kernels/compile/nvrtc.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <system_error>

typedef struct _nvrtcProgram* nvrtcProgram;

namespace usmx::inline v1::detail {
namespace {

namespace fs = std::filesystem;

// "NVRTC", the reference of its functions. Enumerations are as wide as an int.
using result = int;            // nvrtcResult
constexpr result success = 0;  // NVRTC_SUCCESS

/// The library, which needs its builtins, whose file is beside it.
class library {
 public:
  explicit library(const fs::path& file) {
    std::error_code ignored;
    for (const auto& each : fs::directory_iterator(file.parent_path(), ignored)) {
      if (each.path().filename().native().starts_with("libnvrtc-builtins.so")) {
        dlopen(each.path().c_str(), RTLD_LAZY | RTLD_GLOBAL);
      }
    }
    handle_ = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle_ == nullptr) {
      throw std::runtime_error(std::string("NVRTC cannot be loaded: ") + dlerror());
    }
  }

  template <class Function>
  Function* find(const char* name) const {
    void* const found = dlsym(handle_, name);
    if (found == nullptr) {
      throw std::runtime_error(std::string("NVRTC lacks the function ") + name);
    }
    return reinterpret_cast<Function*>(found);
  }

 private:
  void* handle_;
};

void require_success(const library& nvrtc, result status) {
  if (status != success) {
    throw std::runtime_error(std::string("NVRTC fails: ") +
                             nvrtc.find<const char*(result)>("nvrtcGetErrorString")(status));
  }
}

/// The text that nvrtcGet<name> gives, of the size that nvrtcGet<name>Size gives.
std::string text_of(const library& nvrtc, nvrtcProgram program, const std::string& name) {
  std::size_t size = 0;
  require_success(nvrtc, nvrtc.find<result(nvrtcProgram, std::size_t*)>(
                             ("nvrtcGet" + name + "Size").c_str())(program, &size));
  std::string text(size, '\0');
  require_success(nvrtc, nvrtc.find<result(nvrtcProgram, char*)>(("nvrtcGet" + name).c_str())(
                             program, text.data()));
  return text;
}

/// The architectures that it has, in ascending order.
std::vector<int> architectures(const library& nvrtc) {
  int count = 0;
  require_success(nvrtc, nvrtc.find<result(int*)>("nvrtcGetNumSupportedArchs")(&count));
  std::vector<int> all(static_cast<std::size_t>(count));
  require_success(nvrtc, nvrtc.find<result(int*)>("nvrtcGetSupportedArchs")(all.data()));
  std::ranges::sort(all);
  return all;
}

/// The architecture: "sm_90", or the newest "compute_90" that the device has; empty if the device
/// is too old for the compiler.
std::string architecture_for(const library& nvrtc, int capability, bool is_for_newer) {
  const std::vector<int> all = architectures(nvrtc);
  const auto newer = std::ranges::upper_bound(all, capability);
  if (newer == all.begin()) {
    return {};
  }
  const int found = *std::prev(newer);
  return (found == capability && !is_for_newer ? "sm_" : "compute_") + std::to_string(found);
}

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> all;
  for (const std::string& each : texts) {
    all.push_back(each.c_str());
  }
  return all;
}

nvrtcProgram create(const library& nvrtc, const nvrtc_program& from) {
  std::vector<const char*> names;
  std::vector<const char*> texts;
  for (const auto& [name, text] : from.files) {
    names.push_back(name.c_str());
    texts.push_back(text.c_str());
  }
  nvrtcProgram created = nullptr;  // until the process ends
  require_success(
      nvrtc, nvrtc.find<result(nvrtcProgram*, const char*, const char*, int, const char* const*,
                               const char* const*)>("nvrtcCreateProgram")(
                 &created, from.text.c_str(), "<usmx>", static_cast<int>(names.size()),
                 texts.data(), names.data()));
  return created;
}

}  // namespace

nvrtc_result compile_by_nvrtc(const nvrtc_program& from) {
  const library nvrtc(from.library);
  const std::string architecture = architecture_for(nvrtc, from.capability, from.is_for_newer);
  if (architecture.empty()) {
    return {{}, "error: NVIDIA's compiler makes no code for devices that are so old\n"};
  }
  std::vector<std::string> options{"--gpu-architecture=" + architecture, "--std=c++20",
                                   "--device-as-default-execution-space",
                                   // Variables nobody reads, and unsigned numbers that are compared
                                   // with 0: clang says nothing of them, either.
                                   "--diag-suppress=177,186"};
  options.insert(options.end(), from.options.begin(), from.options.end());
  const std::vector<const char*> all = pointers(options);
  nvrtcProgram program = create(nvrtc, from);
  const result status = nvrtc.find<result(nvrtcProgram, int, const char* const*)>(
      "nvrtcCompileProgram")(program, static_cast<int>(all.size()), all.data());
  nvrtc_result made{{}, text_of(nvrtc, program, "ProgramLog")};
  made.log.resize(std::min(made.log.find('\0'), made.log.size()));
  if (status == success) {
    made.code = text_of(nvrtc, program, architecture.starts_with("sm_") ? "CUBIN" : "PTX");
  } else if (made.log.find("error: ") == made.log.npos) {
    // The assembler says "ptxas fatal : ..." instead.
    std::ranges::replace(made.log, '\n', ' ');
    made.log = "error: " + made.log +
               nvrtc.find<const char*(result)>("nvrtcGetErrorString")(status) + '\n';
  }
  return made;
}

}  // namespace usmx::inline v1::detail
