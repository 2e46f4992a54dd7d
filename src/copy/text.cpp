#include "usmx/copy/text.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "usmx/array/print.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/index_item.hpp"
#include "usmx/layout/strided_view.hpp"

namespace usmx::inline v1 {
namespace {

/// Prints an array of at most one dimension whose elements are all printed, without brackets. T
/// holds the elements' values.
template <class T, class Printed = T>
void print_row(std::ostream& out, const array& row) {
  bool is_first = true;
  for (const T& element : to_vector<T>(row)) {
    if (!std::exchange(is_first, false)) {
      out << ", ";
    }
    detail::print_element(out, static_cast<Printed>(element));
  }
}

void print_row(std::ostream& out, const array& row) {
  const dtype type = row.type();
  switch (type.kind()) {
    case 'b':
      return print_row<std::uint8_t, bool>(out, row);
    case 'i':
      return print_row<std::int64_t>(out, row);
    case 'u':
      return print_row<std::uint64_t>(out, row);
    case 'f':
      return type == float64 ? print_row<double>(out, row) : print_row<float>(out, row);
    default:
      return type == complex128 ? print_row<std::complex<double>>(out, row)
                                : print_row<std::complex<float>>(out, row);
  }
}

void print_array(std::ostream& out, const array& a, bool are_few, const std::string& line_break) {
  if (a.ndim() == 0) {
    return print_row(out, a);
  }
  const std::ptrdiff_t count = a.extent(0), edge = detail::printed_edge;
  const bool are_all = are_few || count <= 2 * edge;
  out << '[';
  if (a.ndim() == 1 && are_all) {
    print_row(out, a);
  } else if (a.ndim() == 1) {
    print_row(out, a.slice(range(0, edge)));
    out << ", ..., ";
    print_row(out, a.slice(range(count - edge, count)));
  } else {
    const std::string deeper = line_break + ' ';
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      out << (i == 0 ? "" : "," + deeper);
      if (!are_all && i == edge) {
        out << "...";
        i = count - edge - 1;
      } else {
        print_array(out, a.slice(i), are_few, deeper);
      }
    }
  }
  out << ']';
}

}  // namespace

std::string to_string(const array& a) {
  if (a.type().is_structured()) {
    throw value_error(
        detail::message("to_string: expected elements that are numbers, found ", a.type()));
  }
  const bool are_few = a.size() <= detail::most_printed;
  std::ostringstream out;
  // Few elements come to the host in one copy, not in one for each row.
  print_array(out, are_few ? clone(a, usm_kind::host) : a, are_few, "\n");
  return std::move(out).str();
}

}  // namespace usmx::inline v1
