// Libraries of CUDA's toolkit: how they are found, and how their functions put work on the stream
// of a queue. Private to the library.
#pragma once

#include <dlfcn.h>

#include <array>
#include <functional>
#include <iterator>
#include <type_traits>

#include "array/submission.hpp"
#include "runtime/drivers/cuda.hpp"
#include "vendors/library.hpp"

namespace usmx::inline v1::detail {

/// A file of a library, and the folder in site-packages of the Python package that has it.
struct toolkit_file {
  const char* name;
  const char* folder;
};

/// A library of the toolkit: its file for each of the versions of cuda::toolkit_versions.
using toolkit_library = std::array<toolkit_file, std::size(cuda::toolkit_versions)>;

/// Finds a library: one that is loaded already, such as PyTorch's, else that of the newest version
/// of CUDA that the driver takes. `what` is its name for people.
library_search find_toolkit_library(const toolkit_library&, const char* what);

/// Looks for functions of a library by name; what it does not have is remembered.
class function_search {
 public:
  explicit function_search(void* library) noexcept : library_(library) {}

  template <class Function>
  void operator()(Function& function, const char* name) {
    static_assert(std::is_pointer_v<Function>);
    function = reinterpret_cast<Function>(dlsym(library_, name));
    has_all_ = has_all_ && function != nullptr;
  }
  bool has_all() const noexcept { return has_all_; }

 private:
  void* library_;
  bool has_all_ = true;
};

/// Waits until a library has set up what it has just made in the current context, such as the
/// tables of a plan. It copies them on the legacy stream, for which the streams of queues do not
/// wait, and a copy from pageable memory may return before the device has all of it. Throws
/// device_error.
void wait_for_setup();

/// Starts work on the stream of a queue of a CUDA device, after all that comes before it, and
/// announces it. `run` gets the stream, while the device's context is the current one, and returns
/// whether the library has taken the work. It does not throw, as it may be called by the runtime,
/// and keeps no array: the memory of the work is that of the submission.
bool start_on_stream(const submission&, std::function<bool(CUstream)> run);

}  // namespace usmx::inline v1::detail
