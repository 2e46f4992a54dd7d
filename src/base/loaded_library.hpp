// A library that the SYCL runtime has loaded already, and functions in it. usmx links no back end
// of its own, and never loads one.
#pragma once

#include <dlfcn.h>

namespace usmx::inline v1::detail {

class loaded_library {
 public:
  /// Finds the library by the name that it is loaded under, such as "libOpenCL.so.1". The handle is
  /// kept for ever, as back ends are, so that functions stay callable.
  explicit loaded_library(const char* name) noexcept
      : handle_(dlopen(name, RTLD_LAZY | RTLD_NOLOAD)) {}

  /// Null if there is no such function, or no such library.
  template <class Function>
  Function find(const char* name) const noexcept {
    return handle_ == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(handle_, name));
  }

 private:
  void* handle_;
};

}  // namespace usmx::inline v1::detail
