// Calls of the library's functions from C++, for arrays that Python has made: compiled by
// test_two_languages.py, which compares what both languages get.
#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include <sycl/queue.hpp>

#include "usmx/array.hpp"
#include "usmx/compute/fft.hpp"
#include "usmx/compute/functions.hpp"
#include "usmx/compute/matrices.hpp"
#include "usmx/compute/products.hpp"
#include "usmx/compute/random.hpp"
#include "usmx/compute/scans.hpp"
#include "usmx/compute/searching.hpp"
#include "usmx/compute/sorting.hpp"
#include "usmx/compute/special.hpp"
#include "usmx/compute/statistics.hpp"
#include "usmx/copy/copy.hpp"

namespace {

using usmx::array;

/// An operand: elements in memory that Python owns, or a number if there is no memory.
struct operand {
  void* memory;
  std::ptrdiff_t count;  // of the elements in memory
  const char* type;
  int ndim;
  std::ptrdiff_t shape[4];
  std::ptrdiff_t strides[4];
  std::ptrdiff_t offset;
  double number;
};

/// A result, or the class and the text of an error.
struct result {
  array value;
  std::string error;
};

usmx::dtype type_named(const std::string& name) {
  for (const usmx::dtype each :
       {usmx::bool_, usmx::int8, usmx::int16, usmx::int32, usmx::int64, usmx::uint8, usmx::uint16,
        usmx::uint32, usmx::uint64, usmx::float16, usmx::float32, usmx::float64, usmx::complex64,
        usmx::complex128}) {
    if (each.name() == name) {
      return each;
    }
  }
  throw usmx::type_error("the test knows no type " + name);
}

array array_of(const operand& from, const sycl::queue& queue) {
  const array all =
      array::adopt(from.memory, {from.count}, type_named(from.type), queue, [](void*) {});
  const auto n = static_cast<std::size_t>(from.ndim);
  return all.with_layout(usmx::layout::strided(std::vector(from.shape, from.shape + n),
                                               std::vector(from.strides, from.strides + n),
                                               from.offset));
}

/// What a new generator makes, as the test asks Python's.
array random_numbers(const std::string& name, const array& x) {
  usmx::random::generator rng(7);
  const std::vector<std::ptrdiff_t> shape{3, 3};
  const sycl::queue queue = x.queue();
  const usmx::random::options how{.queue = &queue};
  if (name == "exponential") return rng.exponential(2, shape, how);
  if (name == "standard_exponential") return rng.standard_exponential(shape, how);
  if (name == "lognormal") return rng.lognormal(0, 0.5, shape, how);
  if (name == "rayleigh") return rng.rayleigh(2, shape, how);
  if (name == "weibull") return rng.weibull(2, shape, how);
  if (name == "pareto") return rng.pareto(2, shape, how);
  if (name == "power") return rng.power(2, shape, how);
  if (name == "gumbel") return rng.gumbel(1, 2, shape, how);
  if (name == "laplace") return rng.laplace(1, 2, shape, how);
  if (name == "logistic") return rng.logistic(1, 2, shape, how);
  if (name == "triangular") return rng.triangular(0, 1, 3, shape, how);
  if (name == "gamma") return rng.gamma(2.5, 2, shape, how);
  if (name == "standard_gamma") return rng.standard_gamma(2.5, shape, how);
  if (name == "chisquare") return rng.chisquare(x, shape, how);
  if (name == "beta") return rng.beta(x, 2, shape, how);
  if (name == "f") return rng.f(3, 9, shape, how);
  if (name == "standard_t") return rng.standard_t(5, shape, how);
  if (name == "standard_cauchy") return rng.standard_cauchy(shape, how);
  if (name == "dirichlet") return rng.dirichlet(x.slice(0), 2, how);
  if (name == "poisson") return rng.poisson(4, shape, how);
  if (name == "binomial") return rng.binomial(10, 0.3, shape, how);
  if (name == "negative_binomial") return rng.negative_binomial(3, 0.5, shape, how);
  if (name == "geometric") return rng.geometric(0.25, shape, how);
  if (name == "permutation") return rng.permutation(x, 1);
  if (name == "permuted") return rng.permuted(x);
  if (name == "choice") return rng.choice(x, 4);
  throw usmx::value_error("the test knows no distribution " + name);
}

array call(const std::string& group, const std::string& name, const std::vector<array>& x,
           const std::vector<usmx::kernel_argument>& operands, const usmx::axes_argument& axes) {
  if (group == "elementwise") {
    return usmx::compute(name, operands);
  }
  if (group == "reductions") {
    return name == "var"   ? usmx::var(x[0], axes)
           : name == "std" ? usmx::std(x[0], axes)
                           : usmx::reduce(name, x[0], axes);
  }
  if (group == "special") {
    return usmx::special::call(name, operands);
  }
  if (group == "random") {
    return random_numbers(name, x[0]);
  }
  const usmx::reduction_axes along{.axes = axes};
  if (name == "sort") return usmx::sort(x[0]);
  if (name == "argsort") return usmx::argsort(x[0]);
  if (name == "cumulative_sum") return usmx::cumulative_sum(x[0], -1);
  if (name == "cumulative_prod") return usmx::cumulative_prod(x[0], -1);
  if (name == "diff") return usmx::diff(x[0]);
  if (name == "ptp") return usmx::ptp(x[0], along);
  if (name == "median") return usmx::median(x[0], along);
  if (name == "nanmedian") return usmx::nanmedian(x[0], along);
  if (name == "nansum") return usmx::nansum(x[0], along);
  if (name == "nanprod") return usmx::nanprod(x[0], along);
  if (name == "nanmax") return usmx::nanmax(x[0], along);
  if (name == "nanmin") return usmx::nanmin(x[0], along);
  if (name == "nanmean") return usmx::nanmean(x[0], along);
  if (name == "nanvar") return usmx::nanvar(x[0], along);
  if (name == "nanstd") return usmx::nanstd(x[0], along);
  if (name == "unique_values") return usmx::unique_values(x[0]);
  if (name == "searchsorted") return usmx::searchsorted(usmx::sort(x[0], {.axis = {}}), x[0]);
  if (name == "matmul") return usmx::matmul(x[0], x[0].transposed());
  if (name == "vecdot") return usmx::vecdot(x[0], x[0]);
  if (name == "kron") return usmx::kron(x[0], x[0]);
  if (name == "linalg.norm") return usmx::linalg::norm(x[0]);
  if (name == "linalg.vector_norm") return usmx::linalg::vector_norm(x[0], {.axes = axes});
  if (name == "linalg.cross") return usmx::linalg::cross(x[0], x[0]);
  if (name == "fft.fftshift") return usmx::fft::fftshift(x[0]);
  throw usmx::value_error("the test knows no function " + name);
}

}  // namespace

