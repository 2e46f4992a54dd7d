#include <string>
#include <vector>

#include "generated_kernels/source.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

/// An operand of the loop: an array, or the index.
struct source_operand {
  std::string pointer;
  std::string type;
  std::string name;
  char step;
  bool is_written;
};

bool is_index(const source_operand& each) { return each.pointer.empty(); }

/// Whether it goes through local memory.
bool is_turned(const source_operand& each) { return each.step == 't' || each.step == 'u'; }

/// Where a row begins, in bytes from an operand's first element.
std::string row_of(std::size_t k, bool is_tiled) {
  return message("usmx_at.at[", k, "]") +
         (is_tiled ? message(" + usmx_row * usmx_loop.row_stride(", k, ")") : "");
}

std::string element_of(const source_operand& each, std::size_t k, bool is_tiled) {
  return element_at(each.pointer, row_of(k, is_tiled), each.step, "usmx_column",
                    message("usmx_loop.column_stride(", k, ")"));
}

std::string index_of(std::size_t k, bool is_tiled) {
  return message("const long i = usmx_i + ", row_of(k, is_tiled),
                 " + usmx_column * usmx_loop.column_stride(", k, ");\n");
}

/// The statements for one element. Outputs are read first, since they may be written in part.
std::string body_of(const std::vector<source_operand>& operands, bool is_tiled) {
  std::string text;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const source_operand& each = operands[k];
    if (is_index(each)) {
      text += index_of(k, is_tiled);
    } else {
      text += message(each.is_written ? "" : "const ", each.type, " ", each.name, " = ",
                      is_turned(each) ? message("usmx_tile", k, "[usmx_lane][usmx_line]")
                                      : element_of(each, k, is_tiled),
                      ";\n");
    }
  }
  text += called_statements("operation");
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k].is_written) {
      text += message(element_of(operands[k], k, is_tiled), " = ", operands[k].name, ";\n");
    }
  }
  return text;
}

/// A work item for each element.
constexpr std::string_view rows_text = R"(const auto usmx_place = usmx::global_id<2>();
const long usmx_column = usmx_place.j;
usmx::detail::places<@operands@> usmx_at;
if (!usmx_at.move<@outer@>(usmx_loop, usmx_place.i) || usmx_column >= usmx_loop.columns()) return;
@body@)";

/// A work item for several elements of a row, which are as far apart as the group is wide. It reads
/// all of them before it writes one: a GPU waits for one read after the other otherwise.
constexpr std::string_view batches_text = R"(const auto usmx_size = usmx::local_size<2>();
const long usmx_first =
    usmx::group_id<2>().j * usmx_size.j * @batch@ + usmx::local_id<2>().j;
usmx::detail::places<@operands@> usmx_at;
if (!usmx_at.move<@outer@>(usmx_loop, usmx::global_id<2>().i)) return;
if (usmx_first + (@batch@ - 1) * usmx_size.j < usmx_loop.columns()) {
@values@@reads@@operations@@writes@} else {
for (long usmx_column = usmx_first; usmx_column < usmx_loop.columns();
     usmx_column += usmx_size.j) {
@body@}
}
)";

constexpr std::string_view batch_steps_text = R"(#pragma unroll
for (int usmx_item = 0; usmx_item < @batch@; ++usmx_item) {
@step@}
)";

constexpr std::string_view column_text =
    "const long usmx_column = usmx_first + usmx_item * usmx_size.j;\n";

std::string batches(const std::vector<source_operand>& operands, int dimensions,
                    const std::string& batch) {
  std::string values;
  std::string reads(column_text);
  std::string before;
  std::string after;
  std::string writes(column_text);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const source_operand& each = operands[k];
    if (is_index(each)) {
      before += column_text;
      before += index_of(k, false);
      continue;
    }
    const std::string value = message("usmx_value", k, "[usmx_item]");
    values += message(each.type, " usmx_value", k, "[", batch, "];\n");
    reads += message(value, " = ", element_of(each, k, false), ";\n");
    before +=
        message(each.is_written ? "" : "const ", each.type, " ", each.name, " = ", value, ";\n");
    if (each.is_written) {
      after += message(value, " = ", each.name, ";\n");
      writes += message(element_of(each, k, false), " = ", value, ";\n");
    }
  }
  const auto steps = [&](std::string_view step) {
    return filled(batch_steps_text, {{"batch", batch}, {"step", std::string(step)}});
  };
  return filled(batches_text,
                {{"batch", batch},
                 {"operands", std::to_string(operands.size())},
                 {"outer", std::to_string(dimensions - 1)},
                 {"values", values},
                 {"reads", steps(reads)},
                 {"operations", steps(message(before, called_statements("operation"), after))},
                 {"writes", steps(writes)},
                 {"body", body_of(operands, false)}});
}

