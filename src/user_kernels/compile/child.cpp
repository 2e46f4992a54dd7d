#include "user_kernels/compile/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/waits.hpp"

extern char** environ;

namespace usmx::inline v1::detail {
namespace {

[[noreturn]] void fail(int error, const char* what) {
  throw std::system_error(error, std::generic_category(), what);
}

/// A file descriptor, closed at the end.
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

/// A file without a name, above the numbers that the child has for its own.
descriptor new_file() {
  const descriptor low(::memfd_create("usmx", MFD_CLOEXEC));
  if (low.get() < 0) {
    fail(errno, "a file for the compiler");
  }
  const int high = ::fcntl(low.get(), F_DUPFD_CLOEXEC, 10);
  if (high < 0) {
    fail(errno, "a file for the compiler");
  }
  return descriptor(high);
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

/// A process that is killed, unless somebody has waited for its end.
class child_process {
 public:
  explicit child_process(pid_t id) noexcept : id_(id) {}
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;
  ~child_process() {
    if (id_ > 0) {
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

/// The settings that a child starts with: its files, and no signal blocked.
class start_settings {
 public:
  start_settings() noexcept {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    // A group of its own: Ctrl-C on the terminal is the parent's to handle.
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
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

/// Both ends of a pipe: the reader is told when nobody has the writer any more.
struct life_line {
  descriptor reader;
  descriptor writer;
};

life_line new_life_line() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    fail(errno, "a pipe to the compiler");
  }
  life_line made{descriptor(ends[0]), descriptor(ends[1])};
  made.writer = descriptor(::fcntl(made.writer.get(), F_DUPFD_CLOEXEC, 10));
  return made;
}

/// Until the child, which has the writer, has ended. False if it takes longer than it may.
bool await_end(const descriptor& reader, std::chrono::seconds longest,
               const child_progress& progress) {
  using std::chrono::seconds;
  pollfd watched{reader.get(), POLLIN, 0};
  constexpr int interval = static_cast<int>(check_interval.count());
  const auto begin = std::chrono::steady_clock::now();
  seconds next(2);
  while (::poll(&watched, 1, interval) <= 0) {
    if (should_give_up()) {
      throw internal::interrupted_wait("a signal interrupted the compilation of a kernel");
    }
    const auto passed = std::chrono::steady_clock::now() - begin;
    if (passed >= longest) {
      return false;
    }
    if (progress && passed >= next) {
      next = std::chrono::floor<seconds>(passed) + seconds(1);
      progress(next - seconds(1));
    }
  }
  return true;
}

}  // namespace

std::optional<child_result> run_child(const std::filesystem::path& program,
                                      std::span<const std::string> arguments,
                                      const std::string& request, std::chrono::seconds longest,
                                      const child_progress& progress) {
  const descriptor input = file_with(request);
  const descriptor answer = new_file();
  const descriptor said = new_file();
  life_line life = new_life_line();
  start_settings settings;
  settings.give(input, 0);
  settings.give(said, 1);
  settings.give(said, 2);
  settings.give(answer, 3);
  settings.give(life.writer, 4);
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& each : arguments) {
    words.push_back(const_cast<char*>(each.c_str()));
  }
  words.push_back(nullptr);
  pid_t id = -1;
  if (const int error = ::posix_spawn(&id, program.c_str(), settings.files(), settings.attributes(),
                                      words.data(), environ)) {
    fail(error, program.c_str());
  }
  child_process child(id);
  life.writer.close();
  if (!await_end(life.reader, longest, progress)) {
    return std::nullopt;
  }
  const int status = child.wait();
  return child_result{content_of(answer), content_of(said), status};
}

}  // namespace usmx::inline v1::detail
