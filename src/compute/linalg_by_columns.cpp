#include "compute/linalg_by_columns.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "compute/made_kernels.hpp"
#include "compute/promotion.hpp"
#include "compute/vendor_calls.hpp"
#include "copy/copy.hpp"
#include "layout/layout.hpp"
#include "usmx/compute/functions.hpp"
#include "usmx/compute/matrices.hpp"
#include "usmx/compute/products.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/generated_kernels/generated_kernels.hpp"
#include "usmx/layout/index_item.hpp"
#include "vendors/cusolver.hpp"

namespace usmx::inline v1::internal {
namespace {

using std::ptrdiff_t;

constexpr ptrdiff_t largest_of_stacks = 128;  // rows of matrices that functions for stacks factor
constexpr ptrdiff_t largest_inverse = 32;     // rows of matrices that one function inverts

// ---- kernels

enum class step_kernel : std::uint8_t {
  upper,
  lower,
  failed,
  failed_or_not_finite,
  addresses,
  count
};

struct step_text {
  const char* name;
  const char* inputs;
  const char* output;
  const char* operation;
};

constexpr std::array<step_text, static_cast<std::size_t>(step_kernel::count)> step_texts{{
    {"upper", "T x, int64 rows, int64 columns", "T y",
     "y = i / columns % rows <= i % columns ? x : T(0)"},
    {"lower", "T x, int64 rows, int64 columns", "T y",
     "y = i / columns % rows >= i % columns ? x : T(0)"},
    // A number of a matrix that has no result is NaN, or the library says so.
    {"failed", "int32 info, T x", "bool y", "y = info != 0 || !(x == x)"},
    {"failed_or_not_finite", "int32 info, bool is_finite", "bool y", "y = info != 0 || !is_finite"},
    {"addresses", "uint64 first, uint64 step, uint64 second, uint64 second_step, uint64 count",
     "uint64 y",
     "const decltype(y + y) k = i; y = k < count ? first + step * k : second + second_step * (k - "
     "count)"},
}};

const elementwise_kernel& kernel_of(step_kernel which) {
  static made_kernels<elementwise_kernel, step_texts.size()> all;
  const auto number = static_cast<std::size_t>(which);
  return all.at(number, [&] {
    const step_text& of = step_texts[number];
    return elementwise_kernel(of.inputs, of.output, of.operation, {.name = of.name});
  });
}

enum class step_reduction : std::uint8_t { are_finite, slogdet, det, complex_det, count };

struct reduction_text {
  const char* name;
  const char* inputs;
  const char* outputs;
  const char* map;
  const char* reduce;
  const char* post_map;
  const char* identity;
  const char* type;
  const char* preamble;
};

// A product of a diagonal, as a number of the size of 1 and an exponent of 2: its steps would leave
// the range of the type, and come back.
constexpr const char* scaled_products = R"(
using part = decltype(real(T()));
struct scaled { T value; int exponent; };
inline scaled scaled_of(T value, int exponent) {
  const part size = max(fabs(real(value)), fabs(imag(value)));
  if (size == 0) return {value, 0};
  if (!isfinite(size)) return {value, exponent};
  const int most = sizeof(part) == 4 ? 120 : 1000;
  const int shift = min(max(ilogb(size) + 1, -most), most);
  return {value * ldexp(part(1), -shift), exponent + shift};
}
inline scaled multiplied(scaled a, scaled b) {
  return scaled_of(a.value * b.value, a.exponent + b.exponent);
}
)";
constexpr const char* sign_and_logarithm = R"(
const part size = abs(a.value);
sign = size == 0 ? T(0) : a.value / size;
logarithm = log(size) + a.exponent * part(0.69314718055994530942);
)";

constexpr reduction_text product_text(const char* name, const char* outputs, const char* post_map) {
  return {name,
          "T x, P pivot",
          outputs,
          "scaled_of(pivot == i + 1 ? x : -x, 0)",  // a pivot elsewhere has changed the sign
          "multiplied(a, b)",
          post_map,
          "scaled{T(1), 0}",
          "scaled",
          scaled_products};
}

constexpr std::array<reduction_text, static_cast<std::size_t>(step_reduction::count)>
    reduction_texts{{
        {"are_finite", "T x", "bool y", "isfinite(x)", "a && b", "y = a", "true", "", ""},
        product_text("slogdet", "T sign, R logarithm", sign_and_logarithm),
        product_text("det", "T y", "y = T(ldexp(real(a.value), a.exponent))"),
        product_text("complex_det", "T y",
                     "y = T(ldexp(real(a.value), a.exponent), ldexp(imag(a.value), a.exponent))"),
    }};

