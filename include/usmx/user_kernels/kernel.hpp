// Kernels that users write: compiled at run time from SYCL source, without a SYCL compiler of the
// user's, and launched with arguments that are checked. Inside the source, usmx/kernel.hpp has what
// kernels need. compile.hpp has the options and the errors of compiling.
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/nd_range.hpp>
#include <sycl/queue.hpp>
#include <sycl/range.hpp>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/base/spellings.hpp"
#include "usmx/kernels/compile.hpp"
#include "usmx/layout/device_view.hpp"

namespace usmx::inline v1 {

namespace detail {
struct kernel_access;
}

/// How many work items run a kernel. The innermost dimension is the last. If there are none, as
/// over an array without elements, the arguments are checked, nothing runs, and the event is
/// complete.
struct launch_sizes {
  /// 1 to 3.
  int dimensions = 1;
  /// All work items, of which the first `dimensions` count; sizes above 1 behind them are refused.
  std::array<std::size_t, 3> global = {};
  /// The work items of a group; none for sizes that usmx chooses: the largest innermost one up to
  /// 1024 that divides.
  std::optional<std::array<std::size_t, 3>> local = {};

  /// The sizes of an nd_range.
  template <int Dimensions>
  static launch_sizes of(const sycl::nd_range<Dimensions>& range) {
    launch_sizes sizes{Dimensions, {}, std::array<std::size_t, 3>{}};
    for (int k = 0; k < Dimensions; ++k) {
      sizes.global[static_cast<std::size_t>(k)] = range.get_global_range()[k];
      (*sizes.local)[static_cast<std::size_t>(k)] = range.get_local_range()[k];
    }
    return sizes;
  }
  /// The sizes of a range; usmx chooses the groups.
  template <int Dimensions>
  static launch_sizes of(const sycl::range<Dimensions>& range) {
    launch_sizes sizes{Dimensions};
    for (int k = 0; k < Dimensions; ++k) {
      sizes.global[static_cast<std::size_t>(k)] = range[k];
    }
    return sizes;
  }
};

/// An argument: memory that the work items of a group share, which each launch sets aside.
struct local_memory {
  /// The type of its elements.
  dtype type;
  /// How many elements.
  std::size_t count;
};

namespace detail {

/// The code that a signature's parameters have for elements of type T.
template <class T>
constexpr type_code item_code() {
  if constexpr (element_type<T>) {
    return dtype::of<std::remove_cv_t<T>>().code();
  } else {
    return type_code::structured;
  }
}
template <class T>
constexpr std::size_t item_size() {
  if constexpr (std::is_void_v<T>) {
    return 0;
  } else {
    return sizeof(T);
  }
}
template <class T>
constexpr std::size_t item_alignment() {
  if constexpr (std::is_void_v<T>) {
    return 1;
  } else {
    return alignof(T);
  }
}

}  // namespace detail

/// An argument of a kernel: an array, a pointer, a number, a structure or local_memory. It refers
/// to the array, or to the structure, that it is made of.
class kernel_argument {
 public:
  /// A number, which becomes the parameter's type if that has its value. Floating-point numbers
  /// are rounded. Complex ones are for complex parameters only, which take all.
  using number = std::variant<bool, std::int64_t, std::uint64_t, double, std::complex<double>>;
  /// A pointer, and what is behind it: a plain type, or a class of that size.
  struct pointer {
    /// The address.
    const void* address;
    /// The element type; `structured` for a class.
    type_code type;
    /// The size of an element in bytes; 0 for void.
    std::size_t size;
    /// Whether nothing may be written through it.
    bool is_const;
  };
  /// The bytes of an object of a class.
  struct structure {
    /// The bytes.
    const void* bytes;
    /// How many.
    std::size_t size;
    /// The alignment of the class in bytes.
    std::size_t alignment;
  };
  /// An argument that no parameter takes. Errors name it by this text, such as "a list".
  struct unsuitable {
    /// The text.
    std::string what;
  };
  /// An integer that needs more than 64 bits, which no parameter can hold.
  struct large_integer {
    /// How errors show it: its digits, or how many there are.
    std::string what;
  };
  /// All that an argument can be.
  using alternatives = std::variant<const array*, pointer, number, structure, local_memory,
                                    unsuitable, large_integer>;

