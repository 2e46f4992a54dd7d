// Where the code of programs comes from, of users' and of usmx's own: the disk cache, else the file
// of the package, else the compiler. Private to the library.
#pragma once

#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>

#include "kernels/cache_files.hpp"
#include "kernels/compile/compiler.hpp"
#include "kernels/compile/program.hpp"
#include "kernels/device_kernel.hpp"

namespace usmx::inline v1::detail {

/// The kernels of those names in what was compiled for the device: an executable SYCLBIN, a module
/// of SPIR-V, or code for CUDA's driver. Throws compile_error where the driver cannot build it,
/// value_error if it lacks a kernel.
std::vector<device_code> load_code(std::string& compiled, std::span<const std::string> names,
                                   const sycl::context&, const sycl::device&);

/// The program as it was compiled when the package was built, linked for the device. None if the
/// package lacks it, or the device cannot run it.
std::optional<compiled_program> linked_from_package(const program&, const compile_target&,
                                                    const sycl::context&);

/// The entry of one program, for one device, in the disk cache.
class cached_program {
 public:
  /// `group` begins the file's name. A program that may read real files has no entry: nobody would
  /// see that they change.
  cached_program(std::string group, const program&, const sycl::device&, const compile_target&);

  /// All that the code depends on; null for a program that has no entry.
  const std::string* identity() const noexcept { return key_ ? &key_->rest : nullptr; }

  std::optional<compiled_program> load() const;
  void store(const compiled_program&) const;
  /// Discards an entry that was loaded and turned out to be useless.
  void discard(const char* reason) const;

 private:
  cache_files files_;
  std::optional<kernel_cache_key> key_;
};

/// Returns `load(compiled_program&)` of the first origin that has the program: the disk cache, the
/// package, the compiler. What was linked or compiled goes to the disk cache. Throws what `load`
/// throws, other than for an entry of the cache, and compile_error.
template <class Load>
auto load_program(const program& source, const compile_target& target, const cached_program& cache,
                  const sycl::context& context, const child_progress& progress, const Load& load) {
  if (auto found = cache.load()) {
    try {
      return load(*found);
    } catch (const std::exception& useless) {
      cache.discard(useless.what());
    }
  }
  auto packaged = linked_from_package(source, target, context);
  compiled_program made = packaged ? *std::move(packaged) : compile(source, target, progress);
  auto loaded = load(made);
  cache.store(made);
  return loaded;
}

}  // namespace usmx::inline v1::detail
