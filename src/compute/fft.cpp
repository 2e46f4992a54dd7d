#include "compute/fft.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "copy/copy.hpp"
#include "layout/layout.hpp"
#include "memory/buffer.hpp"
#include "usmx/array/reinterpreted.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/compute/functions.hpp"
#include "usmx/compute/joining.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/layout/index_item.hpp"
#include "usmx/runtime/devices.hpp"
#include "vendors/cufft.hpp"

namespace usmx::inline v1 {
namespace internal {
namespace {

using std::ptrdiff_t;

// ---- the rules of the functions

enum class transform_form : std::uint8_t {
  complex,  // complex numbers to complex ones
  real,     // real numbers to half a spectrum
  to_real   // half a spectrum to real numbers
};

struct transform_rules {
  std::string_view function;
  transform_form form;
  bool is_forward;  // for the divisor
  bool has_several_axes;
  bool is_swapped = false;  // the divisor is that of the other direction
};

constexpr transform_rules all_transforms[] = {
    {"fft", transform_form::complex, true, false},
    {"ifft", transform_form::complex, false, false},
    {"rfft", transform_form::real, true, false},
    {"irfft", transform_form::to_real, false, false},
    {"hfft", transform_form::to_real, false, false, true},
    {"ihfft", transform_form::real, true, false, true},
    {"fftn", transform_form::complex, true, true},
    {"ifftn", transform_form::complex, false, true},
    {"rfftn", transform_form::real, true, true},
    {"irfftn", transform_form::to_real, false, true},
};

const transform_rules& transform_named(std::string_view function) {
  const auto* const found = std::ranges::find(all_transforms, function, &transform_rules::function);
  if (found == std::end(all_transforms)) {
    throw value_error(detail::message("fft: there is no function ", detail::quoted(function)));
  }
  return *found;
}

dtype complex_type_of(dtype real) { return real == float32 ? complex64 : complex128; }

/// The type in which an array is transformed.
dtype type_for_transforms(const transform_rules& of, const array& x) {
  const dtype type = x.type();
  const bool takes_real = of.form == transform_form::real;
  switch (type.kind()) {
    case 'c':
      if (takes_real) {
        throw type_error(
            detail::message("fft.", of.function, ": expected real numbers, found ", type));
      }
      return type;
    case 'f':
    case 'b':
    case 'i':
    case 'u': {
      const bool is_single = type == float32 || type == float16;
      const dtype real = is_single ? dtype(float32) : default_real_type(x);
      return takes_real ? real : complex_type_of(real);
    }
    default:
      throw type_error(
          detail::message("fft.", of.function, ": arrays of type ", type, " are not supported"));
  }
}

void require_points(std::string_view function, ptrdiff_t count) {
  if (count < 1) {
    throw value_error(detail::message(
        "fft.", function, ": Invalid number of FFT data points: it must be at least 1, found ",
        count));
  }
}

double scale_of(const transform_rules& of, fft::norm norm, double count) {
  const bool is_forward = of.is_forward != of.is_swapped;
  detail::require_one_of(norm, fft::norm::forward, detail::message("fft.", of.function, ": norm"),
                         "backward, ortho or forward");
  if (norm == fft::norm::ortho) {
    return 1.0 / std::sqrt(count);
  }
  return is_forward == (norm == fft::norm::forward) ? 1.0 / count : 1.0;
}

/// The number of the last axes that one transform takes: it takes no axis twice.
std::size_t count_together(std::span<const int> axes) {
  std::size_t count = 0;
  while (count < std::min(axes.size(), max_transform_axes) &&
         std::ranges::count(axes.last(count), axes[axes.size() - count - 1]) == 0) {
    ++count;
  }
  return count;
}

bool is_for_cufft(const array& x) { return is_on_cuda(x) && detail::has_cufft(); }

// ---- steps

/// The parts of complex numbers, or real numbers themselves.
array real_parts(const array& a) {
  return a.type().kind() == 'c' ? reinterpreted(a, part_type(a.type())) : a;
}

/// One call, by its steps.
class transform {
 public:
  transform(const transform_rules& of, const transform_call& call, const array& given,
            const transform_way& how)
      : of_(of), how_(how), type_(type_for_transforms(of, given)) {
    take_extents(call, given);
    double count = 1;
    for (const ptrdiff_t each : extents_) {
      count *= static_cast<double>(each);
    }
    scale_ = scale_of(of, call.norm, count);
  }

