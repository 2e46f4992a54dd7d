// Special functions of float and double, for the kernels of usmx.special. Their special values are
// those of SciPy's functions. The coefficients of the series were computed with 60 digits.

// ---- series

/// The sum of Chebyshev's polynomials by Clenshaw's recurrence, for x from -1 to 1.
template <class T, int N>
inline T chebyshev(const T (&series)[N], T x) {
  T last = T(0), before = T(0);
  for (int k = N - 1; k > 0; --k) {
    const T next = T(2) * x * last - before + series[k];
    before = last;
    last = next;
  }
  return x * last - before + series[0] / T(2);
}

template <class T, int N>
inline T polynomial(const T (&coefficients)[N], T x) {
  T sum = coefficients[N - 1];
  for (int k = N - 2; k >= 0; --k) {
    sum = sum * x + coefficients[k];
  }
  return sum;
}

/// log(1 + x) - x, near 0 too: 2 atanh(x / (2 + x)), without the terms that cancel.
template <class T>
inline T log1p_rest(T x) {
  if (!(fabs(x) < T(0.5))) {
    return log1p(x) - x;
  }
  const T s = x / (T(2) + x), square = s * s;
  T sum = T(0);
  for (int k = 17; k >= 0; --k) {
    sum = sum * square + T(1) / T(2 * k + 3);
  }
  return T(2) * s * square * sum - x * s;
}

/// The logarithm of the gamma function less Stirling's formula, for z from 10 on.
template <class T>
inline T stirling_rest(T z) {
  constexpr T series[] = {8.33333333333333333e-2,  -2.77777777777777778e-3, 7.93650793650793651e-4,
                          -5.95238095238095238e-4, 8.41750841750841751e-4,  -1.91752691752691753e-3,
                          6.41025641025641026e-3,  -2.95506535947712418e-2};
  return polynomial(series, T(1) / z / z) / z;
}

/// The logarithm of gamma(1 + a), with as many digits near 0 as elsewhere.
template <class T>
inline T lgamma1p(T a) {
  constexpr T series[] = {
      -1.26602285255006202,     4.4056755746789629e-1,    -5.78574094499124435e-2,
      1.05139736902678112e-2,   -2.1639890920917151e-3,   4.74440233872465779e-4,
      -1.07996445280994281e-4,  2.52011552995302758e-5,   -5.9860144980268197e-6,
      1.44106161802930535e-6,   -3.50606905757611787e-7,  8.60382301676375328e-8,
      -2.1265109124786878e-8,   5.28777809146361392e-9,   -1.32171357521661568e-9,
      3.31866985544504931e-10,  -8.36590256774621868e-11, 2.11633866616069411e-11,
      -5.37050765379438062e-12, 1.36666881005458575e-12,  -3.4866600398851611e-13,
      8.91562243276770792e-14,  -2.28454959350908015e-14, 5.86514671522211981e-15,
      -1.50840711839686017e-15, 3.88561464842830586e-16,  -1.00241881866403608e-16,
      2.58964185653841508e-17,  -6.69867474095857043e-18, 1.73483734071310566e-18};
  return fabs(a) <= T(0.5) ? a * chebyshev(series, T(2) * a) : lgamma(T(1) + a);
}

// ---- the normal distribution and the error function

template <class T>
inline T erfcx(T x) {
  if (x < T(sizeof(T) > 4 ? -27 : -10)) {
    return T(INFINITY);
  }
  if (x < T(7)) {
    const T square = x * x;
    return exp(square) * erfc(x) * (T(1) + fma(x, x, -square));
  }
  const T u = T(0.5) / x / x;
  T sum = T(1);
  for (int k = 20; k > 0; --k) {  // the asymptotic series
    sum = T(1) - T(2 * k - 1) * u * sum;
  }
  return sum / x * T(0.564189583547756287);
}

template <class T>
inline T ndtr(T x) {
  const T t = -x * T(M_SQRT1_2);
  T tail = erfc(t);
  if (t > T(1) && t < T(40)) {  // what rounding took from t counts in the tail
    constexpr T constant = T(sizeof(T) > 4 ? -4.83364665672645672e-17 : 1.21016174e-8);
    const T rest = fma(-x, T(M_SQRT1_2), -t) - x * constant;
    tail -= tail * T(2) * t * rest;
  }
  return tail / T(2);
}

