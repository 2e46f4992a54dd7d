#include "compute/functions.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/threads.hpp"
#include "compute/driver_functions.hpp"
#include "compute/host_functions.hpp"
#include "compute/table.hpp"

namespace usmx::inline v1::internal::host {
namespace {

// Each expression of the table is a structure with a function.
#define USMX_FUNCTION(...)
#define USMX_DEVICE_EXPRESSION(...)
#define USMX_EXPRESSION(name, letters, ...)                                                      \
  struct name##_##letters {                                                                      \
    static constexpr std::string_view classes = #letters;                                        \
    template <class C>                                                                           \
    static auto of([[maybe_unused]] C x1, [[maybe_unused]] C x2 = {}, [[maybe_unused]] C c = {}, \
                   [[maybe_unused]] bool condition = false) {                                    \
      [[maybe_unused]] const C a = x1;                                                           \
      [[maybe_unused]] const C b = x2;                                                           \
      return __VA_ARGS__;                                                                        \
    }                                                                                            \
  };
#include "compute/table.inc"
#undef USMX_EXPRESSION
#undef USMX_DEVICE_EXPRESSION
#undef USMX_FUNCTION

}  // namespace
}  // namespace usmx::inline v1::internal::host

namespace usmx::inline v1::internal {
namespace {

/// Any byte but 0 is true, as in a view of integers. A bool of C++ has no other bytes than 0 and 1.
template <class C>
C value_at(const C* elements, std::ptrdiff_t k) {
  if constexpr (std::is_same_v<C, bool>) {
    return reinterpret_cast<const unsigned char*>(elements)[k] != 0;
  } else {
    return elements[k];
  }
}

template <class Function, class C, class R>
void unary(const host_loops::operands& x, void* result, std::ptrdiff_t count) {
  const C* a = static_cast<const C*>(x[0]);
  R* z = static_cast<R*>(result);
  for (std::ptrdiff_t k = 0; k < count; ++k) {
    const C value = value_at(a, k);
    z[k] = static_cast<R>(Function::template of<C>(value));
  }
}

template <class Function, class C, class R, int NumberAt>
void binary(const host_loops::operands& x, void* result, std::ptrdiff_t count) {
  const C* a = static_cast<const C*>(x[0]);
  const C* b = static_cast<const C*>(x[1]);
  R* z = static_cast<R*>(result);
  const C first = value_at(a, 0);
  const C second = value_at(b, 0);
  for (std::ptrdiff_t k = 0; k < count; ++k) {
    z[k] = static_cast<R>(Function::template of<C>(NumberAt == 1 ? first : value_at(a, k),
                                                   NumberAt == 2 ? second : value_at(b, k)));
  }
}

template <class Function, class C, class R>
void ternary(const host_loops::operands& x, void* result, std::ptrdiff_t count) {
  const C* a = static_cast<const C*>(x[0]);
  const C* b = static_cast<const C*>(x[1]);
  const C* c = static_cast<const C*>(x[2]);
  R* z = static_cast<R*>(result);
  for (std::ptrdiff_t k = 0; k < count; ++k) {
    z[k] = static_cast<R>(Function::template of<C>(value_at(a, k), value_at(b, k), value_at(c, k)));
  }
}

/// One that a condition decides.
template <class Function, class C, class R>
void chosen(const host_loops::operands& x, void* result, std::ptrdiff_t count) {
  const bool* condition = static_cast<const bool*>(x[0]);
  const C* a = static_cast<const C*>(x[1]);
  const C* b = static_cast<const C*>(x[2]);
  R* z = static_cast<R*>(result);
  for (std::ptrdiff_t k = 0; k < count; ++k) {
    z[k] = static_cast<R>(
        Function::template of<C>(value_at(a, k), value_at(b, k), C(), value_at(condition, k)));
  }
}

constexpr std::ptrdiff_t block = 256;

/// Calls the driver's function as kernels do, which do not ask it for some numbers: for those, the
/// other function has the value, which is not 0.
template <class C, class Unasked>
void ask(const driver_function<C>& function, Unasked unasked, const C* a, C* z,
         std::ptrdiff_t count) {
  const driver_library<C>& all = *find_driver_library<C>();
  std::array<C, block> asked;
  std::array<C, block> values;
  for (std::ptrdiff_t first = 0; first < count; first += block) {
    const std::ptrdiff_t now = std::min(block, count - first);
    for (std::ptrdiff_t k = 0; k < now; ++k) {
      const C value = unasked(a[first + k]);
      values[static_cast<std::size_t>(k)] = value;
      asked[static_cast<std::size_t>(k)] = value == C(0) ? a[first + k] : C(1);
    }
    all.run_of_one(function, asked.data(), asked.data(), now);
    for (std::ptrdiff_t k = 0; k < now; ++k) {
      const C value = values[static_cast<std::size_t>(k)];
      z[first + k] = value == C(0) ? asked[static_cast<std::size_t>(k)] : value;
    }
  }
}

/// The function hypot, with the elements that two functions find for an index.
template <class C, class X, class Y>
void find_hypotenuses(X x_at, Y y_at, C* z, std::ptrdiff_t count) {
  constexpr std::size_t index = host::index_in(driver_functions_of_two, "hypot");
  const driver_library<C>& all = *find_driver_library<C>();
  std::array<C, block> x;
  std::array<C, block> y;
  std::array<C, block> scales;
  for (std::ptrdiff_t first = 0; first < count; first += block) {
    const std::ptrdiff_t now = std::min(block, count - first);
    for (std::ptrdiff_t k = 0; k < now; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const C width = x_at(first + k);
      const C height = y_at(first + k);
      scales[at] = host::usmx::detail::scale_of_sides(width, height);
      x[at] = width * scales[at];
      y[at] = height * scales[at];
    }
    all.run_of_two(all.of_two[index], x.data(), y.data(), x.data(), now);
    for (std::ptrdiff_t k = 0; k < now; ++k) {
      const auto at = static_cast<std::size_t>(k);
      z[first + k] = host::usmx::detail::unscaled(x[at], scales[at]);
    }
  }
}

/// A row's function of the driver's for vectors, of one real number or of two.
template <const function_row& Row, class C>
void by_driver(const host_loops::operands& x, void* result, std::ptrdiff_t count) {
  const driver_library<C>& all = *find_driver_library<C>();
  const C* a = static_cast<const C*>(x[0]);
  C* z = static_cast<C*>(result);
  if constexpr (Row.name == "hypot") {
    const C* b = static_cast<const C*>(x[1]);
    find_hypotenuses([a](std::ptrdiff_t k) { return a[k]; }, [b](std::ptrdiff_t k) { return b[k]; },
                     z, count);
  } else if constexpr (Row.operand_count() == 1) {
    constexpr std::size_t index = host::index_in(driver_functions_of_one, Row.name);
    const driver_function<C>& function = all.of_one[index];
    if constexpr (Row.name == "sin" || Row.name == "cos") {
      ask(function, host::usmx::detail::unasked_sine<C>, a, z, count);
    } else if constexpr (Row.name == "expm1") {
      ask(function, host::usmx::detail::unasked_power<C>, a, z, count);
    } else {
      all.run_of_one(function, a, z, count);
    }
  } else {
    constexpr std::size_t index = host::index_in(driver_functions_of_two, Row.name);
    all.run_of_two(all.of_two[index], a, static_cast<const C*>(x[1]), z, count);
  }
}

/// The parts of complex numbers are the operands of hypot.
template <class C>
void magnitudes(const host_loops::operands& x, void* result, std::ptrdiff_t count) {
  const C* parts = static_cast<const C*>(x[0]);
  find_hypotenuses([parts](std::ptrdiff_t k) { return parts[2 * k]; },
                   [parts](std::ptrdiff_t k) { return parts[2 * k + 1]; }, static_cast<C*>(result),
                   count);
}

/// Powers with an exponent that the compiler knows.
template <class C, double Exponent>
void raise_to(const C* a, C* z, std::ptrdiff_t count) {
  for (std::ptrdiff_t k = 0; k < count; ++k) {
    z[k] = host::real_power(a[k], C(Exponent));
  }
}

/// The loop for an exponent that the table's own function has a way of its own for, or null.
template <class C>
void (*find_short_power(C exponent))(const C*, C*, std::ptrdiff_t) {
  return exponent == C(2)     ? &raise_to<C, 2.0>
         : exponent == C(3)   ? &raise_to<C, 3.0>
         : exponent == C(-1)  ? &raise_to<C, -1.0>
         : exponent == C(0.5) ? &raise_to<C, 0.5>
                              : nullptr;
}

/// Powers by the driver's function, but where the table's own function has another way.
template <class C>
void powers(const host_loops::operands& x, void* result, std::ptrdiff_t count) {
  const driver_library<C>& all = *find_driver_library<C>();
  const C* a = static_cast<const C*>(x[0]);
  const C* b = static_cast<const C*>(x[1]);
  C* z = static_cast<C*>(result);
  std::array<C, block> found;
  for (std::ptrdiff_t first = 0; first < count; first += block) {
    const std::ptrdiff_t now = std::min(block, count - first);
    const auto short_power = find_short_power(b[first]);
    const auto is_same = [&](C exponent) { return exponent == b[first]; };
    if (short_power != nullptr && std::all_of(b + first, b + first + now, is_same)) {
      short_power(a + first, z + first, now);
      continue;
    }
    constexpr std::size_t index = host::index_in(driver_functions_of_two, "pow");
    all.run_of_two(all.of_two[index], a + first, b + first, found.data(), now);
    for (std::ptrdiff_t k = first; k < first + now; ++k) {
      z[k] = find_short_power(b[k]) != nullptr ? host::real_power(a[k], b[k])
                                               : found[static_cast<std::size_t>(k - first)];
    }
  }
}

#if defined(__x86_64__)
#define USMX_FMA [[gnu::target("avx2,fma"), gnu::flatten]]
#else
#define USMX_FMA
#endif

/// Products of complex numbers as the driver's compiler makes them of the kernels' expression:
/// where the processor can, one product of each part is not rounded, whatever the kernel's options
/// say.
struct fused_product {
  template <class C>
  static C of(C a, C b) {
    return {std::fma(a.real(), b.real(), -(a.imag() * b.imag())),
            std::fma(a.imag(), b.real(), a.real() * b.imag())};
  }
};
struct fused_square {
  template <class C>
  static C of(C a) {
    return fused_product::of(a, a);
  }
};
template <auto Fused, auto Rounded, class C>
struct product_loop {
  USMX_FMA static void fused(const host_loops::operands& x, void* result, std::ptrdiff_t count) {
    Fused(x, result, count);
  }
  static void run(const host_loops::operands& x, void* result, std::ptrdiff_t count) {
    (find_driver_library<typename C::value_type>()->has_fma ? &fused : Rounded)(x, result, count);
  }
};

template <class... Types>
struct type_list {};
using booleans = type_list<bool>;
using signed_integers = type_list<std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
using unsigned_integers = type_list<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
using reals = type_list<float, double>;
using complexes = type_list<host::complex<float>, host::complex<double>>;

namespace row {

#define USMX_FUNCTION(name, ...) constexpr function_row name = USMX_FUNCTION_ROW(name, __VA_ARGS__);
#define USMX_EXPRESSION(...)
#define USMX_DEVICE_EXPRESSION(...)
#include "compute/table.inc"
#undef USMX_DEVICE_EXPRESSION
#undef USMX_EXPRESSION
#undef USMX_FUNCTION

}  // namespace row

/// How a loop comes to the bits of a kernel.
enum class way : std::uint8_t {
  none,     ///< It does not.
  exact,    ///< Every device rounds alike.
  of_cpus,  ///< By usmx's own function, which CUDA has in another way.
  driver,   ///< By the driver's functions.
};

template <class C>
constexpr bool is_complex =
    std::is_same_v<C, host::complex<float>> || std::is_same_v<C, host::complex<double>>;

/// Rows of complex numbers that need the sine and the cosine of one number: a kernel computes both
/// together, in another way.
constexpr std::string_view of_sine_and_cosine[] = {"exp",  "expm1", "sin",  "cos", "tan",
                                                   "sinh", "cosh",  "tanh", "pow"};

template <class C>
constexpr way way_of(const function_row& row) {
  if constexpr (is_complex<C>) {
    if (std::ranges::find(of_sine_and_cosine, row.name) != std::end(of_sine_and_cosine)) {
      return way::none;
    }
    return row.errors[1] == 0 ? way::exact : way::driver;
  } else if constexpr (std::is_floating_point_v<C>) {
    const bool is_own =
        row.name == "tanh" || row.name == "cbrt" || (row.name == "log" && std::is_same_v<C, float>);
    return is_own ? way::of_cpus : row.errors[0] == 0 ? way::exact : way::driver;
  } else {
    return way::exact;
  }
}

/// Bytes of an operand up to which a loop takes less than a launch, measured on two cores.
constexpr std::ptrdiff_t most_nbytes = std::ptrdiff_t{1} << 20;
/// Bytes of an operand where an element costs many instructions.
constexpr std::ptrdiff_t most_nbytes_of_slow = std::ptrdiff_t{256} << 10;

/// How many adjacent complex numbers of two doubles the host computes. In a kernel each vector
/// gathers its parts from eight of them, which takes five times as long as reading them in turn.
constexpr std::ptrdiff_t most_wide_complex = std::ptrdiff_t{4} << 20;

template <class C>
constexpr bool is_slow(const function_row& row, way how) {
  const bool is_product = is_complex<C> && (row.name == "multiply" || row.name == "square");
  const bool is_magnitude = is_complex<C> && row.name == "abs";
  return (how == way::driver && !is_product && !is_magnitude) || how == way::of_cpus ||
         row.is_vectorized_in_kernels || row.name == "pow" || row.name == "sqrt";
}

/// Elements of real numbers that a function computes which kernels have in vectors.
constexpr std::ptrdiff_t most_without_vectors = 2048;

template <class C>
constexpr std::ptrdiff_t most_elements(const function_row& row, way how) {
  if (row.is_vectorized_in_kernels && std::is_floating_point_v<C>) {
    return most_without_vectors;
  }
  return (is_slow<C>(row, how) ? most_nbytes_of_slow : most_nbytes) /
         static_cast<std::ptrdiff_t>(sizeof(C));
}

/// A loop, compiled for two generations of processors.
template <auto Loop>
struct compiled {
  USMX_AVX2 static void for_avx2(const host_loops::operands& x, void* result,
                                 std::ptrdiff_t count) {
    Loop(x, result, count);
  }
  static host_loops::loop best() {
    return detail::cpu() == detail::cpu_level::baseline ? Loop : &for_avx2;
  }
};

class function_list {
 public:
  /// Adds the loops of an expression, where they give what a kernel gives, bit for bit.
  template <const function_row& Row, class Expression>
  void add() {
    constexpr auto is_for = [](char kind) { return Expression::classes.find(kind) != npos; };
    add_types<Row, Expression, is_for('b')>(booleans());
    add_types<Row, Expression, is_for('i')>(signed_integers());
    add_types<Row, Expression, is_for('u')>(unsigned_integers());
    add_types<Row, Expression, is_for('f')>(reals());
    add_types<Row, Expression, is_for('c')>(complexes());
  }
  const std::vector<host_function>& all() const noexcept { return all_; }