const reduction_kernel& kernel_of(step_reduction which) {
  static made_kernels<reduction_kernel, reduction_texts.size()> all;
  const auto number = static_cast<std::size_t>(which);
  return all.at(number, [&] {
    const reduction_text& of = reduction_texts[number];
    return reduction_kernel(of.inputs, of.outputs,
                            {.map = of.map,
                             .reduce = of.reduce,
                             .post_map = of.post_map,
                             .identity = of.identity,
                             .type = of.type},
                            {.name = of.name, .preamble = of.preamble});
  });
}

// ---- parts

array transposed_matrices(const array& x) { return with_layout(x, matrix_transposed(x.layout())); }

/// The first vectors of each matrix that is stored by them.
array first_of(const array& x, ptrdiff_t count) { return x.slice(range(), range(0, count)); }

/// The results of a routine for all matrices, and which of these have none: not 0, or true.
struct step_results {
  std::vector<array> arrays;
  std::optional<array> failed = {};
};

/// The steps of one call.
class by_columns {
 public:
  by_columns(const linalg_call& call, const linalg_way& how, const device_solver& solver)
      : call_(call), how_(how), solver_(solver) {}

  array are_finite(const array& x) const {
    return reduced(step_reduction::are_finite, {x}, {-2, -1}, {std::nullopt}).front();
  }

  /// The elements in C order, with the stack's dimensions, and of the kind that the result has.
  array as_output(const array& x, const linalg_result& of) const {
    if (x.type() == of.type && x.layout().is_c_contiguous() && x.kind() == call_.kind) {
      return x.reshaped(of.shape);
    }
    const array made = made_by(how_, layout::c_order(of.shape), of.type, x, call_.kind);
    copy_for_call(x, made.reshaped(x.shape()));
    return made;
  }

  /// The results with NaN for matrices that have none.
  array without(const array& x, const array& failed) const {
    if (x.type().kind() == 'i') {  // a rank
      return x;
    }
    std::vector<ptrdiff_t> shape(static_cast<std::size_t>(x.ndim()), 1);
    shape.front() = x.extent(0);
    const array is_lost = call("not_equal", {failed, 0}).reshaped(shape);
    return call("where", {is_lost, std::numeric_limits<double>::quiet_NaN(), x});
  }

  bool any(const array& failed) const {
    const generated_call_options told{.progress = how_.progress};
    return (failed.size() == 1 ? failed : any_of(failed, {}, told)).item<std::int64_t>() != 0;
  }
  bool all(const array& are_true) const {
    const generated_call_options told{.progress = how_.progress};
    return all_of(are_true, {}, told).item<bool>();
  }

  step_results solve() const {
    const array x = columns(operand(1));
    const factors of = factored(operand(0), &x);
    start("lu_solve", {of.a, of.pivots, x}, true, of.addresses);
    return {{transposed_matrices(x)}, of.info};
  }

  step_results inv() const {
    const array& x = operand(0);
    const ptrdiff_t size = x.extent(x.ndim() - 1);
    if (solver_.has_stacks && size <= largest_inverse) {
      const array a = rows(x);
      const array made = make(a.shape(), a.type());
      const array info = new_info(a);
      start("inverse", {a, made, info}, false, addresses(a, &made));
      return {{made}, info};
    }
    const array made = make(extents{x.size() / (size * size), size, size}, x.type());
    fill_async(made, 0);
    fill_async(linalg::diagonal(made), 1);
    const factors of = factored(x, &made);
    start("lu_solve", {of.a, of.pivots, made}, false, of.addresses);
    return {{made}, of.info};
  }

  step_results slogdet() const {
    return product_of_factor(step_reduction::slogdet,
                             {operand(0).type(), real_part_type(operand(0).type())});
  }
  step_results det() const {
    const dtype type = operand(0).type();
    return product_of_factor(type.kind() == 'c' ? step_reduction::complex_det : step_reduction::det,
                             {type});
  }

