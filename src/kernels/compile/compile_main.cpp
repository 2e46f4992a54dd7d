// usmx-compile: compiles programs, one after the other. A child of the library runs it, because the
// compiler may end its process. Each request comes by the socket, with limits and files: it is read
// from file 0, and the answer written to file 3 (kernels/compile/child.hpp).
#include <malloc.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/exception.hpp>
#include <sycl/kernel_bundle.hpp>

#include "kernels/compile/by_runtime.hpp"
#include "kernels/compile/child.hpp"
#include "kernels/compile/child_folder.hpp"
#include "kernels/compile/nvrtc.hpp"
#include "kernels/compile/program.hpp"
#include "kernels/compile/spirv.hpp"

namespace {

namespace syclex = sycl::ext::oneapi::experimental;
using usmx::detail::message_reader;
using usmx::detail::message_writer;

using usmx::detail::child_limits;
using usmx::detail::child_socket;

/// A child without requests ends after this time.
constexpr std::chrono::milliseconds longest_idle{5000};
/// A child that holds more than this ends after its answer.
constexpr std::uint64_t largest_idle_nbytes = std::uint64_t{1} << 30;

/// Sets the limit that can be raised again.
void limit(int resource, rlim_t most) {
  rlimit both{};
  ::getrlimit(static_cast<__rlimit_resource_t>(resource), &both);
  both.rlim_cur = std::min(most, both.rlim_max);
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &both);
}

/// The processor time used so far, rounded up.
rlim_t used_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 2);
}

/// The memory that is held now. The greatest so far, as getrusage() has it, counts the parent's.
std::uint64_t resident_nbytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  file >> pages >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Sends the byte that says that a request was taken, or is answered. Returns false if nobody
/// receives it.
bool tell_parent() { return ::send(child_socket, "", 1, MSG_NOSIGNAL) == 1; }

/// Waits for a request, takes over its files, and sets its limits. Returns false if none comes.
bool take_request() {
  pollfd watched{child_socket, POLLIN, 0};
  if (::poll(&watched, 1, static_cast<int>(longest_idle.count())) <= 0) {
    return false;
  }
  child_limits limits{};
  int files[usmx::detail::files_of_request];
  iovec data{&limits, sizeof limits};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof files)];
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (::recvmsg(child_socket, &message, MSG_CMSG_CLOEXEC) != sizeof limits) {
    return false;  // nobody is there any more
  }
  std::memcpy(files, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof files);
  const auto [request, answer, said] = files;
  ::dup2(request, 0);
  ::dup2(said, 1);
  ::dup2(said, 2);
  ::dup2(answer, 3);
  std::ranges::for_each(files, ::close);
  limit(RLIMIT_DATA, limits.memory_nbytes);
  limit(RLIMIT_CPU, used_seconds() + limits.cpu_seconds);
  return tell_parent();
}

/// The folder for temporary files, which is this process's alone; empty for none.
std::filesystem::path& own_folder() {
  static auto& folder = *new std::filesystem::path;  // never destroyed: two threads end the process
  return folder;
}

/// Ends the process without the runtime's own end: nothing is left to do.
[[noreturn]] void end(int status) {
  std::error_code failed;
  constexpr int most_tries = 10;  // another thread may be writing there
  for (int tries = 0; tries < most_tries && std::filesystem::exists(own_folder(), failed);
       ++tries) {
    std::filesystem::remove_all(own_folder(), failed);
  }
  ::_exit(status);
}

/// Makes this process end when the parent ends, from now on, whatever it is doing.
void end_with_parent() {
  std::thread([] {
    pollfd watched{child_socket, 0, 0};
    while (::poll(&watched, 1, -1) <= 0 || (watched.revents & POLLHUP) == 0) {
    }
    end(EXIT_SUCCESS);
  }).detach();
}

std::string read_all(int descriptor) {
  std::string bytes;
  char part[65536];
  for (ssize_t count; (count = ::read(descriptor, part, sizeof part)) > 0;) {
    bytes.append(part, static_cast<std::size_t>(count));
  }
  return bytes;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

using executable = sycl::kernel_bundle<sycl::bundle_state::executable>;

/// Makes the driver finish the kernels, which it does when it is first asked about them. Throws
/// sycl::exception if it cannot: functions may be missing.
void try_kernels(executable bundle, const sycl::device& device,
                 const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (bundle.ext_oneapi_has_kernel(name)) {
      bundle.ext_oneapi_get_kernel(name)
          .get_info<sycl::info::kernel_device_specific::work_group_size>(device);
    }
  }
}

