// The routines of linear algebra: made once for some matrices of a stack, with their workspace, and
// then called for each. Private to the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "vendors/lapack_functions.hpp"

// LAPACK stores matrices by columns, arrays by rows: it sees the transpose t of each matrix a. The
// routines below are those for t whose results, read by rows, are those for a. So few matrices are
// transposed: where LAPACK has the result by columns in any case.

namespace usmx::inline v1::internal::host_lapack {

// They return LAPACK's `info`: 0, or above 0 where the method fails. `not_finite` is a row's own.

inline constexpr i64 not_finite = -1000;
inline constexpr i64 ask_for_size = -1;
inline constexpr i64 one = 1;

inline std::size_t extent(i64 n) { return static_cast<std::size_t>(n); }

/// Makes room for as many elements as LAPACK has asked for.
template <class T>
void make_room(std::vector<T>& space, T asked) {
  space.resize(std::max<std::size_t>(1, static_cast<std::size_t>(std::real(asked))));
}

using matrices = std::span<const matrix>;

/// The factors of t = a^T.
template <class T>
class factors {
 public:
  explicit factors(i64 n) : n_(n), elements_(extent(n * n)), pivots_(extent(n)) {}

  i64 factor(const matrix& a) {
    copy_matrix<T>(a, by_rows(elements_.data(), n_, n_));
    return factor_in_place(elements_.data());
  }
  i64 factor_in_place(T* t) {
    i64 info = 0;
    call(functions<T>().getrf, &n_, &n_, t, &n_, pivots_.data(), &info);
    return info;
  }
  T* elements() { return elements_.data(); }
  i64* pivots() { return pivots_.data(); }
  T diagonal(i64 i) const { return elements_[extent(i * n_ + i)]; }
  bool is_odd() const {
    bool odd = false;
    for (i64 i = 0; i < n_; ++i) {
      odd ^= pivots_[extent(i)] != i + 1;
    }
    return odd;
  }

 private:
  i64 n_;
  std::vector<T> elements_;
  std::vector<i64> pivots_;
};

template <class T>
class solve {
 public:
  explicit solve(const problem& of)
      : n_(of.in[0].first.rows),
        columns_(of.in[1].first.columns),
        lu_(n_),
        right_(columns_ == 1 ? 0 : extent(n_ * columns_)) {}

  i64 operator()(matrices in, matrices out) {
    // The transpose of a matrix that lies by columns lies by rows.
    const bool lies_by_columns = in[0].down == 1 && in[0].across != 1;
    const i64 info = lu_.factor(lies_by_columns ? in[0].transposed() : in[0]);
    if (info != 0) {
      return info;
    }
    T* const x = columns_ == 1 ? out[0].as<T>() : right_.data();
    const matrix by_columns = by_rows(x, columns_, n_).transposed();
    copy_matrix<T>(in[1], columns_ == 1 ? out[0] : by_columns);
    i64 unused = 0;
    call(functions<T>().getrs, lies_by_columns ? "N" : "T", &n_, &columns_, lu_.elements(), &n_,
         lu_.pivots(), x, &n_, &unused);
    if (columns_ != 1) {
      copy_matrix<T>(by_columns, out[0]);
    }
    return 0;
  }

 private:
  i64 n_;
  i64 columns_;
  factors<T> lu_;
  std::vector<T> right_;
};

template <class T>
class inv {
 public:
  explicit inv(const problem& of) : n_(of.in[0].first.rows), pivots_(extent(n_)) {
    T size{};
    i64 info = 0;
    call(functions<T>().getri, &n_, &size, &n_, pivots_.data(), &size, &ask_for_size, &info);
    make_room(space_, size);
  }

  i64 operator()(matrices in, matrices out) {
    T* const t = out[0].as<T>();
    copy_matrix<T>(in[0], out[0]);
    i64 info = 0;
    const i64 length = static_cast<i64>(space_.size());
    call(functions<T>().getrf, &n_, &n_, t, &n_, pivots_.data(), &info);
    if (info == 0) {
      call(functions<T>().getri, &n_, t, &n_, pivots_.data(), space_.data(), &length, &info);
    }
    return info;
  }

 private:
  i64 n_;
  std::vector<i64> pivots_;
  std::vector<T> space_;
};

template <class T>
class det {
 public:
  explicit det(const problem& of) : n_(of.in[0].first.rows), lu_(n_) {}

