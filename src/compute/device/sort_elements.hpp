// Elements that are sorted: alone, or with their indices in memory of bytes. X is their type.
// INDEX is the type of an index in a row. IS_BEFORE says whether `a` comes before `b`, and KEY is a
// word of the element `a`, of type W, whose order is that of the elements; BITS_OF_DIGIT says how
// many of its bits are a digit.
#pragma once
#include <preamble>

/// An element, and its index if that is asked for.
struct plain {
  X key;
  static plain first(const X* x, long k, long) { return {x[k]}; }
};
struct indexed {
  X key;
  INDEX index;
  static indexed first(const X* x, long k, long column) { return {x[k], INDEX(column)}; }
};

template <class E>
inline bool comes_before(const E& first, const E& second) {
  const X a = first.key;
  const X b = second.key;
  return IS_BEFORE;
}

inline W key_of(X a) { return KEY; }

constexpr unsigned digits = 1 << BITS_OF_DIGIT;
inline unsigned digit_of(X a, int shift) { return unsigned(key_of(a) >> shift) & (digits - 1); }

USMX_KERNEL(1) with_indices(const X* x, uint8_t* z, long columns) {
  reinterpret_cast<indexed*>(z)[global_id()] =
      indexed::first(x, global_id(), global_id() % columns);
}
USMX_KERNEL(1) indices_of(const uint8_t* x, long* z) {
  z[global_id()] = reinterpret_cast<const indexed*>(x)[global_id()].index;
}
