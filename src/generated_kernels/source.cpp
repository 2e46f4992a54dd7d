#include "generated_kernels/source.hpp"

#include <algorithm>
#include <set>
#include <span>

#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {

const char* const loop_header = R"(
// The loop over the elements of several arrays, as src/generated_kernels/call.cpp
// packs it. Every index is known to the compiler once the loops are unrolled: else each work item
// would have a copy.
#pragma once

namespace usmx::detail {

/// The last two dimensions are rows and columns. Strides are in bytes.
template <int Operands, int Dimensions>
struct loop {
  long extents[Dimensions];
  long strides[Dimensions][Operands];

  long columns() const { return extents[Dimensions - 1]; }
  long rows() const { return extents[Dimensions - 2]; }
  long row_stride(int operand) const { return strides[Dimensions - 2][operand]; }
  long column_stride(int operand) const { return strides[Dimensions - 1][operand]; }
};

/// Where the operands are, in bytes.
template <int Operands>
struct offsets {
  long at[Operands] = {};

  /// Moves to an index that counts through the first `Outer` dimensions. False if there are not so
  /// many.
  template <int Outer, int Dimensions>
  bool move(const loop<Operands, Dimensions>& over, long index) {
#pragma unroll
    for (int k = Outer - 1; k > 0; --k) {
      const long quotient = index / over.extents[k];
      step(over.strides[k], index - quotient * over.extents[k]);
      index = quotient;
    }
    if constexpr (Outer > 0) {
      step(over.strides[0], index);
    }
    return Outer == 0 || index < over.extents[0];
  }

 private:
  void step(const long (&strides)[Operands], long count) {
#pragma unroll
    for (int i = 0; i < Operands; ++i) {
      at[i] += count * strides[i];
    }
  }
};

/// How many indices the first `Outer` dimensions have.
template <int Outer, int Operands, int Dimensions>
inline long count_of(const loop<Operands, Dimensions>& over) {
  long count = 1;
#pragma unroll
  for (int k = 0; k < Outer; ++k) {
    count *= over.extents[k];
  }
  return count;
}

template <class T>
inline T& element(T* first, long nbytes) {
  if constexpr (__is_const(T)) {
    return *reinterpret_cast<T*>(reinterpret_cast<const char*>(first) + nbytes);
  } else {
    return *reinterpret_cast<T*>(reinterpret_cast<char*>(first) + nbytes);
  }
}

/// Any byte but 0 is true, as in a view of integers. A bool of C++ has no other bytes than 0 and 1.
inline bool is_true(const bool& element) {
  return reinterpret_cast<const unsigned char&>(element) != 0;
}

/// An array of any layout that the operation indexes by itself: x(i, j) is a view's, x[k] the k-th
/// element in C order.
template <class T, int N, bool IsContiguous>
struct raw_array : view<T, N> {
  explicit raw_array(const view<T, N>& of) : view<T, N>(of) {}

  T& operator[](detail::index at) const {
#ifdef USMX_CHECKED_VIEWS
    if (at.value < 0 || at.value >= this->size()) {
      return this->refuse({at});
    }
#endif
    long index = at;
    if constexpr (IsContiguous) {
      return this->data()[index];
    } else {
      long offset = 0;
#pragma unroll
      for (int k = N - 1; k > 0; --k) {
        const long quotient = index / this->extent(k);
        offset += (index - quotient * this->extent(k)) * this->stride(k);
        index = quotient;
      }
      return this->data()[offset + index * this->stride(0)];
    }
  }
};
}  // namespace usmx::detail
)";

const char* const words_header = R"(
#ifdef auto
#error the preamble must not define the macro auto
#endif
#ifdef const
#error the preamble must not define the macro const
#endif
#ifdef constexpr
#error the preamble must not define the macro constexpr
#endif
#ifdef else
#error the preamble must not define the macro else
#endif
#ifdef for
#error the preamble must not define the macro for
#endif
#ifdef if
#error the preamble must not define the macro if
#endif
#ifdef int
#error the preamble must not define the macro int
#endif
#ifdef long
#error the preamble must not define the macro long
#endif
#ifdef return
#error the preamble must not define the macro return
#endif
#ifdef struct
#error the preamble must not define the macro struct
#endif
#ifdef using
#error the preamble must not define the macro using
#endif
#ifdef void
#error the preamble must not define the macro void
#endif
)";

