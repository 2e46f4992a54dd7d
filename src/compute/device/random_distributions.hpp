// Random numbers of further distributions, for kernels that have random.hpp before this. Each
// element has words of its own, as many as it needs. Only random_exponential has the same bits on
// every device: the others call functions of mathematics, whose last digits differ.

/// The words of one element, one attempt after the other.
struct random_stream {
  uint64_t key;
  uint64_t position;
  uint64_t attempt = 0;

  random_words next() { return philox(key, position, attempt++); }
};

/// A number above 0, at most 1, by 53 bits in any type, so that its logarithm has a long tail.
template <class T>
inline T random_above_zero(uint64_t bits) {
  return (T(bits >> 11) + T(0.5)) * T(0x1p-53);
}

template <class T>
inline T random_exponential(uint64_t key, uint64_t position) {
  return minus_log(random_above_zero<T>(philox(key, position, 0).pair(0)));
}

/// A number above 0 and below 1.
template <class T>
inline T random_open(uint64_t bits) {
  const T number = random_above_zero<T>(bits);
  return number < T(1) ? number : T(1) - T(0x1p-24);
}

template <class T>
inline T next_open(random_stream& from) {
  return random_open<T>(from.next().pair(0));
}

template <class T>
inline T next_normal(random_stream& from) {
  for (;;) {
    const random_words words = from.next();
    const T x = T(2) * random_fraction<T>(words, 0) - T(1);
    const T y = T(2) * random_fraction<T>(words, 1) - T(1);
    const T size = x * x + y * y;
    if (size < T(1) && size > T(0)) {
      const T length = T(2) * minus_log(size);
      return x * length * reciprocal_root(size * length);
    }
  }
}

/// The logarithm of a gamma number: G. Marsaglia and W. W. Tsang (2000). Below a shape of 1 it is
/// that of the next shape, plus log(u) / shape, which is finite where the number would be 0.
template <class T>
inline T next_log_gamma(random_stream& from, T shape) {
  const bool is_small = shape < T(1);
  const T d = (is_small ? shape + T(1) : shape) - T(1) / T(3);
  const T c = T(1) / sqrt(T(9) * d);
  for (;;) {
    const T x = next_normal<T>(from);
    const T root = T(1) + c * x;
    if (root <= T(0)) {
      continue;
    }
    const T log_v = T(3) * log(root);
    const T v = root * root * root;
    if (-minus_log(next_open<T>(from)) < T(0.5) * x * x + d - d * v + d * log_v) {
      const T found = log(d) + log_v;
      return is_small ? found - minus_log(next_open<T>(from)) / shape : found;
    }
  }
}

template <class T>
inline T random_gamma(uint64_t key, uint64_t position, T shape) {
  random_stream from{key, position};
  return shape == T(0) ? T(0) : exp(next_log_gamma(from, shape));
}

/// X / (X + Y) of two gamma numbers, by their logarithms.
template <class T>
inline T random_beta(uint64_t key, uint64_t position, T a, T b) {
  random_stream from{key, position};
  const T x = next_log_gamma(from, a);
  const T y = next_log_gamma(from, b);
  return T(1) / (T(1) + exp(y - x));
}

template <class T>
inline T random_student(uint64_t key, uint64_t position, T df) {
  random_stream from{key, position};
  const T x = next_normal<T>(from);
  return x * exp(T(-0.5) * (log(T(2) / df) + next_log_gamma(from, df / T(2))));
}

template <class T>
inline T random_cauchy(uint64_t key, uint64_t position) {
  random_stream from{key, position};
  const T x = next_normal<T>(from);
  return x / next_normal<T>(from);
}

/// (X / m) / (Y / n) of chi-squared numbers X and Y.
template <class T>
inline T random_f(uint64_t key, uint64_t position, T m, T n) {
  random_stream from{key, position};
  const T x = next_log_gamma(from, m / T(2));
  const T y = next_log_gamma(from, n / T(2));
  return exp(x - y) * n / m;
}

/// An exponential number with either sign.
template <class T>
inline T random_laplace(uint64_t key, uint64_t position) {
  const random_words words = philox(key, position, 0);
  const T size = minus_log(random_above_zero<T>(words.pair(0)));
  return words.word[2] & 1 ? size : -size;
}

/// log(u / (1 - u)), both tails of which are as long.
template <class T>
inline T random_logistic(uint64_t key, uint64_t position) {
  random_stream from{key, position};
  const T one = minus_log(next_open<T>(from));
  return log(one / minus_log(next_open<T>(from)));
}

