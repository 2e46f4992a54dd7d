// The parameters of a generated kernel as they are written, such as "T x, raw float32 table", and
// the types that they stand for in a call. No SYCL here. Private to the library.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1::detail {

/// A parameter as it is written.
struct generated_parameter {
  /// The name of a type, as dtype::name() has it; one letter is a variable, for any type.
  std::string type;
  std::string name;
  /// Whether the operation indexes the array itself.
  bool is_raw;
  /// Whether the type is a structure of the preamble: then it stands for a structured type.
  bool is_structure = false;

  bool is_variable() const noexcept { return type.size() == 1; }
};

/// The parameters of a text; `what` is its name for errors. Throws value_error if it is not written
/// so, or a type is unknown: none of the library's, and none that the preamble names.
std::vector<generated_parameter> parse_parameters(std::string_view what, std::string_view text,
                                                  std::string_view preamble);

/// Throws value_error if there is no output, two have one name, or there are too many.
void check_parameters(std::span<const generated_parameter>, std::size_t output_count);

/// Throws value_error unless the name is an identifier of C++.
void check_kernel_name(std::string_view name);

/// Throws value_error, with the place, for a bracket of a text of C++ that is not closed, or closes
/// none: the compiler would find that somewhere in the text that usmx generates. Texts with
/// directives or raw strings are left to the compiler.
void check_brackets(std::string_view name, std::string_view text);

/// Whether the text is an identifier of C++.
bool is_identifier(std::string_view text);

/// Whether a source has that identifier.
bool uses_name(std::string_view name, std::string_view source);

/// Whether the name may be that of a structure of the preamble.
bool is_of_preamble(std::string_view name, std::string_view preamble);

/// The element type of a name or of NumPy's names for types of C; none if kernels do not compute
/// with it. For a variable, too.
std::optional<dtype> named_type(std::string_view name);

/// The type as the source has it.
std::string cpp_name(dtype);

/// The type of an argument: of an array, or of a number, whose type is only a kind.
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

}  // namespace usmx::inline v1::detail