std::string filled(std::string_view text,
                   std::initializer_list<std::pair<std::string_view, std::string>> values) {
  std::string out;
  for (;;) {
    const std::size_t begin = text.find('@');
    out += text.substr(0, begin);
    if (begin == text.npos) {
      return out;
    }
    const std::size_t end = text.find('@', begin + 1);
    const std::string_view name = text.substr(begin + 1, end - begin - 1);
    const auto* const known =
        std::ranges::find(values, name, &std::pair<std::string_view, std::string>::first);
    if (known == values.end()) {
      throw std::logic_error(message("a generated source has no value for ", name));
    }
    out += known->second;
    text.remove_prefix(end + 1);
  }
}

std::string source_beginning(std::span<const source_parameter> parameters) {
  std::string text =
      "#include <usmx/kernel.hpp>\n#include \"usmx_loop.hpp\"\nusing namespace usmx;\n"
      // A loop that cannot be unrolled or vectorized is no fault of the user's expression.
      "#ifndef __CUDACC_RTC__\n#pragma clang diagnostic ignored \"-Wpass-failed\"\n#endif\n";
  std::set<std::string_view> declared;
  for (const source_parameter& each : parameters) {
    if (!each.variable.empty() && declared.insert(each.variable).second) {
      text += "using " + each.variable + " = " + each.type + ";\n";
    }
  }
  return text + "#include \"preamble\"\n#include \"usmx_words.hpp\"\n";
}

std::string declaration(const source_parameter& each) {
  if (!each.is_array) {
    return "const " + each.type + " " + each.name;
  }
  const std::string element = (each.is_output ? "" : "const ") + each.type;
  if (each.raw_ndim == 0) {
    return element + "* usmx_array_" + each.name;
  }
  return message("const usmx::view<", element, ", ", each.raw_ndim, "> usmx_array_", each.name);
}

std::string raw_arrays(std::span<const source_parameter> parameters) {
  std::string text;
  for (const source_parameter& each : parameters) {
    if (each.raw_ndim != 0) {
      text += message("const usmx::detail::raw_array<", each.is_output ? "" : "const ", each.type,
                      ", ", each.raw_ndim, ", ", each.is_contiguous ? "true" : "false", "> ",
                      each.name, "(usmx_array_", each.name, ");\n");
    }
  }
  return text;
}

std::string element_at(std::string_view pointer, std::string_view row, step how,
                       std::string_view column, std::string_view stride) {
  const std::string first = message("usmx::detail::element(", pointer, ", ", row, ")");
  switch (how) {
    case step::adjacent:
      return message("(&", first, ")[", column, "]");
    case step::every_other:
      return message("(&", first, ")[2 * (", column, ")]");
    case step::near:
      return message("usmx::detail::element(&", first, ", int(", column, ") * int(", stride, "))");
    case step::strided:
      return message("usmx::detail::element(&", first, ", (", column, ") * ", stride, ")");
    default:  // step::repeated
      return first;
  }
}

std::string read_of(std::string_view type, std::string_view element) {
  return type == "bool" ? message("usmx::detail::is_true(", element, ")") : std::string(element);
}

std::string called_statements(std::string_view written) {
  return message("[&]() -> void {\n#include \"", written, "\"\n}();\n");
}

std::string ended_statements(std::string_view name, std::string_view text) {
  check_brackets(name, text);
  return message(text, "\n;  // the end of ", name, '\n');
}

std::string ended_expression(std::string_view name, std::string_view text) {
  check_brackets(name, text);
  return message(text, "\n)  // the end of ", name, '\n');
}

