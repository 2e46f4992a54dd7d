// Random numbers: a generator of Python's draws by one call of the library.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "compute/compute.hpp"
#include "elements/element.hpp"
#include "internals.hpp"
#include "objects/array.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "support/declare.hpp"
#include "support/errors.hpp"
#include "support/interpreter_lock.hpp"
#include "user_kernels/user_kernels.hpp"
#include "usmx/base/process.hpp"

namespace usmx::bindings {

kernel_argument array_or_number_in(const std::string& function, nb::handle object) {
  if (const array* a = as_array(object.ptr())) {
    return *a;
  }
  if (const auto number = number_of(object.ptr())) {
    return kernel_argument(number->value);
  }
  throw type_error(detail::message(function, ": expected an array or a number, found ",
                                   repr_text(object.ptr())));
}

namespace {

void draw(const std::string& distribution, nb::handle real, std::uint64_t key, std::uint64_t first,
          const nb::tuple& parameters, nb::handle out) {
  const std::vector<std::string> name{"random_" + distribution};
  const array made = array_in(out);
  const dtype type = dtype_argument(real);
  std::vector<kernel_argument> arguments;
  for (const nb::handle each : parameters) {
    arguments.push_back(array_or_number_in(name.front(), each));
  }
  require_usable_process();
  look_for_peers();
  std::vector<kernel_argument> all = arguments;
  all.emplace_back(made);
  queue_of_all(name.front(), all);
  progress_line line(name);
  run_unlocked(name.front(), [&] {
    internal::draw(distribution, type, key, first, arguments, made,
                   [&](std::chrono::seconds passed) { line.show(passed); });
  });
}

}  // namespace

void bind_draws(nb::module_& m) {
  declare<
      "def _draw(distribution: str, real: Any, key: int, first: int, parameters: tuple[Any, ...], "
      "out: USMArray) -> None">(
      m, &draw, "Fill an array with the numbers of a seed, from number `first` on.");
  declare<"def _draws_integers(distribution: str) -> bool">(
      m, &internal::draws_integers, "Whether a distribution's numbers are int64.");
}

}  // namespace usmx::bindings
