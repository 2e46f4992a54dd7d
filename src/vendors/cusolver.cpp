#include "vendors/cusolver.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <sycl/backend.hpp>
#include <sycl/queue.hpp>

#include "array/array.hpp"
#include "array/submission.hpp"
#include "base/messages.hpp"
#include "base/process.hpp"
#include "base/ranked_mutex.hpp"
#include "runtime/drivers/cuda.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"
#include "vendors/cublas.hpp"
#include "vendors/cusolver_functions.hpp"
#include "vendors/toolkit.hpp"

namespace usmx::inline v1::detail {
namespace {

constexpr toolkit_library cusolver_files{
    {{"libcusolver.so.12", "nvidia/cu13/lib"}, {"libcusolver.so.11", "nvidia/cusolver/lib"}}};

/// Null where the library, or one of its functions, is missing.
const cusolver_functions* cusolver() {
  static constinit optional_library search(find_cusolver);
  void* const loaded = search.handle();
  if (loaded == nullptr) {
    return nullptr;
  }
  static const auto all = cusolver_functions::of(loaded);
  return all ? &*all : nullptr;
}

/// Handles that one device needs for the calls; it lives for ever, as its kernels do.
struct solver_handles {
  cusolver_functions::handle solver = nullptr;
  cusolver_functions::parameters parameters = nullptr;
  cusolver_functions::jacobi jacobi = nullptr;
  cusolver_functions::jacobi jacobi_of_eigenvalues = nullptr;
  std::optional<CUstream> stream = {};
};

/// The handles of all devices. One has one stream at a time, so threads take turns.
struct all_solver_handles {
  ranked_mutex<lock_rank::cusolver> mutex;
  std::map<CUdevice, solver_handles> all;  // entries stay where they are
};
all_solver_handles& all_handles() { return immortal<all_solver_handles>(); }

void require(int status, const char* what) {
  if (status == 2) {  // CUSOLVER_STATUS_ALLOC_FAILED
    throw allocation_error(message("cuSOLVER has no memory to ", what));
  }
  if (status != 0) {
    throw device_error(message("cuSOLVER cannot ", what, ": its status is ", status));
  }
}

/// Under the mutex, with the device's context.
solver_handles& handles_of(CUdevice device) {
  solver_handles& found = all_handles().all[device];
  const cusolver_functions& functions = *cusolver();
  if (found.solver == nullptr) {
    require(functions.create(&found.solver), "make a handle");
  }
  if (found.parameters == nullptr) {
    require(functions.create_parameters(&found.parameters), "make parameters");
  }
  if (found.jacobi == nullptr) {
    require(functions.create_jacobi(&found.jacobi), "make parameters");
  }
  if (found.jacobi_of_eigenvalues == nullptr) {
    require(functions.create_jacobi_of_eigenvalues(&found.jacobi_of_eigenvalues),
            "make parameters");
    wait_for_setup();
  }
  return found;
}

// ---- operands

using internal::solver_call;
using std::ptrdiff_t;

/// The matrices of an array, by columns.
struct matrices {
  std::byte* first = nullptr;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t nbytes = 0;  // from one to the next

  std::byte* operator[](std::int64_t index) const { return first + index * nbytes; }
};

enum class element : std::uint8_t { same, real, integer, pivot };

/// The form of an array of a routine: the extents of each matrix as letters, by columns first, and
/// the type. 'n' is what the first array has in its last dimension, 'm' in the one before, 'k' the
/// less of both, and '*' anything.
struct operand_form {
  std::string_view extents;
  element type;
};

struct call_data {
  const solver_call* call;
  std::size_t type;  // in the order of the tables: float32, float64, complex64, complex128
  std::int64_t count;
  std::vector<matrices> arrays;
  bool takes_stacks;  // pivots are int32

