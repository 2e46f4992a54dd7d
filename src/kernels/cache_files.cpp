#include "kernels/cache_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/environment.hpp"
#include "base/messages.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view extension = ".kernels";
constexpr std::string_view temporary_extension = ".part";
/// The age at which a temporary file counts as left behind by its writer.
constexpr auto abandoned_after = std::chrono::hours(1);

/// A file begins with the header. The key's texts follow, each ended by a null character, and then
/// the content.
struct header {
  static constexpr std::array<char, 8> expected_magic{'u', 's', 'm', 'x', 'k', 'r', 'n', '1'};

  std::array<char, 8> magic = expected_magic;
  std::uint64_t key_nbytes;
  std::uint64_t content_nbytes;
  std::uint64_t checksum;  // of key and content
};

std::string text_of(const kernel_cache_key& key) {
  std::string text;
  for (const std::string* part : {&key.group, &key.device, &key.rest}) {
    text.append(*part).push_back('\0');
  }
  return text;
}

std::uint64_t checksum_of(std::string_view key, std::span<const char> content) {
  return hash_of(key) ^ std::rotl(hash_of(content), 1);
}

/// The bytes of a file; none if there is no such file; empty if it is no regular file, or is larger
/// than any file of the cache. If asked to, notes the use of the file.
std::optional<std::vector<char>> read_bytes(const fs::path& file, bool note_use = false) {
  // Non-blocking, because opening a pipe of that name would wait for a writer.
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return std::nullopt;
  }
  struct stat status;
  std::vector<char> bytes;
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
      static_cast<std::uintmax_t>(status.st_size) <= cache_files::default_limit) {
    bytes.resize(static_cast<std::size_t>(status.st_size));
  }
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::read(descriptor, bytes.data() + done, bytes.size() - done);
    if (count <= 0) {
      break;
    }
    done += static_cast<std::size_t>(count);
  }
  bytes.resize(done);
  // The time of the last change serves as that of the last use, since file systems may not keep
  // other times.
  if (note_use) {
    ::futimens(descriptor, nullptr);
  }
  ::close(descriptor);
  return bytes;
}

/// The parts of a file whose bytes are as they were written.
struct entry {
  std::string_view key;
  std::span<const char> content;
};

std::optional<entry> parse(std::span<const char> bytes) {
  header head;
  if (bytes.size() < sizeof head) {
    return std::nullopt;
  }
  std::memcpy(&head, bytes.data(), sizeof head);
  const std::size_t room = bytes.size() - sizeof head;
  if (head.magic != header::expected_magic || head.key_nbytes > room ||
      head.content_nbytes != room - head.key_nbytes) {
    return std::nullopt;
  }
  const entry found{{bytes.data() + sizeof head, head.key_nbytes}, bytes.last(head.content_nbytes)};
  if (checksum_of(found.key, found.content) != head.checksum) {
    return std::nullopt;
  }
  return found;
}

/// A name beside the file that no other writer has.
fs::path temporary_beside(const fs::path& file) {
  static std::atomic<unsigned> count = 0;
  return fs::path(file).concat(
      message('.', ::getpid(), '.', count.fetch_add(1), temporary_extension));
}

bool write_all(int descriptor, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count <= 0) {
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

bool write_file(const fs::path& file, std::span<const char> head, std::span<const char> key,
                std::span<const char> content) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return false;
  }
  const bool written =
      write_all(descriptor, head) && write_all(descriptor, key) && write_all(descriptor, content);
  return ::close(descriptor) == 0 && written;
}

bool is_entry(const fs::path& file) { return file.extension() == extension; }
bool is_temporary(const fs::path& file) { return file.extension() == temporary_extension; }

struct file_status {
  fs::path file;
  std::uintmax_t nbytes;
  fs::file_time_type last_use;
};

/// Skips files that vanish meanwhile, and what has no size.
template <class Predicate>
std::vector<file_status> files_of(const fs::path& directory, Predicate wanted) {
  std::vector<file_status> found;
  std::error_code failed;
  for (fs::directory_iterator file(directory, failed), end; !failed && file != end;
       file.increment(failed)) {
    if (!wanted(file->path())) {
      continue;
    }
    std::error_code no_size;
    std::error_code no_time;
    const std::uintmax_t nbytes = file->file_size(no_size);
    const fs::file_time_type last_use = file->last_write_time(no_time);
    if (!no_size && !no_time) {
      found.push_back({file->path(), nbytes, last_use});
    }
  }
  return found;
}

void delete_abandoned(const fs::path& directory) {
  const auto oldest = fs::file_time_type::clock::now() - abandoned_after;
  for (const file_status& left : files_of(directory, is_temporary)) {
    std::error_code gone;
    if (left.last_use < oldest) {
      fs::remove(left.file, gone);
    }
  }
}

void report_damage(const fs::path& file, const std::string& reason) {
  warn(message("kernel cache: ", file.native(), " is damaged and is built again: ", reason));
}

}  // namespace

std::uint64_t hash_of(std::span<const char> bytes) noexcept {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
  std::uint64_t hash = bytes.size() * odd;
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = std::min(bytes.size(), sizeof word);
    std::memcpy(&word, bytes.data(), count);
    bytes = bytes.subspan(count);
    hash = (hash ^ word) * odd;
    hash ^= hash >> 32;
  }
  return hash;
}

