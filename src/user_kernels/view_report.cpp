#include "user_kernels/view_report.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "array/array.hpp"
#include "runtime/waits.hpp"
#include "user_kernels/compile/program.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

/// The report, laid out as in include/usmx/kernel.hpp.
struct alignas(64) view_report {
  std::uint32_t is_taken;
  std::int32_t line;
  std::int64_t parameter;
  std::array<std::int64_t, 8> indices;
  std::int32_t index_count;
  std::array<char, 108> file;
};
static_assert(sizeof(view_report) == 192);

/// With room for an element of any view behind it.
std::size_t nbytes_for(const kernel_signature& signature) {
  std::size_t element = 0;
  for (const kernel_parameter& each : signature.parameters) {
    if (is_view(each.form)) {
      element = std::max(element, each.size + each.alignment);
    }
  }
  return sizeof(view_report) + element;
}

view_report& report_in(const array& memory) {
  return *reinterpret_cast<view_report*>(internal::first_element(memory));
}

std::string place_in_source(const view_report& found) {
  return message(shown_file(std::string_view(found.file.data())), ':', found.line, ": ");
}

array new_report(const kernel_signature& signature, const sycl::queue& queue) {
  const std::ptrdiff_t shape[] = {static_cast<std::ptrdiff_t>(nbytes_for(signature))};
  array memory = empty(layout::c_order(shape), uint8, queue, usm_kind::host, alignof(view_report));
  std::memset(internal::first_element(memory), 0, memory.nbytes());
  return memory;
}

}  // namespace

view_checks::view_checks(const kernel_signature& signature, const sycl::queue& queue)
    : signature_(signature), memory_(new_report(signature, queue)) {}

void view_checks::add_to(argument_bytes& view, std::size_t place) const {
  view.view.push_back(reinterpret_cast<std::intptr_t>(&report_in(memory_)));
  view.view.push_back(static_cast<std::int64_t>(place));
}

void view_checks::require_none(std::vector<sycl::event> done,
                               std::span<const kernel_argument> arguments) const {
  wait_interruptibly_for_all(std::move(done));
  const view_report& found = report_in(memory_);
  if (found.is_taken == 0) {
    return;
  }
  const auto place = static_cast<std::size_t>(found.parameter);
  const array& used = *std::get<const array*>(arguments[place].value());
  const std::string where = place_text(signature_, place) + place_in_source(found);
  if (found.index_count < used.ndim()) {  // an element of a raw array in C order
    throw index_error(message(where, "expected an index inside size ", used.size(), ", found ",
                              found.indices[0]));
  }
  const std::vector<std::ptrdiff_t> indices(found.indices.begin(),
                                            found.indices.begin() + used.ndim());
  throw index_error(message(where, "expected indices inside shape ", tuple_text(used.shape()),
                            ", found ", tuple_text(indices)));
}

}  // namespace usmx::inline v1::detail
