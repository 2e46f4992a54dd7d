#include "usmx/user_kernels/kernel.hpp"

#include <algorithm>
#include <exception>
#include <iterator>

#include <sycl/handler.hpp>

#include "array/array.hpp"
#include "base/process.hpp"
#include "kernels/compile/program_store.hpp"
#include "kernels/compile/spirv.hpp"
#include "memory/reclaim.hpp"
#include "runtime/queues.hpp"
#include "runtime/waits.hpp"
#include "user_kernels/kernel_code.hpp"
#include "user_kernels/launch.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"

namespace usmx::inline v1 {

struct kernel::implementation : detail::built_kernel {
  /// The queue for which the kernel was compiled. None for kernels that the library keeps.
  std::optional<sycl::queue> queue;
  sycl::context context;
  sycl::device device;
};

namespace {

std::vector<kernel_parameter> parameters_in(const std::string& content, std::size_t index,
                                            const std::string& name) {
  return internal::is_spirv(content) ? detail::spirv_parameters(content, name)
                                     : detail::parameters_in(content, index, name);
}

std::array<detail::launch_limits, 3> all_limits(const detail::kernel_code& code,
                                                const kernel_signature& signature,
                                                const sycl::device& device) {
  const auto local_parameters = static_cast<std::size_t>(std::ranges::count(
      signature.parameters, parameter_form::local_memory, &kernel_parameter::form));
  return {code.limits(device, 1, local_parameters), code.limits(device, 2, local_parameters),
          code.limits(device, 3, local_parameters)};
}

// ---- launching

void require_runnable(const kernel::implementation& k, const sycl::queue& queue) {
  if (k.queue != queue && (queue.get_context() != k.context || queue.get_device() != k.device)) {
    throw value_error(detail::message(to_string(k.signature),
                                      ": expected a queue of the device and context that the "
                                      "kernel was compiled for, found another one"));
  }
}

struct checked_arguments {
  std::vector<detail::argument_bytes> bytes;
  std::vector<std::size_t> local_nbytes;
  std::vector<detail::array_use> uses;
};

launch_sizes check(const kernel::implementation& k, const launch_sizes& sizes) {
  const auto dimensions = static_cast<std::size_t>(std::clamp(sizes.dimensions, 1, 3));
  return detail::checked_sizes(k.signature, sizes, k.limits[dimensions - 1]);
}

/// Rounds a size up to whole words: atomic operations on elements of 1 and 2 bytes exchange the
/// word that has them (usmx/kernel.hpp).
constexpr std::size_t in_words(std::size_t nbytes) { return (nbytes + 3) / 4 * 4; }

class local_total {
 public:
  explicit local_total(const kernel::implementation& k) : k_(k) {}

  /// Returns the bytes to launch with for this argument. Throws value_error if all take more than
  /// the device has.
  std::size_t add(std::size_t index, const kernel_argument& argument) {
    const std::size_t nbytes = detail::checked_local_nbytes(k_.signature, index, argument);
    const std::size_t most = k_.limits[0].local_nbytes;
    if (__builtin_add_overflow(nbytes_, nbytes, &nbytes_) || nbytes_ > most) {
      throw value_error(detail::message(to_string(k_.signature), ": expected at most ", most,
                                        " bytes of local memory, found ", nbytes_));
    }
    return in_words(nbytes);
  }

 private:
  const kernel::implementation& k_;
  std::size_t nbytes_ = 0;
};

checked_arguments check(const kernel::implementation& k,
                        std::span<const kernel_argument> arguments) {
  detail::require_count(k.signature, arguments.size());
  checked_arguments all{std::vector<detail::argument_bytes>(arguments.size()),
                        std::vector<std::size_t>(arguments.size()),
                        {}};
  all.uses.reserve(arguments.size());
  local_total local(k);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const parameter_form form = k.signature.parameters[i].form;
    if (form == parameter_form::local_memory) {
      all.local_nbytes[i] = local.add(i, arguments[i]);
      continue;
    }
    all.bytes[i] = detail::checked_argument(k.signature, i, arguments[i], {k.context, k.device});
    if (const auto* a = std::get_if<const array*>(&arguments[i].value())) {
      all.uses.push_back(
          {*a, detail::is_written(form) ? detail::access::write : detail::access::read});
    }
  }
  return all;
}

template <class Arguments>
void add_arguments(Arguments& to, const kernel_signature& signature,
                   std::span<const detail::argument_bytes> bytes,
                   std::span<const std::size_t> local_nbytes) {
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const kernel_parameter& parameter = signature.parameters[i];
    if (parameter.form == parameter_form::local_memory) {
      to.add_local(local_nbytes[i]);
    } else if (parameter.form == parameter_form::value) {
      const void* structure = bytes[i].structure;
      to.add_bytes(structure == nullptr ? bytes[i].number.data() : structure, parameter.size);
    } else if (detail::is_view(parameter.form)) {
      const std::vector<std::int64_t>& view = bytes[i].view;
      to.add_bytes(view.data(), view.size() * sizeof view[0]);
    } else {
      to.add_address(bytes[i].address);
    }
  }
}

}  // namespace

