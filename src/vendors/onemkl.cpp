#include "vendors/onemkl.hpp"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/messages.hpp"
#include "runtime/driver_setup.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

namespace fs = std::filesystem;

/// oneMKL's libraries name none of those that they need, so usmx has a library that names them all
/// (cmake/UsmxOneMKLGroup.cmake). The loader then loads them as one group.
constexpr std::string_view blas_group = "libusmx_onemkl_blas.so";
constexpr std::string_view lapack_group = "libusmx_onemkl_lapack.so";
constexpr std::string_view host_group = "libusmx_onemkl_host.so";

/// oneMKL takes functions from its own group before the global scope, where another MKL may be,
/// such as the libmkl_rt of conda's NumPy. Sanitizers end a process that asks for this.
int flags() {
  const bool is_sanitized = dlsym(RTLD_DEFAULT, "__sanitizer_set_report_path") != nullptr;
  return RTLD_NOW | RTLD_LOCAL | (is_sanitized ? 0 : RTLD_DEEPBIND);
}

/// The names of the libraries that a library was linked to.
std::vector<const char*> names_in(void* library) {
  std::vector<const char*> names;
  const link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0) {
    return names;
  }
  const char* strings = nullptr;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) {
      strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    }
  }
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_NEEDED) {
      names.push_back(strings + entry->d_un.d_val);
    }
  }
  return names;
}

/// The files of oneMKL's libraries in a group; that of the SYCL library comes first.
std::vector<fs::path> onemkl_files(void* group) {
  std::vector<fs::path> files;
  for (const char* name : names_in(group)) {
    if (std::string_view(name).starts_with("libmkl_")) {
      files.emplace_back(file_of(dlopen(name, RTLD_LAZY | RTLD_NOLOAD)));
    }
  }
  return files;
}

/// A library that the process has loaded already is taken in the place of the group's. One from
/// another folder may be of another release, and the releases do not fit each other.
library_search checked(void* group) {
  std::error_code failed;
  const std::vector<fs::path> files = onemkl_files(group);
  for (const fs::path& each : files) {
    if (!fs::equivalent(each.parent_path(), files.front().parent_path(), failed)) {
      return {nullptr, message(each.native(), " and ", files.front().native(),
                               " are from two folders, so they may be of two releases of oneMKL")};
    }
  }
  return {group, files.front().native()};
}

library_search find_group(std::string_view name) {
  const fs::path file = own_directory() / name;
  if (void* const group = dlopen(file.c_str(), flags())) {
    return checked(group);
  }
  return {nullptr, dlerror()};
}

/// Whether the SYCL runtime's folder has oneMKL's functions of matrices.
bool is_blas_installed() {
  std::error_code failed;
  for (fs::directory_iterator file(runtime_directory(), failed), end; !failed && file != end;
       file.increment(failed)) {
    if (file->path().filename().native().starts_with("libmkl_sycl_blas.so")) {
      return true;
    }
  }
  return false;
}

void warn_of_unusable_blas(const std::string& reason) {
  static std::atomic<bool> has_warned = false;
  if (is_blas_installed() && !has_warned.exchange(true)) {
    warn(message("oneMKL is installed and cannot be used, so products of matrices are slow: ",
                 reason));
  }
}

}  // namespace

std::string file_of(void* library) {
  const link_map* map = nullptr;
  if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0) {
    return "";
  }
  std::error_code failed;
  const fs::path file = fs::canonical(map->l_name, failed);  // without the ".." of run paths
  return failed ? map->l_name : file.native();
}

library_search find_onemkl_blas() { return find_group(blas_group); }

library_search find_onemkl_lapack() { return find_group(lapack_group); }

library_search find_onemkl_host() { return find_group(host_group); }

void* onemkl_host() {
  static constinit optional_library library(find_onemkl_host);
  return library.handle();
}

void* onemkl_blas() {
  static constinit optional_library library(find_onemkl_blas);
  return library.handle(warn_of_unusable_blas);
}

}  // namespace usmx::inline v1::detail
