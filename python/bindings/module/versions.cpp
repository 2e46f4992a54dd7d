// What an extension is told that was built for another version of usmx than the installed one.
// docs/compatibility.md says what the versions promise.
#include <dlfcn.h>

#include <string>

#include "module/module.hpp"
#include "support/errors.hpp"
#include "usmx/base/version.hpp"

namespace usmx::bindings {
namespace {

/// The release that a version of an interface is named after: "0.1" for 1, "1.2" for 102.
std::string release_of(std::uint32_t number) {
  return std::to_string(number / 100) + "." + std::to_string(number % 100);
}

/// The file with that address.
const char* file_of(const void* code) noexcept {
  Dl_info found{};
  return dladdr(code, &found) != 0 && found.dli_fname != nullptr ? found.dli_fname
                                                                 : "this extension";
}

std::string advice(bool is_older, std::uint32_t minor) {
  const std::string release = release_of(minor);
  return is_older ? "install usmx " + release + " or newer (pip install 'usmx>=" + release + "')"
                  : "build the extension again, with that usmx, or install usmx " + release;
}

}  // namespace

int accept_version(const usmx_api* self, std::uint32_t major, std::uint32_t minor,
                   const void* code) noexcept {
  if (self->major == major && self->minor >= minor) {
    return 0;
  }
  return guarded(-1, [&] {
    const bool is_older = self->major <= major;
    PyErr_Format(PyExc_ImportError,
                 "%s was built for version %u.%u of usmx's C interface, but the usmx that is "
                 "installed (%s) has version %u.%u: %s",
                 file_of(code), major, minor, USMX_VERSION_STRING, self->major, self->minor,
                 advice(is_older, minor).c_str());
    return -1;
  });
}

void bind_versions(nb::module_& m) {
  m.attr("_abi_version") = USMX_ABI_VERSION;
  m.def("_release_of", &release_of, nb::arg("number"),
        "The release that a version of an interface is named after.");
}

}  // namespace usmx::bindings