kernel::kernel(std::shared_ptr<const implementation> shared) noexcept
    : shared_(std::move(shared)) {}

namespace {

/// Loads a compiled program, so that it is ready to run. Throws if it lacks one of the kernels.
detail::built_program load_all(detail::compiled_program& compiled, const detail::program& program,
                               const sycl::context& context, const sycl::device& device,
                               bool debug) {
  const detail::runtime_call call;
  const std::vector<std::string>& names = program.kernels;
  const std::vector<diagnostic> said = detail::parse_diagnostics(compiled.log);
  std::vector<detail::device_code> codes =
      detail::load_code(compiled.executable, names, context, device);
  std::vector<detail::built_kernel> kernels;
  for (std::size_t i = 0; i < names.size(); ++i) {
    detail::kernel_code code(std::move(codes[i]));
    kernel_signature signature{names[i], parameters_in(compiled.executable, i, names[i]),
                               detail::dimensions_in(said, program, i)};
    const auto limits = all_limits(code, signature, device);
    const bool has_views =
        std::ranges::any_of(signature.parameters, detail::is_view, &kernel_parameter::form);
    kernels.push_back({std::move(signature), detail::for_users(said), std::move(code), limits,
                       debug && has_views});
  }
  return std::make_shared<const std::vector<detail::built_kernel>>(std::move(kernels));
}

/// The group of a program in the cache, such as "user-axpy", which also begins the file's name.
/// Generated kernels are known by their user's name.
std::string group_of(const detail::program& source) {
  constexpr std::string_view generated = "usmx_named_";
  constexpr std::size_t longest = 40;
  std::string_view name = source.kernels.empty() ? std::string_view() : source.kernels.front();
  name.remove_prefix(name.starts_with(generated) ? generated.size() : 0);
  return detail::message("user-", name.substr(0, longest));
}

/// Built once in a context, unless it may read real files.
detail::built_program compile_all(const detail::program& program, const sycl::context& context,
                                  const sycl::device& device, const compile_options& how) {
  const detail::compile_target target = detail::target_for(device);
  const detail::cached_program cache(group_of(program), program, device, target);
  const auto build = [&] {
    return detail::load_program(program, target, cache, context, how.progress,
                                [&](detail::compiled_program& compiled) {
                                  return load_all(compiled, program, context, device, how.debug);
                                });
  };
  if (cache.identity() == nullptr) {
    return build();
  }
  const auto known = detail::slot_of<detail::built_kernels>(detail::state_of(context));
  detail::built_program built = known->find(device, *cache.identity());
  if (built == nullptr) {
    built = build();
    known->add(device, *cache.identity(), built);
  }
  return built;
}

}  // namespace

std::vector<kernel> kernel::compile(const sycl::queue& queue, std::string_view source,
                                    std::span<const std::string> names,
                                    const compile_options& options) {
  require_usable_process();
  const internal::kept_thread_state kept;
  const detail::program program = detail::make_program(source, names, options);
  const sycl::context context = queue.get_context();
  const sycl::device device = queue.get_device();
  const detail::built_program built = compile_all(program, context, device, options);
  std::vector<kernel> kernels;
  for (const detail::built_kernel& each : *built) {
    kernels.push_back(kernel(std::make_shared<const implementation>(each, queue, context, device)));
  }
  return kernels;
}

kernel kernel::compile(const sycl::queue& queue, std::string_view source, std::string_view name,
                       const compile_options& options) {
  const std::string names[] = {std::string(name)};
  return compile(queue, source, names, options).front();
}

