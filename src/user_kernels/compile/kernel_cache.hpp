// Compiled programs of users in the disk cache, beside the package's own kernels. Private to the
// library.
#pragma once

#include <optional>
#include <string>

#include <sycl/device.hpp>

#include "kernels/cache_files.hpp"
#include "user_kernels/compile/compiler.hpp"

namespace usmx::inline v1::detail {

/// The place of one program, for one device, in the disk cache.
class cached_program {
 public:
  /// A program that may read real files has none: nobody would see that they change.
  cached_program(const program&, const sycl::device&, const compile_target&);

  /// All that the code depends on; null for a program that has no place.
  const std::string* identity() const noexcept { return key_ ? &key_->rest : nullptr; }

  std::optional<compiled_program> load() const;
  void store(const compiled_program&) const;
  /// For what was loaded and turned out to be useless.
  void discard(const char* reason) const;

 private:
  cache_files files_;
  std::optional<kernel_cache_key> key_;
};

}  // namespace usmx::inline v1::detail