  step_results cholesky() const {
    // The libraries factor by the lower triangle in a half to a third of the other one's time.
    const bool is_upper = call_.option;
    const array a = is_upper ? rows(operand(0)) : columns(operand(0));
    const array info = new_info(a);
    start("cholesky", {a, info}, false,
          solver_.has_stacks && a.extent(0) > 1 ? addresses(a) : std::nullopt);
    const array of = is_upper ? a : transposed_matrices(a);
    // NaN anywhere makes the last element of the diagonal NaN, and no info.
    const array last = a.slice(range(), a.extent(1) - 1, a.extent(2) - 1);
    return {{triangle(of, is_upper)}, kernel(step_kernel::failed, {info, last})};
  }

  step_results qr_raw() const {
    const auto [a, reflections] = reflected();
    return {{a, reflections}};
  }
  step_results qr_r() const {
    const auto [a, reflections] = reflected();
    return {{triangle(first_of(transposed_matrices(a), reflections.extent(1)), true)}};
  }
  step_results qr() const {
    const auto [a, reflections] = reflected();
    const ptrdiff_t least = reflections.extent(1);
    const ptrdiff_t kept = call_.option ? a.extent(2) : least;
    const array upper = triangle(first_of(transposed_matrices(a), kept), true);
    array q = a;
    if (a.extent(1) != kept) {
      q = make(extents{a.extent(0), kept, a.extent(2)}, a.type());
      copy_for_call(first_of(a, least), first_of(q, least));
    }
    start("q", {q, reflections});
    return {{transposed_matrices(q), upper}};
  }

  step_results eigh() const {
    const eigenvalues of = hermitian(true);
    return {{of.values, conjugated(transposed_matrices(of.vectors))}, of.failed};
  }
  step_results eigvalsh() const {
    const eigenvalues of = hermitian(false);
    return {{of.values}, of.failed};
  }

  step_results svd(bool by_steps) const { return decomposed(call_.option, by_steps); }
  step_results svdvals(bool by_steps) const {
    // Without room for vectors, Jacobi's method touches memory that is not its own.
    const step_results of = decomposed(false, by_steps);
    return {{of.arrays[1]}, of.failed};
  }

  step_results lstsq() const {
    const array& a = operand(0);
    const array& b = operand(1);
    const step_results of = decomposed(false, false);
    const array& u = of.arrays[0];
    const array& values = of.arrays[1];
    const array& vh = of.arrays[2];
    const product_options how{.progress = how_.progress};
    const array least = call("multiply", {first_column(values), call_.tolerance});
    const array is_kept = call("greater", {values, least});
    const array inverses = call("where", {is_kept, call("reciprocal", {values}), 0.0});
    const array parts = matmul(conjugated(transposed_matrices(u)), b, how);
    const array scaled = call("multiply", {inverses.slice(ellipsis, newaxis), parts});
    const array x = matmul(conjugated(transposed_matrices(vh)), scaled, how);
    const array sizes = call("abs", {call("subtract", {b, matmul(a, x, how)})});
    const generated_call_options told{.progress = how_.progress};
    const array sums = sum(call("multiply", {sizes, sizes}), -2, told);
    return {{x, sums, count_nonzero(is_kept, -1, told), values}, of.failed};
  }

 private:
  using extents = std::vector<ptrdiff_t>;

  const array& operand(std::size_t k) const { return call_.inputs[k]; }

  array make(std::span<const ptrdiff_t> shape, dtype type) const {
    return made_by(how_, layout::c_order(shape), type, operand(0), usm_kind::device);
  }
  array make(const extents& shape, dtype type) const {
    return make(std::span<const ptrdiff_t>(shape), type);
  }

  /// A new array of the same elements in C order, with one dimension for the stack.
  array compact(const array& x) const {
    const array made = make(x.shape(), x.type());
    copy_for_call(x, made);
    return made.reshaped({-1, x.extent(x.ndim() - 2), x.extent(x.ndim() - 1)});
  }
  /// The rows one after another: by columns, that is the transposed matrix.
  array rows(const array& x) const { return compact(x); }
  array columns(const array& x) const { return compact(transposed_matrices(x)); }

  array new_info(const array& x) const { return make(extents{x.extent(0)}, int32); }

  void start(std::string_view routine, std::vector<array> arrays, bool option = false,
             std::optional<array> addresses = {}) const {
    solver_.start({routine, std::move(arrays), option, std::move(addresses)});
  }

