#include "usmx/compute/special.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "compute/elementwise.hpp"
#include "compute/made_kernels.hpp"
#include "compute/promotion.hpp"
#include "compute/rows.hpp"
#include "compute/special.hpp"
#include "compute/table.hpp"
#include "copy/copy.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1 {
namespace internal {
namespace {

/// A function of device/special.hpp or of the kernel language, which have them for float and
/// double.
struct special_row {
  std::string_view name;
  std::size_t operands;
  /// Whether float cancels in it, or it takes the powers of large exponents: float32 is computed in
  /// double, on devices that have it.
  bool is_wide = false;
  std::string_view operation = {};  // empty: of the same name
};
constexpr special_row special_rows[] = {
    {"beta", 2, true},
    {"betainc", 3, true},
    {"betaincc", 3, true},
    {"betaln", 2, true},
    {"chdtr", 2, true},
    {"chdtrc", 2, true},
    {"digamma", 1, true},
    {"entr", 1},
    {"erf", 1},
    {"erfc", 1},
    {"erfcinv", 1},
    {"erfcx", 1},
    {"erfinv", 1},
    {"expit", 1},
    {"exprel", 1},
    {"gamma", 1, false, "tgamma"},
    {"gammainc", 2, true},
    {"gammaincc", 2, true},
    {"gammaln", 1, false, "lgamma"},
    {"gammasgn", 1},
    {"i0", 1},
    {"i0e", 1},
    {"i1", 1},
    {"i1e", 1},
    {"kl_div", 2, true},
    {"log_expit", 1},
    {"log_ndtr", 1},
    {"logit", 1},
    {"ndtr", 1},
    {"ndtri", 1},
    {"psi", 1, true, "digamma"},
    {"rel_entr", 2},
    {"rgamma", 1, true},
    {"stdtr", 2, true},
    {"xlog1py", 2},
    {"xlogy", 2},
};

const special_row* find_special(std::string_view name) noexcept {
  const auto* found = std::ranges::find(special_rows, name, &special_row::name);
  return found == std::end(special_rows) ? nullptr : found;
}

const special_row& special_named(std::string_view name) {
  if (const special_row* found = find_special(name)) {
    return *found;
  }
  throw value_error(detail::message("usmx has no special function ", detail::quoted(name)));
}

elementwise_kernel make_special(const special_row& row, dtype type, bool is_double) {
  const std::string_view computed = language_name(is_double ? float64 : float32);
  std::string inputs;
  std::string arguments;
  for (std::size_t k = 0; k < row.operands; ++k) {
    const std::string_view between = k == 0 ? "" : ", ";
    inputs += detail::message(between, type.name(), " x", k);
    arguments += detail::message(between, computed, "(x", k, ')');
  }
  return {inputs,
          detail::message(type.name(), " y"),
          detail::message("y = ", language_name(type), '(',
                          row.operation.empty() ? row.name : row.operation, '(', arguments, "))"),
          {.name = detail::message("special_", row.name),
           .preamble = std::string(device_text("special.hpp"))}};
}

/// Arrays of a type in the places of those of other types.
class converted_operands {
 public:
  converted_operands(std::span<const kernel_argument> operands, dtype type) {
    arrays_.reserve(operands.size());  // the arguments refer to them
    for (const kernel_argument& each : operands) {
      const auto* const* found = std::get_if<const array*>(&each.value());
      if (found == nullptr || (*found)->type() == type) {
        all_.push_back(each);
      } else {
        all_.emplace_back(arrays_.emplace_back(astype(**found, type)));
      }
    }
  }

  std::span<const kernel_argument> all() const noexcept { return all_; }

 private:
  std::vector<array> arrays_;
  std::vector<kernel_argument> all_;
};

const array* first_array_in(std::span<const kernel_argument> operands) noexcept {
  for (const kernel_argument& each : operands) {
    if (const auto* const* found = std::get_if<const array*>(&each.value())) {
      return *found;
    }
  }
  return nullptr;
}

}  // namespace

bool is_special_function(std::string_view name) noexcept { return find_special(name) != nullptr; }

array special_of(std::string_view name, dtype type, std::span<const kernel_argument> operands,
                 const generated_call_options& how) {
  static made_kernels<elementwise_kernel, std::size(special_rows) * type_count * 2> all;
  require_usable_process();
  const special_row& row = special_named(name);
  const array* first = first_array_in(operands);
  if (operands.size() != row.operands || first == nullptr) {
    throw type_error(detail::message("special.", name, ": expected ", row.operands,
                                     " operands, one of them an array, found ", operands.size()));
  }
  const bool is_double =
      type == float64 || (row.is_wide && support_of(private_queue(*first).get_device()).fp64);
  const std::size_t of = static_cast<std::size_t>(&row - special_rows) * type_count +
                         static_cast<std::size_t>(type.code());
  const elementwise_kernel& kernel =
      all.at(2 * of + (is_double ? 1 : 0), [&] { return make_special(row, type, is_double); });
  return kernel.call(operands, how)[0];
}

}  // namespace internal

array special::call(std::string_view name, std::span<const kernel_argument> operands,
                    const generated_call_options& how) {
  const std::string label = detail::message("special.", name);
  std::vector<internal::operand_kind> kinds;
  for (const kernel_argument& each : operands) {
    const auto kind = internal::operand(each);
    if (!kind) {
      throw type_error(detail::message(label, ": expected arrays and numbers, found another"));
    }
    kinds.push_back(*kind);
  }
  const array* first = internal::first_array_in(operands);
  if (first == nullptr) {
    throw type_error(detail::message(label, ": expected an array among the operands, found none"));
  }
  for (const kernel_argument& each : operands) {
    if (const auto* const* found = std::get_if<const array*>(&each.value())) {
      internal::require_plain(label, (*found)->type());
    }
  }
  const type_support has = support_of(internal::private_queue(*first).get_device());
  dtype type = nearest_supported(internal::common_type(kinds), has);
  type = internal::is_whole(type) ? nearest_supported(float64, has) : type;
  if (type.kind() != 'f') {
    throw type_error(detail::message(label, " is defined for real numbers, found ", type.name()));
  }
  if (std::ranges::any_of(operands, [&](const kernel_argument& each) {
        const auto* const* found = std::get_if<const array*>(&each.value());
        return found != nullptr && (*found)->type() != type;
      })) {
    detail::wait_for_all(how.after);  // which a conversion does not know of
  }
  const internal::converted_operands all(operands, type);
  if (how.outputs.empty() || !how.outputs.front() || how.outputs.front()->type() == type) {
    return internal::special_of(name, type, all.all(), how);
  }
  generated_call_options rest = how;
  rest.outputs.clear();
  const array& out = *how.outputs.front();
  const array made = internal::special_of(name, type, all.all(), rest);
  internal::require_output(label, out, type, made.shape(), internal::private_queue(made));
  detail::copy_in_order(made, out);
  return out;
}

}  // namespace usmx::inline v1
