#include "vendors/onemkl_lapack.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "base/process.hpp"
#include "runtime/waits.hpp"
#include "usmx/array/submit.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"
#include "vendors/onemkl.hpp"

namespace usmx::inline v1::detail {
namespace gpu_lapack {
namespace {

using i64 = std::int64_t;
using events = std::vector<sycl::event>;

// The part of oneMKL's interface that is called (oneapi/mkl/lapack.hpp of its package
// onemkl-sycl-include). Its enumerations are one byte; pointers to elements are void* here.

enum class transpose : char { no = 0, yes = 1 };
enum class uplo : char { upper = 0, lower = 1 };
enum class job : char { values = 0, vectors = 1 };
enum class jobsvd : char { all = 1, some = 3 };

using getrf_room = i64 (*)(sycl::queue&, i64 m, i64 n, i64 lead);
using getrf = sycl::event (*)(sycl::queue&, i64 m, i64 n, void* a, i64 lead, i64* pivots,
                              void* space, i64 length, const events&);
using getrs_room = i64 (*)(sycl::queue&, transpose, i64 n, i64 columns, i64 lead, i64 lead_x);
using getrs = sycl::event (*)(sycl::queue&, transpose, i64 n, i64 columns, const void* a, i64 lead,
                              const i64* pivots, void* x, i64 lead_x, void* space, i64 length,
                              const events&);
using potrf_room = i64 (*)(sycl::queue&, uplo, i64 n, i64 lead);
using potrf = sycl::event (*)(sycl::queue&, uplo, i64 n, void* a, i64 lead, void* space, i64 length,
                              const events&);
using geqrf_room = i64 (*)(sycl::queue&, i64 m, i64 n, i64 lead);
using geqrf = sycl::event (*)(sycl::queue&, i64 m, i64 n, void* a, i64 lead, void* factors,
                              void* space, i64 length, const events&);
using orgqr_room = i64 (*)(sycl::queue&, i64 m, i64 n, i64 k, i64 lead);
using orgqr = sycl::event (*)(sycl::queue&, i64 m, i64 n, i64 k, void* a, i64 lead,
                              const void* factors, void* space, i64 length, const events&);
using syevd_room = i64 (*)(sycl::queue&, job, uplo, i64 n, i64 lead);
using syevd = sycl::event (*)(sycl::queue&, job, uplo, i64 n, void* a, i64 lead, void* values,
                              void* space, i64 length, const events&);
using gesvd_room = i64 (*)(sycl::queue&, jobsvd, jobsvd, i64 m, i64 n, i64 lead, i64 lead_u,
                           i64 lead_vh);
using gesvd = sycl::event (*)(sycl::queue&, jobsvd, jobsvd, i64 m, i64 n, void* a, i64 lead,
                              void* values, void* u, i64 lead_u, void* vh, i64 lead_vh, void* space,
                              i64 length, const events&);

/// The names that the library has for a function of real and of complex numbers. `@` stands for
/// the letter of the real type.
struct exported {
  const char* real;
  const char* complex;
};
#define USMX_LAPACK(rest) "_ZN6oneapi3mkl6lapack" rest
#define USMX_QUEUE "RN4sycl3_V15queueE"
#define USMX_ROOM(name, real_rest, complex_rest)                          \
  {USMX_LAPACK("21" name "_scratchpad_sizeI@PvEEl" USMX_QUEUE real_rest), \
   USMX_LAPACK("21" name "_scratchpad_sizeISt7complexI@EPvEEl" USMX_QUEUE complex_rest)}
constexpr exported getrf_room_names = USMX_ROOM("getrf", "lll", "lll");
constexpr exported getrf_names = {
    USMX_LAPACK("5getrfE" USMX_QUEUE "llP@lPlS6_lRKSt6vectorINS3_5eventESaIS9_EE"),
    USMX_LAPACK("5getrfE" USMX_QUEUE "llPSt7complexI@ElPlS8_lRKSt6vectorINS3_5eventESaISB_EE")};
constexpr exported getrs_room_names =
    USMX_ROOM("getrs", "NS0_9transposeEllll", "NS0_9transposeEllll");
constexpr exported getrs_names = {
    USMX_LAPACK("5getrsE" USMX_QUEUE
                "NS0_9transposeEllPK@lPKlP@lSB_lRKSt6vectorINS3_5eventESaISD_EE"),
    USMX_LAPACK("5getrsE" USMX_QUEUE
                "NS0_9transposeEllPKSt7complexI@ElPKlPS8_lSD_lRKSt6vectorINS3_5eventESaISF_EE")};
constexpr exported potrf_room_names = USMX_ROOM("potrf", "NS0_4uploEll", "NS0_4uploEll");
constexpr exported potrf_names = {
    USMX_LAPACK("5potrfE" USMX_QUEUE "NS0_4uploElP@lS7_lRKSt6vectorINS3_5eventESaIS9_EE"),
    USMX_LAPACK("5potrfE" USMX_QUEUE
                "NS0_4uploElPSt7complexI@ElS9_lRKSt6vectorINS3_5eventESaISB_EE")};
constexpr exported geqrf_room_names = USMX_ROOM("geqrf", "lll", "lll");
constexpr exported geqrf_names = {
    USMX_LAPACK("5geqrfE" USMX_QUEUE "llP@lS6_S6_lRKSt6vectorINS3_5eventESaIS8_EE"),
    USMX_LAPACK("5geqrfE" USMX_QUEUE "llPSt7complexI@ElS8_S8_lRKSt6vectorINS3_5eventESaISA_EE")};
constexpr exported orgqr_room_names = {
    USMX_LAPACK("21orgqr_scratchpad_sizeI@PvEEl" USMX_QUEUE "llll"),
    USMX_LAPACK("21ungqr_scratchpad_sizeISt7complexI@EPvEEl" USMX_QUEUE "llll")};
constexpr exported orgqr_names = {
    USMX_LAPACK("5orgqrE" USMX_QUEUE "lllP@lPK@S6_lRKSt6vectorINS3_5eventESaISA_EE"),
    USMX_LAPACK("5ungqrE" USMX_QUEUE "lllPSt7complexI@ElPKS7_S8_lRKSt6vectorINS3_5eventESaISC_EE")};
constexpr exported syevd_room_names = {
    USMX_LAPACK("21syevd_scratchpad_sizeI@PvEEl" USMX_QUEUE "NS0_3jobENS0_4uploEll"),
    USMX_LAPACK("21heevd_scratchpad_sizeISt7complexI@EPvEEl" USMX_QUEUE "NS0_3jobENS0_4uploEll")};
constexpr exported syevd_names = {
    USMX_LAPACK("5syevdE" USMX_QUEUE
                "NS0_3jobENS0_4uploElP@lS8_S8_lRKSt6vectorINS3_5eventESaISA_EE"),
    USMX_LAPACK("5heevdE" USMX_QUEUE
                "NS0_3jobENS0_4uploElPSt7complexI@ElP@SA_lRKSt6vectorINS3_5eventESaISD_EE")};
constexpr exported gesvd_room_names =
    USMX_ROOM("gesvd", "NS0_6jobsvdES8_lllll", "NS0_6jobsvdESA_lllll");
constexpr exported gesvd_names = {
    USMX_LAPACK("5gesvdE" USMX_QUEUE
                "NS0_6jobsvdES6_llP@lS7_S7_lS7_lS7_lRKSt6vectorINS3_5eventESaIS9_EE"),
    USMX_LAPACK("5gesvdE" USMX_QUEUE
                "NS0_6jobsvdES6_llPSt7complexI@ElP@S9_lS9_lS9_lRKSt6vectorINS3_5eventESaISC_EE")};

void* onemkl_lapack() {
  static constinit optional_library library(find_onemkl_lapack);
  return library.handle();
}

bool is_complex(type_code type) {
  return type == type_code::complex64 || type == type_code::complex128;
}
bool is_double(type_code type) {
  return type == type_code::float64 || type == type_code::complex128;
}

/// The function for elements of a type. Throws device_error if the library lacks it.
template <class Function>
Function function_for(const exported& names, type_code type) {
  std::string name = is_complex(type) ? names.complex : names.real;
  std::ranges::replace(name, '@', is_double(type) ? 'd' : 'f');
  void* const library = onemkl_lapack();
  if (library == nullptr) {
    throw device_error(
        message("oneMKL's LAPACK for GPUs cannot be used: ", find_onemkl_lapack().text));
  }
  void* const found = dlsym(library, name.c_str());
  if (found == nullptr) {
    throw device_error(
        message("oneMKL's LAPACK for GPUs lacks a function that usmx knows: ", name));
  }
  return reinterpret_cast<Function>(found);
}

// ---- calls

/// The matrices of an array, by columns.
struct matrices {
  std::byte* first;
  i64 rows;
  i64 columns;
  i64 nbytes;  // from one to the next

