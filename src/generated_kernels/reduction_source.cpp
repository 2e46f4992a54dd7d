#include <string>
#include <vector>

#include "generated_kernels/source.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

constexpr std::string_view sizes_text =
    R"(struct usmx_part_sizes {
long lines_per_part; long columns_per_part; long column_parts; long elements;
};
struct usmx_result_sizes { long results; long parts; long elements; };
)";

/// Which elements a part has. `usmx_part` is given.
constexpr std::string_view part_text =
    R"(const long usmx_lines = usmx::detail::count_of<@outer@>(usmx_reduced);
const long usmx_first_line = usmx_part / usmx_sizes.column_parts * usmx_sizes.lines_per_part;
const long usmx_last_line = usmx_first_line + usmx_sizes.lines_per_part < usmx_lines
    ? usmx_first_line + usmx_sizes.lines_per_part : usmx_lines;
const long usmx_first = usmx_part % usmx_sizes.column_parts * usmx_sizes.columns_per_part;
const long usmx_rest = usmx_reduced.columns() - usmx_first;
const long usmx_count = usmx_rest < usmx_sizes.columns_per_part
    ? usmx_rest : usmx_sizes.columns_per_part;
usmx_result usmx_value{};
for (long usmx_line = usmx_first_line; usmx_line < usmx_last_line; ++usmx_line) {
usmx::detail::places<@reduced@> usmx_at;
usmx_at.move<@outer@>(usmx_reduced, usmx_line);
const auto usmx_map = [&](long usmx_column) -> usmx_result {
@loads@return (
#include "map_expr"
);
};
)";

/// A group for each result and part. All work items take as many steps, but for the last one, and
/// the compiler knows how many they are: else processors do not do them at once.
constexpr std::string_view inner_text = R"(usmx::local_array<usmx_result, @lanes@> usmx_shared;
const auto usmx_group = usmx::group_id<2>();
const long usmx_lane = usmx::local_id<2>().j;
constexpr long usmx_lanes = @lanes@;
const long usmx_part = usmx_group.j;
usmx::detail::places<@operands@> usmx_from;
usmx_from.move<@kept@>(usmx_kept, usmx_group.i);
@part@
const long usmx_full = usmx_first + usmx_count / usmx_lanes * usmx_lanes;
const bool usmx_is_first = usmx_line == usmx_first_line;
if (usmx_is_first && usmx_lane < usmx_count) usmx_value = usmx_map(usmx_first + usmx_lane);
long usmx_column = usmx_first + (usmx_is_first ? usmx_lanes : 0);
@unrolled@for (; usmx_column < usmx_full; usmx_column += usmx_lanes) {
usmx_value = usmx_reduce(usmx_value, usmx_map(usmx_column + usmx_lane));
}
if (usmx_column + usmx_lane < usmx_first + usmx_count) {
usmx_value = usmx_reduce(usmx_value, usmx_map(usmx_column + usmx_lane));
}
}
usmx_shared[usmx_lane] = usmx_value;
for (long usmx_half = usmx_lanes / 2; usmx_half > 0; usmx_half /= 2) {
usmx::barrier();
if (usmx_lane < usmx_half && usmx_lane + usmx_half < usmx_count) {
usmx_shared[usmx_lane] = usmx_reduce(usmx_shared[usmx_lane], usmx_shared[usmx_lane + usmx_half]);
}
}
if (usmx_lane == 0) {
usmx_parts[usmx_group.i * usmx::group_count<2>().j + usmx_part] = usmx_shared[0];
}
)";

/// A work item for each result and part.
constexpr std::string_view outer_text = R"(const auto usmx_group = usmx::group_id<2>();
const long usmx_kept_column = usmx::global_id<2>().j;
if (usmx_kept_column >= usmx_kept.columns()) return;
const long usmx_rows = usmx::detail::count_of<@rows@>(usmx_kept);
const long usmx_part = usmx_group.i / usmx_rows;
const long usmx_row = usmx_group.i - usmx_part * usmx_rows;
usmx::detail::places<@operands@> usmx_from;
usmx_from.move<@rows@>(usmx_kept, usmx_row);
@part@
long usmx_column = 0;
if (usmx_line == usmx_first_line) {
usmx_value = usmx_map(usmx_first);
usmx_column = 1;
}
#pragma unroll 8
for (; usmx_column < usmx_count; ++usmx_column) {
usmx_value = usmx_reduce(usmx_value, usmx_map(usmx_first + usmx_column));
}
}
usmx_parts[usmx_group.i * usmx_kept.columns() + usmx_kept_column] = usmx_value;
)";

/// A work item for each result. Adjacent ones read adjacent parts, or all parts of a result are.
constexpr std::string_view end_text = R"(const long usmx_place = usmx::global_id();
if (usmx_place >= usmx_sizes.results) return;
usmx::detail::places<@operands@> usmx_at;
usmx_at.move<@kept@>(usmx_kept, usmx_place);
const usmx_result* usmx_part = usmx_parts + @first_part@;
usmx_result a = usmx_sizes.parts == 0 ? usmx_result(
#include "identity"
) : *usmx_part;
#pragma unroll 16
for (long usmx_index = 1; usmx_index < usmx_sizes.parts; ++usmx_index) {
usmx_part += @part_step@;
a = usmx_reduce(a, *usmx_part);
}
@count@@outputs@@statements@@stores@
)";

