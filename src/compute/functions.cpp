#include "usmx/compute/functions.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "compute/table.hpp"
#include "generated_kernels/source.hpp"
#include "usmx/base/error.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1 {
namespace {

using internal::function_row;

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
#define USMX_REDUCTION(name, types, result, map, reduce, post_map, identity, structure) \
  {#name, #types, #result, map, reduce, post_map, identity, structure},
#include "compute/reduction_rows.inc"
#undef USMX_REDUCTION
};

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

[[noreturn]] void throw_not_defined(std::string_view name, dtype type) {
  throw type_error(detail::message(name, " is not defined for elements of ", type.name()));
}

const reduction_row& reduction_row_of(std::string_view name, dtype type) {
  const auto is_named = [&](const reduction_row& each) { return each.name == name; };
  const auto found = std::ranges::find_if(reduction_rows, [&](const reduction_row& each) {
    return is_named(each) && each.types == class_of(type);
  });
  if (found != std::end(reduction_rows)) {
    return *found;
  }
  if (std::ranges::none_of(reduction_rows, is_named)) {
    throw value_error(detail::message("usmx has no function ", detail::quoted(name)));
  }
  throw_not_defined(name, type);
}

std::string functions_text() { return std::string(internal::device_text("device_functions.hpp")); }

/// The kernel language's name of a type, as python/usmx/_compute/call.py has it: one word, so that
/// it can be called.
std::string language_name(dtype type) {
  const bool is_integer = type.kind() == 'i' || type.kind() == 'u';
  return is_integer ? detail::message(type.name(), "_t") : detail::cpp_name(type);
}

/// That of the type in which sums of these elements are computed: half precision in single
/// precision.
std::string computed_name(dtype type) {
  return type.code() == type_code::float16 ? "float" : language_name(type);
}

// The texts are those that python/usmx/_compute makes: what the package has compiled is found for
// both.

elementwise_kernel make(const function_row& of, dtype type) {
  std::string inputs;
  const std::string computed = of.in_half ? language_name(type) : computed_name(type);
  std::string operation = detail::message("using C = ", computed, ";\n");
  const char* letter = "abc";
  int conditions = of.conditions;
  const std::string_view expression = of.expression(type.kind());
  const bool is_converted = expression.find("x1") == expression.npos;
  for (std::string_view left = of.operands; !left.empty();) {
    const std::string_view name = left.substr(0, left.find(' '));
    left.remove_prefix(std::min(name.size() + 1, left.size()));
    const bool is_condition = conditions-- > 0;
    inputs +=
        detail::message(inputs.empty() ? "" : ", ", is_condition ? "bool" : type.name(), ' ', name);
    if (!is_condition && is_converted) {
      operation += detail::message("const C ", *letter++, " = C(", name, ");\n");
    }
  }
  const dtype result = of.result == internal::result_rule::truth ? bool_ : type;
  operation += detail::message("out = ", language_name(result), '(', expression, ')');
  return {inputs,
          detail::message(result.name(), " out"),
          operation,
          {.name = std::string(of.name), .preamble = functions_text()}};
}

dtype result_of(const reduction_row& of, dtype type) {
  if (of.result == "bool") {
    return dtype::of<bool>();
  }
  if (of.result == "index" || (of.result == "sum" && (type.kind() == 'b' || type.kind() == 'i'))) {
    return dtype::of<std::int64_t>();
  }
  return of.result == "sum" && type.kind() == 'u' ? dtype::of<std::uint64_t>() : type;
}

/// The type of sums, as summed_type() in python/usmx/_compute/reductions.py.
std::string summed_name(dtype values, bool has_fp64) {
  const std::string computed = computed_name(values);
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

reduction_kernel make(const reduction_row& of, dtype type, bool has_fp64) {
  const dtype result = result_of(of, type);
  const std::string values = of.result == "same" ? language_name(type) : computed_name(result);
  const bool is_sum = of.structure == "summed";
  const std::string types =
      detail::message("\nusing X = ", language_name(type), ";\nusing A = ", values,
                      ";\nusing R = ", language_name(result), ";\n");
  const std::string structures =
      is_sum                 ? "using summed = " + summed_name(result, has_fp64) + ";\n"
      : of.structure.empty() ? ""
                             : "using greatest = best<X, 1>;\nusing smallest = best<X, -1>;\n";
  const bool is_half = of.result != "same" && result.code() == type_code::float16;
  const dtype joined = is_half ? type_code::float32 : result.code();
  // float16 has fewer conversions than the others.
  const std::string value =
      is_half ? detail::message("float(", of.post_map, ')') : std::string(of.post_map);
  return {detail::message(type.name(), " x"),
          detail::message(result.name(), " out"),
          {.map = std::string(of.map),
           .reduce = std::string(of.reduce),
           .post_map = detail::message("out = ", language_name(result), '(', value, ')'),
           .identity = std::string(of.identity),
           .type = std::string(of.structure.empty() ? joined.name() : of.structure),
           .block_type = is_sum ? "A" : ""},
          {.name = std::string(of.name), .preamble = functions_text() + types + structures}};
}

/// The kernel of a row for a type, made when it is first asked for, and never destroyed: a program
/// may call functions up to its end. `More` are constants that it depends on, too.
template <class Kernel, auto... More, class Row>
const Kernel& kernel_of(std::span<const Row> all, const Row& of, dtype type) {
  static auto& made = *new std::vector<std::atomic<const Kernel*>>(all.size() * type_count);
  const auto place = static_cast<std::size_t>(&of - all.data());
  auto& slot = made[place * type_count + static_cast<std::size_t>(type.code())];
  const Kernel* known = slot.load(std::memory_order_acquire);
  if (known == nullptr) {
    auto fresh = std::make_unique<const Kernel>(make(of, type, More...));
    if (slot.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel)) {
      known = fresh.release();
    }
  }
  return *known;
}

const array* operand_array(const kernel_argument& argument) {
  const auto* found = std::get_if<const array*>(&argument.value());
  return found == nullptr ? nullptr : *found;
}

}  // namespace

array compute(std::string_view name, std::span<const kernel_argument> operands,
              const generated_call_options& how) {
  // A condition in front says nothing of the type.
  const auto deciding = operands.subspan(operands.size() == 3 && name == "where" ? 1 : 0);
  const auto first = std::ranges::find_if(
      deciding, [](const auto& each) { return operand_array(each) != nullptr; });
  if (first == deciding.end()) {
    throw type_error(detail::message(name, ": expected an array among the operands, found none"));
  }
  const dtype type = operand_array(*first)->type();
  const function_row& of = internal::function_named(name);
  if (of.expression(type.kind()).empty() ||
      (of.result == internal::result_rule::real && type.kind() == 'c')) {
    throw_not_defined(name, type);
  }
  return kernel_of<elementwise_kernel>(internal::function_rows(), of, type).call(operands, how)[0];
}

array reduce(std::string_view name, const array& x, const reduction_axes& axes,
             const generated_call_options& how) {
  constexpr std::span<const reduction_row> all = reduction_rows;
  const kernel_argument operands[] = {x};
  const reduction_row& of = reduction_row_of(name, x.type());
  const reduction_kernel& kernel = support_of(internal::private_queue(x).get_device()).fp64
                                       ? kernel_of<reduction_kernel, true>(all, of, x.type())
                                       : kernel_of<reduction_kernel, false>(all, of, x.type());
  return kernel.call(operands, axes, how)[0];
}

}  // namespace usmx::inline v1