template <class T>
inline T ndtri(T p) {
  return p < T(0) || p > T(1) ? T(NAN) : -T(M_SQRT2) * erfcinv(T(2) * p);
}

template <class T>
inline T log_ndtr(T x) {
  if (x < T(-1)) {
    return log(erfcx(-x * T(M_SQRT1_2)) / T(2)) - x / T(2) * x;
  }
  return log1p(-ndtr(-x));
}

// ---- logistic functions, and entropies

template <class T>
inline T expit(T x) {
  const T power = exp(-fabs(x));
  return (x < T(0) ? power : T(1)) / (T(1) + power);
}

template <class T>
inline T log_expit(T x) {
  return (x > T(0) ? T(0) : x) - log1p(exp(-fabs(x)));
}

template <class T>
inline T logit(T p) {
  // The logarithm is near 0 if p is about 1/2. There 2 p - 1 is exact.
  return p < T(0.3) || p > T(0.65) ? log(p / (T(1) - p)) : T(2) * atanh(T(2) * p - T(1));
}

template <class T>
inline T xlogy(T x, T y) {
  return x == T(0) && !isnan(y) ? T(0) : x * log(y);
}

template <class T>
inline T xlog1py(T x, T y) {
  return x == T(0) && !isnan(y) ? T(0) : x * log1p(y);
}

template <class T>
inline T entr(T x) {
  return x > T(0) ? -x * log(x) : x == T(0) ? T(0) : x < T(0) ? -T(INFINITY) : x;
}

template <class T>
inline T rel_entr(T x, T y) {
  if (isnan(x) || isnan(y)) {
    return T(NAN);
  }
  if (x == T(0) && y >= T(0)) {
    return T(0);
  }
  if (!(x > T(0) && y > T(0))) {
    return T(INFINITY);
  }
  const T ratio = x / y;
  if (ratio > T(0.5) && ratio < T(2)) {
    return x * log1p((x - y) / y);
  }
  const bool is_normal = ratio > numeric_limits<T>::min() && ratio < T(INFINITY);
  return x * (is_normal ? log(ratio) : log(x) - log(y));
}

template <class T>
inline T kl_div(T x, T y) {
  if (isnan(x) || isnan(y)) {
    return T(NAN);
  }
  if (x == T(0) && y >= T(0)) {
    return y;
  }
  if (!(x > T(0) && y > T(0))) {
    return T(INFINITY);
  }
  // x log(x / y) - x + y; about x = y it is x (d - log(1 + d)) with y = x + x d
  const T part = (y - x) / x;
  return fabs(part) < T(0.5) ? -x * log1p_rest(part) : rel_entr(x, y) - x + y;
}

template <class T>
inline T exprel(T x) {
  return fabs(x) < numeric_limits<T>::epsilon() ? T(1)
         : x > T(sizeof(T) > 4 ? 717 : 93)      ? T(INFINITY)
                                                : expm1(x) / x;
}

// ---- modified Bessel functions

