#include "opencl_cpu.hpp"

#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace executing {
namespace {

void print(const char* format, std::va_list values) {
  std::array<char, 4096> line;
  std::vsnprintf(line.data(), line.size(), format, values);
  std::fprintf(stderr, "level-zero: %s\n", line.data());
}

/// In a Python environment nothing registers the CPU driver. It lies beside the OpenCL loader.
void show_driver() {
  Dl_info loader;
  if (dladdr(reinterpret_cast<void*>(&clGetPlatformIDs), &loader) != 0) {
    const auto driver = std::filesystem::path(loader.dli_fname).replace_filename("libintelocl.so");
    setenv("OCL_ICD_FILENAMES", driver.c_str(), 0);
  }
}

struct opencl {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  clSetKernelArgMemPointerINTEL_fn set_pointer = nullptr;

  opencl() {
    show_driver();
    std::array<cl_platform_id, 8> platforms{};
    cl_uint count = 0;
    clGetPlatformIDs(platforms.size(), platforms.data(), &count);
    for (cl_uint k = 0; k < count && device == nullptr; ++k) {
      if (clGetDeviceIDs(platforms[k], CL_DEVICE_TYPE_CPU, 1, &device, nullptr) != CL_SUCCESS) {
        device = nullptr;
        continue;
      }
      context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
      queue = clCreateCommandQueueWithProperties(context, device, nullptr, nullptr);
      set_pointer = reinterpret_cast<clSetKernelArgMemPointerINTEL_fn>(
          clGetExtensionFunctionAddressForPlatform(platforms[k], "clSetKernelArgMemPointerINTEL"));
    }
    if (device == nullptr) {
      complain("no OpenCL CPU device among %u platforms: kernels do nothing", count);
    }
  }
};

/// Never destroyed: kernels run until the process ends.
opencl& cpu() {
  static opencl& only = *new opencl;
  return only;
}

void print_build_log(cl_program program, cl_int status) {
  std::array<char, 4000> log{};
  clGetProgramBuildInfo(program, cpu().device, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(),
                        nullptr);
  complain("a program cannot be built (%d): %s", status, log.data());
}

/// Null where the parts are no program, of which a line says why.
cl_program built_program(const program_source& source) {
  const char* options = source.optimized ? "" : "-cl-opt-disable";
  std::vector<cl_program> parts;
  cl_int status = CL_SUCCESS;
  for (const std::vector<char>& part : source.parts) {
    parts.push_back(clCreateProgramWithIL(cpu().context, part.data(), part.size(), &status));
    for (const auto& [id, value] : source.constants) {
      clSetProgramSpecializationConstant(parts.back(), id, sizeof value, &value);
    }
  }
  cl_program made = parts.front();
  if (parts.size() == 1) {
    status = clBuildProgram(made, 1, &cpu().device, options, nullptr, nullptr);
  } else {
    for (cl_program part : parts) {
      clCompileProgram(part, 1, &cpu().device, options, 0, nullptr, nullptr, nullptr, nullptr);
    }
    made = clLinkProgram(cpu().context, 1, &cpu().device, "", static_cast<cl_uint>(parts.size()),
                         parts.data(), nullptr, nullptr, &status);
  }
  if (status != CL_SUCCESS) {
    print_build_log(made, status);
    return nullptr;
  }
  return made;
}

// ---- programs kept beside this library: each test is a process of its own

/// By what the program is made of.
std::filesystem::path kept_at(const program_source& source) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&](const void* data, std::size_t nbytes) {
    for (std::size_t k = 0; k < nbytes; ++k) {
      hash = (hash ^ static_cast<const unsigned char*>(data)[k]) * 0x100000001b3;
    }
  };
  for (const std::vector<char>& part : source.parts) {
    add(part.data(), part.size());
  }
  for (const auto& [id, value] : source.constants) {
    add(&id, sizeof id);
    add(&value, sizeof value);
  }
  add(&source.optimized, sizeof source.optimized);
  Dl_info self;
  dladdr(reinterpret_cast<void*>(&kept_at), &self);
  return std::filesystem::path(self.dli_fname).parent_path() / "programs" / std::to_string(hash);
}

/// Null where there is none, or one of another driver.
cl_program kept_program(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string binary{std::istreambuf_iterator<char>(stream), {}};
  if (binary.empty()) {
    return nullptr;
  }
  const auto* data = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t size = binary.size();
  cl_int status = CL_SUCCESS;
  cl_program made =
      clCreateProgramWithBinary(cpu().context, 1, &cpu().device, &size, &data, nullptr, &status);
  if (status == CL_SUCCESS) {
    status = clBuildProgram(made, 1, &cpu().device, "", nullptr, nullptr);
  }
  return status == CL_SUCCESS ? made : nullptr;
}

