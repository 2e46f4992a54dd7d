// cuSOLVER's functions, as cusolverDn.h has them. Private to the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/drivers/cuda.hpp"
#include "usmx/base/error.hpp"
#include "vendors/toolkit.hpp"

namespace usmx::inline v1::detail {

/// The few declarations of cusolverDn.h that are needed, as NVIDIA's "cuSOLVER" has them. Matrices
/// are stored by columns there. Functions of 64-bit numbers come first.
struct cusolver_functions {
  using handle = struct cusolverDnContext*;
  using parameters = struct cusolverDnParams*;
  using jacobi = struct gesvdjInfo*;
  using status = int;

  status (*version)(int* number);                   // cusolverGetVersion
  status (*create)(handle*);                        // cusolverDnCreate
  status (*set_stream)(handle, CUstream);           // cusolverDnSetStream
  status (*create_parameters)(parameters*);         // cusolverDnCreateParams
  status (*create_jacobi)(jacobi*);                 // cusolverDnCreateGesvdjInfo
  status (*create_jacobi_of_eigenvalues)(jacobi*);  // cusolverDnCreateSyevjInfo
  status (*getrf_room)(handle, parameters, std::int64_t m, std::int64_t n, int type_a,
                       const void* a, std::int64_t leading_a, int computed,
                       std::size_t* nbytes_on_device,
                       std::size_t* nbytes_on_host);  // cusolverDnXgetrf_bufferSize
  status (*getrf)(handle, parameters, std::int64_t m, std::int64_t n, int type_a, void* a,
                  std::int64_t leading_a, std::int64_t* pivots, int computed, void* on_device,
                  std::size_t nbytes_on_device, void* on_host, std::size_t nbytes_on_host,
                  int* info);  // cusolverDnXgetrf
  status (*getrs)(handle, parameters, int transpose, std::int64_t n, std::int64_t columns,
                  int type_a, const void* a, std::int64_t leading_a, const std::int64_t* pivots,
                  int type_b, void* b, std::int64_t leading_b, int* info);  // cusolverDnXgetrs
  status (*potrf_room)(handle, parameters, int triangle, std::int64_t n, int type_a, const void* a,
                       std::int64_t leading_a, int computed, std::size_t* nbytes_on_device,
                       std::size_t* nbytes_on_host);  // cusolverDnXpotrf_bufferSize
  status (*potrf)(handle, parameters, int triangle, std::int64_t n, int type_a, void* a,
                  std::int64_t leading_a, int computed, void* on_device,
                  std::size_t nbytes_on_device, void* on_host, std::size_t nbytes_on_host,
                  int* info);  // cusolverDnXpotrf
  status (*geqrf_room)(handle, parameters, std::int64_t m, std::int64_t n, int type_a,
                       const void* a, std::int64_t leading_a, int type_tau, const void* tau,
                       int computed, std::size_t* nbytes_on_device,
                       std::size_t* nbytes_on_host);  // cusolverDnXgeqrf_bufferSize
  status (*geqrf)(handle, parameters, std::int64_t m, std::int64_t n, int type_a, void* a,
                  std::int64_t leading_a, int type_tau, void* tau, int computed, void* on_device,
                  std::size_t nbytes_on_device, void* on_host, std::size_t nbytes_on_host,
                  int* info);  // cusolverDnXgeqrf
  status (*syevd_room)(handle, parameters, int job, int triangle, std::int64_t n, int type_a,
                       const void* a, std::int64_t leading_a, int type_w, const void* w,
                       int computed, std::size_t* nbytes_on_device,
                       std::size_t* nbytes_on_host);  // cusolverDnXsyevd_bufferSize
  status (*syevd)(handle, parameters, int job, int triangle, std::int64_t n, int type_a, void* a,
                  std::int64_t leading_a, int type_w, void* w, int computed, void* on_device,
                  std::size_t nbytes_on_device, void* on_host, std::size_t nbytes_on_host,
                  int* info);  // cusolverDnXsyevd
  status (*syev_of_stack_room)(handle, parameters, int job, int triangle, std::int64_t n,
                               int type_a, const void* a, std::int64_t leading_a, int type_w,
                               const void* w, int computed, std::size_t* nbytes_on_device,
                               std::size_t* nbytes_on_host,
                               std::int64_t count);  // cusolverDnXsyevBatched_bufferSize
  status (*syev_of_stack)(handle, parameters, int job, int triangle, std::int64_t n, int type_a,
                          void* a, std::int64_t leading_a, int type_w, void* w, int computed,
                          void* on_device, std::size_t nbytes_on_device, void* on_host,
                          std::size_t nbytes_on_host, int* info,
                          std::int64_t count);  // cusolverDnXsyevBatched
  status (*gesvd_room)(handle, parameters, signed char job_u, signed char job_vh, std::int64_t m,
                       std::int64_t n, int type_a, const void* a, std::int64_t leading_a,
                       int type_s, const void* s, int type_u, const void* u, std::int64_t leading_u,
                       int type_vh, const void* vh, std::int64_t leading_vh, int computed,
                       std::size_t* nbytes_on_device,
                       std::size_t* nbytes_on_host);  // cusolverDnXgesvd_bufferSize
  status (*gesvd)(handle, parameters, signed char job_u, signed char job_vh, std::int64_t m,
                  std::int64_t n, int type_a, void* a, std::int64_t leading_a, int type_s, void* s,
                  int type_u, void* u, std::int64_t leading_u, int type_vh, void* vh,
                  std::int64_t leading_vh, int computed, void* on_device,
                  std::size_t nbytes_on_device, void* on_host, std::size_t nbytes_on_host,
                  int* info);  // cusolverDnXgesvd