template <class T>
inline T i0e_near(T x) {
  constexpr T series[] = {
      6.76795274409476085e-1,   -3.04682672343198399e-1,  1.71620901522208775e-1,
      -9.49010970480476444e-2,  4.93052842396707085e-2,   -2.37374148058994688e-2,
      1.05464603945949983e-2,   -4.32430999505057594e-3,  1.6394756169413358e-3,
      -5.76375574538582366e-4,  1.88502885095841656e-4,   -5.7541950100821037e-5,
      1.64484480707288971e-5,   -4.41673835845875056e-6,  1.11738753912010372e-6,
      -2.67079385394061173e-7,  6.04699502254191895e-8,   -1.30002500998624804e-8,
      2.65982372468238665e-9,   -5.18979560163526291e-10, 9.67580903537323691e-11,
      -1.72682629144155571e-11, 2.95505266312963983e-12,  -4.85644678311192946e-13,
      7.67618549860493562e-14,  -1.16853328779934517e-14, 1.71539128555513303e-15,
      -2.43127984654795469e-16, 3.3307945188222381e-17,   -4.41534164647933938e-18};
  return chebyshev(series, x / T(4) - T(1));
}
template <class T>
inline T i0e_far(T x) {
  constexpr T series[] = {
      8.04490411014108832e-1,   3.36911647825569409e-3,   6.88975834691682398e-5,
      2.89137052083475648e-6,   2.04891858946906374e-7,   2.26666899049817806e-8,
      3.39623202570838635e-9,   4.94060238822496959e-10,  1.18891471078464383e-11,
      -3.14991652796324136e-11, -1.32158118404477131e-11, -1.79417853150680612e-12,
      7.18012445138366623e-13,  3.8527783827421427e-13,   1.54008621752140983e-14,
      -4.15056934728722209e-14, -9.55484669882830765e-15, 3.81168066935262242e-15,
      1.77256013305652638e-15,  -3.42548561967721913e-16, -2.82762398051658348e-16,
      3.46122286769746109e-17,  4.46562142029676e-17,     -4.83050448594418207e-18,
      -7.23318048787475395e-18, 9.9214754121736986e-19,   1.19365089084598209e-18};
  return chebyshev(series, T(16) / x - T(1)) / sqrt(x);
}
template <class T>
inline T i1e_near(T x) {
  constexpr T series[] = {
      2.52587186443633655e-1,   -1.76416518357834055e-1,  1.02643658689847095e-1,
      -5.29459812080949914e-2,  2.47264490306265168e-2,   -1.05640848946261982e-2,
      4.15642294431288816e-3,   -1.51357245063125315e-3,  5.12285956168575773e-4,
      -1.61760815825896746e-4,  4.78156510755005423e-5,   -1.32731636560394358e-5,
      3.47025130813767848e-6,   -8.56872026469545474e-7,  2.00329475355213526e-7,
      -4.44505912879632808e-8,  9.38153738649577178e-9,   -1.88724975172282929e-9,
      3.62559028155211704e-10,  -6.66348972350202774e-11, 1.17361862988909016e-11,
      -1.98397439776494372e-12, 3.22379336594557471e-13,  -5.04218550472791169e-14,
      7.60068429473540693e-15,  -1.10559694773538631e-15, 1.55363195773620047e-16,
      -2.11142121435816608e-17, 2.77791411276104637e-18,  -3.54158177254213621e-19};
  return x * chebyshev(series, x / T(4) - T(1));
}
template <class T>
inline T i1e_far(T x) {
  constexpr T series[] = {
      7.7857623501828012e-1,    -9.76109749136146841e-3,  -1.10588938762623716e-4,
      -3.88256480887769039e-6,  -2.51223623787020893e-7,  -2.63146884688951951e-8,
      -3.83538038596423702e-9,  -5.58974346219658381e-10, -1.89749581235054123e-11,
      3.25260358301548824e-11,  1.41258074366137813e-11,  2.03562854414708951e-12,
      -7.19855177624590851e-13, -4.08355111109219732e-13, -2.10154184277266431e-14,
      4.27244001671195135e-14,  1.04202769841288028e-14,  -3.8144030724370078e-15,
      -1.88035477551078245e-15, 3.30820231092092828e-16,  2.96262899764595014e-16,
      -3.20952592199342396e-17, -4.65030536848935833e-17, 4.41434832307170795e-18,
      7.51729631084210481e-18,  -9.31417886732688338e-19, -1.24219327519489096e-18};
  return chebyshev(series, T(16) / x - T(1)) / sqrt(x);
}

template <class T>
inline T i0e(T x) {
  const T size = fabs(x);
  return size <= T(8) ? i0e_near(size) : i0e_far(size);
}

template <class T>
inline T i1e(T x) {
  const T size = fabs(x);
  return copysign(size <= T(8) ? i1e_near(size) : i1e_far(size), x);
}

/// exp(|x|) times the scaled function, in two steps: the power alone overflows earlier.
template <class T>
inline T unscaled(T scaled, T x) {
  const T root_of_power = exp(fabs(x) / T(2));
  return isinf(root_of_power) ? copysign(T(INFINITY), scaled)
                              : scaled * root_of_power * root_of_power;
}

template <class T>
inline T i0(T x) {
  return unscaled(i0e(x), x);
}

