// The disk cache of device kernels that were built for a device: where it is, what is in it. What
// uses it is in the library. No SYCL here.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// One file of the cache.
struct cached_kernels {
  std::filesystem::path file;
  std::uintmax_t nbytes;
  std::filesystem::file_time_type last_use;
  std::string group;   // "copy"; empty when the file cannot be read
  std::string device;  // its name; empty likewise
};

/// $USMX_CACHE_DIR, or $XDG_CACHE_HOME/usmx, or ~/.cache/usmx. Empty when there is none of them, or
/// when USMX_CACHE_DIR is set to nothing, which turns the cache off. It need not exist.
USMX_API std::filesystem::path kernel_cache_directory();

/// What the cache holds, the latest used first. Empty when there is no cache.
USMX_API std::vector<cached_kernels> list_kernel_cache();

/// Deletes what the cache holds and returns how many bytes that were. Other files are left alone.
/// Safe while other processes use the cache: they build again. Throws
/// std::filesystem::filesystem_error when a file cannot be deleted.
USMX_API std::uintmax_t clear_kernel_cache();

}  // namespace usmx::inline v1
