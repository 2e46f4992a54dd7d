#include "compute/functions.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>
#include <vector>

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

/// A function of the driver's for a row, and the loop that calls it.
template <const function_row& Row, class C>
struct driver_loop {
  static inline std::atomic<driver_function<C>> function{nullptr};

  static bool find() {
    if (function.load(std::memory_order_acquire) == nullptr) {
      function.store(find_driver_function<C>(Row.name), std::memory_order_release);
    }
    return function.load(std::memory_order_acquire) != nullptr;
  }

  static void run(const host_loops::operands& x, void* result, std::ptrdiff_t count) {
    const driver_function<C> of = function.load(std::memory_order_acquire);
    const C* a = static_cast<const C*>(x[0]);
    C* z = static_cast<C*>(result);
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      z[k] = of(a[k]);
    }
  }
};

template <class... Types>
struct type_list {};
using booleans = type_list<bool>;
using signed_integers = type_list<std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
using unsigned_integers = type_list<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
using reals = type_list<float, double>;

namespace row {

#define USMX_FUNCTION(name, ...) constexpr function_row name = USMX_FUNCTION_ROW(name, __VA_ARGS__);
#define USMX_EXPRESSION(...)
#define USMX_DEVICE_EXPRESSION(...)
#include "compute/table.inc"
#undef USMX_DEVICE_EXPRESSION
#undef USMX_EXPRESSION
#undef USMX_FUNCTION

}  // namespace row

class function_list {
 public:
  /// Adds the loops of an expression, where they give what a kernel gives, bit for bit.
  template <const function_row& Row, class Expression>
  void add() {
    constexpr auto is_for = [](char kind) { return Expression::classes.find(kind) != npos; };
    add_types<Row, Expression, is_for('b')>(booleans());
    add_types<Row, Expression, is_for('i')>(signed_integers());
    add_types<Row, Expression, is_for('u')>(unsigned_integers());
    add_types<Row, Expression, is_for('f') && Row.errors[0] == 0 && !Row.is_slow_on_host>(reals());
    if constexpr (is_for('f')) {
      add_of_driver<Row, float>();
      add_of_driver<Row, double>();
    }
  }
  const std::vector<host_function>& all() const noexcept { return all_; }

 private:
  static constexpr std::size_t npos = std::string_view::npos;

  /// Functions that kernels leave to the driver, which the table has as `name(a)`.
  static constexpr std::string_view of_driver[] = {
      "sin",  "cos",  "tan",  "exp",  "exp2", "expm1", "log2",  "log10", "log1p",
      "sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh"};

  /// The logarithm of float is usmx's own (kernel_math.hpp).
  template <const function_row& Row, class C>
  void add_of_driver() {
    if constexpr (std::ranges::find(of_driver, Row.name) != std::end(of_driver) ||
                  (Row.name == "log" && std::is_same_v<C, double>)) {
      host_loops& made = loops_of<Row>(dtype::of<C>());
      made.result = dtype::of<C>().code();
      made.arrays = &driver_loop<Row, C>::run;
      made.find_function = &driver_loop<Row, C>::find;
    }
  }

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
    using R = std::conditional_t<Row.result == result_rule::truth, bool, C>;
    host_loops& made = loops_of<Row>(dtype::of<C>());
    made.result = dtype::of<R>().code();
    if constexpr (Row.operand_count() == 1) {
      made.arrays = &unary<Expression, C, R>;
    } else if constexpr (Row.conditions == 1) {
      made.arrays = &chosen<Expression, C, R>;
    } else if constexpr (Row.operand_count() == 3) {
      made.arrays = &ternary<Expression, C, R>;
    } else {
      made.arrays = &binary<Expression, C, R, 0>;
      made.number_first = &binary<Expression, C, R, 1>;
      made.number_second = &binary<Expression, C, R, 2>;
    }
  }

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

bool host_loops::is_for(std::ptrdiff_t count, const sycl::device& device) const {
  return find_function == nullptr ||
         (count <= max_of_driver && device.is_cpu() &&
          device.get_backend() == sycl::backend::opencl && find_function());
}

const host_function* find_host_function(std::string_view name) {
  static const function_list& functions = *new function_list(make_functions());
  const auto found = std::ranges::find(functions.all(), name, &host_function::name);
  return found == functions.all().end() ? nullptr : &*found;
}

}  // namespace usmx::inline v1::internal
