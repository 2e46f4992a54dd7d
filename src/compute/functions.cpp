#include "usmx/compute/functions.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "compute/elementwise.hpp"
#include "compute/functions.hpp"
#include "compute/host_reductions.hpp"
#include "compute/made_kernels.hpp"
#include "compute/promotion.hpp"
#include "compute/rows.hpp"
#include "compute/table.hpp"
#include "copy/copy.hpp"
#include "generated_kernels/reduction_loops.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1 {
namespace internal {

std::string_view computed_name(dtype type) {
  return language_name(type == float16 ? float32 : type);
}

std::string summed_name(dtype values, bool has_fp64) {
  const std::string computed(computed_name(values));
  switch (values.kind()) {
    case 'f':
      return has_fp64 && computed == "float" ? "double" : "compensated<" + computed + ">";
    case 'c':
      return has_fp64 && values.code() == type_code::complex64 ? "complex<double>"
                                                               : "compensated<" + computed + ">";
    default:
      return computed;
  }
}

}  // namespace internal

namespace {

using internal::computed_name;
using internal::function_row;
using internal::language_name;
using internal::summed_name;

struct reduction_row {
  std::string_view name;
  std::string_view types;
  std::string_view result;
  std::string_view map;
  std::string_view reduce;
  std::string_view post_map;
  std::string_view identity;
  std::string_view structure;  // the type of the values; empty for that of `result`
};
constexpr reduction_row reduction_rows[] = {
#define USMX_TEXT(...) #__VA_ARGS__
#define USMX_REDUCTION(name, types, result, map, reduce, post_map, identity, structure) \
  {#name,                                                                               \
   #types,                                                                              \
   #result,                                                                             \
   USMX_TEXT map,                                                                       \
   USMX_TEXT reduce,                                                                    \
   USMX_TEXT post_map,                                                                  \
   USMX_TEXT identity,                                                                  \
   #structure},
#define USMX_DEVIATION USMX_REDUCTION
#include "compute/reduction_rows.inc"
#undef USMX_DEVIATION
#undef USMX_REDUCTION
#undef USMX_TEXT
    // The mean in a type that has more digits than the elements have: sums need no more.
    {"wide_mean", "reals", "float", "A(x)", "a + b", "divided(a, n)", "0", ""},
    {"wide_mean", "complexes", "float", "A(x)", "a + b", "divided(a, n)", "0", ""},
};
constexpr std::span named_rows = std::span(reduction_rows).first(std::size(reduction_rows) - 2);
constexpr const reduction_row& wide_mean_of_reals = reduction_rows[named_rows.size()];
constexpr const reduction_row& wide_mean_of_complexes = reduction_rows[named_rows.size() + 1];

std::string_view class_of(dtype type) {
  switch (type.kind()) {
    case 'b':
      return "booleans";
    case 'i':
      return "signed_integers";
    case 'u':
      return "unsigned_integers";
    case 'f':
      return "reals";
    default:
      return type.kind() == 'c' ? "complexes" : "structures";
  }
}

const reduction_row* find_row(std::string_view name, dtype type) {
  const auto found = std::ranges::find_if(named_rows, [&](const reduction_row& each) {
    return each.name == name && each.types == class_of(type);
  });
  return found == named_rows.end() ? nullptr : &*found;
}

const reduction_row& reduction_row_of(std::string_view name, dtype type) {
  const auto is_named = [&](const reduction_row& each) { return each.name == name; };
  if (const reduction_row* found = find_row(name, type)) {
    return *found;
  }
  if (std::ranges::none_of(named_rows, is_named)) {
    throw value_error(detail::message("usmx has no function ", detail::quoted(name)));
  }
  throw type_error(detail::message(name, " is not defined for elements of ", type.name()));
}

std::string functions_text() { return std::string(internal::device_text("device_functions.hpp")); }

// The texts are those that python/usmx/_compute makes: what the package has compiled is found for
// both.

dtype result_of(const reduction_row& of, dtype type) {
  if (of.result == "bool") {
    return dtype::of<bool>();
  }
  if (of.result == "index" || (of.result == "sum" && (type.kind() == 'b' || type.kind() == 'i'))) {
    return dtype::of<std::int64_t>();
  }
  if (of.result == "real") {
    return internal::real_part_type(type);
  }
  return of.result == "sum" && type.kind() == 'u' ? dtype::of<std::uint64_t>() : type;
}

/// The type of the mean from which elements deviate, and of the deviations.
dtype mean_type(dtype type, bool has_fp64) {
  if (type.kind() == 'c') {
    return has_fp64 ? complex128 : complex64;
  }
  return has_fp64 ? float64 : float32;
}

/// An expression of `x`. float16 has fewer conversions than the others, and so is float in it.
std::string mapped(std::string_view expression, dtype type) {
  const std::size_t at = expression.find("(x)");
  return type == float16 && at != expression.npos
             ? detail::message(expression.substr(0, at), "(float(x))", expression.substr(at + 3))
             : std::string(expression);
}

reduction_kernel make(const reduction_row& of, dtype type, dtype result, bool has_fp64) {
  const std::string_view values = of.result == "same" ? language_name(type) : computed_name(result);
  const bool is_sum = of.structure == "summed";
  const bool deviates = of.result == "real";
  const dtype mean = mean_type(type, has_fp64);
  const std::string types =
      detail::message("\nusing X = ", language_name(type), ";\nusing A = ", values, ";\n");
  const std::string structures =
      is_sum                 ? "using summed = " + summed_name(result, has_fp64) + ";\n"
      : of.structure.empty() ? ""
                             : "using greatest = best<X, 1>;\nusing smallest = best<X, -1>;\n";
  const bool is_computed = of.result == "sum" || of.result == "float" || deviates;
  const bool is_half = is_computed && result == float16;
  const dtype joined = is_half ? type_code::float32 : result.code();
  const std::string value =
      is_half ? detail::message("float(", of.post_map, ')') : std::string(of.post_map);
  const std::string inputs =
      deviates ? detail::message(type.name(), " x, ", mean.name(), " m, ",
                                 internal::real_part_type(mean).name(), " correction")
               : detail::message(type.name(), " x");
  return {inputs,
          detail::message(result.name(), " out"),
          {.map = is_computed ? mapped(of.map, type) : std::string(of.map),
           .reduce = std::string(of.reduce),
           .post_map = detail::message("out = ", language_name(result), '(', value, ')'),
           .identity = std::string(of.identity),
           .type = std::string(of.structure.empty() ? joined.name() : of.structure),
           .block_type = is_sum ? "A" : ""},
          {.name = std::string(of.name),
           .preamble = functions_text() + types +
                       (deviates ? detail::message("using M = ", language_name(mean), ";\n") : "") +
                       structures}};
}

template <bool has_fp64>
const reduction_kernel& kernel_of(const reduction_row& of, dtype type, dtype result) {
  constexpr std::size_t types = std::size_t{type_count} * type_count;
  static internal::made_kernels<reduction_kernel, std::size(reduction_rows) * types> all;
  const auto code = [](dtype each) { return static_cast<std::size_t>(each.code()); };
  const std::size_t pair = code(type) * type_count + code(result);
  return all.at(static_cast<std::size_t>(&of - reduction_rows) * types + pair,
                [&] { return make(of, type, result, has_fp64); });
}
/// The kernel of a row for elements and results of these types.
const reduction_kernel& kernel_for(const reduction_row& of, dtype type, dtype result,
                                   type_support has) {
  return has.fp64 ? kernel_of<true>(of, type, result) : kernel_of<false>(of, type, result);
}

using argument_number = kernel_argument::number;

const argument_number* number_in(const kernel_argument& argument) {
  return std::get_if<argument_number>(&argument.value());
}

const array& first_array(const function_row& row, std::span<const kernel_argument> operands) {
  for (const kernel_argument& each : operands) {
    if (const auto* found = std::get_if<const array*>(&each.value())) {
      return **found;
    }
  }
  throw type_error(detail::message(row.name, ": expected an array among the operands, found none"));
}

/// The operands of a call, and their kinds.
class elementwise_operands {
 public:
  elementwise_operands(const function_row& row, std::span<const kernel_argument> operands)
      : row_(row), operands_(operands.begin(), operands.end()) {
    internal::require_operands(row, operands.size());
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (const argument_number* number = number_in(operands[k]); number && row.is_logical) {
        // Every type has the truth of a number.
        set_number(k, internal::converted_number(row.name, *number, bool_));
      }
      kinds_[k] = kind_of(operands_[k]);
    }
  }

  std::span<const internal::operand_kind> kinds() const noexcept {
    return std::span(kinds_).first(operands_.size());
  }

  /// Whether there is an integer that an operation which compares is to compare as it is, since the
  /// inputs' type lacks it. From then on it is one of a type that has it.
  bool widens(const internal::elementwise_types& types) {
    bool found = false;
    for (std::size_t k = 0; row_.compares && k < operands_.size(); ++k) {
      const argument_number* number = number_in(operands_[k]);
      if (number != nullptr && kinds_[k].is_weak &&
          !internal::has_integer(types.inputs[k], *number)) {
        kinds_[k] = {
            std::holds_alternative<std::uint64_t>(*number) ? type_code::uint64 : type_code::int64,
            false};
        found = true;
      }
    }
    return found;
  }

  /// The operands, with numbers as the kernel takes them.
  std::span<const kernel_argument> converted(const internal::elementwise_types& types) {
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      if (const argument_number* number = number_in(operands_[k])) {
        set_number(k, internal::converted_number(row_.name, *number, types.inputs[k]));
      }
    }
    return operands_;
  }

