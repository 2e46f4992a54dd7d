// The parameters of generated kernels, such as "T x, raw float32 table", the types that they stand
// for in a call, and the source that is generated. Users' texts are included by their names, so
// that errors name their lines. No SYCL here. Private to the library.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generated_kernels/loop_form.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1::detail {

struct generated_parameter {
  /// The name of a type, as dtype::name() has it; a single letter is a variable, for any type.
  std::string type;
  std::string name;
  /// Whether the operation indexes the array itself.
  bool is_raw;
  /// Whether the type is a structure of the preamble: then it stands for a structured type.
  bool is_structure = false;

  bool is_variable() const noexcept { return type.size() == 1; }
};

/// The parameters of a text, which `what` names in errors. Throws value_error if the text cannot be
/// read, or a type is unknown: none of the library's, and none that the preamble names.
std::vector<generated_parameter> parse_parameters(std::string_view what, std::string_view text,
                                                  std::string_view preamble);

/// Throws value_error if there is no output, two have one name, or there are too many.
void check_parameters(std::span<const generated_parameter>, std::size_t output_count);

/// Throws value_error unless the name is an identifier of C++.
void check_kernel_name(std::string_view name);

/// Throws value_error, with the position, for a bracket of a text of C++ that is not closed, or
/// closes none: the compiler would find that somewhere in the text that usmx generates. Texts with
/// directives or raw strings are left to the compiler.
void check_brackets(std::string_view name, std::string_view text);

bool is_identifier(std::string_view text);

/// Whether a source has that identifier.
bool uses_name(std::string_view name, std::string_view source);

/// Whether the name may be that of a structure of the preamble.
bool is_of_preamble(std::string_view name, std::string_view preamble);

/// The element type of a name or of NumPy's names for types of C; none if kernels do not compute
/// with it. For a variable, too.
std::optional<dtype> named_type(std::string_view name);

std::string cpp_name(dtype);

/// The type of an argument: that of an array, or the kind of a number.
struct found_type {
  dtype type;
  bool is_array;
};

/// The type of each parameter, outputs last; none is found for outputs that are not given. `wanted`
/// stands for variables, or for structures, that no array names. Throws type_error if an array has
/// another type, and if a variable or a structure stands for two types, or for none. The message
/// begins with the kernel's name.
std::vector<dtype> choose_types(std::string_view kernel, std::span<const generated_parameter>,
                                std::span<const std::optional<found_type>> found,
                                std::optional<dtype> wanted);

/// A parameter in a source, with its type in one call.
struct source_parameter {
  std::string name;
  std::string type;  // as C++ has it
  /// The name of the type variable, else empty.
  std::string variable;
  bool is_output;
  /// Whether the parameter is an array, and not a number.
  bool is_array;
  /// The dimensions of a raw array, else 0.
  int raw_ndim;
  bool is_contiguous;

  /// Whether the loop gives the parameter's elements.
  bool is_operand() const noexcept { return is_array && raw_ndim == 0; }
};

/// The header that generated sources include as "usmx_loop.hpp".
extern const char* const loop_header;

/// The header that generated sources include as "usmx_words.hpp" after the user's preamble: words
/// of the language that count elements mean there what usmx means. The compiler refuses macros of
/// their names.
extern const char* const words_header;

/// A text in which each @name@ is replaced by its value.
std::string filled(std::string_view text,
                   std::initializer_list<std::pair<std::string_view, std::string>> values);

/// The beginning of generated sources: headers, type variables as types, the user's preamble.
std::string source_beginning(std::span<const source_parameter>);

std::string declaration(const source_parameter&);

/// Declares raw arrays under the names that users know.
std::string raw_arrays(std::span<const source_parameter>);

/// The element of an operand at `column` of a row, all in C++; `row` and `stride` are in bytes. The
/// step is none of those of tiles.
///
/// The part that is equal for a whole row is added first: then the compiler sees that adjacent work
/// items read adjacent elements.
std::string element_at(std::string_view pointer, std::string_view row, step,
                       std::string_view column, std::string_view stride);

/// A user's statements, or expression, as a source includes them: with what ends them, so that the
/// compiler finds what they lack in this text and not in that of usmx. Throws value_error for
/// brackets that are not closed.
std::string ended_statements(std::string_view name, std::string_view text);
std::string ended_expression(std::string_view name, std::string_view text);

/// The expression that reads an element which element_at() names.
std::string read_of(std::string_view type, std::string_view element);

/// The statements of ended_statements(), as a function of their own: a `return` ends them and
/// nothing else, and what surrounds them is out of the reach of `break` and `continue`.
std::string called_statements(std::string_view written);

/// The source of an element-wise kernel, which includes "operation". `uses_index` says whether the
/// operation may use `i`.
std::string elementwise_source(std::string_view name, std::span<const source_parameter>,
                               const loop_form&, bool uses_index);

/// Values that a reduction's expressions use besides parameters: `i`, the index of an element
/// among those of its result, and `n`, how many these are.
struct reduction_uses {
  bool has_index;
  bool has_count;
};

/// The types of a reduction's values in C++.
struct reduction_types {
  std::string result;
  std::string block;  // in which eight values are put together; empty: in none
};

/// The source of the two kernels of a reduction, `name` and that with "_end" after it, or of the
/// one that makes whole results. It includes "map_expr", "reduce_expr", "post_map_expr" and, if
/// there are two, "identity".
std::string reduction_source(std::string_view name, std::span<const source_parameter>,
                             const reduction_form&, const reduction_types&, reduction_uses);

}  // namespace usmx::inline v1::detail