namespace {

struct source_operand {
  std::string pointer;
  std::string type;
  std::string name;
  step how;
  bool is_written;
};

bool is_index(const source_operand& each) { return each.pointer.empty(); }

bool is_turned(const source_operand& each) {
  return each.how == step::transposed || each.how == step::turned;
}

/// The beginning of a row, in bytes from an operand's first element.
std::string row_of(std::size_t k, bool is_tiled) {
  return message("usmx_at.at[", k, "]") +
         (is_tiled ? message(" + usmx_row * usmx_loop.row_stride(", k, ")") : "");
}

std::string element_of(const source_operand& each, std::size_t k, bool is_tiled) {
  return element_at(each.pointer, row_of(k, is_tiled), each.how, "usmx_column",
                    message("usmx_loop.column_stride(", k, ")"));
}

/// Outputs are copied as they are.
std::string operand_read(const source_operand& each, std::string_view element) {
  return each.is_written ? std::string(element) : read_of(each.type, element);
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
                                      : operand_read(each, element_of(each, k, is_tiled)),
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
constexpr std::string_view rows_text = R"(const auto usmx_item = usmx::global_id<2>();
const long usmx_column = usmx_item.j;
usmx::detail::offsets<@operands@> usmx_at;
if (!usmx_at.move<@outer@>(usmx_loop, usmx_item.i) || usmx_column >= usmx_loop.columns()) return;
@body@)";

/// A work item for several elements of a row, which are as far apart as the group is wide. It reads
/// all of them before it writes one: a GPU waits for one read after the other otherwise.
constexpr std::string_view batches_text = R"(const auto usmx_size = usmx::local_size<2>();
const long usmx_first =
    usmx::group_id<2>().j * usmx_size.j * @batch@ + usmx::local_id<2>().j;
usmx::detail::offsets<@operands@> usmx_at;
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

std::string batches(const std::vector<source_operand>& operands, const loop_form& form) {
  const std::string batch = std::to_string(form.batch);
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
    reads += message(value, " = ", operand_read(each, element_of(each, k, false)), ";\n");
    before +=
        message(each.is_written ? "" : "const ", each.type, " ", each.name, " = ", value, ";\n");
    if (each.is_written) {
      after += message(value, " = ", each.name, ";\n");
      writes += message(element_of(each, k, false), " = ", value, ";\n");
    }
  }
  const auto steps = [&](std::string_view text) {
    return filled(batch_steps_text, {{"batch", batch}, {"step", std::string(text)}});
  };
  return filled(batches_text,
                {{"batch", batch},
                 {"operands", std::to_string(operands.size())},
                 {"outer", std::to_string(form.dimensions - 1)},
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
usmx::detail::offsets<@operands@> usmx_at;
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

std::string tiled_loop(const std::vector<source_operand>& operands, const loop_form& form) {
  const bool is_high = form.batch != 1;
  std::string arrays;
  std::string reads;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (!is_turned(operands[k])) {
      continue;
    }
    arrays += message("usmx::local_array<", operands[k].type, ", ", form.edge, ", ", form.edge + 1,
                      "> usmx_tile", k, ";\n");
    const std::string line = message("usmx_at.at[", k,
                                     "] + (usmx_first_column + usmx_line) * "
                                     "usmx_loop.column_stride(",
                                     k, ")");
    const std::string element =
        element_at(operands[k].pointer, line,
                   operands[k].how == step::transposed ? step::adjacent : step::strided,
                   "usmx_first_row + usmx_lane", message("usmx_loop.row_stride(", k, ")"));
    reads += message("usmx_tile", k,
                     "[usmx_line][usmx_lane] = ", operand_read(operands[k], element), ";\n");
  }
  const auto steps = [&, body = body_of(operands, true)](const char* high, const char* wide) {
    return filled(tile_steps_text, {{"rows", high},
                                    {"columns", wide},
                                    {"first", is_high ? "usmx_local.i" : "0"},
                                    {"height", std::to_string(form.batch)},
                                    {"unrolled", is_high ? "#pragma unroll 8\n" : ""},
                                    {"reads", reads},
                                    {"body", body}});
  };
  return filled(tiles_text, {{"arrays", arrays},
                             {"edge", std::to_string(form.edge)},
                             {"operands", std::to_string(operands.size())},
                             {"outer", std::to_string(form.dimensions - 2)},
                             {"whole", steps("usmx_edge", "usmx_edge")},
                             {"part", steps("usmx_high", "usmx_wide")}});
}

}  // namespace

std::string elementwise_source(std::string_view name, std::span<const source_parameter> parameters,
                               const loop_form& form, bool uses_index) {
  std::vector<source_operand> operands;
  std::string declared;
  for (const source_parameter& each : parameters) {
    declared += declaration(each) + ", ";
    if (each.is_operand()) {
      operands.push_back({"usmx_array_" + each.name, each.type, each.name,
                          form.steps[operands.size()], each.is_output});
    }
  }
  if (uses_index) {
    operands.push_back({"", "long", "i", form.steps[operands.size()], false});
    declared += "long usmx_i, ";
  }
  const auto rows = [&] {
    return filled(rows_text, {{"operands", std::to_string(operands.size())},
                              {"outer", std::to_string(form.dimensions - 1)},
                              {"body", body_of(operands, false)}});
  };
  const std::string loop = form.kind == loop_kind::tiles ? tiled_loop(operands, form)
                           : form.batch == 1             ? rows()
                                                         : batches(operands, form);
  return message(source_beginning(parameters), "USMX_KERNEL(2) ", name, "(", declared,
                 "const usmx::detail::loop<", operands.size(), ", ", form.dimensions,
                 "> usmx_loop) {\n", raw_arrays(parameters), loop, "}\n");
}

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
usmx::detail::offsets<@reduced@> usmx_at;
usmx_at.move<@outer@>(usmx_reduced, usmx_line);
const auto usmx_map = [&](long usmx_column) -> @mapped@ {
@loads@return (
#include "map_expr"
;
};
@block@)";

/// Eight values, joined in pairs in the type of the values: three roundings, and no value waits for
/// more than two others.
constexpr std::string_view block_text =
    R"(const auto usmx_pair = [&](long usmx_column, long usmx_step) {
return usmx_join(usmx_map(usmx_column), usmx_map(usmx_column + usmx_step));
};
const auto usmx_block = [&](long usmx_column, long usmx_step) {
return usmx_join(usmx_join(usmx_pair(usmx_column, usmx_step),
usmx_pair(usmx_column + 2 * usmx_step, usmx_step)),
usmx_join(usmx_pair(usmx_column + 4 * usmx_step, usmx_step),
usmx_pair(usmx_column + 6 * usmx_step, usmx_step)));
};
)";

