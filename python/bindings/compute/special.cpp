// Special functions: one call of the library, for operands whose type the package has found.
#include <chrono>
#include <string>
#include <vector>

#include "compute/compute.hpp"
#include "elements/element.hpp"
#include "internals.hpp"
#include "objects/array.hpp"
#include "objects/waiting.hpp"
#include "support/declare.hpp"
#include "support/errors.hpp"
#include "support/interpreter_lock.hpp"
#include "user_kernels/user_kernels.hpp"
#include "usmx/base/process.hpp"

namespace usmx::bindings {
namespace {

nb::object special(const std::string& function, nb::handle type, const nb::tuple& operands) {
  const std::vector<std::string> name{"special_" + function};
  const dtype computed = dtype_argument(type);
  std::vector<kernel_argument> arguments;
  for (const nb::handle each : operands) {
    arguments.push_back(array_or_number_in(name.front(), each));
  }
  require_usable_process();
  look_for_peers();
  queue_of_all(name.front(), arguments);
  progress_line line(name);
  array made;
  run_unlocked(name.front(), [&] {
    made =
        internal::special_of(function, computed, arguments,
                             {.progress = [&](std::chrono::seconds passed) { line.show(passed); }});
  });
  return to_python(made);
}

}  // namespace

void bind_special(nb::module_& m) {
  declare<"def _special(function: str, dtype: Any, operands: tuple[Any, ...]) -> USMArray">(
      m, &special, "Call a special function of arrays of a type and numbers.");
  declare<"def _is_special(name: str) -> bool">(
      m, [](const std::string& name) { return internal::is_special_function(name); },
      "Whether there is a special function of that name.");
}

}  // namespace usmx::bindings