template <class T>
inline T i1(T x) {
  return unscaled(i1e(x), x);
}

// ---- the gamma function's kin

/// The value for x from 1 to 2, by the distance from the root.
template <class T>
inline T digamma_near(T x) {
  constexpr T series[] = {
      1.96714052088313398,      -2.27064086334644397e-1,  3.3368899023930109e-2,
      -5.32007727159654744e-3,  8.78865693782050533e-4,   -1.47734926506060433e-4,
      2.50605434683591444e-5,   -4.27210340299933221e-6,  7.30276927246592305e-7,
      -1.25028868135595955e-7,  2.14250093223594737e-8,   -3.67329591856517904e-9,
      6.29971723610893091e-10,  -1.08059302888326601e-10, 1.85373519205363789e-11,
      -3.18023536582553001e-12, 5.45614757032279418e-13,  -9.36099313103643816e-14,
      1.60606463629507501e-14,  -2.75554313774388131e-15, 4.72773617860191139e-16,
      -8.11148420346509003e-17, 1.39170776947415407e-17,  -2.3877901082188627e-18};
  constexpr T root = T(1.4616321449683623413);
  constexpr T rest = T(sizeof(T) > 4 ? 9.54999542996569747e-17 : -1.32836245e-8);
  return (x - root - rest) * chebyshev(series, T(2) * x - T(3));
}

template <class T>
inline T digamma(T x) {
  if (x == T(0)) {
    return copysign(T(INFINITY), -x);
  }
  T sum = T(0);
  if (x < T(0)) {
    if (x == floor(x)) {
      return T(NAN);
    }
    sum = -T(M_PI) * cospi(x) / sinpi(x);
    x = T(1) - x;
  }
  if (x >= T(10)) {
    constexpr T series[] = {8.33333333333333333e-2, -8.33333333333333333e-3,
                            3.96825396825396825e-3, -4.16666666666666667e-3,
                            7.57575757575757576e-3, -2.10927960927960928e-2,
                            8.33333333333333333e-2};
    const T u = T(1) / x / x;
    return sum + (log(x) - T(0.5) / x - u * polynomial(series, u));
  }
  for (; x > T(2); sum += T(1) / x) {
    x -= T(1);
  }
  for (; x < T(1); x += T(1)) {
    sum -= T(1) / x;
  }
  return sum + digamma_near(x);
}

template <class T>
inline T gammasgn(T x) {
  if (isnan(x) || x > T(0)) {
    return isnan(x) ? x : T(1);
  }
  if (x == T(0)) {
    return copysign(T(1), x);
  }
  const T below = floor(x);
  return x == below || isinf(x) ? T(NAN) : below / T(2) == floor(below / T(2)) ? T(1) : T(-1);
}

template <class T>
inline T rgamma(T x) {
  if (x == T(0)) {
    return x;
  }
  return x < T(0) && x == floor(x) ? T(0) : T(1) / tgamma(x);
}

/// The logarithm of gamma(b) / gamma(a + b), for b from 10 on and a positive a.
template <class T>
inline T log_gamma_ratio(T a, T b) {
  return stirling_rest(b) - stirling_rest(a + b) - (a + b - T(0.5)) * log1p(a / b) -
         a * (log(b) - T(1));
}

template <class T>
inline T betaln_positive(T a, T b) {
  if (a > b) {
    const T other = a;
    a = b;
    b = other;
  }
  if (isinf(b)) {
    return -T(INFINITY);
  }
  if (a >= T(10)) {
    const T rest = stirling_rest(a) + stirling_rest(b) - stirling_rest(a + b);
    return T(0.918938533204672742) - log(b) / T(2) + rest + (a - T(0.5)) * log(a / (a + b)) -
           b * log1p(a / b);
  }
  return b >= T(10) ? lgamma(a) + log_gamma_ratio(a, b) : lgamma(a) + (lgamma(b) - lgamma(a + b));
}

template <class T>
inline bool is_pole(T x) {
  return x <= T(0) && x == floor(x);
}

