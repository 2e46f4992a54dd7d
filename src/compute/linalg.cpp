#include "compute/linalg.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "compute/linalg_by_columns.hpp"
#include "compute/promotion.hpp"
#include "copy/copy.hpp"
#include "generated_kernels/call.hpp"
#include "layout/layout.hpp"
#include "memory/buffer.hpp"
#include "runtime/drivers/usm_driver.hpp"
#include "user_kernels/launch.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/compute/functions.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/layout/index_item.hpp"
#include "usmx/runtime/devices.hpp"
#include "vendors/lapack.hpp"
#include "vendors/onemkl_lapack.hpp"

namespace usmx::inline v1 {
namespace internal {
namespace {

using std::ptrdiff_t;

// ---- the rules of the routines

/// The extents on which the results' depend, and the routine's choice.
struct matrix_sizes {
  ptrdiff_t rows;
  ptrdiff_t columns;
  ptrdiff_t right;  // columns of the second operand
  bool option;

  ptrdiff_t least() const { return std::min(rows, columns); }
};
using matrix_results = std::vector<linalg_result>;

dtype complex_of(dtype type) {
  return type == float32 ? dtype(complex64) : type == float64 ? dtype(complex128) : type;
}

struct routine_rules {
  std::string_view routine;
  std::string_view function;
  bool is_square;
  std::string_view failure;         // of a matrix that has no result, if that may happen
  std::string_view of_no_elements;  // for each result 0, 1 or `u` for unit matrices
  matrix_results (*results)(const matrix_sizes&, dtype);
};

matrix_results one_matrix(const matrix_sizes& of, dtype type) {
  return {{{of.rows, of.columns}, type}};
}

constexpr std::string_view singular = "the matrix is singular";
constexpr std::string_view not_definite = "the matrix is not positive definite";
constexpr std::string_view no_eigenvalues = "the eigenvalues did not converge";
constexpr std::string_view no_singular_values = "the singular values did not converge";

const routine_rules all_routines[] = {
    {"cholesky", "cholesky", true, not_definite, "0", &one_matrix},
    {"det", "det", true, "", "1",
     [](const matrix_sizes&, dtype type) { return matrix_results{{{}, type}}; }},
    {"eig", "eig", true, no_eigenvalues, "00",
     [](const matrix_sizes& of, dtype type) {
       return matrix_results{{{of.rows}, complex_of(type)}, {{of.rows, of.rows}, complex_of(type)}};
     }},
    {"eigh", "eigh", true, no_eigenvalues, "00",
     [](const matrix_sizes& of, dtype type) {
       return matrix_results{{{of.rows}, real_part_type(type)}, {{of.rows, of.rows}, type}};
     }},
    {"eigvals", "eigvals", true, no_eigenvalues, "0",
     [](const matrix_sizes& of, dtype type) {
       return matrix_results{{{of.rows}, complex_of(type)}};
     }},
    {"eigvalsh", "eigvalsh", true, no_eigenvalues, "0",
     [](const matrix_sizes& of, dtype type) {
       return matrix_results{{{of.rows}, real_part_type(type)}};
     }},
    {"inv", "inv", true, singular, "0", &one_matrix},
    {"lstsq", "lstsq", false, no_singular_values, "0000",
     [](const matrix_sizes& of, dtype type) {
       return matrix_results{{{of.columns, of.right}, type},
                             {{of.right}, real_part_type(type)},
                             {{}, int64},
                             {{of.least()}, real_part_type(type)}};
     }},
    {"qr", "qr", false, "", "u0",
     [](const matrix_sizes& of, dtype type) {
       const ptrdiff_t kept = of.option ? of.rows : of.least();
       return matrix_results{{{of.rows, kept}, type}, {{kept, of.columns}, type}};
     }},
    {"qr_r", "qr", false, "", "0",
     [](const matrix_sizes& of, dtype type) {
       return matrix_results{{{of.least(), of.columns}, type}};
     }},
    {"qr_raw", "qr", false, "", "00",
     [](const matrix_sizes& of, dtype type) {
       return matrix_results{{{of.columns, of.rows}, type}, {{of.least()}, type}};
     }},
    {"slogdet", "slogdet", true, "", "10",
     [](const matrix_sizes&, dtype type) {
       return matrix_results{{{}, type}, {{}, real_part_type(type)}};
     }},
    {"solve", "solve", true, singular, "0",
     [](const matrix_sizes& of, dtype type) {
       return matrix_results{{{of.rows, of.right}, type}};
     }},
    {"svd", "svd", false, no_singular_values, "u0u",
     [](const matrix_sizes& of, dtype type) {
       return matrix_results{{{of.rows, of.option ? of.rows : of.least()}, type},
                             {{of.least()}, real_part_type(type)},
                             {{of.option ? of.columns : of.least(), of.columns}, type}};
     }},
    {"svdvals", "svdvals", false, no_singular_values, "0",
     [](const matrix_sizes& of, dtype type) {
       return matrix_results{{{of.least()}, real_part_type(type)}};
     }},
};

const routine_rules& rules_of(std::string_view routine) {
  const auto* const found = std::ranges::find(all_routines, routine, &routine_rules::routine);
  if (found == std::end(all_routines)) {
    throw value_error(detail::message("linalg: there is no routine ", detail::quoted(routine)));
  }
  return *found;
}

[[noreturn]] void throw_fate(const routine_rules& of, matrix_fate fate) {
  if (fate == matrix_fate::no_memory) {
    throw allocation_error(
        detail::message("linalg.", of.function, ": no memory for LAPACK's workspace"));
  }
  if (fate == matrix_fate::not_finite && (of.routine == "eig" || of.routine == "eigvals")) {
    throw linalg_error(
        detail::message("linalg.", of.function, ": the array must not contain infinities or NaN"));
  }
  throw linalg_error(detail::message("linalg.", of.function, ": ", of.failure));
}

// ---- operands

/// The type in which LAPACK computes with an array.
dtype type_for_lapack(std::string_view function, const array& a) {
  switch (a.type().kind()) {
    case 'f':
    case 'c':
      if (a.type() != float16) {
        return a.type();
      }
      break;
    case 'b':
    case 'i':
    case 'u':
      return default_real_type(a);
    default:
      break;
  }
  throw type_error(
      detail::message("linalg.", function, ": array type ", a.type(), " is unsupported in linalg"));
}

void require_matrices(std::string_view function, std::string_view name, const array& a,
                      bool is_square) {
  if (a.ndim() < 2) {
    throw linalg_error(detail::message("linalg.", function, ": ", name,
                                       " must have at least 2 dimensions, found shape ",
                                       tuple_text(a.shape())));
  }
  if (is_square && a.extent(a.ndim() - 1) != a.extent(a.ndim() - 2)) {
    throw linalg_error(detail::message("linalg.", function, ": the last 2 dimensions of ", name,
                                       " must be square, found shape ", tuple_text(a.shape())));
  }
}

std::span<const ptrdiff_t> stack_of(const array& a) {
  return a.shape().first(static_cast<std::size_t>(a.ndim() - 2));
}

array with_stack(const array& a, std::span<const ptrdiff_t> stack) {
  if (std::ranges::equal(stack_of(a), stack)) {
    return a;
  }
  std::vector<ptrdiff_t> shape(stack.begin(), stack.end());
  shape.insert(shape.end(), a.shape().end() - 2, a.shape().end());
  return with_layout(a, broadcast(a.layout(), shape));
}

/// A vector as the column of a matrix.
array as_column(const array& a) {
  return with_layout(a, subscript(a.layout(), std::array<index_item, 2>{ellipsis, newaxis}));
}
/// Columns of one element as vectors.
array without_last_axis(const array& a) {
  return with_layout(
      a, subscript(a.layout(), std::array<index_item, 2>{ellipsis, index_item::integer(0)}));
}

/// The operands of a routine of two, as matrices of one type and for one stack.
std::vector<array> fitting(std::string_view function, const array& x, const array& right,
                           const linalg_way& how) {
  const dtype of_x = type_for_lapack(function, x);
  const dtype of_right = type_for_lapack(function, right);
  dtype type = of_x;
  if (of_x != of_right) {
    const std::array kinds{operand_kind{of_x.code(), false}, operand_kind{of_right.code(), false}};
    type = nearest_supported(common_type(kinds), support_of(private_queue(x).get_device()));
  }
  if (std::ranges::equal(stack_of(x), stack_of(right))) {
    return {in_type(how, x, type), in_type(how, right, type)};
  }
  const std::vector<ptrdiff_t> stack = detail::common_shape(
      detail::message("linalg.", function), std::array{stack_of(x), stack_of(right)});
  return {with_stack(in_type(how, x, type), stack), with_stack(in_type(how, right, type), stack)};
}

// ---- calls

/// Fills results of matrices that have no elements.
void fill_results(const std::vector<array>& made, std::string_view values) {
  for (std::size_t k = 0; k < made.size(); ++k) {
    const array& a = made[k];
    if (a.size() == 0) {
      continue;
    }
    fill_async(a, values[k] == '1' ? 1 : 0);
    if (values[k] == 'u') {
      std::vector<ptrdiff_t> shape(a.shape().begin(), a.shape().end());
      std::vector<ptrdiff_t> strides(a.strides().begin(), a.strides().end());
      shape.pop_back();
      shape.back() = std::min(shape.back(), a.shape().back());
      strides.pop_back();
      strides.back() += a.strides().back();
      fill_async(with_layout(a, layout::strided(shape, strides, a.layout().offset())), 1);
    }
  }
}

std::vector<array> new_results(const linalg_call& call, const linalg_way& how) {
  std::vector<array> made;
  made.reserve(call.results.size());
  for (const linalg_result& each : call.results) {
    made.push_back(
        made_by(how, layout::c_order(each.shape), each.type, call.inputs.front(), call.kind));
  }
  return made;
}

bool is_for_lapack(const array& a) { return host_reaches(a) && has_lapack(); }

/// The results by the host: by oneMKL, or by the caller's way.
std::vector<array> results_of_host(const routine_rules& of, const linalg_call& call,
                                   const linalg_way& how) {
  const auto beyond = std::ranges::find_if_not(call.inputs, is_for_lapack);
  if (how.caller && (how.asks_caller_first || beyond != call.inputs.end())) {
    if (std::optional<std::vector<array>> made = how.caller(call)) {
      return *std::move(made);
    }
  }
  if (beyond != call.inputs.end()) {
    throw_no_library(detail::message("linalg.", of.function), *beyond,
                     find_solver_library(private_queue(*beyond).get_device()));
  }
  std::vector<array> made = new_results(call, how);
  const auto fate = std::make_shared<std::atomic<matrix_fate>>(matrix_fate::fine);
  const bool waits = call.is_checked && !of.failure.empty();
  run_on_host(how,
              lapack_work({call.routine, call.inputs, made, call.option, call.tolerance}, fate),
              waits);
  if (waits && fate->load() != matrix_fate::fine) {
    throw_fate(of, fate->load());
  }
  return made;
}

/// The results by the host, on copies that it reaches.
std::vector<array> results_of_copies(const routine_rules& of, const linalg_call& call,
                                     const linalg_way& how) {
  const auto copied = [&](const array& a, usm_kind kind) {
    const array made = made_by(how, layout::c_order(a.shape()), a.type(), a, kind);
    copy_for_call(a, made);
    return made;
  };
  linalg_call of_host = call;
  of_host.kind = usm_kind::host;
  for (array& each : of_host.inputs) {
    each = copied(each, usm_kind::host);
  }
  std::vector<array> made = results_of_host(of, of_host, how);
  for (array& each : made) {
    each = copied(each, call.kind);
  }
  return made;
}

/// The library of the device that computes a call; none where the host does.
device_solver solver_for(const linalg_call& call, bool host_reaches_all, const linalg_way& how) {
  if (how.solver) {
    return how.solver;
  }
  const array& first = call.inputs.front();
  if (is_on_cuda(first) && detail::has_cusolver()) {
    return {&start_cuda_solver};
  }
  const bool is_onemkls = detail::traits_of(private_queue(first).get_backend()).has_onemkl_lapack;
  if (is_onemkls && !host_reaches_all && detail::has_onemkl_lapack()) {
    return {&run_onemkl_solver, false};
  }
  return {};
}

std::vector<array> computed_results(const routine_rules& of, const linalg_call& call,
                                    const linalg_way& how) {
  if (std::ranges::any_of(call.inputs, [](const array& each) { return each.size() == 0; })) {
    std::vector<array> made = new_results(call, how);
    fill_results(made, of.of_no_elements);
    return made;
  }
  const bool host_reaches_all =
      std::ranges::all_of(call.inputs, [](const array& each) { return host_reaches(each); });
  const device_solver solver = solver_for(call, host_reaches_all, how);
  if (!is_by_columns(call.routine) && (solver || !host_reaches_all)) {
    return results_of_copies(of, call, how);  // the devices' libraries lack it
  }
  if (!solver) {
    return results_of_host(of, call, how);
  }
  auto made = computed_by_columns(call, how, solver);
  if (!made) {
    throw_fate(of, matrix_fate::failed);
  }
  return *std::move(made);
}

std::vector<array> run_call(std::string_view routine, const array& x, const array* right,
                            bool option, double tolerance, const linalg_way& how) {
  require_usable_process();
  const routine_rules& of = rules_of(routine);
  const bool is_solution = routine == "solve";
  require_matrices(of.function, is_solution ? "x1" : right != nullptr ? "a" : "x", x, of.is_square);
  linalg_call call{routine, of.function, {}, {}, x.kind(), option, tolerance, how.is_checked};
  const bool is_vector = right != nullptr && right->ndim() == 1;
  if (right != nullptr) {
    if (private_queue(x) != private_queue(*right)) {
      detail::common_queue(detail::message("linalg.", of.function),
                           std::array<kernel_argument, 2>{x, *right});
    }
    const array columns = is_vector ? as_column(*right) : *right;
    if (columns.ndim() < 2 || columns.extent(columns.ndim() - 2) != x.extent(x.ndim() - 2)) {
      type_for_lapack(of.function, *right);
      throw value_error(detail::message("linalg.", of.function, ": shapes do not fit, found ",
                                        tuple_text(x.shape()), " and ",
                                        tuple_text(right->shape())));
    }
    call.inputs = fitting(of.function, x, columns, how);
    call.kind = detail::common_kind(std::array{&x, right});
  } else {
    call.inputs = {in_type(how, x, type_for_lapack(of.function, x))};
  }
  const array& first = call.inputs.front();
  const ptrdiff_t of_right = right == nullptr ? 0 : call.inputs[1].shape().back();
  call.results =
      of.results({x.extent(x.ndim() - 2), x.extent(x.ndim() - 1), of_right, option}, first.type());
  const auto stack = stack_of(first);
  for (linalg_result& each : call.results) {
    each.shape.insert(each.shape.begin(), stack.begin(), stack.end());
  }
  std::vector<array> made = computed_results(of, call, how);
  if (is_vector) {
    made.front() = without_last_axis(made.front());
  }
  return made;
}

linalg_way way_of(const linalg::options& how) {
  linalg_way way;
  way.is_checked = how.is_checked;
  return way;
}

/// Whether it is the upper triangle.
bool is_upper(std::string_view function, linalg::triangle of) {
  detail::require_one_of(of, linalg::triangle::upper,
                         detail::message("linalg.", function, ": the triangle"), "lower or upper");
  return of == linalg::triangle::upper;
}

array only_result(std::string_view routine, const array& x, bool option,
                  const linalg::options& how) {
  return run_routine(routine, x, nullptr, option, way_of(how)).front();
}

}  // namespace

std::vector<array> run_routine(std::string_view routine, const array& x, const array* right,
                               bool option, const linalg_way& how) {
  return run_call(routine, x, right, option, 0, how);
}

linalg::lstsq_result least_squares(const array& a, const array& b, std::optional<double> rcond,
                                   const linalg_way& how) {
  const dtype type = type_for_lapack("lstsq", a);
  type_for_lapack("lstsq", b);
  if (a.ndim() != 2 || b.ndim() < 1 || b.ndim() > 2) {
    throw linalg_error(
        detail::message("linalg.lstsq: a must be a matrix, found shape ", tuple_text(a.shape())));
  }
  const ptrdiff_t rows = a.extent(0);
  const ptrdiff_t columns = a.extent(1);
  if (b.extent(0) != rows) {
    throw linalg_error(detail::message(
        "linalg.lstsq: Incompatible dimensions: a and b must have the same number of rows, found ",
        rows, " and ", b.extent(0)));
  }
  const auto part = [](const array& of, ptrdiff_t count) {
    return of.slice(ellipsis, range(0, count));
  };
  if (b.ndim() == 2 && b.extent(1) == 0) {  // the rank does not depend on it
    const array column =
        made_by(how, layout::c_order(std::array{rows, ptrdiff_t{1}}), b.type(), b, b.kind());
    if (column.size() != 0) {
      fill_async(column, 0);
    }
    const linalg::lstsq_result of_one = least_squares(a, column, rcond, how);
    return {part(of_one.x, 0), part(of_one.residuals, 0), of_one.rank, of_one.singular_values};
  }
  const std::array kinds{operand_kind{type.code(), false},
                         operand_kind{type_for_lapack("lstsq", b).code(), false}};
  const dtype common =
      nearest_supported(common_type(kinds), support_of(private_queue(a).get_device()));
  const double precision = real_part_type(common) == float32
                               ? double{std::numeric_limits<float>::epsilon()}
                               : std::numeric_limits<double>::epsilon();
  const double tolerance =
      rcond ? *rcond : precision * static_cast<double>(std::max(rows, columns));
  std::vector<array> made = run_call("lstsq", a, &b, false, tolerance, how);
  const auto rank = made[2].item<std::ptrdiff_t>();
  array sums = made[1];
  if (columns == 0) {
    const array column = b.ndim() == 1 ? as_column(b) : b;
    sums = sum(square(abs(in_type(how, column, common))), 0);
  }
  if (rank != columns || rows <= columns) {
    sums = part(sums, 0);
  }
  return {made[0], sums, rank, made[3]};
}

bool is_ready_for_lapack(const array& a) {
  return !is_on_cuda(a) && is_ready_for_host(a) && has_lapack();
}

void throw_matrix_fate(std::string_view routine, bool not_finite) {
  throw_fate(rules_of(routine), not_finite ? matrix_fate::not_finite : matrix_fate::failed);
}

}  // namespace internal

namespace linalg {

array solve(const array& a, const array& b, const options& how) {
  return internal::run_routine("solve", a, &b, false, internal::way_of(how)).front();
}
array inv(const array& x, const options& how) {
  return internal::only_result("inv", x, false, how);
}
array det(const array& x) { return internal::only_result("det", x, false, {}); }

slogdet_result slogdet(const array& x) {
  const std::vector<array> made = internal::run_routine("slogdet", x, nullptr, false, {});
  return {made[0], made[1]};
}

lstsq_result lstsq(const array& a, const array& b, std::optional<double> rcond) {
  return internal::least_squares(a, b, rcond, {});
}

array cholesky(const array& x, triangle of, const options& how) {
  return internal::only_result("cholesky", x, internal::is_upper("cholesky", of), how);
}

qr_result qr(const array& x, qr_mode mode) {
  detail::require_one_of(mode, qr_mode::complete, "linalg.qr: mode", "reduced or complete");
  const std::vector<array> made =
      internal::run_routine("qr", x, nullptr, mode == qr_mode::complete, {});
  return {made[0], made[1]};
}

svd_result svd(const array& x, bool full_matrices, const options& how) {
  const std::vector<array> made =
      internal::run_routine("svd", x, nullptr, full_matrices, internal::way_of(how));
  return {made[0], made[1], made[2]};
}
array svdvals(const array& x, const options& how) {
  return internal::only_result("svdvals", x, false, how);
}

eig_result eigh(const array& x, triangle of, const options& how) {
  const std::vector<array> made = internal::run_routine(
      "eigh", x, nullptr, internal::is_upper("eigh", of), internal::way_of(how));
  return {made[0], made[1]};
}
array eigvalsh(const array& x, triangle of, const options& how) {
  return internal::only_result("eigvalsh", x, internal::is_upper("eigvalsh", of), how);
}
eig_result eig(const array& x, const options& how) {
  const std::vector<array> made =
      internal::run_routine("eig", x, nullptr, false, internal::way_of(how));
  return {made[0], made[1]};
}
array eigvals(const array& x, const options& how) {
  return internal::only_result("eigvals", x, false, how);
}

}  // namespace linalg
}  // namespace usmx::inline v1