  std::byte* operator[](i64 index) const { return first + index * nbytes; }
};

matrices matrices_of(const array& a) {
  matrices of{internal::first_element(a), 1, 1, 0};
  of.rows = a.ndim() < 2 ? 1 : a.extent(a.ndim() - 1);
  of.columns = a.ndim() < 3 ? 1 : a.extent(1);
  of.nbytes = of.rows * of.columns * static_cast<i64>(a.type().itemsize());
  return of;
}

/// A call, and what its routine works on.
struct running {
  sycl::queue queue;
  type_code type;
  bool option;
  i64 count;
  std::vector<matrices> arrays;
  void* space = nullptr;
  i64 length = 0;  // of the space, in elements

  const matrices& operator[](std::size_t k) const { return arrays[k]; }
  uplo triangle() const { return option ? uplo::upper : uplo::lower; }
  jobsvd svd_job() const {
    return arrays[3].rows == arrays[0].columns && arrays[2].columns == arrays[0].rows
               ? jobsvd::all
               : jobsvd::some;
  }
};

i64* integers(std::byte* at) { return reinterpret_cast<i64*>(at); }

/// A routine: the forms of its arrays, the room that it asks for, and its run for one matrix.
struct row {
  std::string_view name;
  std::size_t arrays;
  std::optional<std::size_t> info;  // which array it is, if there is one
  i64 (*room)(running&);
  sycl::event (*run)(running&, i64 k, const events& before);
};

template <job wanted>
i64 room_of_eigenvalues(running& of) {
  return function_for<syevd_room>(syevd_room_names, of.type)(of.queue, wanted, of.triangle(),
                                                             of[0].rows, of[0].rows);
}
template <job wanted>
sycl::event run_eigenvalues(running& of, i64 k, const events& before) {
  return function_for<syevd>(syevd_names, of.type)(of.queue, wanted, of.triangle(), of[0].rows,
                                                   of[0][k], of[0].rows, of[1][k], of.space,
                                                   of.length, before);
}

constexpr row table[] = {
    {"lu", 3, 2,
     [](running& of) {
       return function_for<getrf_room>(getrf_room_names, of.type)(of.queue, of[0].rows,
                                                                  of[0].columns, of[0].rows);
     },
     [](running& of, i64 k, const events& before) {
       return function_for<getrf>(getrf_names, of.type)(of.queue, of[0].rows, of[0].columns,
                                                        of[0][k], of[0].rows, integers(of[1][k]),
                                                        of.space, of.length, before);
     }},
    {"lu_solve", 3, std::nullopt,
     [](running& of) {
       return function_for<getrs_room>(getrs_room_names, of.type)(
           of.queue, of.option ? transpose::yes : transpose::no, of[0].rows, of[2].columns,
           of[0].rows, of[2].rows);
     },
     [](running& of, i64 k, const events& before) {
       return function_for<getrs>(getrs_names, of.type)(
           of.queue, of.option ? transpose::yes : transpose::no, of[0].rows, of[2].columns,
           of[0][k], of[0].rows, integers(of[1][k]), of[2][k], of[2].rows, of.space, of.length,
           before);
     }},
    {"cholesky", 2, 1,
     [](running& of) {
       return function_for<potrf_room>(potrf_room_names, of.type)(of.queue, of.triangle(),
                                                                  of[0].rows, of[0].rows);
     },
     [](running& of, i64 k, const events& before) {
       return function_for<potrf>(potrf_names, of.type)(
           of.queue, of.triangle(), of[0].rows, of[0][k], of[0].rows, of.space, of.length, before);
     }},
    {"qr", 2, std::nullopt,
     [](running& of) {
       return function_for<geqrf_room>(geqrf_room_names, of.type)(of.queue, of[0].rows,
                                                                  of[0].columns, of[0].rows);
     },
     [](running& of, i64 k, const events& before) {
       return function_for<geqrf>(geqrf_names, of.type)(of.queue, of[0].rows, of[0].columns,
                                                        of[0][k], of[0].rows, of[1][k], of.space,
                                                        of.length, before);
     }},
    {"q", 2, std::nullopt,
     [](running& of) {
       return function_for<orgqr_room>(orgqr_room_names, of.type)(
           of.queue, of[0].rows, of[0].columns, of[1].rows, of[0].rows);
     },
     [](running& of, i64 k, const events& before) {
       return function_for<orgqr>(orgqr_names, of.type)(of.queue, of[0].rows, of[0].columns,
                                                        of[1].rows, of[0][k], of[0].rows, of[1][k],
                                                        of.space, of.length, before);
     }},
    {"eigh", 3, 2, &room_of_eigenvalues<job::vectors>, &run_eigenvalues<job::vectors>},
    {"eigvalsh", 3, 2, &room_of_eigenvalues<job::values>, &run_eigenvalues<job::values>},
    {"svd_steps", 5, 4,
     [](running& of) {
       return function_for<gesvd_room>(gesvd_room_names, of.type)(
           of.queue, of.svd_job(), of.svd_job(), of[0].rows, of[0].columns, of[0].rows, of[0].rows,
           of[3].rows);
     },
     [](running& of, i64 k, const events& before) {
       return function_for<gesvd>(gesvd_names, of.type)(
           of.queue, of.svd_job(), of.svd_job(), of[0].rows, of[0].columns, of[0][k], of[0].rows,
           of[1][k], of[2][k], of[0].rows, of[3][k], of[3].rows, of.space, of.length, before);
     }},
};

const row& row_named(std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &row::name);
  if (found == std::end(table)) {
    throw value_error(message("oneMKL has no routine ", quoted(name)));
  }
  return *found;
}

running data_of(const row& routine, const internal::solver_call& call) {
  if (call.arrays.size() != routine.arrays) {
    throw value_error(message(routine.name, ": expected ", routine.arrays, " arrays, found ",
                              call.arrays.size()));
  }
  const array& first = call.arrays.front();
  running of{internal::private_queue(first), first.type().code(), call.option, first.extent(0), {}};
  for (const array& each : call.arrays) {
    if (each.size() == 0 || each.extent(0) != of.count || !each.layout().is_c_contiguous() ||
        each.readonly()) {
      throw value_error(message(routine.name, ": an array does not fit, found shape ",
                                tuple_text(each.shape()), " of type ", each.type()));
    }
    of.arrays.push_back(matrices_of(each));
  }
  return of;
}

/// Whether the library says that a matrix has no result. usmx does not have the library's classes.
bool is_of_matrix(const std::exception& error) {
  return std::string_view(typeid(error).name()).find("computation_error") != std::string_view::npos;
}

/// Runs the routine for all matrices, one after the other: for each whether it has failed.
std::vector<std::int32_t> run_all(const row& routine, running& of, const events& before,
                                  sycl::event& done) {
  std::vector<std::int32_t> failed(static_cast<std::size_t>(of.count), 0);
  events earlier = before;
  for (i64 k = 0; k < of.count; ++k) {
    try {
      done = routine.run(of, k, earlier);
      earlier = {done};
    } catch (const std::exception& error) {
      if (!is_of_matrix(error)) {
        std::ranges::for_each(earlier, [](sycl::event& each) { each.wait(); });
        throw device_error(
            message("oneMKL cannot compute ", quoted(routine.name), ": ", error.what()));
      }
      failed[static_cast<std::size_t>(k)] = 1;
    }
  }
  return failed;
}

void run_call(const internal::solver_call& call) {
  const runtime_call runs;
  const row& routine = row_named(call.routine);
  running of = data_of(routine, call);
  of.length = std::max<i64>(routine.room(of), 1);
  const auto nbytes = checked_nbytes(of.length, dtype(of.type));
  const array space =
      internal::new_array(layout::c_order({static_cast<std::ptrdiff_t>(nbytes)}), type_code::uint8,
                          of.queue, usm_kind::device, 0, internal::first_use::in_order);
  of.space = internal::first_element(space);
  std::vector<array> written = call.arrays;
  written.push_back(space);
  std::vector<std::int32_t> failed;
  const auto start = [&](const events& before) {
    sycl::event last;
    failed = run_all(routine, of, before, last);
    return last;
  };
  wait_for(submit(of.queue, {}, written, std::function<sycl::event(const events&)>(start)));
  if (routine.info) {
    const std::array shape{static_cast<std::ptrdiff_t>(of.count)};
    const std::array steps{static_cast<std::ptrdiff_t>(sizeof(std::int32_t))};
    copy_from_host(host_array{reinterpret_cast<std::byte*>(failed.data()), int32, shape, steps},
                   call.arrays[*routine.info]);
  }
}

}  // namespace
}  // namespace gpu_lapack

bool has_onemkl_lapack() { return gpu_lapack::onemkl_lapack() != nullptr; }

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1::internal {

void run_onemkl_solver(const solver_call& call) { detail::gpu_lapack::run_call(call); }

}  // namespace usmx::inline v1::internal