  const matrices& operator[](std::size_t k) const { return arrays[k]; }
  int data_type() const {  // cudaDataType
    constexpr int types[] = {0, 1, 4, 5};
    return types[type];
  }
  int real_data_type() const { return static_cast<int>(type % 2); }
};

std::size_t type_index_of(type_code type) {
  constexpr type_code types[] = {type_code::float32, type_code::float64, type_code::complex64,
                                 type_code::complex128};
  const auto* const found = std::ranges::find(types, type);
  if (found == std::end(types)) {
    throw type_error(message("cuSOLVER has no elements of type ", dtype(type)));
  }
  return static_cast<std::size_t>(found - types);
}

bool is_type(type_code type, element wanted, std::size_t index) {
  constexpr type_code types[] = {type_code::float32, type_code::float64, type_code::complex64,
                                 type_code::complex128};
  switch (wanted) {
    case element::same:
      return type == types[index];
    case element::real:
      return type == types[index % 2];
    case element::integer:
      return type == type_code::int32;
    case element::pivot:
      return type == type_code::int32 || type == type_code::int64;
  }
  return false;
}

/// Checks the arrays of a call.
call_data data_of(const solver_call& call, std::span<const operand_form> forms) {
  const std::string what(call.routine);
  if (call.arrays.size() != forms.size()) {
    throw value_error(
        message(what, ": expected ", forms.size(), " arrays, found ", call.arrays.size()));
  }
  const array& first = call.arrays.front();
  if (first.ndim() != 3) {
    throw value_error(message(what, ": expected 3 dimensions, found ", first.ndim()));
  }
  call_data made{&call, type_index_of(first.type().code()), first.extent(0), {}, false};
  const ptrdiff_t m = first.extent(1);
  const ptrdiff_t n = first.extent(2);
  for (std::size_t k = 0; k < forms.size(); ++k) {
    const array& a = call.arrays[k];
    const std::string_view extents = forms[k].extents;
    bool fits = a.ndim() == static_cast<int>(extents.size()) + 1 && a.size() > 0 &&
                a.extent(0) == first.extent(0) && a.layout().is_c_contiguous() && !a.readonly() &&
                is_type(a.type().code(), forms[k].type, made.type);
    for (std::size_t axis = 0; fits && axis < extents.size(); ++axis) {
      const ptrdiff_t found = a.extent(static_cast<int>(axis) + 1);
      const char letter = extents[axis];
      fits = letter == '*' || found == (letter == 'n' ? n : letter == 'm' ? m : std::min(m, n));
    }
    if (!fits) {
      throw value_error(message(what, ": the array ", k, " does not fit, found shape ",
                                tuple_text(a.shape()), " of type ", a.type()));
    }
    matrices of{internal::first_element(a), 1, 1, 0};
    of.rows = extents.empty() ? 1 : a.extent(a.ndim() - 1);
    of.columns = extents.size() < 2 ? 1 : a.extent(1);
    of.nbytes = of.rows * of.columns * static_cast<std::int64_t>(a.type().itemsize());
    made.arrays.push_back(of);
    made.takes_stacks = made.takes_stacks ||
                        (forms[k].type == element::pivot && a.type().code() == type_code::int32);
  }
  return made;
}

/// Functions of 32-bit numbers take no more.
int small(const call_data& of, std::int64_t number) {
  if (number > std::numeric_limits<int>::max()) {
    throw value_error(message(of.call->routine, ": cuSOLVER takes up to ",
                              std::numeric_limits<int>::max(), " elements here, found ", number));
  }
  return static_cast<int>(number);
}

// ---- routines

/// The room that a call needs beside its arrays.
struct room {
  std::size_t on_device = 0;
  std::size_t on_host = 0;
  std::ptrdiff_t addresses = 0;  // arrays whose matrices' addresses are needed
};

/// Everything that a routine works with while it runs.
struct running {
  const cusolver_functions& functions;
  const solver_handles& handles;
  cublas_handle* stacks;  // null for routines that need none
  CUstream stream;
  std::byte* space;
  std::byte* host_space;
  void** addresses;
};

using ask_function = int (*)(const cusolver_functions&, const solver_handles&, const call_data&,
                             room&);
using run_function = int (*)(const running&, const call_data&, const room&);

struct row {
  std::string_view name;
  std::vector<operand_form> forms;
  ask_function ask;
  run_function run;
};

/// Calls a function for each matrix of a stack; the first status that is not 0.
template <class Each>
int for_each_matrix(const call_data& of, const Each& each) {
  for (std::int64_t k = 0; k < of.count; ++k) {
    if (const int status = each(k); status != 0) {
      return status;
    }
  }
  return 0;
}

int* integers(std::byte* at) { return reinterpret_cast<int*>(at); }

/// The addresses of the matrices of an array, for functions that take a stack of them.
void** addresses_of(const running& with, const call_data& of, std::int64_t row) {
  return with.addresses + row * of.count;
}

/// The handle of cuBLAS for functions that take stacks. Throws device_error.
cublas_handle& stacks_handle(const call_data& of) {
  const sycl::device device = internal::private_queue(of.call->arrays.front()).get_device();
  cublas_handle* const found = cublas() == nullptr ? nullptr : cublas_handle_for(device);
  if (found == nullptr) {
    throw device_error("cuBLAS, which works on stacks of matrices, cannot be used");
  }
  return *found;
}

/// Calls a function of cuBLAS with its handle.
template <class Call>
int by_cublas(const running& with, const Call& call) {
  const std::lock_guard lock(all_cublas_handles().mutex);
  return set_stream(*with.stacks, with.stream) ? call(*cublas(), with.stacks->value) : -1;
}

int triangle(const call_data& of) { return of.call->option ? 1 : 0; }  // cublasFillMode_t

// Each routine asks for the room that it needs, and then runs.

int ask_lu(const cusolver_functions& f, const solver_handles& h, const call_data& of,
           room& needed) {
  const matrices& a = of[0];
  if (of.takes_stacks) {
    small(of, a.rows * a.rows);
    needed.addresses = 1;
    return 0;
  }
  return f.getrf_room(h.solver, h.parameters, a.rows, a.columns, of.data_type(), a.first, a.rows,
                      of.data_type(), &needed.on_device, &needed.on_host);
}

int run_lu(const running& with, const call_data& of, const room& given) {
  const matrices& a = of[0];
  if (of.takes_stacks) {
    return by_cublas(with, [&](const cublas_functions& f, cublas_functions::handle handle) {
      const int n = static_cast<int>(a.rows);
      return f.factor[of.type](handle, n, addresses_of(with, of, 0), n, integers(of[1].first),
                               integers(of[2].first), static_cast<int>(of.count));
    });
  }
  return for_each_matrix(of, [&](std::int64_t k) {
    return with.functions.getrf(
        with.handles.solver, with.handles.parameters, a.rows, a.columns, of.data_type(), a[k],
        a.rows, reinterpret_cast<std::int64_t*>(of[1][k]), of.data_type(), with.space,
        given.on_device, with.host_space, given.on_host, integers(of[2][k]));
  });
}

int ask_lu_solve(const cusolver_functions&, const solver_handles&, const call_data& of,
                 room& needed) {
  needed = of.takes_stacks ? room{0, 0, 2} : room{sizeof(int), 0, 0};
  return 0;
}

int run_lu_solve(const running& with, const call_data& of, const room&) {
  const matrices& a = of[0];
  const matrices& x = of[2];
  const int transposed = of.call->option ? 1 : 0;
  if (of.takes_stacks) {
    return by_cublas(with, [&](const cublas_functions& f, cublas_functions::handle handle) {
      const int n = static_cast<int>(a.rows);
      int info = 0;
      return f.solve[of.type](handle, transposed, n, static_cast<int>(x.columns),
                              addresses_of(with, of, 0), n, integers(of[1].first),
                              addresses_of(with, of, 1), n, &info, static_cast<int>(of.count));
    });
  }
  return for_each_matrix(of, [&](std::int64_t k) {
    return with.functions.getrs(with.handles.solver, with.handles.parameters, transposed, a.rows,
                                x.columns, of.data_type(), a[k], a.rows,
                                reinterpret_cast<const std::int64_t*>(of[1][k]), of.data_type(),
                                x[k], a.rows, integers(with.space));
  });
}

int ask_inverse(const cusolver_functions&, const solver_handles&, const call_data&, room& needed) {
  needed.addresses = 2;
  return 0;
}

int run_inverse(const running& with, const call_data& of, const room&) {
  return by_cublas(with, [&](const cublas_functions& f, cublas_functions::handle handle) {
    const int n = static_cast<int>(of[0].rows);
    return f.invert[of.type](handle, n, addresses_of(with, of, 0), n, addresses_of(with, of, 1), n,
                             integers(of[2].first), static_cast<int>(of.count));
  });
}

int ask_cholesky(const cusolver_functions& f, const solver_handles& h, const call_data& of,
                 room& needed) {
  const matrices& a = of[0];
  if (of.count > 1) {
    needed.addresses = 1;
    return 0;
  }
  return f.potrf_room(h.solver, h.parameters, triangle(of), a.rows, of.data_type(), a.first, a.rows,
                      of.data_type(), &needed.on_device, &needed.on_host);
}

int run_cholesky(const running& with, const call_data& of, const room& given) {
  const matrices& a = of[0];
  if (of.count > 1) {
    const int n = static_cast<int>(a.rows);
    return with.functions.potrf_of_stack[of.type](
        with.handles.solver, triangle(of), n, addresses_of(with, of, 0), n, integers(of[1].first),
        static_cast<int>(of.count));
  }
  return with.functions.potrf(with.handles.solver, with.handles.parameters, triangle(of), a.rows,
                              of.data_type(), a.first, a.rows, of.data_type(), with.space,
                              given.on_device, with.host_space, given.on_host,
                              integers(of[1].first));
}

/// Puts an info that nobody reads behind the room.
constexpr std::size_t room_for_info = 256;

int ask_qr(const cusolver_functions& f, const solver_handles& h, const call_data& of,
           room& needed) {
  const matrices& a = of[0];
  const int status =
      f.geqrf_room(h.solver, h.parameters, a.rows, a.columns, of.data_type(), a.first, a.rows,
                   of.data_type(), of[1].first, of.data_type(), &needed.on_device, &needed.on_host);
  needed.on_device += room_for_info;
  return status;
}

int run_qr(const running& with, const call_data& of, const room& given) {
  const matrices& a = of[0];
  return for_each_matrix(of, [&](std::int64_t k) {
    return with.functions.geqrf(
        with.handles.solver, with.handles.parameters, a.rows, a.columns, of.data_type(), a[k],
        a.rows, of.data_type(), of[1][k], of.data_type(), with.space + room_for_info,
        given.on_device - room_for_info, with.host_space, given.on_host, integers(with.space));
  });
}

constexpr std::size_t sizes[] = {4, 8, 8, 16};  // of elements

int ask_q(const cusolver_functions& f, const solver_handles& h, const call_data& of, room& needed) {
  const matrices& q = of[0];
  int length = 0;
  small(of, q.rows * q.columns);
  const int status = f.orgqr_room[of.type](
      h.solver, static_cast<int>(q.rows), static_cast<int>(q.columns), static_cast<int>(of[1].rows),
      q.first, static_cast<int>(q.rows), of[1].first, &length);
  needed.on_device = static_cast<std::size_t>(length) * sizes[of.type] + room_for_info;
  return status;
}

int run_q(const running& with, const call_data& of, const room& given) {
  const matrices& q = of[0];
  const int length = static_cast<int>((given.on_device - room_for_info) / sizes[of.type]);
  return for_each_matrix(of, [&](std::int64_t k) {
    return with.functions.orgqr[of.type](with.handles.solver, static_cast<int>(q.rows),
                                         static_cast<int>(q.columns), static_cast<int>(of[1].rows),
                                         q[k], static_cast<int>(q.rows), of[1][k],
                                         with.space + room_for_info, length, integers(with.space));
  });
}

/// Whether one call of Jacobi's method decomposes the matrices: in a third of the other method's
/// time.
bool is_for_jacobi(const cusolver_functions& f, const call_data& of) {
  return f.has_jacobi_of_stacks && of[0].rows <= internal::largest_of_jacobi;
}

template <bool has_vectors>
int ask_eigh(const cusolver_functions& f, const solver_handles& h, const call_data& of,
             room& needed) {
  const matrices& a = of[0];
  const int job = has_vectors ? 1 : 0;
  if (is_for_jacobi(f, of)) {
    const int n = static_cast<int>(a.rows);
    int length = 0;
    const int status = f.syevj_of_stack_room[of.type](h.solver, job, triangle(of), n, a.first, n,
                                                      of[1].first, &length, h.jacobi_of_eigenvalues,
                                                      static_cast<int>(of.count));
    needed.on_device = static_cast<std::size_t>(length) * sizes[of.type];
    return status;
  }
  if (of.count > 1 && f.syev_of_stack != nullptr) {
    return f.syev_of_stack_room(h.solver, h.parameters, job, triangle(of), a.rows, of.data_type(),
                                a.first, a.rows, of.real_data_type(), of[1].first, of.data_type(),
                                &needed.on_device, &needed.on_host, of.count);
  }
  return f.syevd_room(h.solver, h.parameters, job, triangle(of), a.rows, of.data_type(), a.first,
                      a.rows, of.real_data_type(), of[1].first, of.data_type(), &needed.on_device,
                      &needed.on_host);
}

template <bool has_vectors>
int run_eigh(const running& with, const call_data& of, const room& given) {
  const matrices& a = of[0];
  const int job = has_vectors ? 1 : 0;
  const cusolver_functions& f = with.functions;
  if (is_for_jacobi(f, of)) {
    const int n = static_cast<int>(a.rows);
    return f.syevj_of_stack[of.type](
        with.handles.solver, job, triangle(of), n, a.first, n, of[1].first, with.space,
        static_cast<int>(given.on_device / sizes[of.type]), integers(of[2].first),
        with.handles.jacobi_of_eigenvalues, static_cast<int>(of.count));
  }
  if (of.count > 1 && f.syev_of_stack != nullptr) {
    return f.syev_of_stack(with.handles.solver, with.handles.parameters, job, triangle(of), a.rows,
                           of.data_type(), a.first, a.rows, of.real_data_type(), of[1].first,
                           of.data_type(), with.space, given.on_device, with.host_space,
                           given.on_host, integers(of[2].first), of.count);
  }
  return for_each_matrix(of, [&](std::int64_t k) {
    return f.syevd(with.handles.solver, with.handles.parameters, job, triangle(of), a.rows,
                   of.data_type(), a[k], a.rows, of.real_data_type(), of[1][k], of.data_type(),
                   with.space, given.on_device, with.host_space, given.on_host, integers(of[2][k]));
  });
}

/// The arguments of Jacobi's method, whose V is not transposed.
struct jacobi_arguments {
  explicit jacobi_arguments(const call_data& of)
      : rows(static_cast<int>(of[0].rows)),
        columns(static_cast<int>(of[0].columns)),
        is_reduced(of[2].columns == std::min(rows, columns) &&
                   of[3].columns == std::min(rows, columns)),
        takes_stack(std::max(rows, columns) <= internal::largest_of_jacobi &&
                    (!is_reduced || rows == columns)) {}