const kernel_signature& kernel::signature() const noexcept { return shared_->signature; }
const std::vector<diagnostic>& kernel::warnings() const noexcept { return shared_->warnings; }
const sycl::context& kernel::context() const noexcept { return shared_->context; }
const sycl::device& kernel::device() const noexcept { return shared_->device; }

namespace {

/// Starts the kernel after all work on its arrays.
sycl::event start_in_order(const kernel::implementation& k, const detail::launch_order& order,
                           const launch_sizes& sizes, const checked_arguments& all) {
  return detail::submit_in_order(order, all.uses, [&](sycl::handler& to, const auto& before) {
    k.code.enqueue(to, before, sizes, [&](auto& arguments) {
      add_arguments(arguments, k.signature, all.bytes, all.local_nbytes);
    });
  });
}

/// Starts a kernel in order, with a report of bad accesses, which is waited for.
sycl::event start_checked(const kernel::implementation& k, const detail::launch_order& order,
                          const launch_sizes& sizes, checked_arguments all,
                          std::span<const kernel_argument> arguments) {
  const detail::view_checks checks(k.signature, order.queue);
  all.uses.push_back(checks.use());
  for (std::size_t i = 0; i < all.bytes.size(); ++i) {
    if (detail::is_view(k.signature.parameters[i].form)) {
      checks.add_to(all.bytes[i], i);
    }
  }
  sycl::event done = start_in_order(k, order, sizes, all);
  checks.require_none({done}, arguments);
  return done;
}

sycl::event launch_kernel(const kernel::implementation& k, const launch_sizes& sizes,
                          std::span<const kernel_argument> arguments, const sycl::queue* queue,
                          std::span<const sycl::event> after, detail::overtaking by_others) {
  const detail::runtime_call call;
  checked_arguments all = check(k, arguments);
  const launch_sizes chosen = check(k, sizes);
  const sycl::queue* common =
      queue == nullptr ? detail::common_queue(k.signature.name, arguments) : queue;
  const detail::launch_order order{common == nullptr ? k.queue.value() : *common, after, by_others};
  require_runnable(k, order.queue);
  detail::release_finished();
  if (detail::has_no_work(chosen)) {
    return {};
  }
  return k.checks_views ? start_checked(k, order, chosen, std::move(all), arguments)
                        : start_in_order(k, order, chosen, all);
}

}  // namespace

sycl::event kernel::launch(const launch_sizes& sizes, std::span<const kernel_argument> arguments,
                           const sycl::queue* queue, std::span<const sycl::event> after) const {
  return launch_kernel(*shared_, sizes, arguments, queue, after, detail::overtaking::prevented);
}

sycl::event kernel::launch_async(const launch_sizes& sizes,
                                 std::span<const kernel_argument> arguments,
                                 const sycl::queue* queue,
                                 std::span<const sycl::event> after) const {
  return launch_kernel(*shared_, sizes, arguments, queue, after,
                       detail::overtaking::left_to_caller);
}

// ---- launching what has been checked

void kernel::require_parameters(std::span<const kernel_parameter> found) const {
  detail::require_parameters(shared_->signature, found);
  if (shared_->checks_views) {
    throw value_error(detail::message(to_string(shared_->signature),
                                      ": its views check their indices, which a typed kernel "
                                      "does not report"));
  }
}

namespace {

/// Does as add_arguments(), for arguments of the parameters' types.
template <class Arguments>
void add_typed(Arguments& to, const kernel::implementation& k,
               std::span<const void* const> arguments) {
  local_total local(k);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const kernel_parameter& parameter = k.signature.parameters[i];
    if (parameter.form == parameter_form::local_memory) {
      to.add_local(local.add(i, *static_cast<const local_memory*>(arguments[i])));
    } else if (parameter.form == parameter_form::value) {
      to.add_bytes(arguments[i], parameter.size);
    } else if (detail::is_view(parameter.form)) {
      to.add_bytes(arguments[i], detail::view_nbytes(parameter));
    } else {
      to.add_address(*static_cast<void* const*>(arguments[i]));
    }
  }
}

}  // namespace

sycl::event kernel::launch_typed(const launch_sizes& sizes,
                                 std::span<const void* const> arguments) const {
  const detail::runtime_call call;
  const implementation& k = *shared_;
  const launch_sizes chosen = check(k, sizes);
  if (detail::has_no_work(chosen)) {
    return {};
  }
  return detail::submit_to(k.queue.value(), [&](sycl::queue& to) {
    return to.submit([&](sycl::handler& handler) {
      k.code.enqueue(handler, {}, chosen, [&](auto& added) { add_typed(added, k, arguments); });
    });
  });
}

