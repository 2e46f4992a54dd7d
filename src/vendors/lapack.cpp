#include "vendors/lapack.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "base/threads.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"
#include "vendors/lapack_functions.hpp"
#include "vendors/lapack_routines.hpp"

namespace usmx::inline v1::internal {
namespace host_lapack {
namespace {

// ---- the table

/// Marks what became of a matrix, and fills its results.
void note_failure(const problem& of, i64 info, matrices out) {
  *of.fate = info == not_finite ? matrix_fate::not_finite : matrix_fate::failed;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const auto fill = [&](auto value) {
      auto* const first = out[k].as<decltype(value)>();
      std::fill(first, first + out[k].rows * out[k].columns, value);
    };
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    switch (of.out[k].type) {
      case type_code::float32:
        fill(static_cast<float>(nan));
        break;
      case type_code::float64:
        fill(nan);
        break;
      case type_code::complex64:
        fill(std::complex<float>(static_cast<float>(nan), static_cast<float>(nan)));
        break;
      case type_code::complex128:
        fill(std::complex<double>(nan, nan));
        break;
      default:
        fill(i64{-1});  // a rank
        break;
    }
  }
}

/// Computes the matrices of a part of a stack.
template <class Routine>
void run_part(const problem& of, ptrdiff_t first, ptrdiff_t last) {
  Routine routine(of);
  std::array<matrix, 2> in{};
  std::array<matrix, 4> out{};
  const std::span from = std::span(in).first(of.in.size());
  const std::span to = std::span(out).first(of.out.size());
  for (ptrdiff_t index = first; index < last; ++index) {
    const auto pick = [&](const operand& each) { return matrix_at(each, of.stack, index); };
    std::ranges::transform(of.in, from.begin(), pick);
    std::ranges::transform(of.out, to.begin(), pick);
    const i64 info = routine(from, to);
    if (info != 0) {
      note_failure(of, info, to);
    }
  }
}

using run_function = void (*)(const problem&, ptrdiff_t first, ptrdiff_t last);

/// A routine by name. Each operand is a letter for what it has in each place of the stack, a
/// matrix, a vector or a number, and one for its type: that of the first input, the real one of
/// the same size, the complex one, or a 64-bit integer.
struct row {
  std::string_view name;
  std::string_view inputs;
  std::string_view outputs;
  double work;                          // per cube of the largest extent, of a solution's
  std::array<run_function, 4> by_type;  // in the order of lapack()
};

template <template <class> class Routine>
constexpr std::array<run_function, 4> by_type = {
    &run_part<Routine<float>>, &run_part<Routine<double>>, &run_part<Routine<std::complex<float>>>,
    &run_part<Routine<std::complex<double>>>};

constexpr row table[] = {
    {"cholesky", "mt", "mt", 1, by_type<cholesky>},
    {"det", "mt", "nt", 1, by_type<det>},
    {"eig", "mt", "vcmc", 30, by_type<eig>},
    {"eigh", "mt", "vrmt", 15, by_type<eigh>},
    {"eigvals", "mt", "vc", 15, by_type<eig>},
    {"eigvalsh", "mt", "vr", 10, by_type<eigh>},
    {"inv", "mt", "mt", 2, by_type<inv>},
    {"lstsq", "mtmt", "mtvrnivr", 20, by_type<lstsq>},
    {"qr", "mt", "mtmt", 3, by_type<qr>},
    {"qr_r", "mt", "mt", 2, by_type<qr>},
    {"qr_raw", "mt", "mtvt", 2, by_type<qr_raw>},
    {"slogdet", "mt", "ntnr", 1, by_type<slogdet>},
    {"solve", "mtmt", "mt", 1, by_type<solve>},
    {"svd", "mt", "mtvrmt", 20, by_type<svd>},
    {"svdvals", "mt", "vr", 10, by_type<svd>},
};

const row& row_named(std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &row::name);
  if (found == std::end(table)) {
    throw value_error(detail::message("there is no routine ", detail::quoted(name)));
  }
  return *found;
}

std::size_t type_index_of(type_code type) {
  constexpr type_code types[] = {type_code::float32, type_code::float64, type_code::complex64,
                                 type_code::complex128};
  const auto* const found = std::ranges::find(types, type);
  if (found == std::end(types)) {
    throw type_error(detail::message("LAPACK has no elements of type ", dtype(type)));
  }
  return static_cast<std::size_t>(found - types);
}

/// The type that a letter of a row stands for, where the inputs are of the given one.
type_code type_of(char letter, std::size_t index) {
  switch (letter) {
    case 'r':
      return index % 2 == 0 ? type_code::float32 : type_code::float64;
    case 'c':
      return index % 2 == 0 ? type_code::complex64 : type_code::complex128;
    case 'i':
      return type_code::int64;
    default: {
      constexpr type_code types[] = {type_code::float32, type_code::float64, type_code::complex64,
                                     type_code::complex128};
      return types[index];
    }
  }
}

operand operand_of(const array& a, char form, type_code type, const std::string& what) {
  const int own = form == 'm' ? 2 : form == 'v' ? 1 : 0;
  if (a.type().code() != type) {
    throw type_error(
        detail::message(what, ": expected elements of type ", dtype(type), ", found ", a.type()));
  }
  if (a.ndim() < own || a.size() == 0) {
    throw value_error(detail::message(what, ": expected ", own,
                                      " dimensions with elements, found shape ",
                                      tuple_text(a.shape())));
  }
  const auto at = static_cast<std::size_t>(a.ndim() - own);
  const auto shape = a.shape().subspan(at);
  const auto strides = a.strides().subspan(at);
  operand made{{first_element(a), 1, 1, 1, 1},
               static_cast<i64>(a.type().itemsize()),
               type,
               {a.strides().begin(), a.strides().begin() + static_cast<ptrdiff_t>(at)}};
  if (own >= 1) {
    made.first.rows = shape[0];
    made.first.down = strides[0];
  }
  if (own == 2) {
    made.first.columns = shape[1];
    // The steps of one row or column say nothing.
    made.first.across = shape[1] == 1 ? 1 : strides[1];
    made.first.down = shape[0] == 1 ? shape[1] : strides[0];
  }
  return made;
}

/// Adds the operands of some arrays to those of a problem, whose stack must be theirs.
std::vector<operand> operands_of(const std::vector<array>& arrays, std::string_view letters,
                                 std::size_t type, std::span<const ptrdiff_t> stack,
                                 const std::string& what) {
  if (arrays.size() * 2 != letters.size()) {
    throw value_error(
        detail::message(what, ": expected ", letters.size() / 2, " arrays, found ", arrays.size()));
  }
  std::vector<operand> all;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const array& a = arrays[k];
    all.push_back(operand_of(a, letters[2 * k], type_of(letters[2 * k + 1], type), what));
    if (!std::ranges::equal(a.shape().first(all.back().steps.size()), stack)) {
      throw value_error(detail::message(what, ": expected a stack of shape ", tuple_text(stack),
                                        ", found an array of shape ", tuple_text(a.shape())));
    }
  }
  return all;
}

