// Random numbers by counters: the generator Philox4x32-10 of J. K. Salmon and others (SC 2011). The
// numbers for an element depend on the seed and on its position alone, so that every device, layout
// and division of work gives the same ones.

struct random_words {
  uint32_t word[4];

  uint64_t pair(int which) const { return uint64_t(word[2 * which + 1]) << 32 | word[2 * which]; }
};

inline random_words philox(uint64_t key, uint64_t position, uint64_t attempt) {
  uint32_t c0 = uint32_t(position);
  uint32_t c1 = uint32_t(position >> 32);
  uint32_t c2 = uint32_t(attempt);
  uint32_t c3 = uint32_t(attempt >> 32);
  uint32_t k0 = uint32_t(key);
  uint32_t k1 = uint32_t(key >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t(0xd2511f53u) * c0;
    const uint64_t second = uint64_t(0xcd9e8d57u) * c2;
    const uint32_t next = uint32_t(second >> 32) ^ c1 ^ k0;
    c2 = uint32_t(first >> 32) ^ c3 ^ k1;
    c1 = uint32_t(second);
    c3 = uint32_t(first);
    c0 = next;
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  return {{c0, c1, c2, c3}};
}

/// A number from 0 on, below 1: all multiples of 2^-24 and 2^-53 are as likely.
template <class T>
inline T random_fraction(random_words from, int which = 0) {
  if constexpr (__is_same(T, float)) {
    return T(from.word[2 * which] >> 8) * T(0x1p-24f);
  } else {
    return T(from.pair(which) >> 11) * T(0x1p-53);
  }
}

// Roots and logarithms by additions and products alone, which have the same bits on every device.

/// 1 / sqrt(x), for normal numbers above 0: a guess, and four steps of Newton's method.
template <class T>
inline T reciprocal_root(T x) {
  T y;
  if constexpr (__is_same(T, float)) {
    y = __builtin_bit_cast(float, 0x5f3759dfu - (__builtin_bit_cast(uint32_t, x) >> 1));
  } else {
    y = __builtin_bit_cast(double, 0x5fe6eb50c7b537a9ul - (__builtin_bit_cast(uint64_t, x) >> 1));
  }
  for (int step = 0; step < 4; ++step) {
    y = y * (T(1.5) - T(0.5) * x * y * y);
  }
  return y;
}

/// -log(x), for normal numbers above 0 and below 1: m * 2^-e, and the series of 2 atanh for m.
template <class T>
inline T minus_log(T x) {
  T e = 0;
  for (; x < T(0x1p-16); e += T(16)) {
    x *= T(0x1p16);
  }
  for (; x < T(M_SQRT1_2); e += T(1)) {
    x *= T(2);
  }
  const T root = reciprocal_root(x + T(1));
  const T s = (x - T(1)) * root * root;
  constexpr T coefficients[] = {T(1. / 21), T(1. / 19), T(1. / 17), T(1. / 15),
                                T(1. / 13), T(1. / 11), T(1. / 9),  T(1. / 7),
                                T(1. / 5),  T(1. / 3),  T(1)};
  T sum = 0;
  for (T coefficient : coefficients) {
    sum = sum * s * s + coefficient;
  }
  return e * T(M_LN2) - T(2) * s * sum;
}

/// Takes a point of a circle (G. Marsaglia's polar method); one outside of it is drawn again.
template <class T>
inline T random_normal(uint64_t key, uint64_t position) {
  for (uint64_t attempt = 0;; ++attempt) {
    const random_words from = philox(key, position, attempt);
    const T x = T(2) * random_fraction<T>(from, 0) - T(1);
    const T y = T(2) * random_fraction<T>(from, 1) - T(1);
    const T size = x * x + y * y;
    if (size < T(1) && size > T(0)) {
      const T length = T(2) * minus_log(size);
      return x * length * reciprocal_root(size * length);
    }
  }
}

inline uint64_t high_word(uint64_t a, uint64_t b) {
  const uint64_t low = (a & 0xffffffff) * (b & 0xffffffff);
  const uint64_t one = (a >> 32) * (b & 0xffffffff) + (low >> 32);
  const uint64_t other = (a & 0xffffffff) * (b >> 32) + (one & 0xffffffff);
  return (a >> 32) * (b >> 32) + (one >> 32) + (other >> 32);
}

/// Below `count`, or any word if that is 0: by D. Lemire's multiplication, which draws again where
/// some numbers would be likelier.
inline uint64_t random_below(uint64_t key, uint64_t position, uint64_t count) {
  for (uint64_t attempt = 0;; ++attempt) {
    const random_words from = philox(key, position, attempt);
    if (count == 0) {
      return from.pair(0);
    }
    for (int which = 0; which < 2; ++which) {
      const uint64_t low = from.pair(which) * count;
      if (low >= count || low >= (uint64_t(0) - count) % count) {
        return high_word(from.pair(which), count);
      }
    }
  }
}
