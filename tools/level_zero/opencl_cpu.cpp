#include "opencl_cpu.hpp"

#include <CL/cl_ext.h>
#include <dlfcn.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

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
  const char* options = source_.optimized ? "" : "-cl-opt-disable";
  std::vector<cl_program> parts;
  cl_int status = CL_SUCCESS;
  for (const std::vector<char>& part : source_.parts) {
    parts.push_back(clCreateProgramWithIL(cpu().context, part.data(), part.size(), &status));
    for (const auto& [id, value] : source_.constants) {
      clSetProgramSpecializationConstant(parts.back(), id, sizeof value, &value);
    }
    parameters_.merge(parameters_of_kernels(part));
  }
  if (parts.size() == 1) {
    program_ = parts.front();
    status = clBuildProgram(program_, 1, &cpu().device, options, nullptr, nullptr);
  } else {
    for (cl_program part : parts) {
      clCompileProgram(part, 1, &cpu().device, options, 0, nullptr, nullptr, nullptr, nullptr);
    }
    program_ =
        clLinkProgram(cpu().context, 1, &cpu().device, "", static_cast<cl_uint>(parts.size()),
                      parts.data(), nullptr, nullptr, &status);
  }
  if (status != CL_SUCCESS) {
    print_build_log(program_, status);
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

void kernel::run(const std::size_t* groups, const std::size_t* group_size,
                 const std::size_t* offset) {
  if (kernel_ == nullptr) {
    complain("kernel %s cannot be run", name_.c_str());
    return;
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
}

}  // namespace executing