extern "C" {

result* usmx_call(const sycl::queue& queue, const char* group, const char* name, int count,
                  const operand* given, int axis) {
  auto* made = new result;
  try {
    std::vector<array> arrays;
    arrays.reserve(static_cast<std::size_t>(count));  // the arguments refer to them
    std::vector<usmx::kernel_argument> operands;
    for (int k = 0; k < count; ++k) {
      if (given[k].memory == nullptr) {
        operands.emplace_back(given[k].number);
      } else {
        operands.emplace_back(arrays.emplace_back(array_of(given[k], queue)));
      }
    }
    made->value = call(group, name, arrays, operands,
                       axis > 8 ? usmx::axes_argument(std::nullopt) : usmx::axes_argument(axis));
  } catch (const usmx::type_error& wrong) {
    made->error = std::string("TypeError ") + wrong.what();
  } catch (const usmx::index_error& wrong) {  // axis_error, too
    made->error = std::string("IndexError ") + wrong.what();
  } catch (const usmx::value_error& wrong) {
    made->error = std::string("ValueError ") + wrong.what();
  } catch (const std::exception& wrong) {
    made->error = std::string("Exception ") + wrong.what();
  }
  return made;
}

const char* usmx_error(const result& of) { return of.error.c_str(); }
const char* usmx_type(const result& of) {
  static std::string name;
  name = of.value.type().name();
  return name.c_str();
}
int usmx_shape(const result& of, std::ptrdiff_t* shape) {
  std::ranges::copy(of.value.shape(), shape);
  return of.value.ndim();
}
void usmx_read(const result& of, void* memory) {
  std::vector<std::ptrdiff_t> steps(of.value.shape().size());
  auto step = static_cast<std::ptrdiff_t>(of.value.type().itemsize());
  for (std::size_t k = steps.size(); k-- > 0;) {
    steps[k] = step;
    step *= of.value.shape()[k];
  }
  usmx::copy_to_host(of.value,
                     {static_cast<std::byte*>(memory), of.value.type(), of.value.shape(), steps});
}
void usmx_free(result* of) { delete of; }
}
