// Kernels in SPIR-V, run by the OpenCL CPU device.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "spirv_parameters.hpp"

namespace executing {

/// Prints a line on the standard error: what a test's output should show where it fails.
void complain(const char* format, ...) __attribute__((format(printf, 1, 2)));
/// The same where CPUEXEC_TRACE is set.
void trace(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// What a program is made of.
struct program_source {
  std::vector<std::vector<char>> parts;  // SPIR-V modules to be linked
  bool optimized = true;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> constants;  // specialization constants
};

/// Built when its first kernel is made. Not thread-safe, as kernels are not.
class program {
 public:
  explicit program(program_source source) : source_(std::move(source)) {}
  const program_source& source() const { return source_; }

 private:
  friend class kernel;
  cl_program built();

  program_source source_;
  cl_program program_ = nullptr;
  std::map<std::string, std::vector<parameter>> parameters_;
};

class kernel {
 public:
  kernel(std::shared_ptr<program> of, std::string name);

  std::span<const parameter> parameters() const { return parameters_; }
  /// `value` as Level Zero takes it: null stands for zeros, and for local memory of that size.
  void set_argument(std::uint32_t index, std::size_t nbytes, const void* value);
  /// Of three dimensions each. Waits. False if the OpenCL CPU device cannot run it.
  bool run(const std::size_t* groups, const std::size_t* group_size, const std::size_t* offset);

 private:
  std::shared_ptr<program> program_;
  std::string name_;
  cl_kernel kernel_ = nullptr;
  std::vector<parameter> parameters_;
};

}  // namespace executing
