// A program that is run as a child, with a text to read and one to write. No SYCL here. Private to
// the library.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace usmx::inline v1::detail {

/// How a child ended.
struct child_result {
  /// The text that it wrote to file 3.
  std::string answer;
  /// The text that it wrote to files 1 and 2.
  std::string said;
  /// The status that waitpid() gives.
  int status;
};

/// Called with the time since the child was started, as compile_options says; may be empty.
using child_progress = std::function<void(std::chrono::seconds)>;

/// Runs the program, which reads `request` from file 0, and waits for its end. None if it has not
/// ended after that time, and was killed. A signal may interrupt the wait, which kills the child.
/// Throws std::system_error if it cannot be started.
std::optional<child_result> run_child(const std::filesystem::path& program,
                                      std::span<const std::string> arguments,
                                      const std::string& request, std::chrono::seconds longest,
                                      const child_progress& progress);

// Messages between the library and the program that compiles: texts, each with its length in front.
// Both are of one build. No SYCL here.

/// How a request names the compiler that it is for.
inline constexpr std::string_view runtime_name = "runtime";
inline constexpr std::string_view nvrtc_name = "nvrtc";

/// Adds texts to a message.
class message_writer {
 public:
  void add(std::string_view text) {
    const std::uint64_t size = text.size();
    bytes_.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes_.append(text);
  }
  void add(std::uint64_t number) { add(std::to_string(number)); }
  const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

/// Takes the texts out of a message, in their order. Throws std::runtime_error where it ends early.
class message_reader {
 public:
  explicit message_reader(std::string_view bytes) noexcept : left_(bytes) {}

  std::string_view text() {
    std::uint64_t size = 0;
    if (left_.size() < sizeof size) {
      throw std::runtime_error("a message ends early");
    }
    std::memcpy(&size, left_.data(), sizeof size);
    left_.remove_prefix(sizeof size);
    if (left_.size() < size) {
      throw std::runtime_error("a message ends early");
    }
    const std::string_view found = left_.substr(0, size);
    left_.remove_prefix(size);
    return found;
  }
  std::uint64_t number() { return std::stoull(std::string(text())); }
  bool at_end() const noexcept { return left_.empty(); }

 private:
  std::string_view left_;
};

}  // namespace usmx::inline v1::detail
