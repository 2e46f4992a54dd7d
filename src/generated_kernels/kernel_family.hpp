// The parameters and texts of a generated kernel, and the kernels that were compiled of it, by the
// arguments' types and layouts. Private to the library.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "base/ranked_mutex.hpp"
#include "generated_kernels/call.hpp"
#include "generated_kernels/source.hpp"
#include "user_kernels/kernel_code.hpp"
#include "usmx/array/array.hpp"
#include "usmx/generated_kernels/generated_kernels.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::detail {

/// The types of a call's arguments, and the signature of a kernel for them.
struct typed_arguments {
  std::string key;
  /// The parameters. Inputs have the forms value, const_pointer and, if they are raw, const_view;
  /// outputs pointer and view.
  kernel_signature signature;
  std::vector<held_dtype> types;
};

/// A parameter of a kernel as the launch passes it: a text of the user's may have given the name of
/// its type another meaning.
struct passed_parameter {
  std::string name;
  /// The type of the parameter. A size of 0 stands for any element.
  kernel_parameter type;
};

/// The index at which a loop begins.
passed_parameter passed_index();
/// A parameter that is a structure, which usmx fills.
passed_parameter passed_structure(const std::string& name, std::size_t nbytes);
/// A parameter that is one of the loops of the header of generated sources.
passed_parameter passed_loop(const std::string& name, std::size_t operands, std::size_t dimensions);

struct generated_kernel {
  std::string name;
  std::vector<passed_parameter> parameters;
};

struct generated_source {
  std::string text;
  std::vector<generated_kernel> kernels;
};

class kernel_family {
 public:
  /// Users' texts, by the names under which generated sources include them.
  using written_texts = std::vector<std::pair<std::string, std::string>>;

  /// Makes a family of kernels. Throws value_error for parameters that cannot be.
  kernel_family(std::string_view inputs, std::string_view outputs, written_texts,
                generation_options);

  const std::string& name() const noexcept { return options_.name; }
  /// The name of the kernel in the source, which none of C++'s functions has.
  std::string source_name() const { return "usmx_named_" + name(); }
  /// The parameters, inputs first.
  std::span<const generated_parameter> parameters() const noexcept { return parameters_; }
  std::size_t input_count() const noexcept { return input_count_; }
  std::size_t output_count() const noexcept { return parameters_.size() - input_count_; }
  /// Whether the kernels check the indices of raw arrays.
  bool checks_indices() const noexcept { return options_.debug; }

  /// The types of these arguments, one for each parameter. Throws type_error as choose_types()
  /// does.
  std::shared_ptr<const typed_arguments> typed_for(std::span<const kernel_argument>,
                                                   std::optional<dtype> wanted) const;

  std::string type_name(std::size_t index, dtype in_call) const;
  std::vector<source_parameter> source_parameters(const typed_arguments&,
                                                  std::span<const kernel_argument>) const;
  passed_parameter passed(const typed_arguments&, std::size_t index) const;

  /// The kernels for arguments of these types and for a form of the loops, which `generate()` gives
  /// the source of. Throws compile_error. They hold no queue.
  internal::held_kernels kernels_for(const std::shared_ptr<const typed_arguments>&,
                                     const call_form&, const sycl::queue&,
                                     const generated_call_options&,
                                     const std::function<generated_source()>& generate) const;

 private:
  static constexpr std::size_t most_types = 256;

  /// The key of compiled kernels. Types that are forgotten and met again are others: then what was
  /// compiled for them is forgotten, too.
  struct kernel_key {
    std::shared_ptr<const typed_arguments> typed;
    call_form form;

    bool operator==(const kernel_key&) const = default;
    bool operator==(const std::pair<const typed_arguments*, const call_form&>& other) const {
      return typed.get() == other.first && form == other.second;
    }
  };

  std::shared_ptr<const typed_arguments> find(const std::string& key) const;
  typed_arguments describe(std::span<const kernel_argument>, std::optional<dtype> wanted,
                           std::string key) const;
  std::vector<kernel> compile(const generated_source&, const sycl::queue&,
                              const generated_call_options&) const;

  std::vector<generated_parameter> parameters_;
  std::size_t input_count_;
  written_texts written_;
  generation_options options_;
  mutable ranked_mutex<lock_rank::generated_kernels> mutex_;
  mutable std::list<std::shared_ptr<const typed_arguments>> typed_;  // the latest first
  mutable internal::compiled_kernels<kernel_key> compiled_;
};

struct started_call {
  std::vector<array> outputs;
  started_work events;
  sycl::queue queue;

  /// Takes the outputs with their event. May wait.
  generated_result with_event() &&;
};

class complete_call {
 public:
  /// Takes the arguments, which are inputs, or inputs and outputs. Throws value_error unless the
  /// options have an output for each of the kernel's, or none, and type_error if both have outputs.
  complete_call(const kernel_family&, std::span<const kernel_argument> arguments,
                const generated_call_options&);

  /// All arguments: inputs and outputs.
  std::span<const kernel_argument> all() const noexcept { return all_; }
  /// The queue of the call. Throws value_error for arrays on two queues.
  sycl::queue queue() const;
  template <class Call>
  started_call start(Call& call) const {
    const sycl::queue where = queue();
    std::vector<array> outputs = results(call, where);
    return {std::move(outputs), call.run(where, options_), where};
  }

 private:
  /// The outputs. Those that the call lacks are made.
  std::vector<array> results(internal::generated_call&, const sycl::queue&) const;

  const kernel_family& family_;
  const generated_call_options& options_;
  std::vector<kernel_argument> all_;
};

/// The only output. Throws type_error if there are several.
array only_output(const std::string& kernel, std::vector<array> outputs);

}  // namespace usmx::inline v1::detail
