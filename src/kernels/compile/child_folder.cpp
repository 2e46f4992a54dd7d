#include "kernels/compile/child_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

namespace fs = std::filesystem;

/// A folder of this user's, opened and locked; -1 if another process has locked it, or it is no
/// such folder any more.
int locked(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat opened{};
  struct stat named{};
  const bool is_ours = file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0 &&
                       ::fstat(file, &opened) == 0 && opened.st_uid == ::geteuid() &&
                       ::lstat(folder.c_str(), &named) == 0 && named.st_ino == opened.st_ino &&
                       named.st_dev == opened.st_dev;
  if (!is_ours && file >= 0) {
    ::close(file);
  }
  return is_ours ? file : -1;
}

void remove_abandoned(const fs::path& parent) {
  std::error_code failed;
  for (fs::directory_iterator each(parent, failed), end; !failed && each != end;
       each.increment(failed)) {
    if (!each->path().filename().native().starts_with(child_folder_prefix)) {
      continue;
    }
    if (const int lock = locked(each->path()); lock >= 0) {
      std::error_code kept;
      fs::remove_all(each->path(), kept);
      ::close(lock);
    }
  }
}

/// The folder that TMPDIR names, as the compiler itself would look for it; absolute, because the
/// compiler has another working directory.
fs::path parent_folder() {
  const char* const named = std::getenv("TMPDIR");
  const fs::path parent = named != nullptr && named[0] != '\0' ? named : "/tmp";
  std::error_code no_working_directory;
  const fs::path absolute = fs::absolute(parent, no_working_directory);
  return no_working_directory ? parent : absolute;
}

fs::path new_folder(const fs::path& parent) {
  std::string name = (parent / child_folder_prefix).native() + "XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    const int error = errno;
    throw std::runtime_error(message(
        "kernels are compiled with temporary files in the folder that TMPDIR names, or in /tmp: "
        "expected a folder that this process can write to, found ",
        parent.native(), ": ", std::strerror(error)));
  }
  return name;
}

}  // namespace

child_folder::child_folder() {
  const fs::path parent = parent_folder();
  remove_abandoned(parent);
  // The most tries to lock a new folder, which another process that looks just then may take for an
  // abandoned one. On file systems without locks, all folders stay unlocked, and abandoned ones are
  // left.
  constexpr int most_tries = 10;
  for (int tries = 0; lock_ < 0 && tries < most_tries; ++tries) {
    if (!path_.empty()) {
      std::error_code gone;
      fs::remove(path_, gone);
    }
    path_ = new_folder(parent);
    lock_ = locked(path_);
  }
}

child_folder::child_folder(child_folder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

child_folder::~child_folder() {
  if (!path_.empty()) {
    std::error_code kept;
    fs::remove_all(path_, kept);
  }
  if (lock_ >= 0) {
    ::close(lock_);
  }
}

}  // namespace usmx::inline v1::detail