cache_files::cache_files()
    : cache_files(kernel_cache_directory(), [] {
        static const std::uintmax_t limit =
            size_in("USMX_CACHE_LIMIT", "built kernels may take 64 MiB on disk")
                .value_or(default_limit);
        return limit;
      }()) {}

cache_files::cache_files(fs::path directory, std::uintmax_t limit)
    : directory_(std::move(directory)), limit_(limit) {}

bool cache_files::usable() const {
  struct stat status;
  return !directory_.empty() && ::stat(directory_.c_str(), &status) == 0 &&
         S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

fs::path cache_files::file_of(const kernel_cache_key& key) const {
  std::array<char, 16> digits;
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(),
                                     hash_of(std::string_view(text_of(key))), 16);
  return directory_ /
         message(key.group, '-', std::string_view(digits.data(), written.ptr), extension);
}

std::optional<std::vector<char>> cache_files::load(const kernel_cache_key& key) const {
  if (!usable()) {
    return std::nullopt;
  }
  const std::optional<std::vector<char>> bytes = read_bytes(file_of(key), true);
  if (!bytes) {
    return std::nullopt;
  }
  const std::optional<entry> found = parse(*bytes);
  if (!found) {
    discard(key, "its checksum does not match its content");
    return std::nullopt;
  }
  if (found->key != text_of(key)) {  // two keys of one hash: the later one replaces the other
    return std::nullopt;
  }
  return std::vector<char>(found->content.begin(), found->content.end());
}

void cache_files::store(const kernel_cache_key& key, std::span<const char> content) const {
  std::error_code failed;
  if (directory_.empty() || content.size() > default_limit / 2) {  // more would not be read
    return;
  }
  fs::create_directories(directory_.parent_path(), failed);
  ::mkdir(directory_.c_str(), 0700);
  if (!usable()) {
    return;
  }
  const std::string text = text_of(key);
  const header head{.key_nbytes = text.size(),
                    .content_nbytes = content.size(),
                    .checksum = checksum_of(text, content)};
  const auto head_bytes = std::bit_cast<std::array<char, sizeof head>>(head);
  const fs::path file = file_of(key);
  const fs::path temporary = temporary_beside(file);
  if (write_file(temporary, head_bytes, text, content)) {
    fs::rename(temporary, file, failed);
  }
  fs::remove(temporary, failed);  // gone unless something has failed
  make_room();
}

void cache_files::discard(const kernel_cache_key& key, const std::string& reason) const {
  std::error_code failed;
  fs::remove(file_of(key), failed);
  report_damage(file_of(key), reason);
}

void cache_files::make_room() const {
  delete_abandoned(directory_);
  std::vector<file_status> files = files_of(directory_, is_entry);
  std::ranges::sort(files, {}, &file_status::last_use);
  std::uintmax_t total = 0;
  for (const file_status& file : files) {
    total += file.nbytes;
  }
  for (const file_status& file : files) {
    if (total <= limit_) {
      return;
    }
    std::error_code failed;
    fs::remove(file.file, failed);
    total -= file.nbytes;
  }
}

std::vector<cached_kernels> cache_files::list() const {
  std::vector<cached_kernels> all;
  for (const file_status& found : files_of(directory_, is_entry)) {
    cached_kernels listed{found.file, found.nbytes, found.last_use, {}, {}};
    const auto bytes = read_bytes(found.file);
    if (const auto parsed = bytes ? parse(*bytes) : std::nullopt) {
      const std::size_t group = parsed->key.find('\0');
      listed.group = parsed->key.substr(0, group);
      listed.device = parsed->key.substr(group + 1, parsed->key.find('\0', group + 1) - group - 1);
    }
    all.push_back(std::move(listed));
  }
  std::ranges::sort(all, std::ranges::greater{}, &cached_kernels::last_use);
  return all;
}

std::uintmax_t cache_files::clear() const {
  std::uintmax_t nbytes = 0;
  for (const file_status& found : files_of(
           directory_, [](const fs::path& file) { return is_entry(file) || is_temporary(file); })) {
    if (fs::remove(found.file)) {
      nbytes += found.nbytes;
    }
  }
  return nbytes;
}

}  // namespace usmx::inline v1::detail

namespace fs = std::filesystem;

namespace usmx::inline v1 {

fs::path kernel_cache_directory() {
  const auto variable = [](const char* name) { return std::getenv(name); };
  if (const char* own = variable("USMX_CACHE_DIR")) {
    return own;
  }
  // The XDG specification says that a relative path is invalid here.
  if (const char* all = variable("XDG_CACHE_HOME"); all != nullptr && all[0] == '/') {
    return fs::path(all) / "usmx";
  }
  if (const char* home = variable("HOME"); home != nullptr && home[0] == '/') {
    return fs::path(home) / ".cache/usmx";
  }
  return {};
}

std::vector<cached_kernels> list_kernel_cache() { return detail::cache_files().list(); }

std::uintmax_t clear_kernel_cache() { return detail::cache_files().clear(); }

}  // namespace usmx::inline v1