 private:
  internal::operand_kind kind_of(const kernel_argument& argument) const {
    if (const auto found = internal::operand(argument)) {
      return *found;
    }
    throw type_error(
        detail::message(row_.name, ": expected arrays and numbers, found another operand"));
  }

  void set_number(std::size_t k, const argument_number& number) {
    operands_[k] = kernel_argument(number);
  }

  const function_row& row_;
  std::vector<kernel_argument> operands_;
  std::array<internal::operand_kind, internal::max_function_operands> kinds_{};
};

std::optional<type_code> output_type(const generated_call_options& how) {
  if (how.outputs.empty() || !how.outputs.front()) {
    return std::nullopt;
  }
  return how.outputs.front()->type().code();
}

}  // namespace

namespace internal {

void require_exponent(dtype base, bool is_negative) {
  if (is_negative && (base.kind() == 'i' || base.kind() == 'b')) {
    throw value_error(detail::message(
        "pow: integers to negative integer powers are not allowed, found elements of type ",
        base.name(), " and an exponent below 0: a float exponent gives fractions"));
  }
}

}  // namespace internal

array compute(std::string_view name, std::span<const kernel_argument> operands,
              const generated_call_options& how) {
  require_usable_process();
  const function_row& row = internal::function_named(name);
  if (row.name == "pow" && operands.size() == 2) {
    const auto* base = std::get_if<const array*>(&operands[0].value());
    const argument_number* number = number_in(operands[1]);
    const auto* exponent = number == nullptr ? nullptr : std::get_if<std::int64_t>(number);
    if (base != nullptr && exponent != nullptr) {
      internal::require_exponent((*base)->type(), *exponent < 0);
    }
  }
  elementwise_operands all(row, operands);
  const type_support has =
      support_of(internal::private_queue(first_array(row, operands)).get_device());
  const auto plan = [&] { return plan_for(row, all.kinds(), output_type(how), has); };
  std::shared_ptr<const internal::elementwise_plan> found = plan();
  if (all.widens(found->types)) {
    found = plan();
  }
  return found->kernel.call(all.converted(found->types), how)[0];
}

