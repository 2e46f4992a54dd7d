#include "kernels/compile/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "kernels/compile/child_folder.hpp"
#include "runtime/waits.hpp"

extern char** environ;

namespace usmx::inline v1::detail {
namespace {

[[noreturn]] void fail(int error, const char* what) {
  throw std::system_error(error, std::generic_category(), what);
}

class descriptor {
 public:
  descriptor() noexcept = default;
  explicit descriptor(int value) noexcept : value_(value) {}
  descriptor(descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~descriptor() { close(); }

  int get() const noexcept { return value_; }
  void close() noexcept {
    if (value_ >= 0) {
      ::close(std::exchange(value_, -1));
    }
  }

 private:
  int value_ = -1;
};

/// The file under a number above those that the child has for its own, closed in what is executed.
descriptor moved_up(const descriptor& low) {
  const int high = ::fcntl(low.get(), F_DUPFD_CLOEXEC, 10);
  if (high < 0) {
    fail(errno, "a file for the compiler");
  }
  return descriptor(high);
}

descriptor new_file() {
  const descriptor low(::memfd_create("usmx", MFD_CLOEXEC));
  if (low.get() < 0) {
    fail(errno, "a file for the compiler");
  }
  return moved_up(low);
}

descriptor file_with(std::string_view text) {
  descriptor file = new_file();
  while (!text.empty()) {
    const ssize_t count = ::write(file.get(), text.data(), text.size());
    if (count <= 0) {
      fail(errno, "a file for the compiler");
    }
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string content_of(const descriptor& file) {
  struct stat status;
  if (::fstat(file.get(), &status) != 0) {
    return {};
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t count = ::pread(file.get(), text.data(), text.size(), 0);
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return text;
}

/// A child, which is killed at the end. The program's own code may have waited for it: then its
/// number may be another process's.
class child_process {
 public:
  explicit child_process(pid_t id) noexcept : id_(id) {}
  child_process(child_process&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  ~child_process() {
    if (id_ > 0 && ::waitpid(id_, nullptr, WNOHANG) == 0) {
      ::kill(id_, SIGKILL);
      wait();
    }
  }

  int wait() noexcept {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
    return status;
  }

 private:
  pid_t id_;
};

/// The settings that a child starts with: its files, and no signal blocked or ignored.
class start_settings {
 public:
  start_settings() noexcept {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    sigset_t all;
    sigfillset(&all);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    // The child has a process group of its own: Ctrl-C on the terminal is the parent's to handle.
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  start_settings(const start_settings&) = delete;
  start_settings& operator=(const start_settings&) = delete;
  ~start_settings() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  void give(const descriptor& file, int as) {
    ::posix_spawn_file_actions_adddup2(&files_, file.get(), as);
  }
  const posix_spawn_file_actions_t* files() const noexcept { return &files_; }
  const posix_spawnattr_t* attributes() const noexcept { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

/// The wait for a child that has a request.
class child_wait {
 public:
  explicit child_wait(const child_progress& progress) : progress_(progress) {}

  /// Waits until the child has sent a byte, or has ended. Returns false if the whole wait takes
  /// longer than it may.
  bool until_heard(const descriptor& socket, std::chrono::seconds longest) {
    pollfd watched{socket.get(), POLLIN, 0};
    constexpr int interval = static_cast<int>(check_interval.count());
    while (::poll(&watched, 1, interval) <= 0) {
      if (should_give_up()) {
        throw internal::interrupted_wait("a signal interrupted the compilation of a kernel");
      }
      const auto passed = std::chrono::steady_clock::now() - begin_;
      if (passed >= longest) {
        return false;
      }
      if (progress_ && passed >= next_) {
        next_ = std::chrono::floor<std::chrono::seconds>(passed) + std::chrono::seconds(1);
        progress_(next_ - std::chrono::seconds(1));
      }
    }
    return true;
  }

 private:
  const child_progress& progress_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::seconds next_{2};
};

/// Takes the byte that a child has sent. Returns false if the child has ended.
bool take_byte(const descriptor& socket) {
  char byte;
  return ::recv(socket.get(), &byte, 1, 0) == 1;
}

/// A running child, which compiles under one limit of memory, and the socket to it.
struct compiler_process {
  std::filesystem::path program;
  std::uint64_t memory_nbytes;
  child_folder folder;  // removed when the process has ended
  descriptor start_output;
  child_process process;
  descriptor socket;
};

std::unique_ptr<compiler_process> start(const std::filesystem::path& program,
                                        std::uint64_t memory_nbytes) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    fail(errno, "a socket to the compiler");
  }
  descriptor own(ends[0]);
  const descriptor other = moved_up(descriptor(ends[1]));
  child_folder folder;
  descriptor start_output = new_file();
  start_settings settings;
  for (const int file : {0, 1, 2, 3}) {
    settings.give(start_output, file);  // until the first request
  }
  settings.give(other, child_socket);
  char* const words[] = {const_cast<char*>(program.c_str()),
                         const_cast<char*>(folder.path().c_str()), nullptr};
  pid_t id = -1;
  if (const int error = ::posix_spawn(&id, program.c_str(), settings.files(), settings.attributes(),
                                      words, environ)) {
    fail(error, program.c_str());
  }
  return std::make_unique<compiler_process>(program, memory_nbytes, std::move(folder),
                                            std::move(start_output), child_process(id),
                                            std::move(own));
}

/// Tells the child its limits and gives it the files. If the child has ended, the wait for its
/// answer finds that.
void send_request(const descriptor& socket, child_limits limits,
                  const int (&files)[files_of_request]) {
  iovec data{&limits, sizeof limits};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof files)] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof files);
  std::memcpy(CMSG_DATA(header), files, sizeof files);
  while (::sendmsg(socket.get(), &message, MSG_NOSIGNAL) < 0) {
    if (errno == EPIPE || errno == ECONNRESET) {
      return;
    }
    if (errno != EINTR) {
      fail(errno, "a request to the compiler");
    }
  }
}

/// The result of a request: none if the child took longer than it may.
struct request_end {
  bool has_taken_request;
  std::optional<child_result> result;
};

/// Gives the child a request and waits, `longest_until_taken` for the child to take it.
request_end ask(compiler_process& child, const std::string& request, const compile_limits& limits,
                std::chrono::seconds longest_until_taken, const child_progress& progress) {
  const descriptor input = file_with(request);
  const descriptor answer = new_file();
  const descriptor said = new_file();
  send_request(child.socket, {limits.memory_nbytes, limits.cpu_seconds},
               {input.get(), answer.get(), said.get()});
  child_wait wait(progress);
  if (!wait.until_heard(child.socket, longest_until_taken)) {
    return {false, std::nullopt};
  }
  if (!take_byte(child.socket)) {
    return {false, child_result{{}, content_of(child.start_output), false, child.process.wait()}};
  }
  if (!wait.until_heard(child.socket, limits.longest)) {
    return {true, std::nullopt};
  }
  const std::optional<int> end =
      take_byte(child.socket) ? std::nullopt : std::optional(child.process.wait());
  return {true, child_result{content_of(answer), content_of(said), true, end}};
}

/// The child that waits for the next request; at most one. It stays until the process ends.
std::atomic<compiler_process*> idle_child = nullptr;

std::unique_ptr<compiler_process> take_idle(const std::filesystem::path& program,
                                            std::uint64_t memory_nbytes) {
  std::unique_ptr<compiler_process> found(idle_child.exchange(nullptr));
  const bool fits = found && found->program == program && found->memory_nbytes == memory_nbytes;
  return fits ? std::move(found) : nullptr;
}

void keep(std::unique_ptr<compiler_process> child) {
  compiler_process* none = nullptr;
  if (idle_child.compare_exchange_strong(none, child.get())) {
    child.release();
  }
}

/// Whether the child used up its processor time, which a new child would do, too.
bool took_its_time(int end_status) {
  return WIFSIGNALED(end_status) && WTERMSIG(end_status) == SIGXCPU;
}

}  // namespace

std::optional<child_result> run_child(const std::filesystem::path& program,
                                      const std::string& request, const compile_limits& limits,
                                      const child_progress& progress) {
  // The child that waited may have been stopped. Another one is started sooner than that.
  constexpr std::chrono::seconds longest_until_idle_one_takes(2);
  for (auto child = take_idle(program, limits.memory_nbytes);; child = nullptr) {
    const bool is_new = child == nullptr;
    if (is_new) {
      child = start(program, limits.memory_nbytes);
    }
    const auto until_taken =
        is_new ? limits.longest : std::min(limits.longest, longest_until_idle_one_takes);
    request_end end = ask(*child, request, limits, until_taken, progress);
    if (end.result && !end.result->end_status) {
      keep(std::move(child));
      return std::move(end.result);
    }
    const bool would_end_again =
        end.has_taken_request && (!end.result || took_its_time(*end.result->end_status));
    if (is_new || would_end_again) {
      return std::move(end.result);
    }
  }
}

}  // namespace usmx::inline v1::detail