/// The logarithm of the size of the beta function.
template <class T>
inline T betaln(T a, T b) {
  if (a > T(0) && b > T(0)) {
    return betaln_positive(a, b);
  }
  if (is_pole(a) || is_pole(b)) {
    const T pole = is_pole(a) ? a : b, other = is_pole(a) ? b : a;
    return other == floor(other) && other > T(0) && T(1) - pole - other > T(0) && pole > T(-2e9)
               ? betaln_positive(T(1) - pole - other, other)
               : T(INFINITY);
  }
  return lgamma(a) + lgamma(b) - lgamma(a + b);
}

template <class T>
inline T beta(T a, T b) {
  if (a > T(0) && b > T(0)) {
    const bool is_small = a < T(10) && b < T(10);
    return is_small ? (T(1) / a + T(1) / b) * tgamma(T(1) + a) * tgamma(T(1) + b) /
                          tgamma(T(1) + (a + b))
                    : exp(betaln_positive(a, b));
  }
  if (is_pole(a) || is_pole(b)) {
    const T pole = is_pole(a) ? a : b, other = is_pole(a) ? b : a;
    const T size = exp(betaln(a, b));
    return other / T(2) == floor(other / T(2)) || isinf(size) ? size : -size;
  }
  const T product = tgamma(a) * rgamma(a + b) * tgamma(b);
  return isfinite(product) ? product
                           : gammasgn(a) * gammasgn(b) * gammasgn(a + b) * exp(betaln(a, b));
}

// ---- the incomplete gamma function

/// pow(x, a) * exp(-x) / gamma(a + 1)
template <class T>
inline T gamma_density(T a, T x) {
  if (a < T(10)) {
    const T half_power = exp(-x / T(2));
    return half_power == T(0) ? T(0) : pow(x, a) * half_power / tgamma(T(1) + a) * half_power;
  }
  const T part = (x - a) / a;
  const T power = fabs(part) < T(0.5) ? log1p_rest(part) : log(x / a) - part;
  return exp(a * power - stirling_rest(a)) / sqrt(T(2 * M_PI) * a);
}

template <class T>
inline T gamma_lower_series(T a, T x) {
  T term = T(1), sum = T(1);
  for (int k = 1; k < 10000 && term > sum * numeric_limits<T>::epsilon() / T(4); ++k) {
    term *= x / (a + T(k));
    sum += term;
  }
  return gamma_density(a, x) * sum;
}

/// 1 - the series of the lower function, for a small x, without the 1.
template <class T>
inline T gamma_upper_series(T a, T x) {
  T power = T(1), sum = T(0);
  for (int k = 1; k < 100; ++k) {
    power *= -x / T(k);
    const T term = power / (a + T(k));
    sum += term;
    if (fabs(term) <= fabs(sum) * numeric_limits<T>::epsilon() / T(4)) {
      break;
    }
  }
  const T exponent = a * log(x) - lgamma1p(a);
  return -expm1(exponent) - exp(exponent) * a * sum;
}

/// Legendre's continued fraction, by Lentz's method.
template <class T>
inline T gamma_upper_fraction(T a, T x) {
  constexpr T tiny = numeric_limits<T>::min() * T(16);
  T b = x + T(1) - a, c = T(1) / tiny, d = T(1) / b, fraction = d;
  for (int k = 1; k < 10000; ++k) {
    const T numerator = -T(k) * (T(k) - a);
    b += T(2);
    d = numerator * d + b;
    c = b + numerator / c;
    d = T(1) / (fabs(d) < tiny ? tiny : d);
    c = fabs(c) < tiny ? tiny : c;
    const T change = d * c;
    fraction *= change;
    if (fabs(change - T(1)) <= numeric_limits<T>::epsilon()) {
      break;
    }
  }
  return gamma_density(a, x) * a * fraction;
}

