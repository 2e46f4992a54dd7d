// The files of the disk cache of built kernels. Processes may read and write them at the same time:
// files come into being whole, under their final names, and never change. No SYCL here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "usmx/kernels/disk_cache.hpp"

namespace usmx::inline v1::detail {

/// What the built kernels of a group depend on; other values are other entries.
struct kernel_cache_key {
  std::string group;
  std::string device;
  /// Driver, runtime, usmx, the group's code: anything, without a null character.
  std::string rest;
};

class cache_files {
 public:
  /// The oldest files are deleted when all have more than `limit` bytes.
  static constexpr std::uintmax_t default_limit = std::uintmax_t{64} << 20;

  /// The one that the environment names.
  cache_files() : cache_files(kernel_cache_directory()) {}
  /// An empty name: no cache, which never has anything. A directory that belongs to, or can be
  /// written by, somebody else is not used either, since what is in it will be run.
  explicit cache_files(std::filesystem::path directory, std::uintmax_t limit = default_limit);

  /// None when there is no such entry. One that is damaged is deleted, and a warning says so.
  std::optional<std::vector<char>> load(const kernel_cache_key&) const;
  /// Does nothing where it cannot write.
  void store(const kernel_cache_key&, std::span<const char> content) const;
  /// For an entry whose content turned out to be useless: deletes and reports it.
  void discard(const kernel_cache_key&, const std::string& reason) const;

  /// What there is, the latest used first.
  std::vector<cached_kernels> list() const;
  /// Deletes it, and what writers have left behind; returns how many bytes that were. Throws
  /// std::filesystem::filesystem_error.
  std::uintmax_t clear() const;

  std::filesystem::path file_of(const kernel_cache_key&) const;

 private:
  bool usable() const;
  void make_room() const;

  std::filesystem::path directory_;
  std::uintmax_t limit_;
};

/// 64 bits of which not one depends on a single byte only. Not for secrets.
std::uint64_t hash_of(std::span<const char> bytes) noexcept;

}  // namespace usmx::inline v1::detail