 private:
  static constexpr std::size_t npos = std::string_view::npos;

  template <const function_row& Row>
  host_loops& loops_of(dtype type) {
    if (all_.empty() || all_.back().name != Row.name) {
      all_.push_back({Row.name, static_cast<int>(Row.operand_count())});
    }
    return all_.back().loops[static_cast<std::size_t>(type.code())];
  }

  template <const function_row& Row, class Expression, bool IsThere, class... Types>
  void add_types(type_list<Types...>) {
    if constexpr (IsThere) {
      (add_type<Row, Expression, Types>(), ...);
    }
  }

  template <const function_row& Row, class Expression, class C>
  void add_type() {
    constexpr way how = way_of<C>(Row);
    if constexpr (how != way::none) {
      using found = decltype(Expression::template of<C>(C()));
      using R = std::conditional_t<
          Row.result == result_rule::truth, bool,
          std::conditional_t<Row.result == result_rule::real && is_complex<C>, found, C>>;
      host_loops& made = loops_of<Row>(host::type_of<C>());
      made.result = host::type_of<R>().code();
      made.most = most_elements<C>(Row, how);
      const bool is_wide = std::is_same_v<C, host::complex<double>> && !is_slow<C>(Row, how);
      made.most_adjacent = is_wide ? most_wide_complex : made.most;
      made.is_for_cpus = how == way::of_cpus;
      if constexpr (how == way::driver) {
        made.find_functions = &are_there<C>;
      }
      set_loops<Row, Expression, C, R>(made);
    }
  }