  i64 operator()(matrices in, matrices out) {
    lu_.factor(in[0]);
    T product = lu_.is_odd() ? T(-1) : T(1);
    for (i64 i = 0; i < n_; ++i) {
      product *= lu_.diagonal(i);
    }
    *out[0].as<T>() = is_normal(product) ? product : scaled_product();
    return 0;
  }

 private:
  static real_of<T> size_of(T x) {
    return std::max(std::abs(std::real(x)), std::abs(std::imag(x)));
  }
  static bool is_normal(T x) { return std::isnormal(size_of(x)); }
  static T scaled(T x, int exponent) {
    if constexpr (is_complex<T>) {
      return {std::scalbn(x.real(), exponent), std::scalbn(x.imag(), exponent)};
    } else {
      return std::scalbn(x, exponent);
    }
  }

  /// The product with an exponent of its own, as its steps may leave the range of the type.
  T scaled_product() const {
    T product = lu_.is_odd() ? T(-1) : T(1);
    int exponent = 0;
    for (i64 i = 0; i < n_; ++i) {
      product *= lu_.diagonal(i);
      if (is_normal(product)) {
        const int shift = std::ilogb(size_of(product));
        product = scaled(product, -shift);
        exponent += shift;
      }
    }
    return scaled(product, exponent);
  }

  i64 n_;
  factors<T> lu_;
};

template <class T>
class slogdet {
 public:
  explicit slogdet(const problem& of) : n_(of.in[0].first.rows), lu_(n_) {}

  i64 operator()(matrices in, matrices out) {
    lu_.factor(in[0]);
    T sign = lu_.is_odd() ? T(-1) : T(1);
    real_of<T> logarithm = 0;
    for (i64 i = 0; i < n_; ++i) {
      const T each = lu_.diagonal(i);
      const real_of<T> size = std::abs(each);
      sign = size == 0 ? T(0) : sign * (each / size);
      logarithm += std::log(size);
    }
    *out[0].as<T>() = sign;
    *out[1].as<real_of<T>>() = logarithm;
    return 0;
  }

 private:
  i64 n_;
  factors<T> lu_;
};

template <class T>
class cholesky {
 public:
  explicit cholesky(const problem& of) : n_(of.in[0].first.rows), is_upper_(of.option) {}

  i64 operator()(matrices in, matrices out) {
    T* const t = out[0].as<T>();
    copy_matrix<T>(in[0], out[0]);
    i64 info = 0;
    call(functions<T>().potrf, is_upper_ ? "L" : "U", &n_, t, &n_, &info);
    for (i64 i = 0; i < n_; ++i) {
      T* const row = t + i * n_;
      std::fill(is_upper_ ? row : row + i + 1, is_upper_ ? row + i : row + n_, T(0));
    }
    return info;
  }

 private:
  i64 n_;
  bool is_upper_;
};

/// t = L Q, so a = Q^T L^T. The outputs are those of a mode: q and r; r; or Householder's vectors
/// as LAPACK has them, and tau.
template <class T>
class qr {
 public:
  explicit qr(const problem& of)
      : m_(of.in[0].first.rows),
        n_(of.in[0].first.columns),
        least_(std::min(m_, n_)),
        elements_(extent(m_ * n_)),
        tau_(extent(least_)) {
    T size{};
    i64 info = 0;
    call(functions<T>().gelqf, &n_, &m_, &size, &n_, &size, &size, &ask_for_size, &info);
    make_room(space_, size);
    if (of.out.size() == 2) {
      kept_ = of.out[0].first.columns;
      call(functions<T>().orglq, &kept_, &m_, &least_, &size, &kept_, &size, &size, &ask_for_size,
           &info);
      const std::size_t before = space_.size();
      make_room(space_, size);
      space_.resize(std::max(before, space_.size()));
    }
  }

  i64 operator()(matrices in, matrices out) {
    const i64 info = factor(in[0]);
    write_upper(out.back());
    if (out.size() == 2) {
      make_q(out[0]);
    }
    return info;
  }

 protected:
  i64 factor(const matrix& a) {
    copy_matrix<T>(a, by_rows(elements_.data(), m_, n_));
    i64 info = 0;
    const i64 length = static_cast<i64>(space_.size());
    call(functions<T>().gelqf, &n_, &m_, elements_.data(), &n_, tau_.data(), space_.data(), &length,
         &info);
    return info;
  }