/// A group for each result and part. All work items take as many steps, but for the last one, and
/// the compiler knows how many they are: else processors do not do them at once.
constexpr std::string_view inner_text = R"(usmx::local_array<usmx_result, @lanes@> usmx_shared;
const auto usmx_group = usmx::group_id<2>();
const long usmx_lane = usmx::local_id<2>().j;
constexpr long usmx_lanes = @lanes@;
const long usmx_part = usmx_group.j;
usmx::detail::offsets<@operands@> usmx_from;
usmx_from.move<@kept@>(usmx_kept, usmx_group.i);
@part@
const long usmx_full = usmx_first + usmx_count / usmx_lanes * usmx_lanes;
const bool usmx_is_first = usmx_line == usmx_first_line;
if (usmx_is_first && usmx_lane < usmx_count) usmx_value = usmx_map(usmx_first + usmx_lane);
long usmx_column = usmx_first + (usmx_is_first ? usmx_lanes : 0);
@blocks@@unrolled@for (; usmx_column < usmx_full; usmx_column += usmx_lanes) {
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
@result@}
)";

/// A work item for each result and part.
constexpr std::string_view outer_text = R"(const auto usmx_group = usmx::group_id<2>();
const long usmx_kept_column = usmx::global_id<2>().j;
if (usmx_kept_column >= usmx_kept.columns()) return;
const long usmx_rows = usmx::detail::count_of<@rows@>(usmx_kept);
const long usmx_part = usmx_group.i / usmx_rows;
const long usmx_row = usmx_group.i - usmx_part * usmx_rows;
usmx::detail::offsets<@operands@> usmx_from;
usmx_from.move<@rows@>(usmx_kept, usmx_row);
@part@
long usmx_column = 0;
if (usmx_line == usmx_first_line) {
usmx_value = usmx_map(usmx_first);
usmx_column = 1;
}
@blocks@#pragma unroll 8
for (; usmx_column < usmx_count; ++usmx_column) {
usmx_value = usmx_reduce(usmx_value, usmx_map(usmx_first + usmx_column));
}
}
@result@)";

/// Keeps the value of a part, which another kernel joins with others.
constexpr std::string_view inner_part_text =
    R"(usmx_parts[usmx_group.i * usmx::group_count<2>().j + usmx_part] = usmx_shared[0];
)";
constexpr std::string_view outer_part_text =
    R"(usmx_parts[usmx_group.i * usmx_kept.columns() + usmx_kept_column] = usmx_value;
)";