/// Temme's expansion for a large a, and x near a: N. M. Temme (1979), DLMF 8.12.
template <class T>
inline T gamma_expansion(T a, T x, bool is_upper) {
  constexpr T series[] = {
      -3.33333333333333333e-1,  8.33333333333333333e-2,   -1.48148148148148148e-2,
      1.15740740740740741e-3,   3.527336860670194e-4,     -1.78755144032921811e-4,
      3.91926317852243778e-5,   -2.18544851067999216e-6,  -1.85406221071515996e-6,
      8.29671134095308601e-7,   -1.76659527368260793e-7,  6.70785354340149858e-9,
      1.0261809784240308e-8,    -4.38203601845335319e-9,  9.14769958223679023e-10,
      -2.55141939949462498e-11, -5.83077213255042507e-11, 2.43619480206674162e-11,
      -5.02766928011417559e-12, -1.85185185185185185e-3,  -3.47222222222222222e-3,
      2.6455026455026455e-3,    -9.90226337448559671e-4,  2.05761316872427984e-4,
      -4.01877572016460905e-7,  -1.80985503344899778e-5,  7.64916091608111008e-6,
      -1.6120900894563446e-6,   4.64712780280743434e-9,   1.37863344691572096e-7,
      -5.75254560351770496e-8,  1.19516285997781473e-8,   -1.75432417197476476e-11,
      -1.00915437106004126e-9,  4.16279299184258264e-10,  -8.56390702649298064e-11,
      4.1335978835978836e-3,    -2.68132716049382716e-3,  7.71604938271604938e-4,
      2.00938786008230453e-6,   -1.07366532263651605e-4,  5.29234488291201254e-5,
      -1.27606351886187277e-5,  3.42357873409613807e-8,   1.37219573090629332e-6,
      -6.29899213838005502e-7,  1.42806142060642418e-7,   -2.0477098421990866e-10,
      -1.40925299108675211e-8,  6.22897408492202203e-9,   -1.36704883966171135e-9,
      6.49434156378600823e-4,   2.29472093621399177e-4,   -4.69189494395255712e-4,
      2.67720632062838853e-4,   -7.56180167188397641e-5,  -2.39650511386729665e-7,
      1.10826541153473024e-5,   -5.67495282699159657e-6,  1.42309007324358839e-6,
      -2.78610802915281422e-11, -1.69584040919302773e-7,  8.09946490538808236e-8,
      -1.91111684859736541e-8,  2.3928620439808118e-12,   2.06201318154887984e-9,
      -8.61888290916711699e-4,  7.84039221720066627e-4,   -2.9907248030319018e-4,
      -1.46384525788434182e-6,  6.64149821546512219e-5,   -3.96836504717943466e-5,
      1.13757269706784191e-5,   2.5074972262375328e-10,   -1.6954149536558306e-6,
      8.90750753220530969e-7,   -2.29293483400080487e-7,  2.95679413754404905e-11,
      2.88658297427087836e-8,   -3.3679855336635815e-4,   -6.97281375836585777e-5,
      2.77275324495939208e-4,   -1.99325705161888477e-4,  6.79778047793720784e-5,
      1.41906292064396701e-7,   -1.35940481897686933e-5,  8.01847025633420154e-6,
      -2.29148117650809517e-6,  -3.25247355129845395e-10, 3.4652846491085265e-7,
      -1.84471871911713433e-7,  5.31307936463992223e-4,   -5.92166437353693883e-4,
      2.70878209671804483e-4,   7.90235323266032787e-7,   -8.15396936756196875e-5,
      5.61168275310624965e-5,   -1.83291165828433756e-5,  -3.07961345060330478e-9,
      3.46515536880360909e-6,   -2.02913273960586037e-6,  3.44367606892377671e-4,
      5.17179090826059219e-5,   -3.34931610811422363e-4,  2.81269515476323702e-4,
      -1.0976582244684731e-4,   -1.27410090954844854e-7,  2.77444515115636442e-5,
      -1.82634888057113327e-5,  5.7876949497350524e-6,    -6.52623918595309419e-4,
      8.3949872067208728e-4,    -4.38297098541721005e-4,  -6.96909145842055197e-7,
      1.66448466420675478e-4,   -1.27835176797692186e-4,  4.62995326369130429e-5,
      -5.9676129019274625e-4,   -7.20489541602001056e-5,  6.78230883766732836e-4,
      -6.40147526026275845e-4,  2.77501076343287045e-4};
  constexpr int lengths[] = {19, 17, 15, 15, 13, 12, 10, 9, 7, 5};
  const T part = (x - a) / a;
  const T y = -a * log1p_rest(part);
  const T root = part < T(0) ? -sqrt(y) : sqrt(y);
  const T eta = root * sqrt(T(2) / a);
  T sum = T(0);
  int end = sizeof(series) / sizeof(T);
  for (int k = 9; k >= 0; --k) {
    T row = T(0);
    for (int n = 1; n <= lengths[k]; ++n) {
      row = row * eta + series[end - n];
    }
    end -= lengths[k];
    sum = sum / a + row;
  }
  const T rest = exp(-y) / sqrt(T(2 * M_PI) * a) * sum;
  return is_upper ? erfc(root) / T(2) + rest : erfc(-root) / T(2) - rest;
}