  i64 m_;
  i64 n_;
  i64 least_;
  std::vector<T> elements_;
  std::vector<T> tau_;

 private:
  void write_upper(const matrix& r) {
    for (i64 i = 0; i < r.rows; ++i) {
      T* const row = r.as<T>() + i * n_;
      const T* const from = elements_.data() + i * n_;
      std::fill(row, row + std::min(i, n_), T(0));
      std::copy(from + std::min(i, n_), from + n_, row + std::min(i, n_));
    }
  }
  void make_q(const matrix& q) {
    for (i64 j = 0; j < m_; ++j) {
      const T* const from = elements_.data() + j * n_;
      std::copy(from, from + least_, q.as<T>() + j * kept_);
    }
    i64 info = 0;
    const i64 length = static_cast<i64>(space_.size());
    call(functions<T>().orglq, &kept_, &m_, &least_, q.as<T>(), &kept_, tau_.data(), space_.data(),
         &length, &info);
  }

  i64 kept_ = 0;
  std::vector<T> space_;
};

template <class T>
class qr_raw : public qr<T> {
 public:
  explicit qr_raw(const problem& of) : qr<T>(of) {}

  i64 operator()(matrices in, matrices out) {
    const i64 info = this->factor(in[0]);
    copy_matrix<T>(by_rows(this->elements_.data(), this->m_, this->n_).transposed(), out[0]);
    std::ranges::transform(this->tau_, out[1].as<T>(), conjugate<T>);
    return info;
  }
};

/// The outputs are the values, and the vectors unless only the values are wanted.
template <class T>
class eigh {
 public:
  explicit eigh(const problem& of)
      : n_(of.in[0].first.rows),
        job_(of.out.size() == 2 ? "V" : "N"),
        is_upper_(of.option),
        elements_(extent(n_ * n_)),
        integers_(1),
        reals_(1) {
    T size{};
    real_of<T> real_size{};
    i64 integers = 0;
    space_.resize(1);
    run(nullptr, &size, ask_for_size, &real_size, ask_for_size, &integers, ask_for_size);
    make_room(space_, size);
    make_room(reals_, real_size);
    integers_.resize(std::max<std::size_t>(1, extent(integers)));
  }

  i64 operator()(matrices in, matrices out) {
    const matrix t = by_rows(elements_.data(), n_, n_);
    copy_matrix<T>(in[0], t);
    if (!is_triangle_finite()) {
      return not_finite;
    }
    const i64 info =
        run(out[0].as<real_of<T>>(), space_.data(), static_cast<i64>(space_.size()), reals_.data(),
            static_cast<i64>(reals_.size()), integers_.data(), static_cast<i64>(integers_.size()));
    if (out.size() == 2) {
      copy_elements<T>(t.transposed(), out[1], conjugate<T>);
    }
    return info;
  }

 private:
  i64 run(real_of<T>* values, T* space, i64 length, real_of<T>* reals, i64 real_length,
          i64* integers, i64 integer_length) {
    i64 info = 0;
    const char* const triangle = is_upper_ ? "L" : "U";
    void* const function = functions<T>().syevd;
    if constexpr (is_complex<T>) {
      call(function, job_, triangle, &n_, elements_.data(), &n_, values, space, &length, reals,
           &real_length, integers, &integer_length, &info);
    } else {
      call(function, job_, triangle, &n_, elements_.data(), &n_, values, space, &length, integers,
           &integer_length, &info);
    }
    return info;
  }
  bool is_triangle_finite() const {
    for (i64 i = 0; i < n_; ++i) {
      const T* const row = elements_.data() + i * n_;
      if (!std::all_of(is_upper_ ? row + i : row, is_upper_ ? row + n_ : row + i + 1,
                       is_finite<T>)) {
        return false;
      }
    }
    return true;
  }

