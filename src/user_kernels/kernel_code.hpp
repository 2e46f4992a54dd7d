// The code of a user's kernel, ready to run on one device: a kernel of the SYCL runtime, or one of
// CUDA's driver. What it allows, and how a command gets its arguments. Private to the library.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/handler.hpp>
#include <sycl/kernel.hpp>

#include "kernels/cuda_module.hpp"
#include "user_kernels/launch_sizes.hpp"

namespace usmx::inline v1::detail {

/// Sets the arguments of a kernel of the SYCL runtime, one after the other. All of them, at every
/// launch: the runtime would silently use those of the launch before.
class runtime_arguments {
 public:
  explicit runtime_arguments(sycl::handler& handler) noexcept : handler_(handler) {}

  void add_bytes(const void* bytes, std::size_t nbytes);
  void add_address(void* address) { handler_.set_arg(index_++, address); }
  void add_local(std::size_t nbytes);

 private:
  sycl::handler& handler_;
  int index_ = 0;
};

/// Keeps the arguments of a kernel of CUDA's driver for a command that runs later.
class cuda_arguments {
 public:
  void add_bytes(const void* bytes, std::size_t nbytes);
  void add_address(void* address) { add_bytes(&address, sizeof address); }
  /// The kernel gets the offset in the memory that the work items of a group share.
  void add_local(std::size_t nbytes);

  std::size_t shared_nbytes() const noexcept { return shared_nbytes_; }
  /// Pointers to the arguments, which live as long as this.
  std::vector<void*> pointers();

 private:
  std::vector<std::byte> bytes_;
  std::vector<std::size_t> offsets_;
  std::size_t shared_nbytes_ = 0;
};

class kernel_code {
 public:
  explicit kernel_code(sycl::kernel code) : code_(std::move(code)) {}
  explicit kernel_code(CUfunction code) noexcept : code_(code) {}

  launch_limits limits(const sycl::device&, int dimensions, std::size_t local_parameters) const;

  /// Makes the handler's command run the kernel after these events, with the arguments that
  /// `add_all(arguments)` adds.
  template <class AddAll>
  void enqueue(sycl::handler& handler, const std::vector<sycl::event>& before,
               const launch_sizes& sizes, const AddAll& add_all) const {
    if (const auto* kernel = std::get_if<sycl::kernel>(&code_)) {
      runtime_arguments arguments(handler);
      add_all(arguments);
      start(handler, *kernel, sizes);
    } else {
      cuda_arguments arguments;
      add_all(arguments);
      start(handler, before, std::get<CUfunction>(code_), sizes, std::move(arguments));
    }
  }

 private:
  static void start(sycl::handler&, const sycl::kernel&, const launch_sizes&);
  static void start(sycl::handler&, const std::vector<sycl::event>& before, CUfunction,
                    const launch_sizes&, cuda_arguments);

  std::variant<sycl::kernel, CUfunction> code_;
};

/// The kernels of those names in what was compiled for the device: an executable SYCLBIN, a module
/// of SPIR-V, or code for CUDA's driver. Throws compile_error where the driver cannot build it,
/// value_error if it lacks a kernel.
std::vector<kernel_code> load_code(std::string& compiled, std::span<const std::string> names,
                                   const sycl::context&, const sycl::device&);

}  // namespace usmx::inline v1::detail