  // For float, double and their complex types.
  status (*potrf_of_stack[4])(handle, int triangle, int n, void* const* a, int leading_a, int* info,
                              int count);  // cusolverDn?potrfBatched
  status (*orgqr_room[4])(handle, int m, int n, int k, const void* a, int leading_a,
                          const void* tau, int* length);  // cusolverDn?orgqr_bufferSize
  status (*orgqr[4])(handle, int m, int n, int k, void* a, int leading_a, const void* tau,
                     void* space, int length, int* info);  // cusolverDn?orgqr
  status (*gesvdj_room[4])(handle, int job, int is_reduced, int m, int n, const void* a,
                           int leading_a, const void* s, const void* u, int leading_u,
                           const void* v, int leading_v, int* length,
                           jacobi);  // cusolverDn?gesvdj_bufferSize
  status (*gesvdj[4])(handle, int job, int is_reduced, int m, int n, void* a, int leading_a,
                      void* s, void* u, int leading_u, void* v, int leading_v, void* space,
                      int length, int* info, jacobi);  // cusolverDn?gesvdj
  status (*gesvdj_of_stack_room[4])(handle, int job, int m, int n, const void* a, int leading_a,
                                    const void* s, const void* u, int leading_u, const void* v,
                                    int leading_v, int* length, jacobi,
                                    int count);  // cusolverDn?gesvdjBatched_bufferSize
  status (*gesvdj_of_stack[4])(handle, int job, int m, int n, void* a, int leading_a, void* s,
                               void* u, int leading_u, void* v, int leading_v, void* space,
                               int length, int* info, jacobi,
                               int count);  // cusolverDn?gesvdjBatched

  status (*syevj_of_stack_room[4])(handle, int job, int triangle, int n, const void* a,
                                   int leading_a, const void* w, int* length, jacobi,
                                   int count);  // cusolverDn?syevjBatched_bufferSize
  status (*syevj_of_stack[4])(handle, int job, int triangle, int n, void* a, int leading_a, void* w,
                              void* space, int length, int* info, jacobi,
                              int count);  // cusolverDn?syevjBatched

  /// Whether syevj_of_stack is right: releases of CUDA 11 gave the diagonal (cupy#4847), and 12.0
  /// was right for millions of matrices (docs/decisions.md, 191).
  bool has_jacobi_of_stacks;

  /// Returns none if the library lacks one. Releases before 11.7 have no syev_of_stack, which is
  /// null then.
  static std::optional<cusolver_functions> of(void* loaded) {
    cusolver_functions all{};
    function_search find(loaded);
    find(all.version, "cusolverGetVersion");
    find(all.create, "cusolverDnCreate");
    find(all.set_stream, "cusolverDnSetStream");
    find(all.create_parameters, "cusolverDnCreateParams");
    find(all.create_jacobi, "cusolverDnCreateGesvdjInfo");
    find(all.create_jacobi_of_eigenvalues, "cusolverDnCreateSyevjInfo");
    find(all.getrf_room, "cusolverDnXgetrf_bufferSize");
    find(all.getrf, "cusolverDnXgetrf");
    find(all.getrs, "cusolverDnXgetrs");
    find(all.potrf_room, "cusolverDnXpotrf_bufferSize");
    find(all.potrf, "cusolverDnXpotrf");
    find(all.geqrf_room, "cusolverDnXgeqrf_bufferSize");
    find(all.geqrf, "cusolverDnXgeqrf");
    find(all.syevd_room, "cusolverDnXsyevd_bufferSize");
    find(all.syevd, "cusolverDnXsyevd");
    find(all.gesvd_room, "cusolverDnXgesvd_bufferSize");
    find(all.gesvd, "cusolverDnXgesvd");
    const std::string_view letters = "SDCZ";
    for (std::size_t type = 0; type < letters.size(); ++type) {
      const auto name = [&](const char* rest) {
        return message("cusolverDn", letters[type], rest);
      };
      find(all.potrf_of_stack[type], name("potrfBatched").c_str());
      find(all.orgqr_room[type], name(type < 2 ? "orgqr_bufferSize" : "ungqr_bufferSize").c_str());
      find(all.orgqr[type], name(type < 2 ? "orgqr" : "ungqr").c_str());
      find(all.gesvdj_room[type], name("gesvdj_bufferSize").c_str());
      find(all.gesvdj[type], name("gesvdj").c_str());
      find(all.gesvdj_of_stack_room[type], name("gesvdjBatched_bufferSize").c_str());
      find(all.gesvdj_of_stack[type], name("gesvdjBatched").c_str());
      const char* const room = type < 2 ? "syevjBatched_bufferSize" : "heevjBatched_bufferSize";
      find(all.syevj_of_stack_room[type], name(room).c_str());
      find(all.syevj_of_stack[type], name(type < 2 ? "syevjBatched" : "heevjBatched").c_str());
    }
    function_search find_later(loaded);
    find_later(all.syev_of_stack_room, "cusolverDnXsyevBatched_bufferSize");
    find_later(all.syev_of_stack, "cusolverDnXsyevBatched");
    if (!find_later.has_all()) {
      all.syev_of_stack = nullptr;
    }
    if (!find.has_all()) {
      return std::nullopt;
    }
    constexpr int major_release = 12000;
    int number = 0;
    all.has_jacobi_of_stacks = all.version(&number) == 0 && number >= major_release;
    return all;
  }
};

}  // namespace usmx::inline v1::detail