  array run(const array& given) const {
    const array x = in_type(how_, given, type_);
    switch (of_.form) {
      case transform_form::complex:
        return axes_.empty() ? copied(x) : along(x, extents_, axes_, of_.is_forward, scale_);
      case transform_form::real:
        return from_real(x);
      case transform_form::to_real:
        break;
    }
    return to_real(x);
  }

 private:
  using some_axes = std::span<const int>;
  using some_extents = std::span<const ptrdiff_t>;

  void take_extents(const transform_call& call, const array& x) {
    const std::size_t given = call.extents ? call.extents->size() : 0;
    if (call.axes) {
      for (const ptrdiff_t axis : *call.axes) {
        axes_.push_back(normalized_axis(axis, x.ndim()));
      }
    } else {
      const auto count = call.extents ? static_cast<ptrdiff_t>(given) : ptrdiff_t{x.ndim()};
      for (ptrdiff_t k = -count; k < 0; ++k) {
        axes_.push_back(normalized_axis(k, x.ndim()));
      }
    }
    if (call.extents && given != axes_.size()) {
      throw value_error(detail::message("fft.", of_.function,
                                        ": s and axes must have the same length, found ", given,
                                        " and ", axes_.size()));
    }
    const auto is_given = [&](std::size_t k) {
      const std::optional<ptrdiff_t> extent = call.extents ? (*call.extents)[k] : std::nullopt;
      return extent && !(of_.has_several_axes && *extent == -1);
    };
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      extents_.push_back(is_given(k) ? *(*call.extents)[k] : x.extent(axes_[k]));
    }
    if (of_.form != transform_form::complex && axes_.empty()) {
      throw value_error(
          detail::message("fft.", of_.function, ": at least 1 axis must be transformed"));
    }
    if (!extents_.empty()) {
      require_points(of_.function, std::ranges::min(extents_));
    }
    if (of_.form == transform_form::to_real && !(call.extents && call.extents->back())) {
      extents_.back() = checked_multiply(2, x.extent(axes_.back()) - 1, "fft: the extent");
      require_points(of_.function, extents_.back());
    }
  }

  array made(std::span<const ptrdiff_t> shape, dtype type, const array& beside) const {
    return made_by(how_, layout::c_order(shape), type, beside, beside.kind());
  }

  array copied(const array& x) const {
    array copy = made(x.shape(), x.type(), x);
    copy_for_call(x, copy);
    return copy;
  }

  /// The array with these extents: cut, or with zeros at the end.
  array fitted(const array& x, some_extents extents, some_axes axes) const {
    std::vector<ptrdiff_t> shape(x.shape().begin(), x.shape().end());
    for (std::size_t k = 0; k < axes.size(); ++k) {
      shape[static_cast<std::size_t>(axes[k])] = extents[k];
    }
    if (std::ranges::equal(shape, x.shape())) {
      return x;
    }
    const auto cut = [&](const array& a) {
      std::vector<index_item> items;
      for (int k = 0; k < a.ndim(); ++k) {
        items.emplace_back(range(0, std::min(shape[static_cast<std::size_t>(k)], x.extent(k))));
      }
      return with_layout(a, subscript(a.layout(), items));
    };
    array part = cut(x);
    if (std::ranges::equal(part.shape(), shape)) {
      return part;
    }
    array longer = made(shape, x.type(), x);
    if (longer.size() != 0) {
      fill_async(longer, 0);
    }
    if (part.size() != 0) {
      copy_for_call(part, cut(longer));
    }
    return longer;
  }

  /// Transforms complex numbers along axes, the last ones first; each is cut or padded.
  array along(array x, some_extents extents, some_axes axes, bool is_forward, double scale) const {
    while (!axes.empty()) {
      const std::size_t count = count_together(axes);
      x = fitted(x, extents.last(count), axes.last(count));
      const some_axes some = axes.last(count);
      axes = axes.first(axes.size() - count);
      extents = extents.first(extents.size() - count);
      x = step(x, x.shape(), x.type(), some, is_forward, axes.empty() ? scale : 1.0);
    }
    return x;
  }

