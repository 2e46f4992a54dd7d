// oneMKL's LAPACK of the host: its functions, and the matrices that it gets. Private to the
// library.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "usmx/base/error.hpp"
#include "usmx/layout/dtype.hpp"
#include "vendors/lapack.hpp"
#include "vendors/onemkl.hpp"

namespace usmx::inline v1::internal::host_lapack {

using std::ptrdiff_t;
using i64 = std::int64_t;

template <class T>
struct real_part_of {
  using type = T;
};
template <class T>
struct real_part_of<std::complex<T>> {
  using type = T;
};
template <class T>
using real_of = typename real_part_of<T>::type;
template <class T>
inline constexpr bool is_complex = !std::is_same_v<T, real_of<T>>;

template <class T>
T conjugate(T x) {
  if constexpr (is_complex<T>) {
    return std::conj(x);
  } else {
    return x;
  }
}

// ---- LAPACK's functions

/// The functions for an element type. All of their arguments are pointers.
struct lapack_functions {
  void* gelqf;
  void* gelsd;
  void* geev;
  void* gesdd;
  void* gesvd;
  void* getrf;
  void* getri;
  void* getrs;
  void* orglq;  // unglq of complex numbers
  void* potrf;
  void* syevd;  // heevd of complex numbers
};

inline std::optional<lapack_functions> functions_of(void* library, char letter,
                                                    bool is_complex_type) {
  bool has_all = true;
  const auto find = [&](const char* name) {
    void* const found = dlsym(library, detail::message(letter, name, "_64_").c_str());
    has_all = has_all && found != nullptr;
    return found;
  };
  const lapack_functions all = {find("gelqf"),
                                find("gelsd"),
                                find("geev"),
                                find("gesdd"),
                                find("gesvd"),
                                find("getrf"),
                                find("getri"),
                                find("getrs"),
                                find(is_complex_type ? "unglq" : "orglq"),
                                find("potrf"),
                                find(is_complex_type ? "heevd" : "syevd")};
  return has_all ? std::optional(all) : std::nullopt;
}

/// The functions for float32, float64, complex64 and complex128, in this order. Null where LAPACK
/// cannot be used.
inline const std::array<lapack_functions, 4>* lapack() {
  void* const library = detail::onemkl_host();
  if (library == nullptr) {
    return nullptr;
  }
  static const auto all = [library]() -> std::optional<std::array<lapack_functions, 4>> {
    std::array<lapack_functions, 4> found{};
    for (std::size_t k = 0; k < found.size(); ++k) {
      const auto functions = functions_of(library, "sdcz"[k], k >= 2);
      if (!functions) {
        return std::nullopt;
      }
      found[k] = *functions;
    }
    return found;
  }();
  return all ? &*all : nullptr;
}

/// While this lives, LAPACK computes what this thread calls on this thread alone. Its own threads
/// cost more than they help for little work, and milliseconds where the processors are busy.
class on_one_thread {
 public:
  on_one_thread() : before_(set_threads(1)) {}
  on_one_thread(const on_one_thread&) = delete;
  on_one_thread& operator=(const on_one_thread&) = delete;
  ~on_one_thread() { set_threads(before_); }

 private:
  static int set_threads(int count) {
    // The C function: the one in lower case is Fortran's, and takes a pointer.
    static const auto set =
        reinterpret_cast<int (*)(int)>(dlsym(detail::onemkl_host(), "MKL_Set_Num_Threads_Local"));
    return set == nullptr ? 0 : set(count);
  }

  int before_;
};

template <class T>
inline constexpr std::size_t type_index = (is_complex<T> ? 2 : 0) + (sizeof(real_of<T>) == 8);

template <class T>
const lapack_functions& functions() {
  return (*lapack())[type_index<T>];
}

template <class... Arguments>
void call(void* function, Arguments*... arguments) {
  reinterpret_cast<void (*)(Arguments*...)>(function)(arguments...);
}

// ---- operands

/// A matrix of an operand. A vector has one column, a number one row and one column.
struct matrix {
  std::byte* data;
  i64 rows;
  i64 columns;
  i64 down;    // from one row to the next, in elements
  i64 across;  // from one column to the next

  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
  matrix transposed() const { return {data, columns, rows, across, down}; }
};

/// The matrices of an array.
struct operand {
  matrix first;
  i64 itemsize;
  type_code type;
  std::vector<ptrdiff_t> steps;  // in each dimension of the stack, in elements
};

struct problem {
  std::vector<ptrdiff_t> stack;
  std::vector<operand> in;
  std::vector<operand> out;
  bool option;
  double tolerance;
  shared_fate fate;

  ptrdiff_t count() const {
    return std::accumulate(stack.begin(), stack.end(), ptrdiff_t{1}, std::multiplies<>());
  }
};

/// The matrix of a given number in the stack.
inline matrix matrix_at(const operand& of, std::span<const ptrdiff_t> stack, ptrdiff_t index) {
  ptrdiff_t offset = 0;
  for (std::size_t k = stack.size(); k-- > 0; index /= stack[k]) {
    offset += index % stack[k] * of.steps[k];
  }
  matrix result = of.first;
  result.data += offset * of.itemsize;
  return result;
}

template <class T, class Change>
void copy_elements(const matrix& from, const matrix& to, const Change& change) {
  constexpr i64 tile = 32;  // both a row and a column of it stay in the cache
  const T* const source = from.as<T>();
  T* const target = to.as<T>();
  for (i64 top = 0; top < from.rows; top += tile) {
    for (i64 left = 0; left < from.columns; left += tile) {
      for (i64 i = top; i < std::min(top + tile, from.rows); ++i) {
        for (i64 j = left; j < std::min(left + tile, from.columns); ++j) {
          target[i * to.down + j * to.across] = change(source[i * from.down + j * from.across]);
        }
      }
    }
  }
}

/// Copies a matrix of the same shape.
template <class T>
void copy_matrix(const matrix& from, const matrix& to) {
  if (from.across != 1 || to.across != 1) {
    copy_elements<T>(from, to, [](T x) { return x; });
    return;
  }
  const i64 count = from.columns * static_cast<i64>(sizeof(T));
  if (from.down == from.columns && to.down == to.columns) {
    std::memcpy(to.data, from.data, static_cast<std::size_t>(from.rows * count));
    return;
  }
  for (i64 i = 0; i < from.rows; ++i) {
    std::memcpy(to.as<T>() + i * to.down, from.as<T>() + i * from.down,
                static_cast<std::size_t>(count));
  }
}

/// A workspace as a matrix by rows.
template <class T>
matrix by_rows(T* data, i64 rows, i64 columns) {
  return {reinterpret_cast<std::byte*>(data), rows, columns, columns, 1};
}

template <class T>
bool is_finite(T x) {
  if constexpr (is_complex<T>) {
    return std::isfinite(x.real()) && std::isfinite(x.imag());
  } else {
    return std::isfinite(x);
  }
}

template <class T>
bool are_finite(const std::vector<T>& elements) {
  return std::ranges::all_of(elements, is_finite<T>);
}

}  // namespace usmx::inline v1::internal::host_lapack
