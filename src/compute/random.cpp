#include "compute/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "compute/elementwise.hpp"
#include "compute/made_kernels.hpp"
#include "compute/promotion.hpp"
#include "compute/rows.hpp"
#include "compute/table.hpp"
#include "copy/copy.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/compute/functions.hpp"
#include "usmx/compute/random.hpp"
#include "usmx/compute/searching.hpp"
#include "usmx/compute/sorting.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/host_data.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/generated_kernels/generated_kernels.hpp"
#include "usmx/layout/index_item.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx::inline v1 {
namespace internal {
namespace {

/// A distribution: its parameters beside the seed and the number of the first element, where T is
/// the type in which it computes, and the expression for element `i`.
struct distribution_row {
  std::string_view name;
  std::string_view parameters;
  std::string_view expression;
  bool is_of_integers = false;
  /// Whether it needs no more than random.hpp.
  bool is_of_one_text = false;
};

#define USMX_EXPONENTIAL "random_exponential<T>(key, first + i)"
#define USMX_NORMAL "random_normal<T>(key, first + i)"
constexpr distribution_row distributions[] = {
    {"uniform", "T low, T width", "low + width * random_fraction<T>(philox(key, first + i, 0))",
     false, true},
    {"normal", "T loc, T scale", "loc + scale * " USMX_NORMAL, false, true},
    {"integers", "uint64 low, uint64 count",
     "T(uint64_t(low) + random_below(key, first + i, count))", false, true},
    {"exponential", "T scale", "scale * " USMX_EXPONENTIAL},
    {"lognormal", "T mean, T sigma", "exp(mean + sigma * " USMX_NORMAL ")"},
    {"rayleigh", "T scale", "scale * sqrt(T(2) * " USMX_EXPONENTIAL ")"},
    {"weibull", "T a", "pow(" USMX_EXPONENTIAL ", T(1) / a)"},
    {"pareto", "T a", "expm1(" USMX_EXPONENTIAL " / a)"},
    {"power", "T a", "exp(-" USMX_EXPONENTIAL " / a)"},
    {"gumbel", "T loc, T scale", "loc - scale * log(" USMX_EXPONENTIAL ")"},
    {"laplace", "T loc, T scale", "loc + scale * random_laplace<T>(key, first + i)"},
    {"logistic", "T loc, T scale", "loc + scale * random_logistic<T>(key, first + i)"},
    {"triangular", "T left, T mode, T right",
     "random_triangular<T>(key, first + i, left, mode, right)"},
    {"gamma", "T shape, T scale", "scale * random_gamma<T>(key, first + i, shape)"},
    {"chisquare", "T df", "T(2) * random_gamma<T>(key, first + i, df / T(2))"},
    {"beta", "T a, T b", "random_beta<T>(key, first + i, a, b)"},
    {"f", "T dfnum, T dfden", "random_f<T>(key, first + i, dfnum, dfden)"},
    {"standard_t", "T df", "random_student<T>(key, first + i, df)"},
    {"standard_cauchy", "", "random_cauchy<T>(key, first + i)"},
    {"poisson", "T lam", "random_poisson<T>(key, first + i, lam)", true},
    {"binomial", "int64 n, T p", "random_binomial<T>(key, first + i, n, p)", true},
    {"negative_binomial", "T n, T p", "random_negative_binomial<T>(key, first + i, n, p)", true},
    {"geometric", "T p", "random_geometric<T>(key, first + i, p)", true},
};
#undef USMX_NORMAL
#undef USMX_EXPONENTIAL

const distribution_row& row_named(std::string_view name) {
  const auto* found = std::ranges::find(distributions, name, &distribution_row::name);
  if (found == std::end(distributions)) {
    throw value_error(detail::message("usmx has no distribution ", detail::quoted(name)));
  }
  return *found;
}

/// The parameters with the name of a type in the place of T.
std::string parameters_of(std::string_view parameters, dtype type) {
  std::string text;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const bool is_type = parameters.substr(k, 2) == "T " && (k == 0 || parameters[k - 1] == ' ');
    text += is_type ? std::string(type.name()) : std::string(1, parameters[k]);
  }
  return text;
}

elementwise_kernel make_draw(const distribution_row& row, dtype type) {
  std::string text(device_text("random.hpp"));
  if (!row.is_of_one_text) {
    text += device_text("random_distributions.hpp");
  }
  const std::string more = parameters_of(row.parameters, type);
  return {detail::message("uint64 key, uint64 first", more.empty() ? "" : ", ", more),
          detail::message(row.is_of_integers ? int64.name() : type.name(), " out"),
          detail::message("out = ", row.expression),
          {.name = detail::message("random_", row.name),
           .preamble = detail::message(text, "\nusing T = ", language_name(type), ";\n")}};
}

}  // namespace

