// The disk cache of device kernels: where it is, what it holds, and how to clear it. The library
// itself writes and reads it, and so the building of kernels is not here. No SYCL here.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// A file of the cache: a group of kernels, built for one device.
struct cached_kernels {
  /// The path of the file.
  std::filesystem::path file;
  /// The size of the file in bytes.
  std::uintmax_t nbytes;
  /// The time when a process wrote or read the file last.
  std::filesystem::file_time_type last_use;
  /// The name of the group, such as "copy", on GPUs "copy_wide"; empty when the file cannot be
  /// read.
  std::string group;
  /// The name of the device; empty when the file cannot be read.
  std::string device;
};

/// The folder of the cache, which need not exist: $USMX_CACHE_DIR, else $XDG_CACHE_HOME/usmx (XDG
/// base directories), else ~/.cache/usmx. Empty, which turns the cache off, when USMX_CACHE_DIR is
/// set to an empty text or when none of the variables says a folder.
USMX_API std::filesystem::path kernel_cache_directory();

/// The files of the cache, those used last first. Empty when there is no cache.
USMX_API std::vector<cached_kernels> list_kernel_cache();

/// Deletes the files of the cache and returns how many bytes they had. Other files in the folder
/// stay. Other processes may use the cache meanwhile: they build their kernels again. Throws
/// std::filesystem::filesystem_error when a file cannot be deleted.
USMX_API std::uintmax_t clear_kernel_cache();

}  // namespace usmx::inline v1