double work_of(const row& routine, const problem& of) {
  double most = 1;
  for (const operand& each : of.in) {
    most = std::max(
        {most, static_cast<double>(each.first.rows), static_cast<double>(each.first.columns)});
  }
  return routine.work * most * most * most * static_cast<double>(of.count());
}

// Units are those of a row's work: a product of matrices has two operations for each.
constexpr double little_work = 3e5;       // about 30 us
constexpr double work_for_threads = 1e6;  // from here on threads share a stack
constexpr double work_of_large = 1e8;     // from here on LAPACK's own threads share a matrix

/// Computes all matrices of a stack: each on one thread, or large ones by LAPACK's threads.
void run_all(run_function run, const problem& of, double work) {
  const ptrdiff_t count = of.count();
  const ptrdiff_t threads = detail::thread_count();
  const bool is_large = work / static_cast<double>(count) >= work_of_large && count < threads;
  const ptrdiff_t parts = is_large || work < work_for_threads ? 1 : std::min(count, 4 * threads);
  const auto run_one = [&](ptrdiff_t part) {
    try {
      std::optional<on_one_thread> alone;
      if (!is_large) {
        alone.emplace();
      }
      run(of, count * part / parts, count * (part + 1) / parts);
    } catch (const std::bad_alloc&) {
      *of.fate = matrix_fate::no_memory;
    }
  };
  if (parts == 1) {
    run_one(0);
  } else {
    detail::for_each_task(parts, run_one);
  }
}

}  // namespace
}  // namespace host_lapack

bool has_lapack() { return host_lapack::lapack() != nullptr; }

host_work lapack_work(const lapack_call& given, shared_fate fate) {
  using namespace host_lapack;
  const row& routine = row_named(given.routine);
  const std::string what(given.routine);
  if (given.inputs.empty()) {
    throw value_error(detail::message(what, ": expected arrays, found none"));
  }
  const array& first = given.inputs.front();
  const std::size_t type = type_index_of(first.type().code());
  if (first.ndim() < 2) {
    throw value_error(detail::message(what, ": expected matrices, found an array of shape ",
                                      tuple_text(first.shape())));
  }
  const auto stack = first.shape().first(static_cast<std::size_t>(first.ndim() - 2));
  const auto of = std::make_shared<const problem>(
      problem{{stack.begin(), stack.end()},
              operands_of(given.inputs, routine.inputs, type, stack, what),
              operands_of(given.outputs, routine.outputs, type, stack, what),
              given.option,
              given.tolerance,
              std::move(fate)});
  for (const array& each : given.outputs) {
    if (!each.layout().is_c_contiguous() || each.readonly()) {
      throw value_error(detail::message(what, ": results must be in C order and writable"));
    }
  }
  const double work = work_of(routine, *of);
  const run_function run = routine.by_type[type];
  return {given.inputs, given.outputs, work <= little_work,
          [run, of, work] { run_all(run, *of, work); }};
}

}  // namespace usmx::inline v1::internal