/// Other processes see the whole file or none.
void keep(cl_program program, const std::filesystem::path& file) {
  std::size_t size = 0;
  if (program == nullptr || clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size,
                                             nullptr) != CL_SUCCESS) {
    return;
  }
  std::vector<unsigned char> binary(size);
  unsigned char* data = binary.data();
  clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, nullptr);
  std::error_code failed;
  std::filesystem::create_directory(file.parent_path(), failed);
  const std::filesystem::path fresh = file.string() + "." + std::to_string(getpid());
  std::ofstream(fresh, std::ios::binary).write(reinterpret_cast<const char*>(data), size);
  std::filesystem::rename(fresh, file, failed);
}

}  // namespace

void complain(const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  print(format, values);
  va_end(values);
}

void trace(const char* format, ...) {
  static const bool on = std::getenv("CPUEXEC_TRACE") != nullptr;
  if (on) {
    std::va_list values;
    va_start(values, format);
    print(format, values);
    va_end(values);
  }
}

cl_program program::built() {
  if (program_ != nullptr || source_.parts.empty() || cpu().device == nullptr) {
    return program_;
  }
  for (const std::vector<char>& part : source_.parts) {
    parameters_.merge(parameters_of_kernels(part));
  }
  const std::filesystem::path file = kept_at(source_);
  program_ = kept_program(file);
  if (program_ == nullptr) {
    program_ = built_program(source_);
    keep(program_, file);
  }
  return program_;
}

kernel::kernel(std::shared_ptr<program> of, std::string name)
    : program_(std::move(of)), name_(std::move(name)) {
  const cl_program from = program_ == nullptr ? nullptr : program_->built();
  if (from == nullptr) {
    return;
  }
  parameters_ = program_->parameters_[name_];
  cl_int status = CL_SUCCESS;
  kernel_ = clCreateKernel(from, name_.c_str(), &status);
  if (status != CL_SUCCESS) {
    complain("there is no kernel %s (%d)", name_.c_str(), status);
    return;
  }
  for (const cl_kernel_exec_info reach : {CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
                                          CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
                                          CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL}) {
    const cl_bool yes = CL_TRUE;
    clSetKernelExecInfo(kernel_, reach, sizeof yes, &yes);
  }
}

void kernel::set_argument(std::uint32_t index, std::size_t nbytes, const void* value) {
  if (kernel_ == nullptr) {
    return;
  }
  const auto kind = index < parameters_.size() ? parameters_[index].is : parameter::kind::value;
  cl_int status = CL_SUCCESS;
  if (kind == parameter::kind::pointer) {
    void* address = nullptr;
    if (value != nullptr) {
      std::memcpy(&address, value, sizeof address);
    }
    status = cpu().set_pointer(kernel_, index, address);
  } else if (kind == parameter::kind::local) {
    status = clSetKernelArg(kernel_, index, nbytes, nullptr);
  } else {
    const std::vector<char> zeros(nbytes);
    status = clSetKernelArg(kernel_, index, nbytes, value == nullptr ? zeros.data() : value);
  }
  if (status != CL_SUCCESS) {
    complain("argument %u of %s, %zu bytes, is refused (%d)", index, name_.c_str(), nbytes, status);
  }
}

bool kernel::run(const std::size_t* groups, const std::size_t* group_size,
                 const std::size_t* offset) {
  if (kernel_ == nullptr) {
    complain("kernel %s cannot be run", name_.c_str());
    return false;
  }
  std::array<std::size_t, 3> items;
  for (std::size_t k = 0; k < items.size(); ++k) {
    items[k] = groups[k] * group_size[k];
  }
  cl_int status = clEnqueueNDRangeKernel(cpu().queue, kernel_, items.size(), offset, items.data(),
                                         group_size, 0, nullptr, nullptr);
  if (status == CL_SUCCESS) {
    status = clFinish(cpu().queue);
  }
  trace("launch %s, %zu x %zu x %zu -> %d", name_.c_str(), items[0], items[1], items[2], status);
  if (status != CL_SUCCESS) {
    complain("the launch of %s fails (%d)", name_.c_str(), status);
  }
  return status == CL_SUCCESS;
}

}  // namespace executing
