#include "generated_kernels/source.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {

const char* const loop_header = R"(
// The loop over the elements of several arrays, as src/generated_kernels/generated_arguments.cpp
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
struct places {
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
    long place = at;
    if constexpr (IsContiguous) {
      return this->data()[place];
    } else {
      long offset = 0;
#pragma unroll
      for (int k = N - 1; k > 0; --k) {
        const long quotient = place / this->extent(k);
        offset += (place - quotient * this->extent(k)) * this->stride(k);
        place = quotient;
      }
      return this->data()[offset + place * this->stride(0)];
    }
  }
};
}  // namespace usmx::detail
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
  return text + "#include \"preamble\"\n";
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

std::string element_at(std::string_view pointer, std::string_view row, char step,
                       std::string_view column, std::string_view stride) {
  const std::string first = message("usmx::detail::element(", pointer, ", ", row, ")");
  switch (step) {
    case 'a':
      return message("(&", first, ")[", column, "]");
    case 'o':
      return message("(&", first, ")[2 * (", column, ")]");
    case 'n':
      return message("usmx::detail::element(&", first, ", int(", column, ") * int(", stride, "))");
    case 's':
      return message("usmx::detail::element(&", first, ", (", column, ") * ", stride, ")");
    default:  // 'r'
      return first;
  }
}

std::string called_statements(std::string_view written) {
  return message("[&]() -> void {\n#include \"", written, "\"\n;\n}();\n");
}

std::vector<std::string> words_of_form(std::string_view form) {
  std::istringstream in{std::string(form)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) {
    words.push_back(word);
  }
  words.resize(5);  // the last ones may be empty: no operands
  return words;
}

}  // namespace usmx::inline v1::detail