  template <class C>
  static bool are_there() {
    if constexpr (is_complex<C>) {
      return find_driver_library<typename C::value_type>() != nullptr;
    } else {
      return find_driver_library<C>() != nullptr;
    }
  }

  template <const function_row& Row, class Expression, class C, class R>
  static void set_loops(host_loops& made) {
    constexpr bool is_real_of_driver =
        way_of<C>(Row) == way::driver && std::is_floating_point_v<C> && Row.name != "logaddexp";
    if constexpr (is_real_of_driver && Row.name == "pow") {
      made.arrays = &powers<C>;
    } else if constexpr (is_real_of_driver) {
      made.arrays = compiled<&by_driver<Row, C>>::best();
    } else if constexpr (is_complex<C> && Row.name == "abs") {
      made.arrays = compiled<&magnitudes<typename C::value_type>>::best();
    } else if constexpr (is_complex<C> && Row.name == "square") {
      made.arrays = &product_loop<&unary<fused_square, C, C>, &unary<Expression, C, C>, C>::run;
    } else if constexpr (is_complex<C> && Row.name == "multiply") {
      made.arrays = &products<Expression, C, 0>::run;
      made.number_first = &products<Expression, C, 1>::run;
      made.number_second = &products<Expression, C, 2>::run;
    } else if constexpr (Row.operand_count() == 1) {
      made.arrays = compiled<&unary<Expression, C, R>>::best();
    } else if constexpr (Row.conditions == 1) {
      made.arrays = compiled<&chosen<Expression, C, R>>::best();
    } else if constexpr (Row.operand_count() == 3) {
      made.arrays = compiled<&ternary<Expression, C, R>>::best();
    } else {
      made.arrays = compiled<&binary<Expression, C, R, 0>>::best();
      made.number_first = compiled<&binary<Expression, C, R, 1>>::best();
      made.number_second = compiled<&binary<Expression, C, R, 2>>::best();
    }
  }