  i64 n_;
  const char* job_;
  bool is_upper_;
  std::vector<T> elements_;
  std::vector<T> space_;
  std::vector<i64> integers_;
  std::vector<real_of<T>> reals_;
};

/// t = (Vh^T) S (U^T): what LAPACK calls U is Vh by rows, and the other way round. The outputs are
/// u, s and vh; or s.
template <class T>
class svd {
 public:
  explicit svd(const problem& of)
      : m_(of.in[0].first.rows),
        n_(of.in[0].first.columns),
        least_(std::min(m_, n_)),
        job_(of.out.size() == 1 ? "N"
             : of.option        ? "A"
                                : "S"),
        rows_of_v_(of.option ? m_ : least_),
        elements_(extent(m_ * n_)),
        integers_(extent(8 * least_)) {
    if constexpr (is_complex<T>) {
      const i64 most = std::max(m_, n_);
      reals_.resize(extent(std::max(5 * least_ * least_ + 7 * least_,
                                    2 * most * least_ + 2 * least_ * least_ + least_)));
    }
    T size{};
    decompose(nullptr, nullptr, nullptr, &size, ask_for_size);
    make_room(space_, size);
  }

  i64 operator()(matrices in, matrices out) {
    load(in[0]);
    if (!are_finite(elements_)) {
      return not_finite;
    }
    T* const u = out.size() == 1 ? nullptr : out[2].as<T>();
    T* const v = out.size() == 1 ? nullptr : out[0].as<T>();
    auto* const s = out[out.size() == 1 ? 0 : 1].template as<real_of<T>>();
    i64 info = decompose(s, u, v, space_.data(), static_cast<i64>(space_.size()));
    if (info != 0) {  // the method of more steps, which converges for more matrices
      load(in[0]);
      T size{};
      decompose_by_steps(s, u, v, &size, ask_for_size);
      std::vector<T> space;
      make_room(space, size);
      info = decompose_by_steps(s, u, v, space.data(), static_cast<i64>(space.size()));
    }
    return info;
  }

 private:
  void load(const matrix& a) { copy_matrix<T>(a, by_rows(elements_.data(), m_, n_)); }

  i64 decompose(real_of<T>* s, T* u, T* v, T* space, i64 length) {
    i64 info = 0;
    void* const function = functions<T>().gesdd;
    if constexpr (is_complex<T>) {
      call(function, job_, &n_, &m_, elements_.data(), &n_, s, u, &n_, v, &rows_of_v_, space,
           &length, reals_.data(), integers_.data(), &info);
    } else {
      call(function, job_, &n_, &m_, elements_.data(), &n_, s, u, &n_, v, &rows_of_v_, space,
           &length, integers_.data(), &info);
    }
    return info;
  }
  i64 decompose_by_steps(real_of<T>* s, T* u, T* v, T* space, i64 length) {
    i64 info = 0;
    void* const function = functions<T>().gesvd;
    if constexpr (is_complex<T>) {
      call(function, job_, job_, &n_, &m_, elements_.data(), &n_, s, u, &n_, v, &rows_of_v_, space,
           &length, reals_.data(), &info);
    } else {
      call(function, job_, job_, &n_, &m_, elements_.data(), &n_, s, u, &n_, v, &rows_of_v_, space,
           &length, &info);
    }
    return info;
  }

  i64 m_;
  i64 n_;
  i64 least_;
  const char* job_;
  i64 rows_of_v_;
  std::vector<T> elements_;
  std::vector<T> space_;
  std::vector<i64> integers_;
  std::vector<real_of<T>> reals_;
};

/// The outputs are complex: the values, and the vectors unless only the values are wanted.
template <class T>
class eig {
  using real = real_of<T>;
  using complex = std::complex<real>;

 public:
  explicit eig(const problem& of)
      : n_(of.in[0].first.rows),
        job_(of.out.size() == 2 ? "V" : "N"),
        elements_(extent(n_ * n_)),
        vectors_(of.out.size() == 2 ? extent(n_ * n_) : 1),
        values_(extent(n_)),
        reals_(extent(2 * n_)) {
    T size{};
    run(&size, ask_for_size);
    make_room(space_, size);
  }

  i64 operator()(matrices in, matrices out) {
    copy_matrix<T>(in[0], by_rows(elements_.data(), n_, n_).transposed());
    if (!are_finite(elements_)) {
      return not_finite;
    }
    const i64 info = run(space_.data(), static_cast<i64>(space_.size()));
    complex* const values = out[0].as<complex>();
    for (i64 k = 0; k < n_; ++k) {
      if constexpr (is_complex<T>) {
        values[k] = values_[extent(k)];
      } else {
        values[k] = {reals_[extent(k)], reals_[extent(n_ + k)]};
      }
    }
    if (out.size() == 2) {
      write_vectors(values, out[1].as<complex>());
    }
    return info;
  }