template <class T>
inline T random_triangular(uint64_t key, uint64_t position, T left, T mode, T right) {
  const T u = random_open<T>(philox(key, position, 0).pair(0));
  const T base = right - left;
  const T low = mode - left;
  return u * base <= low ? left + sqrt(u * base * low)
                         : right - sqrt((T(1) - u) * base * (right - mode));
}

/// Small means by going through the probabilities; others by W. Hoermann's transformed rejection,
/// PTRS (1993).
template <class T>
inline int64_t next_poisson(random_stream& from, T mean) {
  if (mean < T(10)) {
    T rest = next_open<T>(from);
    T probability = exp(-mean);
    int64_t count = 0;
    for (; rest > probability && count < 200; probability *= mean / T(count)) {
      rest -= probability;
      ++count;
    }
    return count;
  }
  const T root = sqrt(mean);
  const T log_mean = log(mean);
  const T b = T(0.931) + T(2.53) * root;
  const T a = T(-0.059) + T(0.02483) * b;
  const T inverse_alpha = T(1.1239) + T(1.1328) / (b - T(3.4));
  const T vr = T(0.9277) - T(3.6224) / (b - T(2));
  for (;;) {
    const random_words words = from.next();
    const T u = random_open<T>(words.pair(0)) - T(0.5);
    const T v = random_open<T>(words.pair(1));
    const T us = T(0.5) - fabs(u);
    const T k = floor((T(2) * a / us + b) * u + mean + T(0.43));
    if (us >= T(0.07) && v <= vr) {
      return int64_t(k);
    }
    if (k < T(0) || (us < T(0.013) && v > us)) {
      continue;
    }
    if (log(v) + log(inverse_alpha) - log(a / (us * us) + b) <=
        -mean + k * log_mean - lgamma(k + T(1))) {
      return int64_t(k);
    }
  }
}

template <class T>
inline int64_t random_poisson(uint64_t key, uint64_t position, T mean) {
  random_stream from{key, position};
  return next_poisson(from, mean);
}

/// The probability is at most 1/2: few successes by going through the probabilities, others by
/// W. Hoermann's transformed rejection, BTRS (1993).
template <class T>
inline int64_t next_binomial_half(random_stream& from, int64_t n, T p) {
  const T q = T(1) - p;
  const T count = T(n);
  if (count * p < T(10)) {
    T rest = next_open<T>(from);
    T probability = exp(count * log1p(-p));
    int64_t k = 0;
    while (rest > probability && k < n) {
      rest -= probability;
      ++k;
      probability *= (count - T(k) + T(1)) * p / (T(k) * q);
    }
    return k;
  }
  const T spread = sqrt(count * p * q);
  const T b = T(1.15) + T(2.53) * spread;
  const T a = T(-0.0873) + T(0.0248) * b + T(0.01) * p;
  const T c = count * p + T(0.5);
  const T vr = T(0.92) - T(4.2) / b;
  const T alpha = (T(2.83) + T(5.1) / b) * spread;
  const T log_odds = log(p / q);
  const T m = floor((count + T(1)) * p);
  const T h = lgamma(m + T(1)) + lgamma(count - m + T(1));
  for (;;) {
    const random_words words = from.next();
    const T u = random_open<T>(words.pair(0)) - T(0.5);
    const T v = random_open<T>(words.pair(1));
    const T us = T(0.5) - fabs(u);
    const T k = floor((T(2) * a / us + b) * u + c);
    if (us >= T(0.07) && v <= vr) {
      return int64_t(k);
    }
    if (k < T(0) || k > count) {
      continue;
    }
    if (log(v * alpha / (a / (us * us) + b)) <=
        h - lgamma(k + T(1)) - lgamma(count - k + T(1)) + (k - m) * log_odds) {
      return int64_t(k);
    }
  }
}

template <class T>
inline int64_t random_binomial(uint64_t key, uint64_t position, int64_t n, T p) {
  random_stream from{key, position};
  return p > T(0.5) ? n - next_binomial_half(from, n, T(1) - p) : next_binomial_half(from, n, p);
}

template <class T>
inline int64_t random_negative_binomial(uint64_t key, uint64_t position, T n, T p) {
  random_stream from{key, position};
  const T mean = exp(next_log_gamma(from, n)) * (T(1) - p) / p;
  return next_poisson(from, mean);
}

template <class T>
inline int64_t random_geometric(uint64_t key, uint64_t position, T p) {
  if (p >= T(1)) {
    return 1;
  }
  const T count = ceil(random_exponential<T>(key, position) / -log1p(-p));
  return count < T(1) ? 1 : count > T(0x1p62) ? int64_t(1) << 62 : int64_t(count);
}