  template <class Expression, class C, int NumberAt>
  using products =
      product_loop<&binary<fused_product, C, C, NumberAt>, &binary<Expression, C, C, NumberAt>, C>;

  std::vector<host_function> all_;
};

function_list make_functions() {
  function_list made;
#define USMX_FUNCTION(...)
#define USMX_DEVICE_EXPRESSION(...)
#define USMX_EXPRESSION(name, letters, ...) made.add<row::name, host::name##_##letters>();
#include "compute/table.inc"
#undef USMX_EXPRESSION
#undef USMX_DEVICE_EXPRESSION
#undef USMX_FUNCTION
  return made;
}

}  // namespace

void host_loops::run(loop chosen, const operands& x, dtype type, void* result_elements,
                     std::ptrdiff_t count) const {
  constexpr std::ptrdiff_t task_elements = std::ptrdiff_t{1} << 16;
  const std::ptrdiff_t tasks = count / task_elements;
  if (tasks < 2) {
    chosen(x, result_elements, count);
    return;
  }
  const std::size_t number_at = chosen == number_first ? 0 : chosen == number_second ? 1 : x.size();
  detail::for_each_task(tasks, [&](std::ptrdiff_t task) {
    const std::ptrdiff_t first = task * count / tasks;
    operands part = x;
    for (std::size_t k = 0; k < part.size(); ++k) {
      if (part[k] != nullptr && k != number_at) {
        part[k] = static_cast<const std::byte*>(x[k]) +
                  first * static_cast<std::ptrdiff_t>(type.itemsize());
      }
    }
    auto* to = static_cast<std::byte*>(result_elements) +
               first * static_cast<std::ptrdiff_t>(dtype(result).itemsize());
    chosen(part, to, (task + 1) * count / tasks - first);
  });
}

bool host_loops::is_for(std::ptrdiff_t count, const sycl::queue& queue, bool are_adjacent) const {
  if (count > (are_adjacent ? most_adjacent : most)) {
    return false;
  }
  if (find_functions == nullptr) {
    return !is_for_cpus || queue.get_device().is_cpu();
  }
  const sycl::device device = queue.get_device();
  return device.is_cpu() && device.get_backend() == sycl::backend::opencl && find_functions();
}

const host_function* find_host_function(std::string_view name) {
  static const function_list& functions = *new function_list(make_functions());
  const auto found = std::ranges::find(functions.all(), name, &host_function::name);
  return found == functions.all().end() ? nullptr : &*found;
}

}  // namespace usmx::inline v1::internal