  static constexpr int job = 1;  // CUSOLVER_EIG_MODE_VECTOR
  int rows;
  int columns;
  bool is_reduced;
  bool takes_stack;  // one call for all
};

int ask_svd(const cusolver_functions& f, const solver_handles& h, const call_data& of,
            room& needed) {
  small(of, std::max(of[0].rows, of[0].columns) * std::max(of[0].rows, of[0].columns));
  const jacobi_arguments with(of);
  int length = 0;
  const int status =
      with.takes_stack
          ? f.gesvdj_of_stack_room[of.type](h.solver, with.job, with.rows, with.columns,
                                            of[0].first, with.rows, of[1].first, of[2].first,
                                            with.rows, of[3].first, with.columns, &length, h.jacobi,
                                            static_cast<int>(of.count))
          : f.gesvdj_room[of.type](h.solver, with.job, with.is_reduced ? 1 : 0, with.rows,
                                   with.columns, of[0].first, with.rows, of[1].first, of[2].first,
                                   with.rows, of[3].first, with.columns, &length, h.jacobi);
  needed.on_device = static_cast<std::size_t>(length) * sizes[of.type];
  return status;
}

int run_svd(const running& with, const call_data& of, const room& given) {
  const jacobi_arguments to(of);
  const int length = static_cast<int>(given.on_device / sizes[of.type]);
  const cusolver_functions& f = with.functions;
  if (to.takes_stack) {
    return f.gesvdj_of_stack[of.type](with.handles.solver, to.job, to.rows, to.columns, of[0].first,
                                      to.rows, of[1].first, of[2].first, to.rows, of[3].first,
                                      to.columns, with.space, length, integers(of[4].first),
                                      with.handles.jacobi, static_cast<int>(of.count));
  }
  return for_each_matrix(of, [&](std::int64_t k) {
    return f.gesvdj[of.type](with.handles.solver, to.job, to.is_reduced ? 1 : 0, to.rows,
                             to.columns, of[0][k], to.rows, of[1][k], of[2][k], to.rows, of[3][k],
                             to.columns, with.space, length, integers(of[4][k]),
                             with.handles.jacobi);
  });
}

signed char job_of_steps(const call_data& of) {
  return of[3].rows == of[0].columns && of[2].columns == of[0].rows ? 'A' : 'S';
}

int ask_svd_steps(const cusolver_functions& f, const solver_handles& h, const call_data& of,
                  room& needed) {
  const signed char job = job_of_steps(of);
  if (of[0].columns > of[0].rows) {
    throw value_error(message(of.call->routine, ": expected no more columns than rows"));
  }
  return f.gesvd_room(h.solver, h.parameters, job, job, of[0].rows, of[0].columns, of.data_type(),
                      of[0].first, of[0].rows, of.real_data_type(), of[1].first, of.data_type(),
                      of[2].first, of[0].rows, of.data_type(), of[3].first, of[3].rows,
                      of.data_type(), &needed.on_device, &needed.on_host);
}

int run_svd_steps(const running& with, const call_data& of, const room& given) {
  const signed char job = job_of_steps(of);
  return for_each_matrix(of, [&](std::int64_t k) {
    return with.functions.gesvd(
        with.handles.solver, with.handles.parameters, job, job, of[0].rows, of[0].columns,
        of.data_type(), of[0][k], of[0].rows, of.real_data_type(), of[1][k], of.data_type(),
        of[2][k], of[0].rows, of.data_type(), of[3][k], of[3].rows, of.data_type(), with.space,
        given.on_device, with.host_space, given.on_host, integers(of[4][k]));
  });
}

const std::vector<row>& table() {
  using enum element;
  static const std::vector<row> rows{
      {"lu", {{"nn", same}, {"n", pivot}, {"", integer}}, ask_lu, run_lu},
      {"lu_solve", {{"nn", same}, {"n", pivot}, {"*n", same}}, ask_lu_solve, run_lu_solve},
      {"inverse", {{"nn", same}, {"nn", same}, {"", integer}}, ask_inverse, run_inverse},
      {"cholesky", {{"nn", same}, {"", integer}}, ask_cholesky, run_cholesky},
      {"qr", {{"mn", same}, {"k", same}}, ask_qr, run_qr},
      {"q", {{"mn", same}, {"*", same}}, ask_q, run_q},
      {"eigh", {{"nn", same}, {"n", real}, {"", integer}}, ask_eigh<true>, run_eigh<true>},
      {"eigvalsh", {{"nn", same}, {"n", real}, {"", integer}}, ask_eigh<false>, run_eigh<false>},
      {"svd",
       {{"mn", same}, {"k", real}, {"*n", same}, {"*m", same}, {"", integer}},
       ask_svd,
       run_svd},
      {"svd_steps",
       {{"mn", same}, {"k", real}, {"*n", same}, {"m*", same}, {"", integer}},
       ask_svd_steps,
       run_svd_steps},
  };
  return rows;
}

const row& row_named(std::string_view name) {
  const auto found = std::ranges::find(table(), name, &row::name);
  if (found == table().end()) {
    throw value_error(message("cuSOLVER has no routine ", quoted(name)));
  }
  return *found;
}

// ---- calls

/// The memory of a call beside its arrays.
class workspace {
 public:
  workspace(const array& beside, const room& needed)
      : device_(make(beside, needed.on_device, usm_kind::device, internal::first_use::in_order)),
        host_(make(beside, needed.on_host, usm_kind::host, internal::first_use::at_once)) {}

