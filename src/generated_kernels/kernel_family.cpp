#include "generated_kernels/kernel_family.hpp"

#include <algorithm>
#include <mutex>
#include <variant>

#include "array/array.hpp"
#include "runtime/queues.hpp"
#include "user_kernels/launch.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"

namespace usmx::inline v1::detail {
namespace {

/// The option with which a * b + c is rounded twice, as in NumPy (docs/decisions.md, 119). The
/// user's options come after it.
constexpr const char* no_contraction = "-ffp-contract=off";

const array* array_of(const kernel_argument& argument) {
  const auto* found = std::get_if<const array*>(&argument.value());
  return found == nullptr ? nullptr : *found;
}

/// The types for numbers, which have a kind and no type of their own, in the order of their
/// alternatives.
constexpr type_code number_types[] = {type_code::bool_, type_code::int64, type_code::uint64,
                                      type_code::float64, type_code::complex128};

std::optional<found_type> found_in(const kernel_argument& argument) {
  if (const array* a = array_of(argument)) {
    return found_type{a->type(), true};
  }
  if (const auto* number = std::get_if<kernel_argument::number>(&argument.value())) {
    return found_type{dtype(number_types[number->index()]), false};
  }
  if (std::holds_alternative<kernel_argument::large_integer>(argument.value())) {
    return found_type{uint64, false};  // the launch will refuse it
  }
  return std::nullopt;
}

char letter_of(dtype type) { return static_cast<char>('A' + static_cast<int>(type.code())); }

/// A text that tells structured types apart that live: those of a key do, since its typed_arguments
/// hold them.
std::string address_of(dtype type) {
  return type.is_structured() ? message(static_cast<const void*>(type.typestr().data())) : "";
}

/// A key that differs for arguments that need different kernels.
std::string key_of(std::span<const generated_parameter> parameters,
                   std::span<const kernel_argument> arguments, std::optional<dtype> wanted) {
  std::string key;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const std::optional<found_type> found = found_in(arguments[k]);
    if (!found) {
      key += '-';
    } else if (!found->is_array) {
      key += static_cast<char>('0' + static_cast<int>(found->type.code()));
    } else {
      key += letter_of(found->type);
      key += address_of(found->type);
      key += parameters[k].is_raw ? std::to_string(array_of(arguments[k])->ndim()) : "";
    }
  }
  return wanted ? key + letter_of(*wanted) + address_of(*wanted) : key;
}

parameter_form form_of(bool is_input, const generated_parameter& parameter, bool is_array) {
  if (!is_array && is_input) {
    return parameter_form::value;
  }
  if (parameter.is_raw) {
    return is_input ? parameter_form::const_view : parameter_form::view;
  }
  return is_input ? parameter_form::const_pointer : parameter_form::pointer;
}

bool suits(const kernel_parameter& compiled, const kernel_parameter& passed) {
  const bool is_element =
      passed.size == 0 || (compiled.type == passed.type && compiled.size == passed.size);
  return is_element && compiled.form == passed.form && compiled.ndim == passed.ndim;
}

/// Throws compile_error unless the kernel takes the arguments that the launch passes.
void require_passed(const std::string& kernel, const kernel_signature& compiled,
                    std::span<const passed_parameter> passed) {
  for (std::size_t k = 0; k < passed.size(); ++k) {
    const auto& [name, type] = passed[k];
    if (k >= compiled.parameters.size() || !suits(compiled.parameters[k], type)) {
      throw compile_error(
          message(kernel, ": the preamble or an option gives a type's name another meaning: ",
                  "expected ", quoted(name), " to be ", to_string(type), ", found ",
                  k < compiled.parameters.size() ? to_string(compiled.parameters[k]) : "none"),
          {});
    }
  }
}

}  // namespace

passed_parameter passed_index() {
  return {"usmx_i", {parameter_form::value, type_code::int64, 8, 8, "long"}};
}

passed_parameter passed_structure(const std::string& name, std::size_t nbytes) {
  return {name,
          {parameter_form::value, type_code::structured, nbytes, 8,
           message("a structure of ", nbytes, " bytes")}};
}

passed_parameter passed_loop(const std::string& name, std::size_t operands,
                             std::size_t dimensions) {
  return passed_structure(name, sizeof(std::int64_t) * dimensions * (operands + 1));
}

kernel_family::kernel_family(std::string_view inputs, std::string_view outputs,
                             written_texts written, generation_options options)
    : parameters_(parse_parameters("in_params", inputs, options.preamble)),
      input_count_(parameters_.size()),
      written_(std::move(written)),
      options_(std::move(options)) {
  for (generated_parameter& each : parse_parameters("out_params", outputs, options_.preamble)) {
    parameters_.push_back(std::move(each));
  }
  check_parameters(parameters_, output_count());
  check_kernel_name(options_.name);
  check_brackets("preamble", options_.preamble);
  written_.emplace_back("preamble", options_.preamble);
}

