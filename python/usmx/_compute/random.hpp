// Random numbers by counters: the generator Philox4x32-10 of J. K. Salmon and others (SC 2011). The
// numbers for an element depend on the seed and on its place alone, so that every device, layout
// and division of work gives the same ones.

struct random_words {
  uint32_t word[4];

  uint64_t pair(int which) const { return uint64_t(word[2 * which + 1]) << 32 | word[2 * which]; }
};

inline random_words philox(uint64_t key, uint64_t place, uint64_t attempt) {
  uint32_t c0 = uint32_t(place);
  uint32_t c1 = uint32_t(place >> 32);
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

/// From 0 on, below 1: all multiples of 2^-24 and 2^-53 as likely.
template <class T>
inline T random_fraction(random_words from) {
  if constexpr (__is_same(T, float)) {
    return T(from.word[0] >> 8) * T(0x1p-24f);
  } else {
    return T(from.pair(0) >> 11) * T(0x1p-53);
  }
}

/// By the inverse of the distribution: one word is the sign, others the probability of the tail.
template <class T>
inline T random_normal(random_words from) {
  T outside;
  if constexpr (__is_same(T, float)) {
    outside = (T(from.word[0]) + T(0.5)) * T(0x1p-32f);
  } else {
    outside = (T(from.pair(0) >> 12) + T(0.5)) * T(0x1p-52);
  }
  const T magnitude = T(M_SQRT2) * erfcinv(outside);
  return from.word[2] & 1 ? magnitude : -magnitude;
}

inline uint64_t high_word(uint64_t a, uint64_t b) {
  const uint64_t low = (a & 0xffffffff) * (b & 0xffffffff);
  const uint64_t one = (a >> 32) * (b & 0xffffffff) + (low >> 32);
  const uint64_t other = (a & 0xffffffff) * (b >> 32) + (one & 0xffffffff);
  return (a >> 32) * (b >> 32) + (one >> 32) + (other >> 32);
}

/// Below `count`, or any word if that is 0: by D. Lemire's multiplication, which draws again where
/// some numbers would be likelier.
inline uint64_t random_below(uint64_t key, uint64_t place, uint64_t count) {
  for (uint64_t attempt = 0;; ++attempt) {
    const random_words from = philox(key, place, attempt);
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