template <class T>
inline T gamma_part(T a, T x, bool is_upper) {
  const T none = is_upper ? T(1) : T(0);
  if (!(a >= T(0)) || !(x >= T(0)) || (a == T(0) && x == T(0)) || (isinf(a) && isinf(x))) {
    return T(NAN);
  }
  if (a == T(0) || isinf(x)) {
    return T(1) - none;
  }
  if (x == T(0) || isinf(a)) {
    return none;
  }
  if (a > T(20) && fabs(x - a) < T(0.4) * a) {
    return gamma_expansion(a, x, is_upper);
  }
  if (x > T(1.1) ? x < a : x <= T(0.5) ? T(-0.4) / log(x) < a : x * T(1.1) < a) {
    const T lower = gamma_lower_series(a, x);
    return is_upper ? T(1) - lower : lower;
  }
  if (!is_upper && x <= T(1)) {
    return gamma_lower_series(a, x);
  }
  const T upper = x > T(1.1) ? gamma_upper_fraction(a, x) : gamma_upper_series(a, x);
  return is_upper ? upper : T(1) - upper;
}

template <class T>
inline T gammainc(T a, T x) {
  return gamma_part(a, x, false);
}

template <class T>
inline T gammaincc(T a, T x) {
  return gamma_part(a, x, true);
}

// ---- the incomplete beta function

/// The logarithm of x / x0, less the linear term, where `part` is x / x0 - 1.
template <class T>
inline T log_rest(T part, T x, T x0) {
  return fabs(part) < T(0.5) ? log1p_rest(part) : log(x / x0) - part;
}

/// pow(x, a) * pow(1 - x, b) / (a * beta(a, b))
template <class T>
inline T beta_density(T a, T b, T x, T y) {
  const T log_y = x < T(0.5) ? log1p(-x) : log(y), log_x = y < T(0.5) ? log1p(-y) : log(x);
  if (a < T(10) && b < T(10)) {
    const T factor = tgamma(T(1) + (a + b)) / (tgamma(T(1) + a) * tgamma(T(1) + b));
    return factor * (b / (a + b)) * exp(b * log_y) * (x < T(0.5) ? pow(x, a) : exp(a * log_x));
  }
  if (a < T(10)) {
    return pow(x, a) / tgamma(T(1) + a) * exp(b * log_y - log_gamma_ratio(a, b));
  }
  if (b < T(10)) {
    return b / a * pow(y, b) / tgamma(T(1) + b) * exp(a * log_x - log_gamma_ratio(b, a));
  }
  const T sum = a + b;
  // a - (a + b) x, by the smaller of x and y
  const T off = x < y ? fma(-b, x, fma(-a, x, a)) : -fma(-a, y, fma(-b, y, b));
  const T exponent = a * log_rest(-off / a, x, a / sum) + b * log_rest(off / b, y, b / sum);
  const T rest = stirling_rest(a) + stirling_rest(b) - stirling_rest(sum);
  return sqrt(b / a / sum / T(2 * M_PI)) * exp(exponent - rest);
}

/// The series for b up to 1, where all terms are positive, or a small b * x.
template <class T>
inline T beta_series(T a, T b, T x, T y) {
  T term = T(1), sum = T(0);
  for (int k = 1; k < 10000; ++k) {
    term *= (T(k) - b) / T(k) * x;
    const T more = term / (a + T(k));
    sum += more;
    if (fabs(a * more) <= fabs(T(1) + a * sum) * numeric_limits<T>::epsilon() / T(8)) {
      break;
    }
  }
  const T log_y = x < T(0.5) ? log1p(-x) : log(y);
  return beta_density(a, b, x, y) * exp(-b * log_y) * (T(1) + a * sum);
}

