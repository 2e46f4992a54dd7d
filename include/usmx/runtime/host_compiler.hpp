// Kernels in C++ that no SYCL compiler sees. g++, and clang without -fsycl, compile a lambda that
// is given to parallel_for or single_task for the host only, without a word, and launching it ends
// in a segmentation fault. This header makes it an error of the compiler (docs/decisions.md, 76).
// Kernels in strings need no SYCL compiler: user_kernels/kernel.hpp.
#pragma once

#ifndef SYCL_LANGUAGE_VERSION  // compilers of SYCL define it, and fill in KernelInfo themselves

#include <type_traits>

#include <sycl/detail/kernel_desc.hpp>
#include <sycl/exception.hpp>
#include <sycl/handler.hpp>

namespace usmx::inline v1::detail {

/// Answers what the SYCL runtime asks about a kernel, for one that nobody compiled.
struct uncompiled_kernel {
  static constexpr const char* getName() { return ""; }
  static constexpr const char* getFileName() { return ""; }
  static constexpr const char* getFunctionName() { return ""; }
  static constexpr unsigned getLineNumber() { return 0; }
  static constexpr unsigned getColumnNumber() { return 0; }
  static constexpr sycl::detail::int64_t getKernelSize() { return 0; }
  static constexpr bool isESIMD() { return false; }
  static constexpr unsigned getNumParams() { return 0; }
  static constexpr sycl::detail::kernel_param_desc_t getParamDesc(int) { return {}; }
};

/// A kernel of the runtime's own, inside of a function that launches it on some devices only.
struct uncompiled_fallback : uncompiled_kernel {
  static constexpr unsigned getNumParams() { return 1; }
  /// The runtime asks when it launches the kernel: the last chance to raise an error. It asks for
  /// what an accessor only has.
  static constexpr sycl::detail::kernel_param_desc_t getParamDesc(int) {
    if (!std::is_constant_evaluated()) {
      throw sycl::exception(
          sycl::make_error_code(sycl::errc::kernel_not_supported),
          "fill, fill2d or memcpy2d: on this device they are kernels of the SYCL runtime, which "
          "need a SYCL compiler; use usmx::fill_async, usmx::copy_async or the queue's memset and "
          "memcpy");
    }
    return {.kind = sycl::detail::kernel_param_kind_t::kind_accessor, .info = 0, .offset = 0};
  }
};

template <class Kernel>
concept any_kernel = true;

/// A kernel of the user's, which the compiler refuses where it is launched.
template <class Kernel>
struct refused_kernel : uncompiled_kernel {
  static_assert(!any_kernel<Kernel>,
                "this kernel is C++ code, which only a SYCL compiler (icpx -fsycl) can compile for "
                "a device; with g++ or clang, give the kernel as a string to usmx::kernel "
                "(usmx/user_kernels/kernel.hpp)");
};

}  // namespace usmx::inline v1::detail

/// A lambda, or another object that can be called, that no SYCL compiler has described.
template <usmx::detail::any_kernel Kernel>
struct sycl::detail::KernelInfo<Kernel> : usmx::detail::refused_kernel<Kernel> {};

/// A function.
template <auto* Function>
  requires usmx::detail::any_kernel<decltype(Function)>
struct sycl::detail::FreeFunctionInfoData<Function>
    : usmx::detail::refused_kernel<decltype(Function)> {};

template <class T>
struct sycl::detail::KernelInfo<__usmfill<T>> : usmx::detail::uncompiled_fallback {};
template <class T>
struct sycl::detail::KernelInfo<__usmfill2d<T>> : usmx::detail::uncompiled_fallback {};
template <class T>
struct sycl::detail::KernelInfo<__usmmemcpy2d<T>> : usmx::detail::uncompiled_fallback {};

#endif
