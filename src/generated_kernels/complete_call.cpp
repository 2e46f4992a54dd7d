#include "generated_kernels/complete_call.hpp"

#include <utility>
#include <variant>

#include "array/array.hpp"
#include "runtime/queues.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"

namespace usmx::inline v1::detail {

generated_result started_call::with_event() && {
  sycl::event done = internal::generated_call::event_of(events, queue);
  return {std::move(outputs), std::move(done)};
}

complete_call::complete_call(const kernel_family& family,
                             std::span<const kernel_argument> arguments,
                             const generated_call_options& options)
    : family_(family), options_(options), all_(arguments.begin(), arguments.end()) {
  require_usable_process();
  if (options.outputs.empty()) {
    return;
  }
  if (options.outputs.size() != family.output_count()) {
    throw value_error(message(family.name(), ": expected ", family.output_count(),
                              " outputs, or none, found ", options.outputs.size()));
  }
  if (arguments.size() != family.input_count()) {
    throw type_error(message(family.name(), " takes ", family.input_count(),
                             " inputs where the options have the outputs, found ", arguments.size(),
                             " arguments"));
  }
  for (const std::optional<array>& each : options.outputs) {
    all_.push_back(each ? kernel_argument(*each) : kernel_argument(kernel_argument::unsuitable{}));
  }
}

sycl::queue complete_call::queue() const {
  const sycl::queue* common = nullptr;
  for (const kernel_argument& each : all_) {
    const auto* const* a = std::get_if<const array*>(&each.value());
    if (options_.queue != nullptr || a == nullptr) {
      continue;
    }
    const sycl::queue& found = internal::private_queue(**a);
    if (common != nullptr && found != *common) {
      throw value_error(family_.name() +
                        ": expected arrays on one queue, found two queues, and no queue to run on "
                        "was given");
    }
    common = &found;
  }
  return internal::presented_queue(options_.queue != nullptr ? *options_.queue
                                   : common != nullptr       ? *common
                                                             : internal::default_queue());
}

std::vector<array> complete_call::results(internal::generated_call& call,
                                          const sycl::queue& queue) const {
  std::vector<array> results;
  for (std::size_t k = 0; k < family_.output_count(); ++k) {
    if (!call.lacks_output(k)) {
      // The result is the array as it was given, in the options or after the inputs: the call may
      // have another view of it.
      results.push_back(*std::get<const array*>(all_[family_.input_count() + k].value()));
      continue;
    }
    results.push_back(internal::new_array(call.output_layout(), call.output_type(k), queue,
                                          call.output_kind(), 0, internal::first_use::in_order));
    call.set_output(k, results.back());
  }
  return results;
}

array only_output(const std::string& kernel, std::vector<array> outputs) {
  if (outputs.size() != 1) {
    throw type_error(message(kernel, " has ", outputs.size(), " outputs: call() returns them"));
  }
  return std::move(outputs.front());
}

}  // namespace usmx::inline v1::detail