/// A work group for each tile; whole ones have as many steps as the compiler knows.
///
/// Operands whose rows are adjacent go through local memory; the padding keeps the items of a
/// column apart in it.
constexpr std::string_view tiles_text = R"(@arrays@constexpr long usmx_edge = @edge@;
const auto usmx_group = usmx::group_id<2>();
const auto usmx_local = usmx::local_id<2>();
const long usmx_lane = usmx_local.j;
const long usmx_blocks = (usmx_loop.rows() + usmx_edge - 1) / usmx_edge;
const long usmx_outer = usmx_group.i / usmx_blocks;
const long usmx_first_row = (usmx_group.i - usmx_outer * usmx_blocks) * usmx_edge;
const long usmx_first_column = usmx_group.j * usmx_edge;
const long usmx_rows = usmx_loop.rows() - usmx_first_row;
const long usmx_columns = usmx_loop.columns() - usmx_first_column;
usmx::detail::places<@operands@> usmx_at;
usmx_at.move<@outer@>(usmx_loop, usmx_outer);
if (usmx_rows >= usmx_edge && usmx_columns >= usmx_edge) {
@whole@} else {
const long usmx_high = usmx_rows < usmx_edge ? usmx_rows : usmx_edge;
const long usmx_wide = usmx_columns < usmx_edge ? usmx_columns : usmx_edge;
@part@}
)";

constexpr std::string_view tile_steps_text =
    R"(@unrolled@for (long usmx_line = @first@; usmx_line < @columns@; usmx_line += @height@) {
if (usmx_lane < @rows@) {
@reads@}
}
usmx::barrier();
if (usmx_lane < @columns@) {
const long usmx_column = usmx_first_column + usmx_lane;
@unrolled@for (long usmx_line = @first@; usmx_line < @rows@; usmx_line += @height@) {
const long usmx_row = usmx_first_row + usmx_line;
@body@}
}
)";

std::string tiled_loop(const std::vector<source_operand>& operands, int dimensions,
                       const std::string& edge, const std::string& height) {
  const bool is_high = height != "1";
  std::string arrays;
  std::string reads;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (!is_turned(operands[k])) {
      continue;
    }
    arrays += message("usmx::local_array<", operands[k].type, ", ", edge, ", ", std::stoi(edge) + 1,
                      "> usmx_tile", k, ";\n");
    const std::string line = message("usmx_at.at[", k,
                                     "] + (usmx_first_column + usmx_line) * "
                                     "usmx_loop.column_stride(",
                                     k, ")");
    reads +=
        message("usmx_tile", k, "[usmx_line][usmx_lane] = ",
                element_at(operands[k].pointer, line, operands[k].step == 't' ? 'a' : 's',
                           "usmx_first_row + usmx_lane", message("usmx_loop.row_stride(", k, ")")),
                ";\n");
  }
  const auto steps = [&, body = body_of(operands, true)](const char* high, const char* wide) {
    return filled(tile_steps_text, {{"rows", high},
                                    {"columns", wide},
                                    {"first", is_high ? "usmx_local.i" : "0"},
                                    {"height", height},
                                    {"unrolled", is_high ? "#pragma unroll 8\n" : ""},
                                    {"reads", reads},
                                    {"body", body}});
  };
  return filled(tiles_text, {{"arrays", arrays},
                             {"edge", edge},
                             {"operands", std::to_string(operands.size())},
                             {"outer", std::to_string(dimensions - 2)},
                             {"whole", steps("usmx_edge", "usmx_edge")},
                             {"part", steps("usmx_high", "usmx_wide")}});
}

}  // namespace

std::string elementwise_source(std::string_view name, std::span<const source_parameter> parameters,
                               std::string_view form, bool uses_index) {
  const std::vector<std::string> words = words_of_form(form);
  const std::string& batch = words[3];
  const std::string& steps = words[4];
  std::vector<source_operand> operands;
  std::string declared;
  for (const source_parameter& each : parameters) {
    declared += declaration(each) + ", ";
    if (each.is_operand()) {
      operands.push_back({"usmx_array_" + each.name, each.type, each.name, steps[operands.size()],
                          each.is_output});
    }
  }
  if (uses_index) {
    operands.push_back({"", "long", "i", steps[operands.size()], false});
    declared += "long usmx_i, ";
  }
  const int dimensions = std::stoi(words[1]);
  const auto rows = [&] {
    return filled(rows_text, {{"operands", std::to_string(operands.size())},
                              {"outer", std::to_string(dimensions - 1)},
                              {"body", body_of(operands, false)}});
  };
  const std::string loop = words[0] == "tiles" ? tiled_loop(operands, dimensions, words[2], batch)
                           : batch == "1"      ? rows()
                                               : batches(operands, dimensions, batch);
  return message(source_beginning(parameters), "USMX_KERNEL(2) ", name, "(", declared,
                 "const usmx::detail::loop<", operands.size(), ", ", dimensions, "> usmx_loop) {\n",
                 raw_arrays(parameters), loop, "}\n");
}

}  // namespace usmx::inline v1::detail