  /// An array, whose memory the kernel gets: C-contiguous for a pointer, of any layout for a
  /// usmx::view.
  kernel_argument(const array& a) : value_(&a) {}
  /// Local memory.
  kernel_argument(const local_memory& memory) : value_(memory) {}
  /// A pointer to USM of the kernel's context. Unfinished work on that memory is the caller's
  /// business.
  template <class T>
  kernel_argument(T* address)
      : value_(
            pointer{address, detail::item_code<T>(), detail::item_size<T>(), std::is_const_v<T>}) {}
  /// A number, or an object of a class whose bytes are its value.
  template <class T>
    requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>)
  kernel_argument(const T& value) : value_(of_value(value)) {}
  /// A parameter that states what it needs (array/in.hpp): its array.
  template <class Parameter>
    requires requires(const Parameter& of) {
      { of.array() } -> std::same_as<const array&>;
    }
  kernel_argument(const Parameter& of) : value_(&of.array()) {}
  /// @cond
  template <class T>
    requires(!std::is_trivially_copyable_v<T> && !std::derived_from<T, array> &&
             !requires(const T& of) {
               { of.array() } -> std::same_as<const array&>;
             })
  explicit kernel_argument(const T&) : value_(unsuitable()) {
    static_assert(detail::never<T>,
                  "an argument of a kernel is an array, a pointer to USM, a number, "
                  "usmx::local_memory, or an object of a class that is copied as bytes");
  }
  /// @endcond
  /// A number that is known at run time only.
  explicit kernel_argument(const number& value) : value_(value) {}
  /// A pointer whose type is known at run time only.
  explicit kernel_argument(const pointer& value) : value_(value) {}
  /// A structure whose type is known at run time only.
  explicit kernel_argument(const structure& value) : value_(value) {}
  /// An argument that no parameter takes.
  explicit kernel_argument(unsuitable value) : value_(std::move(value)) {}
  /// An integer that no parameter can hold.
  explicit kernel_argument(large_integer value) : value_(std::move(value)) {}

  /// The argument itself.
  const alternatives& value() const noexcept { return value_; }
  /// Whether the argument is a number, also one that no parameter can hold.
  bool is_number() const noexcept {
    return std::holds_alternative<number>(value_) || std::holds_alternative<large_integer>(value_);
  }

 private:
  template <class T>
  static alternatives of_value(const T& value) {
    if constexpr (std::same_as<T, bool>) {
      return number(value);
    } else if constexpr (std::signed_integral<T>) {
      return number(static_cast<std::int64_t>(value));
    } else if constexpr (std::unsigned_integral<T>) {
      return number(static_cast<std::uint64_t>(value));
    } else if constexpr (std::floating_point<T>) {
      return number(static_cast<double>(value));
    } else if constexpr (std::same_as<T, std::complex<float>> ||
                         std::same_as<T, std::complex<double>>) {
      return number(std::complex<double>(value));
    } else {
      return structure{&value, sizeof value, alignof(T)};
    }
  }

  alternatives value_;
};

namespace detail {

/// The parameter of a kernel that takes a T: a number, a structure, a pointer, a device_view for a
/// usmx::view, or local_memory, whose element type is known at run time only.
template <class T>
struct typed_parameter {
  static_assert(std::is_trivially_copyable_v<T>, "a kernel takes what can be copied as bytes");
  static kernel_parameter get() {
    return {parameter_form::value, item_code<T>(), sizeof(T), alignof(T), {}};
  }
};
template <class T>
struct typed_parameter<T*> {
  static kernel_parameter get() {
    return {std::is_const_v<T> ? parameter_form::const_pointer : parameter_form::pointer,
            item_code<T>(),
            item_size<T>(),
            item_alignment<T>(),
            {}};
  }
};
template <class T, std::size_t N>
struct typed_parameter<device_view<T, N>> {
  static_assert(sizeof(device_view<T, N>) == sizeof(void*) + 2 * N * sizeof(std::ptrdiff_t),
                "a device_view has the bytes of a usmx::view");
  static kernel_parameter get() {
    return {std::is_const_v<T> ? parameter_form::const_view : parameter_form::view,
            item_code<T>(),
            sizeof(T),
            alignof(T),
            {},
            int{N}};
  }
};
template <>
struct typed_parameter<local_memory> {
  static kernel_parameter get() { return {parameter_form::local_memory, {}, 0, 1, {}}; }
};

}  // namespace detail

template <class Function>
class typed_kernel;

/// A compiled kernel for one device of one context. Copies share it. Thread-safe.
class USMX_API kernel {
 public:
  // No moves: an object that was moved from would have nothing to launch.
  kernel(const kernel&) = default;
  kernel& operator=(const kernel&) = default;

