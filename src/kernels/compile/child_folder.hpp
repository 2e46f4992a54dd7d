// The folder for the temporary files of one compiler: a compiler that is killed leaves files
// behind, which go with the folder. No SYCL here. Private to the library and to usmx-compile.
#pragma once

#include <filesystem>
#include <string_view>

namespace usmx::inline v1::detail {

/// The beginning of the folders' names.
inline constexpr std::string_view child_folder_prefix = "usmx-compile-";

class child_folder {
 public:
  /// Makes a folder in the one that TMPDIR names, or in /tmp. Removes the folders there of
  /// processes that have ended without doing so. Throws std::runtime_error that names TMPDIR.
  child_folder();
  child_folder(child_folder&&) noexcept;
  child_folder& operator=(child_folder&&) = delete;
  /// Removes the folder, with all that is in it.
  ~child_folder();

  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;  // a lock that goes with this process, by which others know that it lives
};

}  // namespace usmx::inline v1::detail