/// The continued fraction of A. R. DiDonato and A. H. Morris (1992), by Lentz's method.
template <class T>
inline T beta_fraction(T a, T b, T x, T y) {
  constexpr T tiny = numeric_limits<T>::min() * T(16);
  const T off = x < y ? fma(-b, x, fma(-a, x, a)) : -fma(-a, y, fma(-b, y, b));
  T value = a / (a + T(1)) * (off + T(1));
  value = fabs(value) < tiny ? tiny : value;
  T c = value, d = T(0);
  for (int k = 1; k < 100000; ++k) {
    const T m = T(k), odd = a + T(2) * m - T(1);
    const T numerator = m * (a + m - T(1)) / odd * ((a + b + m - T(1)) / odd) * (b - m) * x * x;
    const T denominator =
        m + m * (b - m) * x / odd + (a + m) / (odd + T(2)) * (off + T(1) + m * (T(1) + y));
    d = denominator + numerator * d;
    c = denominator + numerator / c;
    d = T(1) / (fabs(d) < tiny ? tiny : d);
    c = fabs(c) < tiny ? tiny : c;
    const T change = c * d;
    value *= change;
    if (fabs(change - T(1)) <= numeric_limits<T>::epsilon()) {
      break;
    }
  }
  return a * beta_density(a, b, x, y) / value;
}

/// The part of the beta function up to x = 1 - y, or from x on.
template <class T>
inline T beta_part(T a, T b, T x, T y, bool is_upper) {
  // The series gives the lower part with all digits on both sides of the mean, for b up to 1.
  const bool has_series = b <= T(1) && x <= T(0.9) && !is_upper;
  if (!has_series && x > (a + T(1)) / (a + b + T(2))) {
    const T other = a;
    a = b;
    b = other;
    const T turned = x;
    x = y;
    y = turned;
    is_upper = !is_upper;
  }
  T lower = T(0);
  if (x <= T(0.9) && (b <= T(1) || b * x <= T(0.7))) {
    lower = beta_series(a, b, x, y);
  } else if (a < T(1)) {  // the fraction is that of a greater a
    lower = beta_density(a, b, x, y) + beta_fraction(a + T(1), b, x, y);
  } else {
    lower = beta_fraction(a, b, x, y);
  }
  lower = lower > T(1) ? T(1) : lower;
  return is_upper ? T(1) - lower : lower;
}

template <class T>
inline T betainc_of(T a, T b, T x, bool is_upper) {
  const T none = is_upper ? T(1) : T(0);
  if (!(a >= T(0)) || !(b >= T(0)) || !(x >= T(0) && x <= T(1)) || (a == T(0) && b == T(0)) ||
      (isinf(a) && isinf(b))) {
    return T(NAN);
  }
  if (x == T(0) || x == T(1)) {
    return x == T(0) ? none : T(1) - none;
  }
  if (a == T(0) || isinf(b)) {
    return T(1) - none;
  }
  if (b == T(0) || isinf(a)) {
    return none;
  }
  return beta_part(a, b, x, T(1) - x, is_upper);
}

template <class T>
inline T betainc(T a, T b, T x) {
  return betainc_of(a, b, x, false);
}

template <class T>
inline T betaincc(T a, T b, T x) {
  return betainc_of(a, b, x, true);
}

// ---- distributions of statistics, by their functions above

template <class T>
inline T chdtr(T v, T x) {
  return gammainc(v / T(2), x / T(2));
}

template <class T>
inline T chdtrc(T v, T x) {
  return gammaincc(v / T(2), x / T(2));
}

template <class T>
inline T stdtr(T df, T t) {
  if (isnan(t) || !(df > T(0))) {
    return T(NAN);
  }
  if (isinf(df)) {
    return ndtr(t);
  }
  const T square = t / df * t;
  // Each form has its argument from 0 to 1/2, where it has all digits.
  const T part = square < T(1) ? betaincc(T(0.5), df / T(2), square / (T(1) + square))
                               : betainc(df / T(2), T(0.5), T(1) / (T(1) + square));
  return t < T(0) ? part / T(2) : T(1) - part / T(2);
}