  void use_in(submission& work) const {
    for (const std::optional<array>* each : {&device_, &host_}) {
      if (*each) {
        work.use(**each, access::write);  // which keeps the address of the array
      }
    }
  }
  std::byte* on_device() const { return first(device_); }
  std::byte* on_host() const { return first(host_); }

 private:
  static std::optional<array> make(const array& beside, std::size_t nbytes, usm_kind kind,
                                   internal::first_use use) {
    if (nbytes == 0) {
      return std::nullopt;
    }
    if (nbytes > static_cast<std::size_t>(std::numeric_limits<ptrdiff_t>::max())) {
      throw overflow_error("cuSOLVER asks for more memory than an address can tell");
    }
    return internal::new_array(layout::c_order({static_cast<ptrdiff_t>(nbytes)}), type_code::uint8,
                               internal::private_queue(beside), kind, 0, use);
  }
  static std::byte* first(const std::optional<array>& of) {
    return of ? internal::first_element(*of) : nullptr;
  }

  std::optional<array> device_;
  std::optional<array> host_;
};

/// The addresses that a call needs, if it needs any. Throws value_error unless it has them.
void** given_addresses(const call_data& of, const room& needed) {
  if (needed.addresses == 0) {
    return nullptr;
  }
  const std::optional<array>& given = of.call->addresses;
  if (!given || given->type() != type_code::uint64 || given->ndim() != 2 ||
      given->extent(0) < needed.addresses || given->extent(1) != of.count ||
      !given->layout().is_c_contiguous()) {
    throw value_error(message(of.call->routine, ": expected addresses of ", of.count,
                              " matrices of ", needed.addresses, " arrays"));
  }
  return reinterpret_cast<void**>(internal::first_element(*given));
}

}  // namespace

bool has_cusolver() { return cusolver() != nullptr; }

library_search find_cusolver() { return find_toolkit_library(cusolver_files, "cuSOLVER"); }

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1::internal {

void start_cuda_solver(const solver_call& call) {
  using namespace detail;
  const runtime_call runs;  // which cuSOLVER needs, too: it changes the current device
  const row& routine = row_named(call.routine);
  const call_data of = data_of(call, routine.forms);
  small(of, of.count);
  if (cusolver() == nullptr) {
    throw device_error(message("cuSOLVER cannot be used: ", find_cusolver().text));
  }
  const sycl::queue& queue = private_queue(call.arrays.front());
  const CUdevice device = sycl::get_native<sycl::backend::ext_oneapi_cuda>(queue.get_device());
  room needed;
  solver_handles* handles = nullptr;
  {
    const cuda::current_primary_context current(cuda::required_functions(), device);
    const std::lock_guard lock(all_handles().mutex);
    handles = &handles_of(device);
    require(routine.ask(*cusolver(), *handles, of, needed), "tell the room that it needs");
  }
  void** const addresses = given_addresses(of, needed);
  cublas_handle* const stacks = addresses == nullptr ? nullptr : &stacks_handle(of);
  const workspace space(call.arrays.front(), needed);
  submission work(queue);
  for (const array& each : call.arrays) {
    work.use(each, access::write);
  }
  if (addresses != nullptr) {
    work.use(*call.addresses, access::read);
  }
  space.use_in(work);
  const auto run = [&, on_device = space.on_device(), on_host = space.on_host()](CUstream stream) {
    const std::lock_guard lock(all_handles().mutex);
    if (handles->stream != stream) {
      handles->stream.reset();
      if (cusolver()->set_stream(handles->solver, stream) != 0) {
        return false;
      }
      handles->stream = stream;
    }
    const running with{*cusolver(), *handles, stacks, stream, on_device, on_host, addresses};
    return routine.run(with, of, needed) == 0;
  };
  // The call waits where the runtime keeps the work back, so references are fine.
  if (!start_on_stream(work, run)) {
    throw device_error(message("cuSOLVER has refused to compute ", quoted(call.routine)));
  }
}

}  // namespace usmx::inline v1::internal
