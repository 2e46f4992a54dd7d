#include "user_kernels/compile/packaged_programs.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <stdexcept>
#include <system_error>
#include <type_traits>
#include <utility>

#include "kernels/cache_files.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::array<char, 8> file_magic{'u', 's', 'm', 'x', 'p', 'r', 'g', '1'};

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

}  // namespace

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
  const std::uintmax_t nbytes = fs::file_size(file_, failed);
  std::ifstream in(file_, std::ios::binary);
  std::array<char, 8> found{};
  std::uint64_t count = 0;
  if (failed || !read(in, found.data(), found.size()) || found != file_magic ||
      !read(in, &count, 1) || count > nbytes / sizeof(place)) {
    return;
  }
  places_.resize(count);
  const auto is_inside = [&](const place& each) {
    return each.offset <= nbytes && each.object_nbytes <= nbytes - each.offset &&
           each.log_nbytes <= nbytes - each.offset - each.object_nbytes;
  };
  if (!read(in, places_.data(), places_.size()) || !std::ranges::all_of(places_, is_inside)) {
    places_.clear();
  }
}

const packaged_programs& packaged_programs::installed() {
  // Never destroyed: a program may call functions up to its end.
  static const auto& all =
      *new packaged_programs(file_beside_library(file_name).value_or(fs::path()));
  return all;
}

std::optional<packaged_program> packaged_programs::find(const program& wanted) const {
  if (places_.empty()) {
    return std::nullopt;
  }
  const program_key key = key_of(wanted);
  const auto found = std::ranges::lower_bound(places_, key, {}, &place::key);
  if (found == places_.end() || found->key != key) {
    return std::nullopt;
  }
  std::ifstream in(file_, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(found->offset));
  packaged_program made{std::string(found->object_nbytes, '\0'),
                        std::string(found->log_nbytes, '\0')};
  const bool is_whole = read(in, made.object.data(), made.object.size()) &&
                        read(in, made.log.data(), made.log.size());
  return is_whole ? std::optional(std::move(made)) : std::nullopt;
}

void packaged_programs::write(const fs::path& file, std::span<const named_program> programs) {
  std::map<program_key, const packaged_program*> sorted;
  for (const named_program& each : programs) {
    sorted.emplace(each.key, &each.content);
  }
  std::ofstream out(file, std::ios::binary);
  const std::uint64_t count = sorted.size();
  write_to(out, file_magic.data(), file_magic.size());
  write_to(out, &count, 1);
  std::uint64_t offset = file_magic.size() + sizeof count + count * sizeof(place);
  for (const auto& [key, content] : sorted) {
    const place next{key, offset, content->object.size(), content->log.size()};
    write_to(out, &next, 1);
    offset += next.object_nbytes + next.log_nbytes;
  }
  for (const auto& [key, content] : sorted) {
    write_to(out, content->object.data(), content->object.size());
    write_to(out, content->log.data(), content->log.size());
  }
  if (!out.flush()) {
    throw std::runtime_error(message("cannot write ", file.native()));
  }
}

}  // namespace usmx::inline v1::detail