/// If there are no other parts, the value is the result's. There are elements; the identity is
/// compiled for its errors.
constexpr std::string_view whole_text = R"(usmx_result a = usmx_sizes.elements == 0 ? usmx_result(
#include "identity"
: @value@;
@outputs@@statements@@stores@)";

/// A work item for each result. Adjacent ones read adjacent parts, or all parts of a result are.
constexpr std::string_view end_text = R"(const long usmx_item = usmx::global_id();
if (usmx_item >= usmx_sizes.results) return;
usmx::detail::offsets<@operands@> usmx_at;
usmx_at.move<@kept@>(usmx_kept, usmx_item);
const usmx_result* usmx_part = usmx_parts + @first_part@;
usmx_result a = usmx_sizes.parts == 0 ? usmx_result(
#include "identity"
: *usmx_part;
#pragma unroll 16
for (long usmx_index = 1; usmx_index < usmx_sizes.parts; ++usmx_index) {
usmx_part += @part_step@;
a = usmx_reduce(a, *usmx_part);
}
@count@@outputs@@statements@@stores@
)";

/// Joins results, and values before they become results.
constexpr std::string_view reduce_text =
    R"(inline @type@ @name@(@type@ a, @type@ b) {
return (
#include "reduce_expr"
;
}
)";

constexpr std::string_view inner_blocks_text =
    R"(for (; usmx_column + 7 * usmx_lanes < usmx_full; usmx_column += 8 * usmx_lanes) {
usmx_value = usmx_reduce(usmx_value, usmx_result(usmx_block(usmx_column + usmx_lane, usmx_lanes)));
}
)";
constexpr std::string_view outer_blocks_text =
    R"(for (; usmx_column + 7 < usmx_count; usmx_column += 8) {
usmx_value = usmx_reduce(usmx_value, usmx_result(usmx_block(usmx_first + usmx_column, 1)));
}
)";

constexpr std::string_view count_text = "const long n = usmx_sizes.elements;\n";

/// The elements of the inputs at `usmx_column`, and their index.
std::string loads_of(std::span<const source_parameter> parameters, bool is_outer,
                     const operand_steps& steps, bool has_index) {
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
    const std::string element = element_at("usmx_array_" + each.name, row, steps[k],
                                           is_outer ? "usmx_kept_column" : "usmx_column", stride);
    text += message("const ", each.type, " ", each.name, " = ", read_of(each.type, element), ";\n");
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
std::string unrolled_for(std::size_t lanes) { return lanes > 16 ? "#pragma unroll 8\n" : ""; }

/// The results before and after the statements that make them of the value `a`. `indices` is where
/// the offsets of all operands are, and `column` what is added to those of an operand.
struct result_texts {
  std::string outputs;
  std::string stores;
};
result_texts results_of(std::span<const source_parameter> parameters, std::size_t input_count,
                        std::string_view indices, bool is_of_column) {
  result_texts made;
  std::size_t k = input_count;
  for (const source_parameter& each : parameters) {
    if (each.is_output) {
      const std::string column =
          is_of_column ? message(" + usmx_kept_column * usmx_kept.column_stride(", k, ")") : "";
      const std::string element = message("usmx::detail::element(usmx_array_", each.name, ", ",
                                          indices, ".at[", k, "]", column, ")");
      made.outputs += message(each.type, " ", each.name, " = ", element, ";\n");
      made.stores += message(element, " = ", each.name, ";\n");
      ++k;
    }
  }
  return made;
}

std::string whole_of(std::span<const source_parameter> parameters, std::size_t input_count,
                     bool is_outer) {
  const result_texts results = results_of(parameters, input_count, "usmx_from", is_outer);
  return filled(whole_text, {{"value", is_outer ? "usmx_value" : "usmx_shared[0]"},
                             {"outputs", results.outputs},
                             {"statements", called_statements("post_map_expr")},
                             {"stores", results.stores}});
}

std::string end_of(std::span<const source_parameter> parameters, std::size_t input_count,
                   bool is_outer, const std::string& operands, const std::string& kept,
                   bool has_count) {
  const result_texts results = results_of(parameters, input_count, "usmx_at", false);
  return filled(end_text, {{"first_part", is_outer ? "usmx_item" : "usmx_item * usmx_sizes.parts"},
                           {"part_step", is_outer ? "usmx_sizes.results" : "1"},
                           {"operands", operands},
                           {"kept", kept},
                           {"count", has_count ? std::string(count_text) : std::string()},
                           {"outputs", results.outputs},
                           {"statements", called_statements("post_map_expr")},
                           {"stores", results.stores}});
}

}  // namespace

