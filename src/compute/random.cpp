#include "compute/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "compute/elementwise.hpp"
#include "compute/made_kernels.hpp"
#include "compute/promotion.hpp"
#include "compute/rows.hpp"
#include "compute/table.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/compute/random.hpp"
#include "usmx/generated_kernels/generated_kernels.hpp"
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
std::string in_type(std::string_view parameters, dtype type) {
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
  const std::string more = in_type(row.parameters, type);
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

double in_type(dtype type, double value) {
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

template <class... Parameters>
array generator::drawn(const char* function, const char* distribution, dtype type,
                       const shape_argument& shape, const options& how, Parameters... parameters) {
  array made = array_for(function, type, shape, how);
  const auto count = static_cast<std::uint64_t>(made.size());
  const std::uint64_t first = next_.fetch_add(count);
  try {
    internal::draw(distribution, type, key_, first, std::array<kernel_argument, 2>{parameters...},
                   made, how.progress);
  } catch (...) {
    std::uint64_t end = first + count;  // else another thread has made numbers after these
    next_.compare_exchange_strong(end, first);
    throw;
  }
  return made;
}

array generator::random(const shape_argument& shape, const options& how) {
  return drawn("random", "uniform", float_type("random", how), shape, how, 0.0, 1.0);
}

array generator::uniform(double low, double high, const shape_argument& shape, const options& how) {
  const dtype type = float_type("uniform", how);
  const double first = in_type(type, low);
  const double width = in_type(type, high - low);
  if (!std::isfinite(first) || !std::isfinite(in_type(type, high)) || !std::isfinite(width)) {
    throw overflow_error(detail::message("uniform: low, high and high - low must be finite in ",
                                         type, ", found ", low, " and ", high));
  }
  if (high < low) {
    throw value_error(
        detail::message("uniform: high must not be less than low, found ", low, " and ", high));
  }
  return drawn("uniform", "uniform", type, shape, how, first, width);
}

array generator::standard_normal(const shape_argument& shape, const options& how) {
  const dtype type = float_type("standard_normal", how);
  return drawn("standard_normal", "normal", type, shape, how, 0.0, 1.0);
}

array generator::normal(double loc, double scale, const shape_argument& shape, const options& how) {
  if (!(scale >= 0)) {
    throw value_error(detail::message("normal: scale must be 0 or more, found ", scale));
  }
  const dtype type = float_type("normal", how);
  for (const double each : {loc, scale}) {
    if (std::isfinite(each) && !std::isfinite(in_type(type, each))) {
      throw overflow_error(detail::message("normal: loc and scale must be in the range of ", type,
                                           ", found ", loc, " and ", scale));
    }
  }
  return drawn("normal", "normal", type, shape, how, in_type(type, loc), in_type(type, scale));
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
  return drawn("integers", "integers", type, shape, how, first,
               static_cast<std::uint64_t>(last) - first + 1);
}

}  // namespace random
}  // namespace usmx::inline v1
