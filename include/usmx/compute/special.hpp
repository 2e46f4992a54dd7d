// Special functions of arrays, by the names of SciPy: Python's usmx.special.
//
//   const usmx::array y = usmx::special::erf(x);
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/generated_kernels/generated_kernels.hpp"
#include "usmx/user_kernels/kernel.hpp"

/// Special functions. Operands are arrays and real numbers, which are broadcast together; integers
/// and bools become the default floating-point type. No function waits, but for the compiler at the
/// first call for a type. All throw as usmx::compute() does.
namespace usmx::inline v1::special {

/// Calls the special function of that name. Throws value_error for another name.
USMX_API array call(std::string_view name, std::span<const kernel_argument> operands,
                    const generated_call_options& how = {});
/// Calls the special function of that name with the operands in braces.
inline array call(std::string_view name, std::initializer_list<kernel_argument> operands,
                  const generated_call_options& how = {}) {
  return call(name, std::span(operands.begin(), operands.size()), how);
}

// ---- the error function and the normal distribution

/// Computes the error function.
inline array erf(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("erf", {x}, how);
}
/// Computes 1 - erf(x), without cancellation where that is small.
inline array erfc(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("erfc", {x}, how);
}
/// Computes exp(x**2) * erfc(x), which does not underflow.
inline array erfcx(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("erfcx", {x}, how);
}
/// Inverts erf().
inline array erfinv(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("erfinv", {x}, how);
}
/// Inverts erfc().
inline array erfcinv(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("erfcinv", {x}, how);
}
/// Computes the distribution function of the normal distribution.
inline array ndtr(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("ndtr", {x}, how);
}
/// Inverts ndtr(): the quantiles of the normal distribution.
inline array ndtri(const kernel_argument& p, const generated_call_options& how = {}) {
  return call("ndtri", {p}, how);
}
/// Computes the logarithm of ndtr(), far out too.
inline array log_ndtr(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("log_ndtr", {x}, how);
}

// ---- logistic functions and entropies

/// Computes the logistic function, 1 / (1 + exp(-x)).
inline array expit(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("expit", {x}, how);
}
/// Inverts expit(): the logarithm of p / (1 - p).
inline array logit(const kernel_argument& p, const generated_call_options& how = {}) {
  return call("logit", {p}, how);
}
/// Computes the logarithm of expit().
inline array log_expit(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("log_expit", {x}, how);
}
/// Computes (exp(x) - 1) / x, which is 1 at 0.
inline array exprel(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("exprel", {x}, how);
}
/// Computes -x * log(x), which is 0 at 0 and -infinity below.
inline array entr(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("entr", {x}, how);
}
/// Computes x * log(x / y), which is 0 for x = 0.
inline array rel_entr(const kernel_argument& x, const kernel_argument& y,
                      const generated_call_options& how = {}) {
  return call("rel_entr", {x, y}, how);
}
/// Computes x * log(x / y) - x + y.
inline array kl_div(const kernel_argument& x, const kernel_argument& y,
                    const generated_call_options& how = {}) {
  return call("kl_div", {x, y}, how);
}
/// Computes x * log(y), which is 0 for x = 0.
inline array xlogy(const kernel_argument& x, const kernel_argument& y,
                   const generated_call_options& how = {}) {
  return call("xlogy", {x, y}, how);
}
/// Computes x * log(1 + y), which is 0 for x = 0.
inline array xlog1py(const kernel_argument& x, const kernel_argument& y,
                     const generated_call_options& how = {}) {
  return call("xlog1py", {x, y}, how);
}

// ---- the gamma and beta functions

/// Computes the gamma function.
inline array gamma(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("gamma", {x}, how);
}
/// Computes the logarithm of the gamma function's magnitude.
inline array gammaln(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("gammaln", {x}, how);
}
/// Finds the sign of the gamma function.
inline array gammasgn(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("gammasgn", {x}, how);
}
/// Computes 1 / gamma(x), which is 0 at the poles.
inline array rgamma(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("rgamma", {x}, how);
}
/// Computes the derivative of gammaln().
inline array digamma(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("digamma", {x}, how);
}
/// Another name of digamma().
inline array psi(const kernel_argument& x, const generated_call_options& how = {}) {
  return digamma(x, how);
}
/// Computes the regularized lower incomplete gamma function.
inline array gammainc(const kernel_argument& a, const kernel_argument& x,
                      const generated_call_options& how = {}) {
  return call("gammainc", {a, x}, how);
}
/// Computes the regularized upper incomplete gamma function, 1 - gammainc(a, x).
inline array gammaincc(const kernel_argument& a, const kernel_argument& x,
                       const generated_call_options& how = {}) {
  return call("gammaincc", {a, x}, how);
}
/// Computes the beta function, gamma(a) * gamma(b) / gamma(a + b).
inline array beta(const kernel_argument& a, const kernel_argument& b,
                  const generated_call_options& how = {}) {
  return call("beta", {a, b}, how);
}
/// Computes the logarithm of the beta function's magnitude.
inline array betaln(const kernel_argument& a, const kernel_argument& b,
                    const generated_call_options& how = {}) {
  return call("betaln", {a, b}, how);
}
/// Computes the regularized incomplete beta function.
inline array betainc(const kernel_argument& a, const kernel_argument& b, const kernel_argument& x,
                     const generated_call_options& how = {}) {
  return call("betainc", {a, b, x}, how);
}
/// Computes 1 - betainc(a, b, x).
inline array betaincc(const kernel_argument& a, const kernel_argument& b, const kernel_argument& x,
                      const generated_call_options& how = {}) {
  return call("betaincc", {a, b, x}, how);
}

// ---- distributions of statistics

/// Computes the distribution function of chi-squared with v degrees of freedom.
inline array chdtr(const kernel_argument& v, const kernel_argument& x,
                   const generated_call_options& how = {}) {
  return call("chdtr", {v, x}, how);
}
/// Computes 1 - chdtr(v, x).
inline array chdtrc(const kernel_argument& v, const kernel_argument& x,
                    const generated_call_options& how = {}) {
  return call("chdtrc", {v, x}, how);
}
/// Computes the distribution function of Student's t with df degrees of freedom.
inline array stdtr(const kernel_argument& df, const kernel_argument& t,
                   const generated_call_options& how = {}) {
  return call("stdtr", {df, t}, how);
}

// ---- modified Bessel functions of the first kind

/// Computes the modified Bessel function of the first kind of order 0.
inline array i0(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("i0", {x}, how);
}
/// Computes exp(-abs(x)) * i0(x), which does not overflow.
inline array i0e(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("i0e", {x}, how);
}
/// Computes the modified Bessel function of the first kind of order 1.
inline array i1(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("i1", {x}, how);
}
/// Computes exp(-abs(x)) * i1(x), which does not overflow.
inline array i1e(const kernel_argument& x, const generated_call_options& how = {}) {
  return call("i1e", {x}, how);
}

}  // namespace usmx::inline v1::special
