// A program that is run as a child, with a text to read and one to write. No SYCL here. Private to
// the library.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

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

}  // namespace usmx::inline v1::detail