  array from_real(const array& given) const {
    const std::size_t count = count_together(axes_);
    const some_axes axes = axes_;
    const some_extents extents = extents_;
    const array x = fitted(given, extents.last(count), axes.last(count));
    std::vector<ptrdiff_t> shape(x.shape().begin(), x.shape().end());
    ptrdiff_t& last = shape[static_cast<std::size_t>(axes.back())];
    last = last / 2 + 1;
    const std::size_t rest = axes.size() - count;
    const array half =
        step(x, shape, complex_type_of(x.type()), axes.last(count), true, rest == 0 ? scale_ : 1.0);
    return along(half, extents.first(rest), axes.first(rest), true, scale_);
  }

  array to_real(array x) const {
    // Elements of the spectrum beyond the first half count in oneMKL's transforms of several axes,
    // and not in NumPy's, which takes the first axes first. usmx's function for cuFFT knows it.
    const std::size_t count = is_for_cufft(x) ? count_together(axes_) : 1;
    const std::size_t rest = axes_.size() - count;
    const std::vector<int> first_axes(axes_.rend() - static_cast<ptrdiff_t>(rest), axes_.rend());
    const std::vector<ptrdiff_t> first_extents(extents_.rend() - static_cast<ptrdiff_t>(rest),
                                               extents_.rend());
    x = along(x, first_extents, first_axes, false, 1.0);
    const some_axes axes = some_axes(axes_).last(count);
    std::vector<ptrdiff_t> extents(extents_.end() - static_cast<ptrdiff_t>(count), extents_.end());
    extents.back() = extents.back() / 2 + 1;
    x = fitted(x, extents, axes);
    std::vector<ptrdiff_t> shape(x.shape().begin(), x.shape().end());
    shape[static_cast<std::size_t>(axes.back())] = extents_.back();
    return step(x, shape, part_type(x.type()), axes, false, scale_);
  }

  /// A new array for the transform along axes that each occur once.
  array step(const array& x, std::span<const ptrdiff_t> shape, dtype type, some_axes axes,
             bool is_forward, double scale) const {
    const array result = made(shape, type, x);
    if (result.size() == 0) {
      return result;
    }
    fourier_call call{x, result, {axes.begin(), axes.end()}, is_forward, scale};
    if (how_.asks_caller_first && how_.caller && how_.caller(call)) {
      return result;
    }
    if (is_for_cufft(x)) {
      call.scale = 1;
      start_cuda_fourier(call);
      if (scale != 1.0) {
        const array parts = real_parts(result);
        compute("multiply", {parts, scale}, {.outputs = {parts}, .progress = how_.progress});
      }
      return result;
    }
    if (!host_reaches(x) || !has_fourier()) {
      if (how_.caller && how_.caller(call)) {
        return result;
      }
      throw_no_library("fft", x, find_transform_library(private_queue(x).get_device()));
    }
    const auto goes_forward = [](const array& a) {
      return a.layout().is_c_contiguous() ||
             std::ranges::all_of(a.strides(), [](ptrdiff_t stride) { return stride > 0; });
    };
    std::optional<host_work> work;
    if (goes_forward(x)) {
      work = fourier_work(call);
    }
    if (!work) {
      call.input = copied(x);
      work = fourier_work(call);
    }
    if (!work) {
      throw value_error(detail::message(
          "fft: oneMKL refuses a transform of shape ", tuple_text(shape), " along axes ",
          tuple_text(std::vector<ptrdiff_t>(axes.begin(), axes.end()))));
    }
    run_on_host(how_, *work, false);
    return result;
  }

