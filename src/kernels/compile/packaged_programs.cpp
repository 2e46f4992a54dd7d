#include "kernels/compile/packaged_programs.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <map>
#include <stdexcept>
#include <system_error>
#include <type_traits>
#include <utility>

#include "base/messages.hpp"
#include "kernels/cache_files.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

namespace fs = std::filesystem;

template <class T>
bool read(std::istream& from, T* into, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  return static_cast<bool>(
      from.read(reinterpret_cast<char*>(into), static_cast<std::streamsize>(count * sizeof(T))));
}

template <class T>
void write_to(std::ostream& to, const T* from, std::size_t count) {
  to.write(reinterpret_cast<const char*>(from), static_cast<std::streamsize>(count * sizeof(T)));
}

template <class T>
std::uint64_t checksum_of(const std::vector<T>& all) {
  return hash_of({reinterpret_cast<const char*>(all.data()), all.size() * sizeof(T)});
}

std::uint64_t checksum_of(const packaged_program& made) {
  return hash_of(made.object) ^ std::rotl(hash_of(made.log), 1);
}

void report_damage(const fs::path& file, const char* reason) {
  warn(message("the package's kernels: ", file.native(), " is damaged: ", reason,
               "; its kernels are compiled when they are first used. "
               "`pip install --force-reinstall usmx` installs the file again"));
}

}  // namespace

struct packaged_programs::header {
  static constexpr std::array<char, 8> expected_magic{'u', 's', 'm', 'x', 'p', 'r', 'g', '2'};

  std::array<char, 8> magic = expected_magic;
  std::uint64_t count;
  std::uint64_t nbytes;    // of the file
  std::uint64_t checksum;  // of the entries
};

fs::path library_folder() {
  Dl_info found;
  static const char here = 0;
  if (dladdr(&here, &found) == 0 || found.dli_fname == nullptr) {
    throw std::runtime_error("the folder of libusmx.so is unknown, and with it usmx-compile");
  }
  std::error_code failed;
  return fs::canonical(found.dli_fname, failed).parent_path();
}

std::optional<fs::path> file_beside_library(std::string_view name) {
  const fs::path folder = library_folder();
  std::error_code failed;
  for (const fs::path& candidate : {folder.parent_path() / "libexec" / name, folder / name}) {
    if (fs::exists(candidate, failed)) {
      return candidate;
    }
  }
  return std::nullopt;
}

program_key key_of(const program& of) {
  const std::string text = identity_text(of);
  return {hash_of(text), text.size()};
}

packaged_programs::packaged_programs(fs::path file) : file_(std::move(file)) {
  std::error_code failed;
  if (!fs::is_regular_file(file_, failed)) {  // opening a pipe would wait
    return;
  }
  const std::uintmax_t nbytes = fs::file_size(file_, failed);
  if (failed || nbytes == 0) {  // the build had no device to compile for
    return;
  }
  std::ifstream in(file_, std::ios::binary);
  if (!read_entries(in, nbytes)) {
    entries_.clear();
    report_damage(file_, "the checksum of its index does not match");
  }
}

bool packaged_programs::read_entries(std::istream& in, std::uintmax_t nbytes) {
  header head;
  if (!read(in, &head, 1) || head.magic != header::expected_magic || head.nbytes != nbytes ||
      head.count > nbytes / sizeof(entry)) {
    return false;
  }
  entries_.resize(head.count);
  const auto is_inside = [&](const entry& each) {
    return each.offset <= nbytes && each.object_nbytes <= nbytes - each.offset &&
           each.log_nbytes <= nbytes - each.offset - each.object_nbytes;
  };
  return read(in, entries_.data(), entries_.size()) && checksum_of(entries_) == head.checksum &&
         std::ranges::all_of(entries_, is_inside);
}

const packaged_programs& packaged_programs::installed() {
  // The object is never destroyed: a program may call functions up to its end.
  static const auto& all =
      *new packaged_programs(file_beside_library(file_name).value_or(fs::path()));
  return all;
}

std::optional<packaged_program> packaged_programs::find(const program& wanted) const {
  if (entries_.empty()) {
    return std::nullopt;
  }
  const program_key key = key_of(wanted);
  const auto found = std::ranges::lower_bound(entries_, key, {}, &entry::key);
  if (found == entries_.end() || found->key != key) {
    return std::nullopt;
  }
  std::ifstream in(file_, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(found->offset));
  packaged_program made{std::string(found->object_nbytes, '\0'),
                        std::string(found->log_nbytes, '\0')};
  if (!read(in, made.object.data(), made.object.size()) ||
      !read(in, made.log.data(), made.log.size()) || checksum_of(made) != found->checksum) {
    report_damage(file_, "the checksum of a kernel does not match");
    return std::nullopt;
  }
  return made;
}

void packaged_programs::write(const fs::path& file, std::span<const named_program> programs) {
  std::map<program_key, const packaged_program*> sorted;
  for (const named_program& each : programs) {
    sorted.emplace(each.key, &each.content);
  }
  std::uint64_t offset = sizeof(header) + sorted.size() * sizeof(entry);
  std::vector<entry> entries;
  for (const auto& [key, content] : sorted) {
    entries.push_back(
        {key, offset, content->object.size(), content->log.size(), checksum_of(*content)});
    offset += content->object.size() + content->log.size();
  }
  const header head{.count = entries.size(), .nbytes = offset, .checksum = checksum_of(entries)};
  std::ofstream out(file, std::ios::binary);
  write_to(out, &head, 1);
  write_to(out, entries.data(), entries.size());
  for (const auto& [key, content] : sorted) {
    write_to(out, content->object.data(), content->object.size());
    write_to(out, content->log.data(), content->log.size());
  }
  if (!out.flush()) {
    throw std::runtime_error(message("cannot write ", file.native()));
  }
}

}  // namespace usmx::inline v1::detail
