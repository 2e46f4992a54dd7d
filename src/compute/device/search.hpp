// Searching in sorted elements of type E, which ELEMENT makes of the array's. IS_BEFORE compares
// them with a value of type V.

/// The number of elements before the value, or before the first element after it.
template <class Sorted>
inline long position_in(const Sorted& sorted, V value, bool is_right) {
  long low = 0;
  long high = sorted.size();
  while (low < high) {
    const long middle = low + (high - low) / 2;
    const E element = ELEMENT(sorted[middle]);
    if (is_right ? !IS_BEFORE(value, element) : IS_BEFORE(element, value)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