  /// The addresses of all matrices of one array or of two.
  std::optional<array> addresses(const array& first, const array* second = nullptr) const {
    const array made = make(extents{second == nullptr ? 1 : 2, first.extent(0)}, uint64);
    const array& other = second == nullptr ? first : *second;
    const auto address = [](const array& a) {
      return std::uint64_t{reinterpret_cast<std::uintptr_t>(first_element(a))};
    };
    const auto count = static_cast<std::uint64_t>(first.extent(0));
    const std::array<kernel_argument, 5> operands{address(first), first.nbytes() / count,
                                                  address(other), other.nbytes() / count, count};
    kernel_of(step_kernel::addresses)
        .call(operands, {.outputs = {made}, .progress = how_.progress});
    return made;
  }

  array call(std::string_view name, std::initializer_list<kernel_argument> operands) const {
    return compute(name, operands, {.progress = how_.progress});
  }
  array conjugated(const array& x) const { return x.type().kind() == 'c' ? call("conj", {x}) : x; }
  array kernel(step_kernel which, std::initializer_list<kernel_argument> operands) const {
    return kernel_of(which).call(operands, {.progress = how_.progress}).front();
  }
  std::vector<array> reduced(step_reduction which, std::initializer_list<kernel_argument> operands,
                             const axes_argument& axes,
                             std::vector<std::optional<array>> outputs) const {
    return kernel_of(which).call(operands, reduction_axes{.axes = axes},
                                 {.outputs = std::move(outputs), .progress = how_.progress});
  }

  /// The elements on and above the diagonal, or on and below it, and 0 elsewhere; in C order.
  array triangle(const array& x, bool is_upper) const {
    const std::array<kernel_argument, 3> operands{x, x.extent(x.ndim() - 2),
                                                  x.extent(x.ndim() - 1)};
    return kernel_of(is_upper ? step_kernel::upper : step_kernel::lower)
        .call(operands, {.outputs = {make(x.shape(), x.type())}, .progress = how_.progress})
        .front();
  }

  struct factors {
    array a;  // of the transposed matrices
    array pivots;
    array info;
    std::optional<array> addresses;  // for functions for stacks
  };
  /// Factors matrices, whose factors will meet the matrices of a second array, if there is one.
  factors factored(const array& x, const array* second = nullptr) const {
    const array a = rows(x);
    const ptrdiff_t size = a.extent(1);
    const bool is_stack = solver_.has_stacks && a.extent(0) > 1 && size <= largest_of_stacks;
    factors made{a, make(extents{a.extent(0), size}, is_stack ? int32 : int64), new_info(a),
                 is_stack ? addresses(a, second) : std::nullopt};
    start("lu", {made.a, made.pivots, made.info}, false, made.addresses);
    return made;
  }

  /// Reduces the diagonals of the factors of matrices, with the signs of the pivots.
  step_results product_of_factor(step_reduction which, std::initializer_list<dtype> types) const {
    const factors of = factored(operand(0));
    std::vector<std::optional<array>> made;
    for (const dtype type : types) {
      made.emplace_back(make(extents{of.a.extent(0)}, type));
    }
    return {reduced(which, {linalg::diagonal(of.a), of.pivots}, -1, std::move(made))};
  }

  /// Householder's vectors, by columns, and their factors.
  std::pair<array, array> reflected() const {
    const array a = columns(operand(0));
    const array made = make(extents{a.extent(0), std::min(a.extent(1), a.extent(2))}, a.type());
    start("qr", {a, made});
    return {a, made};
  }

  struct eigenvalues {
    array vectors;  // as rows
    array values;
    array failed;
  };
  eigenvalues hermitian(bool has_vectors) const {
    array a = rows(operand(0));
    // XsyevBatched's vectors of complex64 are not orthonormal in some releases (pytorch#192483).
    if (a.type() == complex64 && a.extent(0) > 1) {
      const array wide = make(a.shape(), complex128);
      copy_for_call(a, wide);
      a = wide;
    }
    const array values = make(extents{a.extent(0), a.extent(1)}, real_part_type(a.type()));
    const array info = new_info(a);
    // Some methods do not say that an element is not finite, and their values are then.
    const array is_finite = are_finite(triangle(a, call_.option));
    // The lower triangle is the transposed matrix's upper one.
    start(has_vectors ? "eigh" : "eigvalsh", {a, values, info}, !call_.option);
    return {a, values, kernel(step_kernel::failed_or_not_finite, {info, is_finite})};
  }

