// Programs that were compiled when the package was built: those of usmx's own mathematics, so that
// ordinary calls need no compiler (docs/decisions.md, 146). They are in one file beside
// usmx-compile, which a package may lack. No SYCL here. Private to the library and to what writes
// the file.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/compile/program.hpp"

namespace usmx::inline v1::detail {

std::filesystem::path library_folder();
/// A file of the package: in libexec beside the library's folder, or beside the library where it is
/// built.
std::optional<std::filesystem::path> file_beside_library(std::string_view name);

struct packaged_program {
  /// An object SYCLBIN of one image.
  std::string object;
  std::string log;
};

/// The key of a program: the hash and the size of all that the compiler is given.
struct program_key {
  std::uint64_t hash;
  std::uint64_t nbytes;

  auto operator<=>(const program_key&) const = default;
};
program_key key_of(const program&);

class packaged_programs {
 public:
  static constexpr std::string_view file_name = "usmx-kernels";

  /// The programs in a file; none where it is missing or empty, or is damaged, of which a warning
  /// tells.
  explicit packaged_programs(std::filesystem::path file);
  static const packaged_programs& installed();

  /// Reads the file. None where it lacks the program, or where the program is damaged, of which a
  /// warning tells.
  std::optional<packaged_program> find(const program&) const;
  std::size_t size() const noexcept { return entries_.size(); }

  struct named_program {
    program_key key;
    packaged_program content;
  };
  /// Makes the file. Of programs with one key it takes the first. Throws std::runtime_error.
  static void write(const std::filesystem::path& file, std::span<const named_program>);

 private:
  /// The entry of a program in the file: its object, then its text. The entries are in the order of
  /// their keys.
  struct entry {
    program_key key;
    std::uint64_t offset;
    std::uint64_t object_nbytes;
    std::uint64_t log_nbytes;
    std::uint64_t checksum;  // of both
  };
  /// The beginning of the file. The entries follow, and then the programs.
  struct header;

  bool read_entries(std::istream& in, std::uintmax_t nbytes);

  std::filesystem::path file_;
  std::vector<entry> entries_;
};

}  // namespace usmx::inline v1::detail
