// The table of the element-wise functions, and the rules for the types of their calls: each asks
// the library, and says the answer in Python's words.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "compute/compute.hpp"
#include "elements/element.hpp"
#include "internals.hpp"
#include "support/declare.hpp"
#include "support/errors.hpp"
#include "sycl_objects/classes.hpp"

namespace usmx::bindings {
namespace {

using internal::elementwise_types;
using internal::function_row;
using internal::operand_kind;

nb::str string_of(std::string_view words) { return nb::str(words.data(), words.size()); }

/// A row of the table in the form that _compute/table.py takes.
nb::dict row_dictionary(const function_row& row) {
  constexpr const char* rules[] = {"same", "float", "real", "bool"};
  nb::dict expressions;
  for (const char kind : function_row::classes) {
    const std::string_view expression = row.expression(kind);
    if (!expression.empty()) {
      expressions[string_of({&kind, 1})] = string_of(expression);
    }
  }
  nb::dict made;
  made["name"] = string_of(row.name);
  made["operands"] = nb::tuple(string_of(row.operands).attr("split")());
  made["summary"] = string_of(row.summary);
  made["expressions"] = expressions;
  made["result"] = rules[static_cast<std::size_t>(row.result)];
  made["example"] = nb::make_tuple(string_of(row.arguments), string_of(row.prints));
  made["note"] = string_of(row.note);
  made["errors"] = nb::make_tuple(row.errors[0], row.errors[1]);
  made["numpy"] = string_of(row.numpy);
  made["in_half"] = row.in_half;
  made["compares"] = row.compares;
  made["is_logical"] = row.is_logical;
  made["conditions"] = row.conditions;
  return made;
}

/// The kind of an operand: the type of an array, or the class of a number. Python's own numbers are
/// weak; those of NumPy have a type.
operand_kind operand_kind_of(nb::handle kind) {
  const auto weak = weak_type(reinterpret_cast<PyTypeObject*>(kind.ptr()));
  return weak ? operand_kind{*weak, true} : operand_kind{dtype_argument(kind).code(), false};
}

std::vector<operand_kind> kinds_argument(nb::handle kinds) {
  std::vector<operand_kind> all;
  for (const nb::handle each : nb::iter(kinds)) {
    all.push_back(operand_kind_of(each));
  }
  return all;
}

nb::object common_type_of(nb::handle kinds, bool fp16, bool fp64) {
  const std::vector<operand_kind> all = kinds_argument(kinds);
  const bool are_plain = std::ranges::none_of(
      all, [](const operand_kind& each) { return each.type == type_code::structured; });
  if (all.empty() || !are_plain) {
    throw type_error("expected types of plain elements, one at least");
  }
  return to_numpy_dtype(
      nearest_supported(internal::common_type(all), {.fp16 = fp16, .fp64 = fp64}));
}

/// The types of the inputs, the one in which the function computes, and that of the result.
nb::tuple types_of_call(std::string_view name, nb::handle kinds, bool fp16, bool fp64) {
  const function_row& row = internal::function_named(name);
  const std::vector<operand_kind> all = kinds_argument(kinds);
  const elementwise_types found = internal::types_of(row, all, {.fp16 = fp16, .fp64 = fp64});
  nb::list inputs;
  for (std::size_t k = 0; k < all.size(); ++k) {
    inputs.append(to_numpy_dtype(found.inputs[k]));
  }
  return nb::make_tuple(inputs, to_numpy_dtype(found.computed), to_numpy_dtype(found.result));
}

type_code plain_code(nb::handle type) {
  const dtype found = dtype_argument(type);
  if (found.is_structured()) {
    throw type_error("expected the type of plain elements");
  }
  return found.code();
}

std::string operation_text(std::string_view name, nb::handle inputs, nb::handle computed,
                           nb::handle result, nb::handle written, std::string_view out) {
  const function_row& row = internal::function_named(name);
  elementwise_types types{{}, plain_code(computed), plain_code(result)};
  std::size_t count = 0;
  for (const nb::handle each : nb::iter(inputs)) {
    if (count == row.operand_count()) {
      break;
    }
    types.inputs[count++] = plain_code(each);
  }
  return internal::operation_of(row, types, plain_code(written), out);
}

}  // namespace

void bind_rules(nb::module_& m) {
  declare<"def _function_rows() -> list[dict[str, Any]]">(m, [] {
    nb::list rows;
    for (const function_row& row : internal::function_rows()) {
      rows.append(row_dictionary(row));
    }
    return rows;
  });
  declare<"def _require_exponent(base: Any, is_negative: bool) -> None">(
      m,
      [](nb::handle base, bool is_negative) {
        internal::require_exponent(dtype_argument(base), is_negative);
      },
      "Throw ValueError for integers to a negative integer power.");
  declare<"def _device_text(name: str, /) -> str">(
      m, [](std::string_view name) { return string_of(internal::device_text(name)); });
  declare<
      "def _common_type(kinds: Sequence[numpy.dtype | type], fp16: bool, fp64: bool, /) -> "
      "numpy.dtype">(m, &common_type_of);
  declare<
      "def _types_of(name: str, kinds: Sequence[numpy.dtype | type], fp16: bool, fp64: bool, /) -> "
      "tuple[list[numpy.dtype], numpy.dtype, numpy.dtype]">(m, &types_of_call);
  declare<
      "def _operation_of(name: str, inputs: Sequence[numpy.dtype], computed: numpy.dtype, result: "
      "numpy.dtype, written: numpy.dtype, out: str, /) -> str">(m, &operation_text);
  declare<"def _language_name(type: numpy.dtype, /) -> str">(
      m, [](nb::handle type) { return string_of(internal::language_name(plain_code(type))); });
}

}  // namespace usmx::bindings