  /// U, the singular values and Vh of matrices. The routines get no more columns than rows: those
  /// of the transposed matrix, if need be. Those of more steps converge for more matrices.
  step_results decomposed(bool is_full, bool asks_for_steps) const {
    const bool by_steps = asks_for_steps || !solver_.has_stacks;
    const array& x = operand(0);
    const bool is_transposed = x.extent(x.ndim() - 1) >= x.extent(x.ndim() - 2);
    const array a = is_transposed ? rows(x) : columns(x);
    const ptrdiff_t count = a.extent(0);
    const ptrdiff_t least = a.extent(1);
    const ptrdiff_t most = a.extent(2);
    const array is_finite = are_finite(a);
    const array values = make(extents{count, least}, real_part_type(a.type()));
    const array info = new_info(a);
    const bool is_one_call = !by_steps && most <= largest_of_jacobi;
    array first = make(extents{count, is_full || is_one_call ? most : least, most}, a.type());
    const array second = make(extents{count, least, least}, a.type());
    start(by_steps ? "svd_steps" : "svd", {a, values, first, second, info});
    if (!is_full) {
      first = first_of(first, least);
    }
    // Jacobi's method makes V by columns, and the other one Vh: both are V by rows, transposed.
    const array v = by_steps ? conjugated(transposed_matrices(second)) : second;
    const array failed = kernel(step_kernel::failed_or_not_finite, {info, is_finite});
    if (is_transposed) {  // of U S Vh, which is conj(V) S U^T
      return {{conjugated(transposed_matrices(v)), values, first}, failed};
    }
    return {{transposed_matrices(first), values, conjugated(v)}, failed};
  }

  static array first_column(const array& values) { return values.slice(range(), range(0, 1)); }

  const linalg_call& call_;
  const linalg_way& how_;
  const device_solver& solver_;
};

// ---- calls

struct step_routine {
  std::string_view name;
  step_results (*run)(const by_columns&, bool by_steps);
  bool has_steps = false;  // a method of more steps, which converges for more matrices
};

constexpr step_routine step_routines[] = {
    {"cholesky", [](const by_columns& of, bool) { return of.cholesky(); }},
    {"det", [](const by_columns& of, bool) { return of.det(); }},
    {"eigh", [](const by_columns& of, bool) { return of.eigh(); }},
    {"eigvalsh", [](const by_columns& of, bool) { return of.eigvalsh(); }},
    {"inv", [](const by_columns& of, bool) { return of.inv(); }},
    {"lstsq", [](const by_columns& of, bool) { return of.lstsq(); }},
    {"qr", [](const by_columns& of, bool) { return of.qr(); }},
    {"qr_r", [](const by_columns& of, bool) { return of.qr_r(); }},
    {"qr_raw", [](const by_columns& of, bool) { return of.qr_raw(); }},
    {"slogdet", [](const by_columns& of, bool) { return of.slogdet(); }},
    {"solve", [](const by_columns& of, bool) { return of.solve(); }},
    {"svd", [](const by_columns& of, bool by_steps) { return of.svd(by_steps); }, true},
    {"svdvals", [](const by_columns& of, bool by_steps) { return of.svdvals(by_steps); }, true},
};

const step_routine* routine_named(std::string_view name) {
  const auto* const found = std::ranges::find(step_routines, name, &step_routine::name);
  return found == std::end(step_routines) ? nullptr : found;
}

}  // namespace

bool is_by_columns(std::string_view routine) { return routine_named(routine) != nullptr; }

std::optional<std::vector<array>> computed_by_columns(const linalg_call& call,
                                                      const linalg_way& how,
                                                      const device_solver& solver) {
  const step_routine& routine = *routine_named(call.routine);
  const by_columns steps(call, how, solver);
  step_results made = routine.run(steps, false);
  if (call.is_checked && made.failed && steps.any(*made.failed)) {
    if (!routine.has_steps || !solver.has_stacks ||
        !steps.all(steps.are_finite(call.inputs.front()))) {
      return std::nullopt;
    }
    made = routine.run(steps, true);
    if (steps.any(*made.failed)) {
      return std::nullopt;
    }
  }
  std::vector<array> results;
  for (std::size_t k = 0; k < call.results.size(); ++k) {
    const array& x = made.arrays[k];
    results.push_back(steps.as_output(
        made.failed && !call.is_checked ? steps.without(x, *made.failed) : x, call.results[k]));
  }
  return results;
}

}  // namespace usmx::inline v1::internal
