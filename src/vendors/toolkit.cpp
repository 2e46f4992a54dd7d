#include "vendors/toolkit.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <sycl/backend.hpp>
#include <sycl/event.hpp>
#include <sycl/handler.hpp>
#include <sycl/interop_handle.hpp>

#include "base/messages.hpp"
#include "kernels/device_kernel.hpp"
#include "runtime/waits.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

/// The fate of a command. The runtime mostly runs it while it is submitted.
enum class outcome : std::uint8_t { open, taken, refused };

}  // namespace

library_search find_toolkit_library(const toolkit_library& library, const char* what) {
  for (const toolkit_file& each : library) {
    if (void* const loaded = dlopen(each.name, RTLD_NOW | RTLD_NOLOAD)) {
      return {loaded, file_of(loaded)};
    }
  }
  const int newest = cuda::driver_major_version();
  std::string reason;
  for (std::size_t k = 0; k < library.size(); ++k) {
    if (cuda::toolkit_versions[k].major > newest) {
      continue;
    }
    const auto file = cuda::find_file(library[k].name, library[k].folder);
    if (void* const loaded = file ? dlopen(file->c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr) {
      return {loaded, file_of(loaded)};
    }
    reason += message(reason.empty() ? "" : "; ",
                      file ? std::string(dlerror()) : message("there is no ", library[k].name));
  }
  return {nullptr, reason.empty() ? message("CUDA's driver of version ", newest,
                                            " takes no release of ", what, " that usmx knows")
                                  : reason};
}

void wait_for_setup() {
  cuda::require_success(cuda::required_functions().synchronize_context(),
                        "CUDA's library cannot set up its data");
}

bool start_on_stream(const submission& work, std::function<bool(CUstream)> run) {
  if (work.may_start_on_stream()) {
    const cuda::used_stream stream(work.queue());
    cuda::hold_up(stream.get(), work.before());
    const bool is_taken = run(stream.get());
    if (is_taken) {
      work.announce(pending_event(work.queue()));
    }
    return is_taken;
  }
  // No exception may leave the command: it would have to pass through the runtime's C functions.
  const auto result = std::make_shared<std::atomic<outcome>>(outcome::open);
  const sycl::event done = work.start_command([&](sycl::handler& to) {
    to.ext_codeplay_enqueue_native_command(
        [result, run = std::move(run), before = work.before()](sycl::interop_handle interop) {
          const CUstream stream = interop.get_native_queue<sycl::backend::ext_oneapi_cuda>();
          cuda::hold_up(stream, before);
          *result = run(stream) ? outcome::taken : outcome::refused;
        });
  });
  if (*result == outcome::open) {  // it comes after a host task
    wait_for(done);
  }
  return *result == outcome::taken;
}

}  // namespace usmx::inline v1::detail
