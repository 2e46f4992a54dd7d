#include "module/module.hpp"

#include <chrono>

#include "support/nanobind.hpp"
#include "usmx/kernels/disk_cache.hpp"

namespace usmx::bindings {
namespace {

double age_in_seconds(std::filesystem::file_time_type time) {
  return std::chrono::duration<double>(std::filesystem::file_time_type::clock::now() - time)
      .count();
}

/// What a file says need not be UTF-8.
nb::object to_text(const std::string& bytes) {
  return checked(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape"));
}

nb::list entries() {
  nb::list all;
  for (const cached_kernels& entry : list_kernel_cache()) {
    all.append(nb::make_tuple(to_text(entry.group), to_text(entry.device), entry.nbytes,
                              age_in_seconds(entry.last_use), entry.file));
  }
  return all;
}

}  // namespace

void bind_kernel_cache(nb::module_& m) {
  m.def("_kernel_cache_directory", &kernel_cache_directory,
        "Where built device kernels are kept; Path(\".\") when nowhere.");
  m.def("_list_kernel_cache", &entries,
        nb::sig("def _list_kernel_cache() -> list[tuple[str, str, int, float, pathlib.Path]]"),
        "Group, device, bytes, seconds since the last use, and file of each entry.");
  m.def("_clear_kernel_cache", &clear_kernel_cache,
        "Delete all entries, and return how many bytes they had.");
}

}  // namespace usmx::bindings