std::string reduction_source(std::string_view name, std::span<const source_parameter> parameters,
                             const reduction_form& form, const reduction_types& types,
                             reduction_uses used) {
  const bool is_outer = form.is_outer;
  const bool is_whole = form.is_whole;
  const std::string kept = std::to_string(form.kept_dimensions);
  std::string first;
  std::string second;
  std::size_t input_count = 0;
  std::size_t operand_count = 0;
  for (const source_parameter& each : parameters) {
    first += each.is_output && !is_whole ? "" : declaration(each) + ", ";
    second += each.is_output || !each.is_operand() ? declaration(each) + ", " : "";
    operand_count += each.is_operand() ? 1U : 0U;
    input_count += each.is_operand() && !each.is_output ? 1U : 0U;
  }
  const std::string operands = std::to_string(operand_count);
  const std::string reduced = std::to_string(input_count + (used.has_index ? 1 : 0));
  const bool has_blocks = !types.block.empty();
  const std::string mapped = has_blocks ? types.block : "usmx_result";
  // Intel's compiler for CPUs makes a product of the sum of values that are one element, and what
  // its additions have lost is then wrong: it is not told of the stride of 0.
  operand_steps steps = form.steps;
  if (has_blocks && std::ranges::all_of(std::span(steps).first(input_count),
                                        [](step each) { return each == step::repeated; })) {
    steps.front() = step::strided;
  }
  const std::string_view blocks = is_outer ? outer_blocks_text : inner_blocks_text;
  const std::string kept_loop =
      message("const usmx::detail::loop<", operands, ", ", kept, "> usmx_kept");
  const std::string elements =
      filled(part_text, {{"outer", std::to_string(form.reduced_dimensions - 1)},
                         {"reduced", reduced},
                         {"mapped", mapped},
                         {"block", std::string(has_blocks ? block_text : "")},
                         {"loads", loads_of(parameters, is_outer, steps, used.has_index)}});
  const std::string result = is_whole ? whole_of(parameters, input_count, is_outer)
                                      : std::string(is_outer ? outer_part_text : inner_part_text);
  const std::string body = filled(is_outer ? outer_text : inner_text,
                                  {{"lanes", std::to_string(form.lanes)},
                                   {"unrolled", unrolled_for(form.lanes)},
                                   {"operands", operands},
                                   {"kept", kept},
                                   {"rows", std::to_string(form.kept_dimensions - 1)},
                                   {"blocks", std::string(has_blocks ? blocks : "")},
                                   {"part", elements},
                                   {"result", result}});
  const std::string end =
      is_whole
          ? ""
          : message("USMX_KERNEL(1) ", name, "_end(", second, "const usmx_result* usmx_parts, ",
                    kept_loop, ", const usmx_result_sizes usmx_sizes) {\n", raw_arrays(parameters),
                    end_of(parameters, input_count, is_outer, operands, kept, used.has_count),
                    "}\n");
  return message(
      source_beginning(parameters), "using usmx_result = ", types.result, ";\n", sizes_text,
      filled(reduce_text, {{"name", "usmx_reduce"}, {"type", "usmx_result"}}),
      has_blocks ? filled(reduce_text, {{"name", "usmx_join"}, {"type", mapped}}) : std::string(),
      "USMX_KERNEL(2) ", name, "(", first, is_whole ? "" : "usmx_result* usmx_parts, ",
      used.has_index ? "const long usmx_i, " : "", kept_loop, ", const usmx::detail::loop<",
      reduced, ", ", form.reduced_dimensions,
      "> usmx_reduced, const usmx_part_sizes usmx_sizes) {\n", used.has_count ? count_text : "",
      raw_arrays(parameters), body, "}\n", end);
}

}  // namespace usmx::inline v1::detail
