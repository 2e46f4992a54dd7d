// usmx-compile MEMORY-BYTES CPU-SECONDS: compiles one program. A child of the library runs it,
// because the compiler may end its process. Reads the request from file 0 and writes the answer to
// file 3: user_kernels/compile/child.hpp.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/exception.hpp>
#include <sycl/kernel_bundle.hpp>

#include "user_kernels/compile/by_runtime.hpp"
#include "user_kernels/compile/child.hpp"
#include "user_kernels/compile/nvrtc.hpp"
#include "user_kernels/compile/program.hpp"
#include "user_kernels/compile/spirv.hpp"

namespace {

namespace syclex = sycl::ext::oneapi::experimental;
using usmx::detail::message_reader;
using usmx::detail::message_writer;

void limit(int resource, rlim_t most) {
  const rlimit both{most, most};
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &both);
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

/// Has the driver finish the kernels, which it does when it is first asked about them. Throws
/// sycl::exception where it cannot: functions may be missing.
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

/// One image is linked. The runtime does not save what it links of several, where functions of the
/// C++ library have their own: then the source is compiled once more, with those in it.
executable finished(source_bundle& source, const object_bundle& compiled,
                    const sycl::device& device, const std::vector<std::string>& options) {
  return std::distance(compiled.begin(), compiled.end()) == 1
             ? sycl::link(compiled)
             : syclex::build(source, {device}, syclex::properties(syclex::build_options(options)));
}

/// A module stays as it is, but for trying whether it can be built.
std::string answer_for_module(const sycl::context& context, const sycl::device& device,
                              std::string_view module, const std::vector<std::string>& kernels) {
  std::string log;
  try {
    try_kernels(usmx::detail::build_spirv(module, context, device), device, kernels);
  } catch (const sycl::exception& failed) {
    module = {};
    log = failed.what();
  }
  message_writer out;
  out.add(module);
  out.add(log);
  out.add(std::string_view());
  return out.bytes();
}

/// A program, the library, the compute capability.
std::string answer_for_cuda(message_reader& request) {
  usmx::detail::program taken = usmx::detail::take_program(request);
  usmx::detail::nvrtc_program program;  // the kernels' names are in its text
  program.text = std::move(taken.text);
  program.options = std::move(taken.options);
  program.files = std::move(taken.files);
  program.library = request.text();
  program.capability = static_cast<int>(request.number());
  const usmx::detail::nvrtc_result made = usmx::detail::compile_by_nvrtc(program);
  message_writer out;
  out.add(made.code);
  out.add(made.log);
  out.add(std::string_view());
  return out.bytes();
}

/// A program, the device's number.
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
  message_writer out;
  out.add(std::string_view(content.data(), content.size()));
  out.add(log);
  out.add(std::string_view(object.data(), object.size()));
  return out.bytes();
}

/// Answers a request, which has the compiler's name and its input. The answer has the executable,
/// the compiler's text, and the compiled object, which is checked before the executable is used.
/// Each may be empty.
std::string answer(message_reader request) {
  return request.text() == usmx::detail::nvrtc_name ? answer_for_cuda(request)
                                                    : answer_by_runtime(request);
}

/// No real file may take the place of one that was given: quoted names are looked for in the
/// current folder first.
void hide_real_files() {
  if (::chdir("/") != 0) {
    ::_exit(EXIT_FAILURE);
  }
  for (const char* name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"}) {
    ::unsetenv(name);
  }
}

}  // namespace

int main(int count, char** arguments) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (count != 3) {
    return EXIT_FAILURE;
  }
  hide_real_files();
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_DATA, std::strtoull(arguments[1], nullptr, 10));
  limit(RLIMIT_CPU, std::strtoull(arguments[2], nullptr, 10));
  try {
    const std::string request = read_all(0);
    const bool written = write_all(3, answer(message_reader(request)));
    // Without the runtime's own end: nothing is left to do.
    ::_exit(written ? EXIT_SUCCESS : EXIT_FAILURE);
  } catch (const std::exception& failed) {
    write_all(2, failed.what());
    ::_exit(EXIT_FAILURE);
  }
}