std::shared_ptr<const typed_arguments> kernel_family::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::ranges::find(typed_, key, [](const auto& each) -> const auto& { return each->key; });
  if (found == typed_.end()) {
    return nullptr;
  }
  typed_.splice(typed_.begin(), typed_, found);
  return typed_.front();
}

typed_arguments kernel_family::describe(std::span<const kernel_argument> arguments,
                                        std::optional<dtype> wanted, std::string key) const {
  std::vector<std::optional<found_type>> found;
  std::ranges::transform(arguments, std::back_inserter(found), found_in);
  typed_arguments made{std::move(key), {name(), {}, 0}, {}};
  const std::vector<dtype> types = choose_types(name(), parameters_, found, wanted);
  made.types.assign(types.begin(), types.end());
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const array* a = array_of(arguments[k]);
    const dtype type = made.types[k];
    made.signature.parameters.push_back(
        {form_of(k < input_count_, parameters_[k], a != nullptr), type.code(), type.itemsize(),
         type.alignment(), type_name(k, type),
         a != nullptr && parameters_[k].is_raw ? static_cast<int>(a->ndim()) : 0});
  }
  return made;
}

std::shared_ptr<const typed_arguments> kernel_family::typed_for(
    std::span<const kernel_argument> arguments, std::optional<dtype> wanted) const {
  std::string key = key_of(parameters_, arguments, wanted);
  if (auto known = find(key)) {
    return known;
  }
  auto made = std::make_shared<const typed_arguments>(describe(arguments, wanted, std::move(key)));
  const std::lock_guard lock(mutex_);
  typed_.push_front(made);
  if (typed_.size() > most_types) {
    typed_.pop_back();
  }
  return made;
}

std::string kernel_family::type_name(std::size_t index, dtype in_call) const {
  return parameters_[index].is_structure ? parameters_[index].type : cpp_name(in_call);
}

std::vector<source_parameter> kernel_family::source_parameters(
    const typed_arguments& typed, std::span<const kernel_argument> arguments) const {
  std::vector<source_parameter> all;
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const generated_parameter& each = parameters_[k];
    const kernel_parameter& in_call = typed.signature.parameters[k];
    const array* a = array_of(arguments[k]);
    all.push_back({each.name, in_call.type_name, each.is_variable() ? each.type : "",
                   k >= input_count_, in_call.form != parameter_form::value, in_call.ndim,
                   a != nullptr && a->layout().is_c_contiguous()});
  }
  return all;
}

passed_parameter kernel_family::passed(const typed_arguments& typed, std::size_t index) const {
  passed_parameter made{parameters_[index].name, typed.signature.parameters[index]};
  if (parameters_[index].is_structure) {
    made.type.size = 0;  // require_structure() compares it with the array's
  }
  return made;
}

std::vector<kernel> kernel_family::compile(const generated_source& source, const sycl::queue& queue,
                                           const generated_call_options& how) const {
  compile_options options{.headers = written_,
                          .options = {no_contraction},
                          .debug = options_.debug,
                          .progress = how.progress};
  options.options.insert(options.options.end(), options_.options.begin(), options_.options.end());
  options.headers.emplace_back("usmx_loop.hpp", loop_header);
  options.headers.emplace_back("usmx_words.hpp", words_header);
  std::vector<std::string> names;
  std::ranges::transform(source.kernels, std::back_inserter(names), &generated_kernel::name);
  std::vector<kernel> made = kernel::compile(queue, source.text, names, options);
  for (std::size_t k = 0; k < made.size(); ++k) {
    require_passed(name(), made[k].signature(), source.kernels[k].parameters);
  }
  if (how.warned && !made.front().warnings().empty()) {
    how.warned(made.front().warnings());
  }
  return made;
}

internal::held_kernels kernel_family::kernels_for(
    const std::shared_ptr<const typed_arguments>& typed, const call_form& form,
    const sycl::queue& queue, const generated_call_options& how,
    const std::function<generated_source()>& generate) const {
  if (auto known = compiled_.find(
          queue, std::pair<const typed_arguments*, const call_form&>(typed.get(), form))) {
    return known;
  }
  return compiled_.add(queue, {typed, form}, compile(generate(), queue, how));
}

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
  const sycl::queue* const common =
      options_.queue == nullptr ? common_queue(family_.name(), all_) : options_.queue;
  return internal::presented_queue(common != nullptr ? *common : internal::default_queue());
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