namespace {

/// The number type in which a reduction of real numbers computes integers.
bool computes_in_default_type(std::string_view name, dtype type) {
  return find_row(name, type) == nullptr && find_row(name, float64) != nullptr &&
         internal::is_whole(type);
}

/// The type of the deviations of elements: as asked for, or as wide as the output is.
dtype deviation_type(std::string_view name, dtype type, const generated_call_options& how,
                     type_support has) {
  const dtype found =
      internal::is_whole(type) ? nearest_supported(float64, has) : internal::real_part_type(type);
  if (how.type) {
    const dtype asked = internal::asked_type(name, type, found, *how.type, has);
    if (asked.kind() != 'f') {
      throw type_error(detail::message(name, " of elements of type ", type.name(),
                                       " cannot be of type ", *how.type));
    }
    return asked;
  }
  const std::optional<type_code> into = output_type(how);
  if (!into || *into == type_code::structured || !internal::is_same_kind(found, *into)) {
    return found;
  }
  return internal::real_part_type(nearest_supported(internal::promoted(found, *into), has));
}

/// Finds the mean first, and then what the row makes of the distances from it.
array deviation(const reduction_row& row, const array& x, const reduction_axes& axes,
                double correction, const generated_call_options& how, type_support has) {
  const dtype result = deviation_type(row.name, x.type(), how, has);
  generated_call_options rest = how;
  rest.type.reset();
  if (!rest.outputs.empty() && rest.outputs.front()) {
    const array out = *rest.outputs.front();
    const std::vector<char> reduced =
        detail::reduced_flags(axes.axes.value(), static_cast<std::size_t>(x.ndim()));
    internal::require_output(row.name, out, result,
                             detail::result_shape(x.shape(), reduced, axes.are_kept),
                             internal::private_queue(x));
    if (out.type() != result) {
      rest.outputs.clear();
      rest.type = result;
      detail::copy_in_order(deviation(row, x, axes, correction, rest, has), out);
      return out;
    }
  }
  const dtype type = mean_type(x.type(), has.fp64);
  const bool has_fewer_digits = !internal::is_whole(x.type()) && x.type() != type;
  const reduction_row& mean_row = !has_fewer_digits    ? reduction_row_of("mean", type)
                                  : type.kind() == 'c' ? wide_mean_of_complexes
                                                       : wide_mean_of_reals;
  generated_call_options of_mean = rest;
  of_mean.outputs.clear();
  const kernel_argument elements[] = {x};
  const array mean = kernel_for(mean_row, x.type(), type, has)
                         .call(elements, {.axes = axes.axes, .are_kept = true}, of_mean)[0];
  const kernel_argument operands[] = {x, mean,
                                      kernel_argument(internal::converted_number(
                                          row.name, correction, internal::real_part_type(type)))};
  return kernel_for(row, x.type(), result, has).call(operands, axes, rest)[0];
}

/// Reduces in the type that the options ask for: Python's `dtype`.
array reduced_in_type(std::string_view name, const array& x, const reduction_axes& axes,
                      const generated_call_options& how, type_support has) {
  const dtype asked = *how.type;
  generated_call_options rest = how;
  rest.type.reset();
  const reduction_row* of = find_row(name, x.type());
  const reduction_row& rule = of == nullptr ? reduction_row_of(name, float64) : *of;
  if (rule.result != "sum" && rule.result != "float") {
    const dtype found = result_of(reduction_row_of(name, x.type()), x.type());
    if (asked != found) {
      throw type_error(detail::message(name, " of elements of type ", x.type().name(),
                                       " cannot be of type ", asked));
    }
    return reduce(name, x, axes, rest);
  }
  const dtype found = of == nullptr ? nearest_supported(float64, has) : result_of(*of, x.type());
  const dtype result = internal::asked_type(name, x.type(), found, asked, has);
  if (result == bool_) {
    return reduce(name == "sum" ? "any" : "all", x, axes, rest);
  }
  const kernel_argument operands[] = {x};
  return kernel_for(reduction_row_of(name, result), x.type(), result, has)
      .call(operands, axes, rest)[0];
}

/// Computes on the host, if nothing asks for something that its loops lack.
std::optional<array> reduced_here(std::string_view name, const array& x, const reduction_axes& axes,
                                  double correction, const generated_call_options& how) {
  if (how.type || how.queue != nullptr || !how.after.empty() || output_type(how)) {
    return std::nullopt;
  }
  return internal::reduced_on_host(
      name, x, axes, correction,
      [&](const layout& where, dtype type) {
        return internal::new_array(where, type, internal::private_queue(x), x.kind(), 0,
                                   internal::first_use::at_once);
      },
      [](const internal::host_reduction_call& call, const array& out) { return call.run(out); });
}

array reduced(std::string_view name, const array& x, const reduction_axes& axes, double correction,
              const generated_call_options& how) {
  require_usable_process();
  if (std::optional<array> made = reduced_here(name, x, axes, correction, how)) {
    return *std::move(made);
  }
  const type_support has = support_of(internal::private_queue(x).get_device());
  internal::require_plain(name, x.type());
  const bool is_converted = computes_in_default_type(name, x.type());
  const reduction_row& of = reduction_row_of(name, is_converted ? float64 : x.type());
  if (of.result == "real") {
    return deviation(of, x, axes, correction, how, has);
  }
  if (how.type) {
    return reduced_in_type(name, x, axes, how, has);
  }
  const dtype result = result_of(of, is_converted ? nearest_supported(float64, has) : x.type());
  const kernel_argument operands[] = {x};
  return kernel_for(of, x.type(), result, has).call(operands, axes, how)[0];
}

}  // namespace

array reduce(std::string_view name, const array& x, const reduction_axes& axes,
             const generated_call_options& how) {
  return reduced(name, x, axes, 0, how);
}

array var(const array& x, const reduction_axes& axes, const deviation_options& how) {
  return reduced("var", x, axes, how.correction, how.call);
}

array std(const array& x, const reduction_axes& axes, const deviation_options& how) {
  return reduced("std", x, axes, how.correction, how.call);
}

}  // namespace usmx::inline v1
