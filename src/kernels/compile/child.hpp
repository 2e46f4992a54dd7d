// The program that compiles, run as a child: it gets a text to read and gives one back. No SYCL
// here. Private to the library.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace usmx::inline v1::detail {

struct compile_limits {
  std::uint64_t memory_nbytes = std::uint64_t{4} << 30;
  std::uint64_t cpu_seconds = 60;
  /// The longest time by the clock: a device's driver may wait for ever for a part that a damaged
  /// module lacks.
  std::chrono::seconds longest{150};
};

struct child_result {
  /// The text that the child wrote to file 3.
  std::string answer;
  /// The text that the child wrote to files 1 and 2: the loader's if the program could not start.
  std::string said;
  /// Whether the child took the request; otherwise it has ended while it was started.
  bool has_taken_request;
  /// The status that waitpid() gave; none as long as the child lives, which means that it has
  /// answered.
  std::optional<int> end_status;
};

/// A function that is called with the time since the request, as compile_options says; may be
/// empty.
using child_progress = std::function<void(std::chrono::seconds)>;

/// Gives a request to a child that runs the program, and waits for the answer. Returns none if that
/// takes longer than it may; the child was killed then. A signal may interrupt the wait, which
/// kills the child, too. Throws std::system_error if it cannot be started, and std::runtime_error
/// if there is no folder for its temporary files.
///
/// The child that answered last is kept for the next request, since a compiler that has compiled
/// before takes less than half of the time. It ends by itself when it has waited for a few seconds,
/// and at once when this process ends. If it ends early, or does not take the request within two
/// seconds, as when a user has stopped it, a new one gets the request: earlier events of a process
/// decide about no other source.
std::optional<child_result> run_child(const std::filesystem::path& program,
                                      const std::string& request, const compile_limits&,
                                      const child_progress& progress);

/// The message of a request. Three files come with it: the request's text, the answer's, and that
/// of all that is said.
struct child_limits {
  std::uint64_t memory_nbytes;
  std::uint64_t cpu_seconds;
};
inline constexpr std::size_t files_of_request = 3;
/// The child's end of the socket by which requests come. A byte goes back when the child has taken
/// a request, and another one when it has answered.
inline constexpr int child_socket = 4;

// Messages between the library and the program that compiles: texts, each with its length in front.
// Both are of one build. No SYCL here.

/// The names by which a request tells the compiler that it is for.
inline constexpr std::string_view runtime_name = "runtime";
inline constexpr std::string_view nvrtc_name = "nvrtc";

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
