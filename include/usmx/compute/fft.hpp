// Fourier transforms by the vendor's library: Python's functions of usmx.fft.
//
//   const usmx::array spectrum = usmx::fft::rfft(x, {.n = 1024, .axis = 0});
//
// Results are new, beside the operand. float16 is computed as float32; integers and bools become
// the default real type, and real numbers complex where a function takes these. oneMKL computes on
// memory that the host reaches, and cuFFT on CUDA devices.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/runtime/usm_kind.hpp"

/// Fourier transforms. No function waits. All throw value_error for a number of elements that is
/// less than 1, axis_error for an axis that there is not, type_error for structured elements, and
/// device_error where no library computes, which says what to install.
namespace usmx::inline v1::fft {

/// The transform that divides by the number of elements.
enum class norm {
  backward,  ///< The inverse one.
  ortho,     ///< Both, by the root.
  forward    ///< The forward one.
};

/// The options of a transform along one axis.
struct axis_options {
  /// The number of elements that are transformed: more are left out, and missing ones count as 0.
  /// By default all. irfft() and hfft() count the elements of the result: by default 2 (m - 1) for
  /// m elements.
  std::optional<std::ptrdiff_t> n = {};
  /// The axis. A negative one counts from the end.
  std::ptrdiff_t axis = -1;
  /// The transform that divides.
  fft::norm norm = fft::norm::backward;
  /// A function as in compile_options, for what the call compiles.
  std::function<void(std::chrono::seconds)> progress = {};
};

/// The options of a transform along several axes.
struct axes_options {
  /// The numbers of elements along the axes, as `n` of axis_options; -1 means all.
  std::optional<std::vector<std::ptrdiff_t>> s = {};
  /// The axes: by default the last ones, as many as `s` has, or all. One that comes again is
  /// transformed again, the last ones first.
  std::optional<std::vector<std::ptrdiff_t>> axes = {};
  /// The transform that divides.
  fft::norm norm = fft::norm::backward;
  /// A function as in compile_options, for what the call compiles.
  std::function<void(std::chrono::seconds)> progress = {};
};

/// Transforms along an axis, to complex numbers.
USMX_API array fft(const array& x, const axis_options& how = {});
/// Inverts fft().
USMX_API array ifft(const array& x, const axis_options& how = {});
/// Transforms real numbers along an axis: the first n / 2 + 1 elements of what fft() returns.
/// Throws type_error for complex numbers.
USMX_API array rfft(const array& x, const axis_options& how = {});
/// Inverts rfft(), to real numbers.
USMX_API array irfft(const array& x, const axis_options& how = {});
/// Transforms a Hermitian sequence, of which `x` has the first half, to real numbers.
USMX_API array hfft(const array& x, const axis_options& how = {});
/// Inverts hfft(). Throws type_error for complex numbers.
USMX_API array ihfft(const array& x, const axis_options& how = {});

/// Transforms along several axes, to complex numbers. Throws value_error where `s` and `axes` have
/// different lengths.
USMX_API array fftn(const array& x, const axes_options& how = {});
/// Inverts fftn().
USMX_API array ifftn(const array& x, const axes_options& how = {});
/// Transforms real numbers along several axes: n / 2 + 1 elements along the last of them. Throws
/// type_error for complex numbers, value_error without axes.
USMX_API array rfftn(const array& x, const axes_options& how = {});
/// Inverts rfftn(), to real numbers.
USMX_API array irfftn(const array& x, const axes_options& how = {});

/// The axes of the transforms of images, if the options name none: the last two.
[[nodiscard]] inline axes_options along_two(const axes_options& how) {
  axes_options made = how;
  if (!made.axes) {
    made.axes = {-2, -1};
  }
  return made;
}
/// Transforms along the last two axes, or those of the options, as fftn().
inline array fft2(const array& x, const axes_options& how = {}) { return fftn(x, along_two(how)); }
/// Inverts fft2().
inline array ifft2(const array& x, const axes_options& how = {}) {
  return ifftn(x, along_two(how));
}
/// Transforms real numbers along the last two axes, or those of the options, as rfftn().
inline array rfft2(const array& x, const axes_options& how = {}) {
  return rfftn(x, along_two(how));
}
/// Inverts rfft2(), to real numbers.
inline array irfft2(const array& x, const axes_options& how = {}) {
  return irfftn(x, along_two(how));
}

/// Makes the frequencies of the elements that fft() returns for `n` elements at a distance of `d`:
/// 0, 1, ... and then the negative ones, over n d, of the device's default real type. Waits.
USMX_API array fftfreq(std::ptrdiff_t n, double d, const sycl::queue& queue,
                       usm_kind kind = usm_kind::device);
/// Makes those of the n / 2 + 1 elements that rfft() returns: 0, 1, ... over n d. Waits.
USMX_API array rfftfreq(std::ptrdiff_t n, double d, const sycl::queue& queue,
                        usm_kind kind = usm_kind::device);

/// Moves frequency 0 to the middle of these axes, by default of all.
USMX_API array fftshift(const array& x,
                        const std::optional<std::vector<std::ptrdiff_t>>& axes = {});
/// Inverts fftshift().
USMX_API array ifftshift(const array& x,
                         const std::optional<std::vector<std::ptrdiff_t>>& axes = {});

}  // namespace usmx::inline v1::fft