  const transform_rules& of_;
  const transform_way& how_;
  dtype type_;
  std::vector<int> axes_;
  std::vector<ptrdiff_t> extents_;
  double scale_ = 1;
};

array along_one(std::string_view function, const array& x, const fft::axis_options& how) {
  transform_way way;
  way.progress = how.progress;
  return transformed({function, std::vector{how.n}, std::vector{how.axis}, how.norm}, x, way);
}

array along_several(std::string_view function, const array& x, const fft::axes_options& how) {
  transform_call call{function, std::nullopt, how.axes, how.norm};
  if (how.s) {
    call.extents.emplace(how.s->begin(), how.s->end());
  }
  transform_way way;
  way.progress = how.progress;
  return transformed(call, x, way);
}

array conjugated(const array& x, const fft::axis_options& how) {
  return x.type().kind() == 'c' ? compute("conj", {x}, {.progress = how.progress}) : x;
}

array frequencies(std::string_view function, ptrdiff_t n, double d, bool has_negative,
                  const sycl::queue& queue, usm_kind kind) {
  require_points(function, n);
  const ptrdiff_t count = has_negative ? n : n / 2 + 1;
  array made = empty(shape_argument(count),
                     nearest_supported(float64, support_of(queue.get_device())), queue, kind);
  std::vector<double> values(static_cast<std::size_t>(count));
  const double step = 1.0 / (static_cast<double>(n) * d);
  const ptrdiff_t positive = has_negative ? (n - 1) / 2 + 1 : n / 2 + 1;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto index = static_cast<ptrdiff_t>(k);
    values[k] = static_cast<double>(index < positive ? index : index - n) * step;
  }
  const std::array shape{count};
  const std::array steps{static_cast<ptrdiff_t>(sizeof(double))};
  copy_from_host(host_array{reinterpret_cast<std::byte*>(values.data()), float64, shape, steps},
                 made);
  return made;
}

/// Copies the elements, each moved along the axes by half of their extents; `is_back` rounds the
/// halves up.
array shifted(const array& x, const std::optional<std::vector<ptrdiff_t>>& axes, bool is_back) {
  std::vector<ptrdiff_t> moved;
  if (axes) {
    moved = *axes;
  } else {
    moved.resize(static_cast<std::size_t>(x.ndim()));
    std::iota(moved.begin(), moved.end(), 0);
  }
  std::vector<ptrdiff_t> shifts;
  for (const ptrdiff_t axis : moved) {
    const ptrdiff_t extent = x.extent(normalized_axis(axis, x.ndim()));
    shifts.push_back(is_back ? extent - extent / 2 : extent / 2);
  }
  return roll(x, shifts, moved);
}

}  // namespace

array transformed(const transform_call& call, const array& x, const transform_way& how) {
  require_usable_process();
  const transform one(transform_named(call.function), call, x, how);
  return one.run(x);
}

bool is_ready_for_transforms(const array& x) {
  constexpr ptrdiff_t most = 4096;  // elements
  return x.size() <= most && !is_on_cuda(x) && is_ready_for_host(x) && has_fourier();
}

}  // namespace internal

namespace fft {

array fft(const array& x, const axis_options& how) { return internal::along_one("fft", x, how); }
array ifft(const array& x, const axis_options& how) { return internal::along_one("ifft", x, how); }
array rfft(const array& x, const axis_options& how) { return internal::along_one("rfft", x, how); }
array irfft(const array& x, const axis_options& how) {
  return internal::along_one("irfft", x, how);
}
array hfft(const array& x, const axis_options& how) {
  return internal::along_one("hfft", internal::conjugated(x, how), how);
}
array ihfft(const array& x, const axis_options& how) {
  return internal::conjugated(internal::along_one("ihfft", x, how), how);
}

array fftn(const array& x, const axes_options& how) {
  return internal::along_several("fftn", x, how);
}
array ifftn(const array& x, const axes_options& how) {
  return internal::along_several("ifftn", x, how);
}
array rfftn(const array& x, const axes_options& how) {
  return internal::along_several("rfftn", x, how);
}
array irfftn(const array& x, const axes_options& how) {
  return internal::along_several("irfftn", x, how);
}

array fftfreq(std::ptrdiff_t n, double d, const sycl::queue& queue, usm_kind kind) {
  return internal::frequencies("fftfreq", n, d, true, queue, kind);
}
array rfftfreq(std::ptrdiff_t n, double d, const sycl::queue& queue, usm_kind kind) {
  return internal::frequencies("rfftfreq", n, d, false, queue, kind);
}

array fftshift(const array& x, const std::optional<std::vector<std::ptrdiff_t>>& axes) {
  return internal::shifted(x, axes, false);
}
array ifftshift(const array& x, const std::optional<std::vector<std::ptrdiff_t>>& axes) {
  return internal::shifted(x, axes, true);
}

}  // namespace fft
}  // namespace usmx::inline v1