constexpr std::string_view reduce_text =
    R"(inline usmx_result usmx_reduce(usmx_result a, usmx_result b) {
return (
#include "reduce_expr"
);
}
)";

constexpr std::string_view count_text = "const long n = usmx_sizes.elements;\n";

/// The elements of the inputs at `usmx_column`, and their place.
std::string loads_of(std::span<const source_parameter> parameters, bool is_outer,
                     std::string_view steps, bool has_index) {
  std::string text;
  std::size_t k = 0;
  for (const source_parameter& each : parameters) {
    if (!each.is_operand() || each.is_output) {
      continue;
    }
    const std::string row =
        message("usmx_from.at[", k, "] + usmx_at.at[", k, "]",
                is_outer ? message(" + usmx_column * usmx_reduced.column_stride(", k, ")") : "");
    const std::string stride =
        message(is_outer ? "usmx_kept" : "usmx_reduced", ".column_stride(", k, ")");
    text += message("const ", each.type, " ", each.name, " = ",
                    element_at("usmx_array_" + each.name, row, steps[k],
                               is_outer ? "usmx_kept_column" : "usmx_column", stride),
                    ";\n");
    ++k;
  }
  if (has_index) {
    text += message("const long i = usmx_i + usmx_at.at[", k,
                    "] + usmx_column * usmx_reduced.column_stride(", k, ");\n");
  }
  return text;
}

/// A work item of a GPU then loads several elements at once. CPUs, which have fewer lanes, would do
/// the work items of a group one by one.
std::string unrolled_for(int lanes) { return lanes > 16 ? "#pragma unroll 8\n" : ""; }

std::string end_of(std::span<const source_parameter> parameters, std::size_t input_count,
                   bool is_outer, const std::string& operands, const std::string& kept,
                   bool has_count) {
  std::string outputs;
  std::string stores;
  std::size_t k = input_count;
  for (const source_parameter& each : parameters) {
    if (each.is_output) {
      const std::string element =
          message("usmx::detail::element(usmx_array_", each.name, ", usmx_at.at[", k++, "])");
      outputs += message(each.type, " ", each.name, " = ", element, ";\n");
      stores += message(element, " = ", each.name, ";\n");
    }
  }
  return filled(end_text,
                {{"first_part", is_outer ? "usmx_place" : "usmx_place * usmx_sizes.parts"},
                 {"part_step", is_outer ? "usmx_sizes.results" : "1"},
                 {"operands", operands},
                 {"kept", kept},
                 {"count", has_count ? std::string(count_text) : std::string()},
                 {"outputs", outputs},
                 {"statements", called_statements("post_map_expr")},
                 {"stores", stores}});
}

}  // namespace

std::string reduction_source(std::string_view name, std::span<const source_parameter> parameters,
                             std::string_view form, std::string_view result,
                             reduction_places used) {
  const std::vector<std::string> words = words_of_form(form);
  const bool is_outer = words[0] == "outer";
  const int kept_dimensions = std::stoi(words[1]);
  std::string first;
  std::string second;
  std::size_t input_count = 0;
  std::size_t operand_count = 0;
  for (const source_parameter& each : parameters) {
    first += each.is_output ? "" : declaration(each) + ", ";
    second += each.is_output || !each.is_operand() ? declaration(each) + ", " : "";
    operand_count += each.is_operand() ? 1U : 0U;
    input_count += each.is_operand() && !each.is_output ? 1U : 0U;
  }
  const std::string operands = std::to_string(operand_count);
  const std::string reduced = std::to_string(input_count + (used.has_index ? 1 : 0));
  const std::string kept_loop =
      message("const usmx::detail::loop<", operands, ", ", words[1], "> usmx_kept");
  const std::string elements =
      filled(part_text, {{"outer", std::to_string(std::stoi(words[2]) - 1)},
                         {"reduced", reduced},
                         {"loads", loads_of(parameters, is_outer, words[4], used.has_index)}});
  const std::string body =
      filled(is_outer ? outer_text : inner_text, {{"lanes", words[3]},
                                                  {"unrolled", unrolled_for(std::stoi(words[3]))},
                                                  {"operands", operands},
                                                  {"kept", words[1]},
                                                  {"rows", std::to_string(kept_dimensions - 1)},
                                                  {"part", elements}});
  return message(
      source_beginning(parameters), "using usmx_result = ", result, ";\n", sizes_text, reduce_text,
      "USMX_KERNEL(2) ", name, "(", first, "usmx_result* usmx_parts, ",
      used.has_index ? "const long usmx_i, " : "", kept_loop, ", const usmx::detail::loop<",
      reduced, ", ", words[2], "> usmx_reduced, const usmx_part_sizes usmx_sizes) {\n",
      used.has_count ? count_text : "", raw_arrays(parameters), body, "}\nUSMX_KERNEL(1) ", name,
      "_end(", second, "const usmx_result* usmx_parts, ", kept_loop,
      ", const usmx_result_sizes usmx_sizes) {\n", raw_arrays(parameters),
      end_of(parameters, input_count, is_outer, operands, words[1], used.has_count), "}\n");
}

}  // namespace usmx::inline v1::detail