bool draws_integers(std::string_view distribution) {
  return row_named(distribution).is_of_integers;
}

void draw(std::string_view distribution, dtype real, std::uint64_t key, std::uint64_t first,
          std::span<const kernel_argument> parameters, const array& out,
          const std::function<void(std::chrono::seconds)>& progress) {
  static made_kernels<elementwise_kernel, std::size(distributions) * type_count> all;
  require_usable_process();
  const distribution_row& row = row_named(distribution);
  require_plain(distribution, real);
  const auto number = static_cast<std::size_t>(&row - distributions) * type_count;
  const elementwise_kernel& kernel =
      all.at(number + static_cast<std::size_t>(real.code()), [&] { return make_draw(row, real); });
  std::vector<kernel_argument> arguments{key, first};
  arguments.insert(arguments.end(), parameters.begin(), parameters.end());
  kernel.call(arguments, {.outputs = {out}, .progress = progress});
}

}  // namespace internal

namespace random {
namespace {

/// NumPy's SeedSequence for an integer, by the function of M. E. O'Neill (2015): a pool that the
/// words of the seed are mixed into, and the first word of 64 bits that comes out.
std::uint64_t key_of(std::uint64_t seed) noexcept {
  constexpr std::size_t size = 4;
  const auto folded = [](std::uint32_t value) { return value ^ value >> 16; };
  std::uint32_t constant = 0x43b0d7e5;
  const auto hashed = [&](std::uint32_t value) {
    value ^= constant;
    constant *= 0x931e8875;
    return folded(value * constant);
  };
  const std::array<std::uint32_t, size> words{static_cast<std::uint32_t>(seed),
                                              static_cast<std::uint32_t>(seed >> 32), 0, 0};
  std::array<std::uint32_t, size> pool;
  std::ranges::transform(words, pool.begin(), hashed);
  for (std::size_t from = 0; from < size; ++from) {
    for (std::size_t to = 0; to < size; ++to) {
      if (from != to) {
        pool[to] = folded(0xca01f9ddU * pool[to] - 0x4973f715U * hashed(pool[from]));
      }
    }
  }
  constant = 0x8b51f9dd;
  std::uint64_t key = 0;
  for (const int k : {0, 1}) {
    const std::uint32_t value = pool[static_cast<std::size_t>(k)] ^ constant;
    constant *= 0x58f38ded;
    key |= std::uint64_t{folded(value * constant)} << (32 * k);
  }
  return key;
}

std::uint64_t random_word() {
  std::random_device system;
  return std::uint64_t{system()} << 32 | system();
}

dtype float_type(std::string_view function, const options& how) {
  if (how.out && how.type && *how.type != how.out->type()) {
    throw type_error(detail::message(function, ": out must be of type ", *how.type, ", found ",
                                     how.out->type()));
  }
  const sycl::queue& queue = how.queue == nullptr ? default_queue() : *how.queue;
  const dtype wanted = how.out    ? how.out->type()
                       : how.type ? *how.type
                                  : nearest_supported(float64, support_of(queue.get_device()));
  if (wanted != float32 && wanted != float64) {
    throw type_error(
        detail::message(function, ": the type must be float32 or float64, found ", wanted));
  }
  return wanted;
}

double rounded_to(dtype type, double value) {
  return type == float32 ? static_cast<double>(static_cast<float>(value)) : value;
}

array array_for(std::string_view function, dtype type, const shape_argument& shape,
                const options& how) {
  const layout where = layout::c_order(shape);
  if (!how.out) {
    const sycl::queue& queue = how.queue == nullptr ? default_queue() : *how.queue;
    return internal::new_array(where, type, queue, how.kind, 0, internal::first_use::in_order);
  }
  if (!std::ranges::equal(how.out->shape(), where.shape())) {
    throw value_error(detail::message(function, ": out must have shape ", tuple_text(where.shape()),
                                      ", found ", tuple_text(how.out->shape())));
  }
  return *how.out;
}

/// The least and the greatest integer of a type, as far as int64 has them.
std::pair<std::int64_t, std::int64_t> limits_of(dtype type) {
  if (type == bool_) {
    return {0, 1};
  }
  const auto bits = static_cast<int>(8 * type.itemsize());
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return type.kind() == 'i' ? std::pair(-(most >> (64 - bits)) - 1, most >> (64 - bits))
                            : std::pair(std::int64_t{0}, bits == 64 ? most : most >> (63 - bits));
}

}  // namespace

generator::generator(std::uint64_t seed) noexcept : key_(key_of(seed)) {}
generator::generator() : generator(random_word()) {}

array generator::drawn(std::string_view distribution, dtype type, const array& made,
                       std::span<const kernel_argument> parameters, const options& how) {
  const auto count = static_cast<std::uint64_t>(made.size());
  const std::uint64_t first = next_.fetch_add(count);
  try {
    internal::draw(distribution, type, key_, first, parameters, made, how.progress);
  } catch (...) {
    std::uint64_t end = first + count;  // else another thread has made numbers after these
    next_.compare_exchange_strong(end, first);
    throw;
  }
  return made;
}

array generator::random(const shape_argument& shape, const options& how) {
  const dtype type = float_type("random", how);
  return drawn("uniform", type, array_for("random", type, shape, how),
               std::array<kernel_argument, 2>{0.0, 1.0}, how);
}

array generator::uniform(double low, double high, const shape_argument& shape, const options& how) {
  const dtype type = float_type("uniform", how);
  const double first = rounded_to(type, low);
  const double width = rounded_to(type, high - low);
  if (!std::isfinite(first) || !std::isfinite(rounded_to(type, high)) || !std::isfinite(width)) {
    throw overflow_error(detail::message("uniform: low, high and high - low must be finite in ",
                                         type, ", found ", low, " and ", high));
  }
  if (high < low) {
    throw value_error(
        detail::message("uniform: high must not be less than low, found ", low, " and ", high));
  }
  return drawn("uniform", type, array_for("uniform", type, shape, how),
               std::array<kernel_argument, 2>{first, width}, how);
}

array generator::standard_normal(const shape_argument& shape, const options& how) {
  const dtype type = float_type("standard_normal", how);
  return drawn("normal", type, array_for("standard_normal", type, shape, how),
               std::array<kernel_argument, 2>{0.0, 1.0}, how);
}

array generator::normal(double loc, double scale, const shape_argument& shape, const options& how) {
  if (!(scale >= 0)) {
    throw value_error(detail::message("normal: scale must be 0 or more, found ", scale));
  }
  const dtype type = float_type("normal", how);
  for (const double each : {loc, scale}) {
    if (std::isfinite(each) && !std::isfinite(rounded_to(type, each))) {
      throw overflow_error(detail::message("normal: loc and scale must be in the range of ", type,
                                           ", found ", loc, " and ", scale));
    }
  }
  return drawn("normal", type, array_for("normal", type, shape, how),
               std::array<kernel_argument, 2>{rounded_to(type, loc), rounded_to(type, scale)}, how);
}

array generator::integers(std::int64_t low, std::int64_t high, const shape_argument& shape,
                          const options& how) {
  const dtype type = how.out ? how.out->type() : how.type.value_or(int64);
  if (type.is_structured() || !internal::is_whole(type)) {
    throw type_error(
        detail::message("integers: the type must be an integer type or bool, found ", type));
  }
  if (how.endpoint ? high < low : high <= low) {
    throw value_error(
        detail::message("integers: there must be one between the ends, found ", low, ", ", high));
  }
  const std::int64_t last = how.endpoint ? high : high - 1;
  const auto [least, greatest] = limits_of(type);
  if (low < least || last > greatest) {
    throw value_error(detail::message("integers: ", type, " has those from ", least, " to ",
                                      greatest, ", found ", low, " to ", last));
  }
  const auto first = static_cast<std::uint64_t>(low);
  return drawn("integers", type, array_for("integers", type, shape, how),
               std::array<kernel_argument, 2>{first, static_cast<std::uint64_t>(last) - first + 1},
               how);
}

// ---- further distributions

/// A range of a parameter: its words, and whether it has a number.
struct parameter_range {
  std::string_view words;
  bool (*has)(double);
  array (*has_all)(const array&);
};

namespace {

// Above it the counts do not fit into int64.
constexpr double most_counted = 0x1p62;

constexpr parameter_range any_number{"a number", [](double x) { return x == x; },
                                     [](const array& x) { return equal(x, x); }};
constexpr parameter_range positive{"above 0", [](double x) { return x > 0; },
                                   [](const array& x) { return greater(x, 0); }};
constexpr parameter_range not_negative{"0 or more", [](double x) { return x >= 0; },
                                       [](const array& x) { return greater_equal(x, 0); }};
constexpr parameter_range part{
    "from 0 to 1", [](double x) { return x >= 0 && x <= 1; },
    [](const array& x) { return logical_and(greater_equal(x, 0), less_equal(x, 1)); }};
constexpr parameter_range part_above_0{
    "above 0 and at most 1", [](double x) { return x > 0 && x <= 1; },
    [](const array& x) { return logical_and(greater(x, 0), less_equal(x, 1)); }};
constexpr parameter_range mean_of_counts{
    "from 0 to 2**62", [](double x) { return x >= 0 && x < most_counted; },
    [](const array& x) { return logical_and(greater_equal(x, 0), less(x, most_counted)); }};

const array* array_in(const kernel_argument& of) {
  const auto* const* found = std::get_if<const array*>(&of.value());
  return found == nullptr ? nullptr : *found;
}

double real_number(std::string_view function, std::string_view name, const kernel_argument& of) {
  const auto* number = std::get_if<kernel_argument::number>(&of.value());
  if (number == nullptr || std::holds_alternative<std::complex<double>>(*number)) {
    throw type_error(detail::message(function, ": ", name, " must be a real number or an array"));
  }
  return std::visit(
      []<class T>(const T& value) {
        if constexpr (std::is_same_v<T, std::complex<double>>) {
          return value.real();
        } else {
          return static_cast<double>(value);
        }
      },
      *number);
}

options beside(const array& x) { return {.queue = &internal::private_queue(x), .kind = x.kind()}; }

}  // namespace

/// A parameter of a distribution.
struct generator::parameter {
  std::string_view name;
  const kernel_argument& value;
  parameter_range range;
  bool is_count = false;
};

array generator::drawn(std::string_view function, std::string_view distribution,
                       std::initializer_list<parameter> parameters, const shape_argument& shape,
                       const options& given) {
  require_usable_process();
  options how = given;
  const bool is_of_integers = internal::draws_integers(distribution);
  for (const parameter& each : parameters) {
    const array* found = array_in(each.value);
    if (found != nullptr && how.queue == nullptr) {
      how.queue = &internal::private_queue(*found);
    }
  }
  if (is_of_integers && how.out) {
    if (how.out->type() != int64) {
      throw type_error(
          detail::message(function, ": out must be of type int64, found ", how.out->type()));
    }
    how.out.reset();
    how.queue = &internal::private_queue(*given.out);
  }
  const dtype real = float_type(function, how);
  const array made =
      array_for(function, is_of_integers ? int64 : real, shape, given.out ? given : how);
  std::vector<kernel_argument> values;
  std::vector<array> arrays;
  arrays.reserve(parameters.size());  // the values refer to them
  for (const auto& [name, value, range, is_count] : parameters) {
    const auto refuse = [&](const auto& found) {
      throw value_error(
          detail::message(function, ": ", name, " must be ", range.words, ", found ", found));
    };
    const array* found = array_in(value);
    if (found == nullptr) {
      const double number = real_number(function, name, value);
      if (!range.has(number) || !std::isfinite(number)) {
        refuse(number);
      }
      if (is_count && !(number < most_counted)) {
        refuse(number);
      }
      values.push_back(is_count ? kernel_argument(static_cast<std::int64_t>(number))
                                : kernel_argument(number));
      continue;
    }
    if (found->type().is_structured() || found->type().kind() == 'c') {
      throw type_error(
          detail::message(function, ": ", name, " must be of real numbers, found ", found->type()));
    }
    array fits = logical_and(range.has_all(*found), isfinite(*found));
    if (is_count) {
      fits = logical_and(fits, less(*found, most_counted));
    }
    if (!all_of(fits).item<bool>()) {
      refuse("an element that is not");
    }
    const dtype wanted = is_count ? int64 : real;
    const array converted = internal::in_type(*found, wanted);
    values.emplace_back(arrays.emplace_back(
        internal::with_layout(converted, broadcast(converted.layout(), made.shape()))));
  }
  return drawn(distribution, real, made, values, how);
}

array generator::exponential(const kernel_argument& scale, const shape_argument& shape,
                             const options& how) {
  return drawn("exponential", "exponential", {{"scale", scale, not_negative}}, shape, how);
}
array generator::standard_exponential(const shape_argument& shape, const options& how) {
  return exponential(1.0, shape, how);
}
array generator::lognormal(const kernel_argument& mean, const kernel_argument& sigma,
                           const shape_argument& shape, const options& how) {
  return drawn("lognormal", "lognormal",
               {{"mean", mean, any_number}, {"sigma", sigma, not_negative}}, shape, how);
}
array generator::rayleigh(const kernel_argument& scale, const shape_argument& shape,
                          const options& how) {
  return drawn("rayleigh", "rayleigh", {{"scale", scale, not_negative}}, shape, how);
}
array generator::weibull(const kernel_argument& a, const shape_argument& shape,
                         const options& how) {
  return drawn("weibull", "weibull", {{"a", a, positive}}, shape, how);
}
array generator::pareto(const kernel_argument& a, const shape_argument& shape, const options& how) {
  return drawn("pareto", "pareto", {{"a", a, positive}}, shape, how);
}
array generator::power(const kernel_argument& a, const shape_argument& shape, const options& how) {
  return drawn("power", "power", {{"a", a, positive}}, shape, how);
}
array generator::gumbel(const kernel_argument& loc, const kernel_argument& scale,
                        const shape_argument& shape, const options& how) {
  return drawn("gumbel", "gumbel", {{"loc", loc, any_number}, {"scale", scale, not_negative}},
               shape, how);
}
array generator::laplace(const kernel_argument& loc, const kernel_argument& scale,
                         const shape_argument& shape, const options& how) {
  return drawn("laplace", "laplace", {{"loc", loc, any_number}, {"scale", scale, not_negative}},
               shape, how);
}
array generator::logistic(const kernel_argument& loc, const kernel_argument& scale,
                          const shape_argument& shape, const options& how) {
  return drawn("logistic", "logistic", {{"loc", loc, any_number}, {"scale", scale, not_negative}},
               shape, how);
}
array generator::triangular(double left, double mode, double right, const shape_argument& shape,
                            const options& how) {
  if (!(left <= mode && mode <= right) || left == right) {
    throw value_error(detail::message("triangular: left, mode and right must grow, found ", left,
                                      ", ", mode, ", ", right));
  }
  return drawn(
      "triangular", "triangular",
      {{"left", left, any_number}, {"mode", mode, any_number}, {"right", right, any_number}}, shape,
      how);
}
array generator::gamma(const kernel_argument& k, const kernel_argument& scale,
                       const shape_argument& shape, const options& how) {
  return drawn("gamma", "gamma", {{"k", k, not_negative}, {"scale", scale, not_negative}}, shape,
               how);
}
array generator::standard_gamma(const kernel_argument& k, const shape_argument& shape,
                                const options& how) {
  return gamma(k, 1.0, shape, how);
}
array generator::chisquare(const kernel_argument& df, const shape_argument& shape,
                           const options& how) {
  return drawn("chisquare", "chisquare", {{"df", df, positive}}, shape, how);
}
array generator::beta(const kernel_argument& a, const kernel_argument& b,
                      const shape_argument& shape, const options& how) {
  return drawn("beta", "beta", {{"a", a, positive}, {"b", b, positive}}, shape, how);
}
array generator::f(const kernel_argument& dfnum, const kernel_argument& dfden,
                   const shape_argument& shape, const options& how) {
  return drawn("f", "f", {{"dfnum", dfnum, positive}, {"dfden", dfden, positive}}, shape, how);
}
array generator::standard_t(const kernel_argument& df, const shape_argument& shape,
                            const options& how) {
  return drawn("standard_t", "standard_t", {{"df", df, positive}}, shape, how);
}
array generator::standard_cauchy(const shape_argument& shape, const options& how) {
  return drawn("standard_cauchy", "standard_cauchy", {}, shape, how);
}

array generator::dirichlet(const array& alpha, const shape_argument& shape, const options& given) {
  if (alpha.ndim() != 1) {
    throw value_error(
        detail::message("dirichlet: alpha must have 1 dimension, found ", alpha.ndim()));
  }
  internal::require_plain("dirichlet", alpha.type());
  options how = given;
  how.out.reset();
  how.queue = how.queue == nullptr ? &internal::private_queue(alpha) : how.queue;
  if (given.out) {
    how.type = given.out->type();
    how.queue = &internal::private_queue(*given.out);
  }
  const std::span<const std::ptrdiff_t> lengths = shape;
  std::vector<std::ptrdiff_t> extents(lengths.begin(), lengths.end());
  extents.push_back(alpha.size());
  constexpr double small = 0.1;  // the gamma variables of such parameters may all be 0
  std::optional<array> made;
  if (alpha.size() != 0 && min(alpha).item<double>() > 0 && max(alpha).item<double>() < small) {
    // The logarithm of one of `a` is that of one of `a + 1`, and -e / a of an
    // exponential one.
    const array more =
        drawn("dirichlet", "gamma",
              {{"alpha", add(alpha, 1.0), positive}, {"scale", 1.0, positive}}, extents, how);
    const array less =
        divide(exponential(1.0, extents, how), astype(alpha, float_type("dirichlet", how)));
    const array sizes = subtract(log(more), less);
    made = exp(subtract(sizes, max(sizes, {.axes = -1, .are_kept = true})));
  } else {
    made = drawn("dirichlet", "gamma", {{"alpha", alpha, positive}, {"scale", 1.0, positive}},
                 extents, how);
  }
  const array parts = divide(*made, sum(*made, {.axes = -1, .are_kept = true}));
  if (!given.out) {
    return parts;
  }
  internal::require_output("dirichlet", *given.out, parts.type(), parts.shape(),
                           internal::private_queue(parts));
  detail::copy_in_order(parts, *given.out);
  return *given.out;
}

array generator::poisson(const kernel_argument& lam, const shape_argument& shape,
                         const options& how) {
  return drawn("poisson", "poisson", {{"lam", lam, mean_of_counts}}, shape, how);
}
array generator::binomial(const kernel_argument& n, const kernel_argument& p,
                          const shape_argument& shape, const options& how) {
  return drawn("binomial", "binomial", {{"n", n, not_negative, true}, {"p", p, part}}, shape, how);
}
array generator::negative_binomial(const kernel_argument& n, const kernel_argument& p,
                                   const shape_argument& shape, const options& how) {
  if (array_in(n) == nullptr && array_in(p) == nullptr) {
    const double trials = real_number("negative_binomial", "n", n);
    const double chance = real_number("negative_binomial", "p", p);
    // The mean, and what the number of trials may add to it: as NumPy bounds them.
    if (trials > 0 && chance > 0 && chance <= 1 &&
        !((1 - chance) / chance * (trials + 10 * std::sqrt(trials)) < most_counted)) {
      throw value_error("negative_binomial: n is too large, or p too small, for int64");
    }
  }
  return drawn("negative_binomial", "negative_binomial",
               {{"n", n, positive}, {"p", p, part_above_0}}, shape, how);
}
array generator::geometric(const kernel_argument& p, const shape_argument& shape,
                           const options& how) {
  return drawn("geometric", "geometric", {{"p", p, part_above_0}}, shape, how);
}

// ---- choices

array generator::order_of(std::ptrdiff_t count, const options& how) {
  // Numbers of all 64 bits: the end of that range is 0.
  const std::array<kernel_argument, 2> all_words{std::uint64_t{0}, std::uint64_t{0}};
  return argsort(drawn("integers", uint64,
                       array_for("permutation", uint64, shape_argument(count), how), all_words,
                       how));
}

array generator::permutation(std::ptrdiff_t count, const options& how) {
  if (how.out || how.type) {
    throw value_error("permutation: the result is a new array of int64, found another type or out");
  }
  return order_of(count, how);
}

array generator::permutation(const array& x, std::ptrdiff_t axis) {
  const int k = normalized_axis(axis, x.ndim());
  return take(x, order_of(x.extent(k), beside(x)), k);
}

array generator::permuted(const array& x, std::optional<std::ptrdiff_t> axis) {
  const std::span<const std::ptrdiff_t> shape = x.shape();
  if (!axis) {
    return take(x, order_of(x.size(), beside(x))).reshaped(shape);
  }
  const int k = normalized_axis(*axis, x.ndim());
  const options how = beside(x);
  const std::array<kernel_argument, 2> all_words{std::uint64_t{0}, std::uint64_t{0}};
  const array words =
      drawn("integers", uint64, array_for("permuted", uint64, shape, how), all_words, how);
  return take_along_axis(x, argsort(words, k), k);
}

void generator::shuffle(const array& x, std::ptrdiff_t axis) {
  if (x.readonly()) {
    throw read_only_error("shuffle: the array must be one that can be written");
  }
  copy(permutation(x, axis), x);
}

namespace {

/// Probabilities of parts, which are so many.
void require_probabilities(const std::vector<double>& p, std::ptrdiff_t count) {
  if (std::cmp_not_equal(p.size(), count)) {
    throw value_error(detail::message("choice: p must have ", count, " numbers, found ", p.size()));
  }
  if (!std::ranges::all_of(p, [](double each) { return each >= 0; })) {
    throw value_error("choice: probabilities must be 0 or more");
  }
  const double total = std::accumulate(p.begin(), p.end(), 0.0);
  if (!(std::abs(total - 1) <= 1e-8)) {
    throw value_error(detail::message("choice: probabilities must sum up to 1, found ", total));
  }
}

}  // namespace

array generator::choice(const array& x, const shape_argument& shape, const choice_options& how) {
  const int k = normalized_axis(how.axis, x.ndim());
  const std::ptrdiff_t count = x.extent(k);
  const std::ptrdiff_t wanted = layout::c_order(shape).size();
  const options near = beside(x);
  if (count == 0 && wanted != 0) {
    throw value_error("choice: there is nothing to choose from");
  }
  if (!how.replace && wanted > count) {
    throw value_error(detail::message("choice: expected at most ", count,
                                      " without replacement, found ", wanted));
  }
  std::optional<array> chosen;
  if (!how.p) {
    chosen = how.replace ? integers(0, std::max<std::ptrdiff_t>(count, 1), wanted, near)
                         : order_of(count, near).slice(range(0, wanted));
  } else {
    require_probabilities(*how.p, count);
    const dtype type = float_type("choice", near);
    std::vector<double> weights = *how.p;
    if (how.replace) {
      std::partial_sum(weights.begin(), weights.end(), weights.begin());
      const double last = weights.empty() ? 1 : weights.back();
      std::ranges::transform(weights, weights.begin(), [&](double each) { return each / last; });
      const array ends = astype(from_host(*near.queue, weights, near.kind), type);
      chosen = searchsorted(ends, random(wanted, near), {.side = search_side::right});
    } else {
      // The least of exponential numbers over their weights (P. Efraimidis and P. Spirakis, 2006).
      if (std::ranges::count_if(weights, [](double each) { return each > 0; }) < wanted) {
        throw value_error("choice: fewer probabilities are above 0 than parts are chosen");
      }
      std::ranges::transform(weights, weights.begin(), [](double each) { return 1 / each; });
      const array inverse = astype(from_host(*near.queue, weights, near.kind), type);
      chosen = argsort(multiply(exponential(1.0, count, near), inverse)).slice(range(0, wanted));
    }
  }
  return take(x, internal::in_c_order(*chosen).reshaped(shape), k);
}

}  // namespace random
}  // namespace usmx::inline v1