struct detail::kernel_access {
  static const kernel::implementation& parts(const kernel& k) noexcept { return *k.shared_; }

  static kernel without_queue(const kernel& k) {
    auto parts = std::make_shared<kernel::implementation>(*k.shared_);
    parts->queue.reset();
    return kernel(std::move(parts));
  }
};

internal::held_kernels internal::without_queue(const std::vector<kernel>& compiled) {
  std::vector<kernel> result;
  std::ranges::transform(compiled, std::back_inserter(result),
                         &detail::kernel_access::without_queue);
  return std::make_shared<const std::vector<kernel>>(std::move(result));
}

std::size_t detail::fast_group_size(const kernel& k) noexcept {
  return kernel_access::parts(k).limits[0].fast_group_size;
}

// ---- kernels that are compiled when they are first needed

struct lazy_kernel::implementation {
  std::string source;
  std::string name;
  compile_options options;
  internal::compiled_kernels<std::string> compiled;  // by name, of which there is one

  internal::held_kernels for_queue(const sycl::queue& queue) {
    if (auto known = compiled.find(queue, name)) {
      return known;
    }
    return compiled.add(queue, name, {kernel::compile(queue, source, name, options)});
  }
};

lazy_kernel::lazy_kernel(std::string source, std::string name, compile_options options)
    : shared_(std::make_shared<implementation>(std::move(source), std::move(name),
                                               std::move(options))) {}

void lazy_kernel::prepare(const sycl::queue& queue) const { shared_->for_queue(queue); }

sycl::event lazy_kernel::launch(const launch_sizes& sizes,
                                std::span<const kernel_argument> arguments,
                                const sycl::queue* queue,
                                std::span<const sycl::event> after) const {
  require_usable_process();
  const sycl::queue* const common =
      queue == nullptr ? detail::common_queue(shared_->name, arguments) : queue;
  const sycl::queue where =
      common != nullptr ? *common : internal::presented_queue(internal::default_queue());
  return shared_->for_queue(where)->front().launch(sizes, arguments, &where, after);
}

namespace {

/// Starts a kernel on the stream of the queue if that may be, and else as a command of the queue's.
detail::pending_event start_at_once(const kernel::implementation& k, const detail::submission& work,
                                    const sycl::queue& queue, const launch_sizes& sizes,
                                    std::span<const detail::argument_bytes> bytes,
                                    std::span<const std::size_t> local_nbytes) {
  const auto add_all = [&](auto& arguments) {
    add_arguments(arguments, k.signature, bytes, local_nbytes);
  };
  if (k.code.is_for_streams() && work.may_start_on_stream()) {
    k.code.start_on(queue, work.before(), sizes, add_all);
    const detail::pending_event done(queue);
    work.announce(done);
    return done;
  }
  return detail::pending_event(work.start_command(
      [&](sycl::handler& to) { k.code.enqueue(to, work.before(), sizes, add_all); }));
}

}  // namespace

detail::pending_event detail::launch_checked(const kernel& generated, const launch_sizes& sizes,
                                             std::span<const argument_bytes> bytes,
                                             std::span<const array_use> uses,
                                             const sycl::queue& queue,
                                             std::span<const sycl::event> after) {
  const runtime_call call;
  const kernel::implementation& k = kernel_access::parts(generated);
  require_runnable(k, queue);
  const auto dimensions = static_cast<std::size_t>(sizes.dimensions);
  const launch_sizes chosen = checked_sizes(k.signature, sizes, k.limits[dimensions - 1]);
  release_finished();
  return start_at_once(k, submission_of({queue, after}, uses), queue, chosen, bytes, {});
}

void detail::launch_of_library(const kernel& generated, const launch_sizes& sizes,
                               std::span<const kernel_argument> arguments,
                               const sycl::queue& queue) {
  const runtime_call call;
  const kernel::implementation& k = kernel_access::parts(generated);
  const checked_arguments all = check(k, arguments);
  const launch_sizes chosen = check(k, sizes);
  require_runnable(k, queue);
  release_finished();
  if (!has_no_work(chosen)) {
    start_at_once(k, submission_of({queue, {}}, all.uses), queue, chosen, all.bytes,
                  all.local_nbytes);
  }
}

}  // namespace usmx::inline v1