 private:
  i64 run(T* space, i64 length) {
    i64 info = 0;
    T none{};
    void* const function = functions<T>().geev;
    if constexpr (is_complex<T>) {
      call(function, "N", job_, &n_, elements_.data(), &n_, values_.data(), &none, &one,
           vectors_.data(), &n_, space, &length, reals_.data(), &info);
    } else {
      call(function, "N", job_, &n_, elements_.data(), &n_, reals_.data(), reals_.data() + n_,
           &none, &one, vectors_.data(), &n_, space, &length, &info);
    }
    return info;
  }
  /// LAPACK has the real and the imaginary part of a pair of real matrices' vectors as two columns.
  void write_vectors(const complex* values, complex* to) const {
    for (i64 k = 0; k < n_; ++k) {
      const T* const column = vectors_.data() + k * n_;
      const bool is_pair = !is_complex<T> && std::imag(values[k]) != 0 && k + 1 < n_;
      for (i64 i = 0; i < n_; ++i) {
        if constexpr (is_complex<T>) {
          to[i * n_ + k] = column[i];
        } else if (is_pair) {
          to[i * n_ + k] = {column[i], column[n_ + i]};
          to[i * n_ + k + 1] = {column[i], -column[n_ + i]};
        } else {
          to[i * n_ + k] = column[i];
        }
      }
      k += is_pair ? 1 : 0;
    }
  }

  i64 n_;
  const char* job_;
  std::vector<T> elements_;
  std::vector<T> vectors_;
  std::vector<T> values_;
  std::vector<real> reals_;
  std::vector<T> space_;
};

/// Least squares by singular values. The outputs are x, the sums of the squares of what is left,
/// the rank and the singular values.
template <class T>
class lstsq {
  using real = real_of<T>;

 public:
  explicit lstsq(const problem& of)
      : m_(of.in[0].first.rows),
        n_(of.in[0].first.columns),
        columns_(of.in[1].first.columns),
        longer_(std::max(m_, n_)),
        tolerance_(static_cast<real>(of.tolerance)),
        elements_(extent(m_ * n_)),
        right_(extent(longer_ * columns_)),
        integers_(1),
        reals_(1) {
    T size{};
    i64 rank = 0;
    run(nullptr, &rank, &size, ask_for_size);
    make_room(space_, size);
    integers_.resize(std::max<std::size_t>(1, extent(integers_[0])));
    make_room(reals_, real(reals_[0]));
  }

  i64 operator()(matrices in, matrices out) {
    copy_matrix<T>(in[0], by_rows(elements_.data(), n_, m_).transposed());
    matrix right = by_rows(right_.data(), columns_, longer_).transposed();
    right.rows = m_;
    copy_matrix<T>(in[1], right);
    if (!are_finite(elements_)) {
      return not_finite;
    }
    const i64 info =
        run(out[3].as<real>(), out[2].as<i64>(), space_.data(), static_cast<i64>(space_.size()));
    right.rows = n_;
    copy_matrix<T>(right, out[0]);
    for (i64 k = 0; k < columns_; ++k) {
      real sum = 0;
      for (i64 i = n_; i < m_; ++i) {
        sum += std::norm(right_[extent(k * longer_ + i)]);
      }
      out[1].as<real>()[k] = sum;
    }
    return info;
  }

 private:
  i64 run(real* s, i64* rank, T* space, i64 length) {
    i64 info = 0;
    void* const function = functions<T>().gelsd;
    if constexpr (is_complex<T>) {
      call(function, &m_, &n_, &columns_, elements_.data(), &m_, right_.data(), &longer_, s,
           &tolerance_, rank, space, &length, reals_.data(), integers_.data(), &info);
    } else {
      call(function, &m_, &n_, &columns_, elements_.data(), &m_, right_.data(), &longer_, s,
           &tolerance_, rank, space, &length, integers_.data(), &info);
    }
    return info;
  }

  i64 m_;
  i64 n_;
  i64 columns_;
  i64 longer_;
  real tolerance_;
  std::vector<T> elements_;
  std::vector<T> right_;
  std::vector<T> space_;
  std::vector<i64> integers_;
  std::vector<real> reals_;
};

}  // namespace usmx::inline v1::internal::host_lapack