  /// Compiles the kernel of that name in a source of SYCL, for the queue's device. The source may
  /// also be a module of SPIR-V, whose bytes begin with its magic number, and which has no options.
  /// Throws compile_error if the source is no program or has no such kernel, value_error for names
  /// and options that cannot be, type_error for a parameter that no launch can set. Takes a tenth
  /// of a second and more.
  static kernel compile(const sycl::queue& queue, std::string_view source, std::string_view name,
                        const compile_options& options = {});
  /// Compiles several kernels of one source, which is compiled once. Throws as for one kernel.
  static std::vector<kernel> compile(const sycl::queue& queue, std::string_view source,
                                     std::span<const std::string> names,
                                     const compile_options& options = {});
  /// @cond
  template <class... T>
  static kernel compile(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                        detail::any_argument = {}) {
    static_assert(detail::never<T...>, "kernel::compile(queue, source, name, options)");
    return compile(detail::any_argument());
  }
  /// @endcond

  /// The name and the parameters.
  const kernel_signature& signature() const noexcept;
  /// The compiler's messages: warnings, and notes that explain them.
  const std::vector<diagnostic>& warnings() const noexcept;
  /// The context of its memory.
  const sycl::context& context() const noexcept;
  /// The device that runs it.
  const sycl::device& device() const noexcept;

  /// Runs the kernel, on the queue of the arrays or, without arrays, on the one that it was
  /// compiled for. It comes after the unfinished work on the arrays that usmx knows, and is such
  /// work itself, so the memory lives until it ends. Returns its event. Waits as submit() does, for
  /// memory that others may work on (array/submit.hpp), and for a kernel with views that was
  /// compiled for debugging. Throws value_error or type_error, and runs nothing, unless the sizes
  /// and each argument suit; index_error for an access outside of a view, if compiled for
  /// debugging.
  template <int Dimensions, class... Arguments>
  sycl::event operator()(const sycl::nd_range<Dimensions>& sizes,
                         const Arguments&... arguments) const {
    const std::array<kernel_argument, sizeof...(Arguments)> all{kernel_argument(arguments)...};
    return launch(launch_sizes::of(sizes), all);
  }
  /// Runs the kernel with so many work items, in groups that usmx chooses.
  template <int Dimensions, class... Arguments>
  sycl::event operator()(const sycl::range<Dimensions>& sizes,
                         const Arguments&... arguments) const {
    const std::array<kernel_argument, sizeof...(Arguments)> all{kernel_argument(arguments)...};
    return launch(launch_sizes::of(sizes), all);
  }
  /// @cond
  template <class Sizes, class... Arguments>
  sycl::event operator()(const Sizes&, const Arguments&...) const {
    static_assert(detail::never<Sizes>,
                  "kernel(sizes, arguments...), where sizes are a sycl::range or a sycl::nd_range");
    return {};
  }
  /// @endcond
  /// Runs the kernel with arguments and sizes that are known at run time only. `queue` is where it
  /// runs, of the kernel's context and device, or null; `after` are events that it comes after,
  /// too.
  sycl::event launch(const launch_sizes& sizes, std::span<const kernel_argument> arguments,
                     const sycl::queue* queue = nullptr,
                     std::span<const sycl::event> after = {}) const;
  /// Runs the kernel with the arguments in braces: `k.launch({.global = {n}}, {2.0, x, y})`.
  sycl::event launch(const launch_sizes& sizes, std::initializer_list<kernel_argument> arguments,
                     const sycl::queue* queue = nullptr,
                     std::span<const sycl::event> after = {}) const {
    return launch(sizes, std::span(arguments.begin(), arguments.size()), queue, after);
  }
  /// @cond
  template <class... Rest>
  sycl::event launch(detail::any_argument, std::initializer_list<kernel_argument>,
                     const Rest&...) const {
    static_assert(detail::never<Rest...>,
                  "launch(sizes, {arguments}), where sizes are usmx::launch_sizes, such as "
                  "{.global = {n}} or usmx::launch_sizes::of(sycl::range(n))");
    return {};
  }
  /// @endcond
  /// Runs the kernel as launch() does, but does not wait for it where others who read no events
  /// have the memory: nothing that they do comes after it, unless the caller waits for its event.
  sycl::event launch_async(const launch_sizes& sizes, std::span<const kernel_argument> arguments,
                           const sycl::queue* queue = nullptr,
                           std::span<const sycl::event> after = {}) const;

