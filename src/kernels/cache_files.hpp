// The files of the disk cache of built kernels. Processes may read and write them at the same time:
// a file is complete when it gets its final name, and never changes. No SYCL here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "usmx/kernels/disk_cache.hpp"

namespace usmx::inline v1::detail {

/// The key of an entry: what the built kernels of a group depend on.
struct kernel_cache_key {
  std::string group;
  std::string device;
  /// Driver, runtime, usmx, the group's code: anything, without a null character.
  std::string rest;
};

class cache_files {
 public:
  /// The limit of all files' bytes, above which the oldest ones are deleted, unless another one is
  /// given. No file may be larger.
  static constexpr std::uintmax_t default_limit = std::uintmax_t{64} << 20;

  /// The cache in the directory that the environment names, with the limit that it names.
  cache_files();
  /// Opens a cache in a directory. With an empty name there is no cache: it never has an entry. A
  /// directory that belongs to another user, or that another user can write to, is not used either,
  /// since its contents will be run.
  explicit cache_files(std::filesystem::path directory, std::uintmax_t limit = default_limit);

  /// Returns nothing if there is no such entry. A damaged entry is deleted, with a warning.
  std::optional<std::vector<char>> load(const kernel_cache_key&) const;
  /// Does nothing if it cannot write.
  void store(const kernel_cache_key&, std::span<const char> content) const;
  /// Deletes and reports an entry whose content turned out to be useless.
  void discard(const kernel_cache_key&, const std::string& reason) const;

  /// All entries, the latest used first.
  std::vector<cached_kernels> list() const;
  /// Deletes all entries, and what writers have left behind. Returns how many bytes that were.
  /// Throws std::filesystem::filesystem_error.
  std::uintmax_t clear() const;

  std::filesystem::path file_of(const kernel_cache_key&) const;

 private:
  bool usable() const;
  void make_room() const;

  std::filesystem::path directory_;
  std::uintmax_t limit_;
};

/// A hash of 64 bits. Not for secrets.
std::uint64_t hash_of(std::span<const char> bytes) noexcept;

}  // namespace usmx::inline v1::detail