using source_bundle = sycl::kernel_bundle<sycl::bundle_state::ext_oneapi_source>;
using object_bundle = sycl::kernel_bundle<sycl::bundle_state::object>;

/// Links an executable of one image. The runtime does not save what it links of several, where
/// functions of the C++ library have their own: then the source is compiled once more, with those
/// in it.
executable finished(source_bundle& source, const object_bundle& compiled,
                    const sycl::device& device, const std::vector<std::string>& options) {
  return std::distance(compiled.begin(), compiled.end()) == 1
             ? sycl::link(compiled)
             : syclex::build(source, {device}, syclex::properties(syclex::build_options(options)));
}

/// The executable, the compiler's text, and the compiled object, which is checked before the
/// executable is used. Each may be empty.
std::string answer_of(std::string_view executable, std::string_view log, std::string_view object) {
  message_writer out;
  for (const std::string_view each : {executable, log, object}) {
    out.add(each);
  }
  return out.bytes();
}

/// Answers for a module, which stays as it is, by trying whether it can be built.
std::string answer_for_module(const sycl::context& context, const sycl::device& device,
                              std::string_view module, const std::vector<std::string>& kernels) {
  std::string log;
  try {
    try_kernels(usmx::detail::build_spirv(module, context, device), device, kernels);
  } catch (const sycl::exception& failed) {
    module = {};
    log = failed.what();
  }
  return answer_of(module, log, {});
}

/// Answers a request for CUDA: a program, the library, the compute capability.
std::string answer_for_cuda(message_reader& request) {
  usmx::detail::program taken = usmx::detail::take_program(request);
  usmx::detail::nvrtc_program program;  // the kernels' names are in its text
  program.text = std::move(taken.text);
  program.options = std::move(taken.options);
  program.files = std::move(taken.files);
  program.library = request.text();
  program.capability = static_cast<int>(request.number());
  const usmx::detail::nvrtc_result made = usmx::detail::compile_by_nvrtc(program);
  return answer_of(made.code, made.log, {});
}

/// Answers a request for the runtime's compiler: a program, the device's number.
std::string answer_by_runtime(message_reader& request) {
  const usmx::detail::program program = usmx::detail::take_program(request);
  const sycl::device device = sycl::device::get_devices().at(request.number());
  const sycl::context context(device);
  if (usmx::internal::is_spirv(program.text)) {
    return answer_for_module(context, device, program.text, program.kernels);
  }
  std::string log;
  std::vector<char> object;
  std::vector<char> content;
  try {
    source_bundle source = usmx::detail::source_bundle_of(program, context);
    object_bundle compiled = usmx::detail::object_bundle_of(source, program, device, log);
    object = compiled.ext_oneapi_get_content();
    content = finished(source, compiled, device, program.options).ext_oneapi_get_content();
  } catch (const sycl::exception& failed) {
    content.clear();
    log = failed.what();
  }
  return answer_of({content.data(), content.size()}, log, {object.data(), object.size()});
}

/// Answers a request, which has the compiler's name and its input.
std::string answer(message_reader request) {
  return request.text() == usmx::detail::nvrtc_name ? answer_for_cuda(request)
                                                    : answer_by_runtime(request);
}

/// Makes the compiler keep its temporary files in the folder that the library has made for this
/// process.
void keep_files_in(const std::filesystem::path& folder) {
  if (folder.filename().native().starts_with(usmx::detail::child_folder_prefix)) {
    own_folder() = folder;
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
}

/// Hides real files, so that none takes the place of one that was given: quoted names are looked
/// for in the current folder first.
void hide_real_files() {
  if (::chdir("/") != 0) {
    ::_exit(EXIT_FAILURE);
  }
  for (const char* name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"}) {
    ::unsetenv(name);
  }
}

}  // namespace

int main(int count, char** words) {
  hide_real_files();
  if (count > 1) {
    keep_files_in(words[1]);
  }
  // The compiler takes and returns the same memory for each program.
  ::mallopt(M_TRIM_THRESHOLD, 512 << 20);
  ::mallopt(M_TOP_PAD, 16 << 20);
  limit(RLIMIT_CORE, 0);
  try {
    end_with_parent();
    while (take_request()) {
      const bool is_written = write_all(3, answer(message_reader(read_all(0))));
      std::fflush(nullptr);
      if (!is_written || !tell_parent() || resident_nbytes() > largest_idle_nbytes) {
        break;
      }
    }
    end(EXIT_SUCCESS);
  } catch (const std::exception& failed) {
    write_all(2, failed.what());
    end(EXIT_FAILURE);
  }
}