  /// The kernel as a function of C++ types, such as void(float, const float*, float*): its
  /// parameters are compared once, here, and not at each launch. A usmx::view is a device_view, and
  /// usmx::local_memory is itself. Throws type_error unless they are the kernel's parameters,
  /// value_error for a kernel with views that was compiled for debugging.
  template <class Function>
  typed_kernel<Function> as() const {
    return typed_kernel<Function>(*this);
  }

  struct implementation;

 private:
  template <class Function>
  friend class typed_kernel;
  friend struct detail::kernel_access;

  explicit kernel(std::shared_ptr<const implementation> shared) noexcept;
  void require_parameters(std::span<const kernel_parameter> found) const;
  /// The addresses of the arguments' bytes.
  sycl::event launch_typed(const launch_sizes& sizes, std::span<const void* const> arguments) const;

  std::shared_ptr<const implementation> shared_;
};

/// A kernel whose source is compiled when a device first runs it, in any context: what a library
/// keeps as a static variable. Copies share what is compiled, of the devices and contexts that were
/// used last. Thread-safe.
class USMX_API lazy_kernel {
 public:
  /// The kernel of that name in the source, as kernel::compile() takes them. Compiles nothing.
  lazy_kernel(std::string source, std::string name, compile_options options = {});
  // No moves: an object that was moved from would have nothing to launch.
  lazy_kernel(const lazy_kernel&) = default;
  lazy_kernel& operator=(const lazy_kernel&) = default;

  /// Compiles the kernel for the device and the context of a queue, or finds it. Throws as
  /// kernel::compile().
  void prepare(const sycl::queue& queue) const;

  /// Runs the kernel on the queue of the arrays or, without arrays, on the default queue, as
  /// kernel::operator() does. Where it is not compiled yet, waits for the compiler, and throws as
  /// kernel::compile().
  template <int Dimensions, class... Arguments>
  sycl::event operator()(const sycl::range<Dimensions>& sizes,
                         const Arguments&... arguments) const {
    const std::array<kernel_argument, sizeof...(Arguments)> all{kernel_argument(arguments)...};
    return launch(launch_sizes::of(sizes), all);
  }
  /// Runs the kernel in groups of a certain size.
  template <int Dimensions, class... Arguments>
  sycl::event operator()(const sycl::nd_range<Dimensions>& sizes,
                         const Arguments&... arguments) const {
    const std::array<kernel_argument, sizeof...(Arguments)> all{kernel_argument(arguments)...};
    return launch(launch_sizes::of(sizes), all);
  }
  /// Runs it with arguments and sizes that are known at run time only, as kernel::launch() takes
  /// them. `queue` is where it runs, or null.
  sycl::event launch(const launch_sizes& sizes, std::span<const kernel_argument> arguments,
                     const sycl::queue* queue = nullptr,
                     std::span<const sycl::event> after = {}) const;
  /// Takes the arguments in braces: `k.launch({.global = {n}}, {2.0, x, y})`.
  sycl::event launch(const launch_sizes& sizes, std::initializer_list<kernel_argument> arguments,
                     const sycl::queue* queue = nullptr,
                     std::span<const sycl::event> after = {}) const {
    return launch(sizes, std::span(arguments.begin(), arguments.size()), queue, after);
  }

  struct implementation;

 private:
  std::shared_ptr<implementation> shared_;
};

/// A kernel whose parameters have been compared with those of a function of C++: kernel::as().
/// Copies share it. Thread-safe.
template <class... Parameters>
class typed_kernel<void(Parameters...)> {
 public:
  /// Runs the kernel on the queue that it was compiled for, and returns its event. Does not wait.
  /// Checks the sizes, and nothing about pointers: what the kernel comes after, and how long the
  /// memory lives, is the caller's business, as with a kernel that is submitted to a sycl::queue.
  /// Throws value_error, and runs nothing, unless the sizes suit.
  template <int Dimensions>
  sycl::event operator()(const sycl::nd_range<Dimensions>& sizes, Parameters... arguments) const {
    const std::array<const void*, sizeof...(Parameters)> all{&arguments...};
    return kernel_.launch_typed(launch_sizes::of(sizes), all);
  }

 private:
  friend class kernel;

  explicit typed_kernel(const kernel& checked) : kernel_(checked) {
    const std::array<kernel_parameter, sizeof...(Parameters)> all{
        detail::typed_parameter<Parameters>::get()...};
    checked.require_parameters(all);
  }

  kernel kernel_;
};

}  // namespace usmx::inline v1
