#include "compute/elementwise.hpp"

#include <algorithm>
#include <cstdint>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/messages.hpp"
#include "base/ranked_mutex.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::internal {
namespace {

[[noreturn]] void refuse_structures(const function_row& row) {
  throw type_error(detail::message(
      row.name, " is not defined for structured elements: it is for a field of the array"));
}

[[noreturn]] void refuse_type(const function_row& row, dtype type) {
  throw type_error(detail::message(row.name, " is not defined for elements of type ", type.name()));
}

dtype promoted_for(const function_row& row, std::span<const operand_kind> kinds, type_support has) {
  dtype type = nearest_supported(common_type(kinds), has);
  if (row.result == result_rule::floating && row.expression(type.kind()).empty()) {
    type = nearest_supported(promoted(type, float64), has);
  }
  if (row.expression(type.kind()).empty()) {
    refuse_type(row, type);
  }
  return type;
}

/// The operand of a kernel as a number of type C, in which it computes. float16 has fewer
/// conversions than the other types, so it goes by way of float.
std::string converted_operand(std::string_view name, type_code type, type_code computed) {
  const std::string_view conversion =
      dtype(computed).kind() == 'c' && dtype(type).kind() != 'c' ? "with_imaginary_zero<C>(" : "C(";
  return type == type_code::float16 && computed != type_code::float16
             ? detail::message(conversion, "float(", name, "))")
             : detail::message(conversion, name, ')');
}

std::string_view take_word(std::string_view& left) {
  const std::string_view word = left.substr(0, left.find(' '));
  left.remove_prefix(std::min(word.size() + 1, left.size()));
  return word;
}

}  // namespace

void require_operands(const function_row& row, std::size_t count) {
  if (count != row.operand_count()) {
    throw type_error(
        detail::message(row.name, " takes ", row.operand_count(), " operands, found ", count));
  }
}

elementwise_types types_of(const function_row& row, std::span<const operand_kind> kinds,
                           type_support has) {
  require_operands(row, kinds.size());
  if (std::ranges::any_of(kinds,
                          [](const auto& each) { return each.type == type_code::structured; })) {
    refuse_structures(row);
  }
  const auto conditions = static_cast<std::size_t>(row.conditions);
  const dtype type = promoted_for(row, kinds.subspan(conditions), has);
  elementwise_types made{};
  made.computed = type == float16 && !row.in_half ? type_code::float32 : type.code();
  made.result = row.result == result_rule::truth  ? type_code::bool_
                : row.result == result_rule::real ? real_part_type(type).code()
                                                  : type.code();
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const type_code of_number = k < conditions ? type_code::bool_ : type.code();
    made.inputs[k] = kinds[k].is_weak ? of_number : kinds[k].type;
  }
  return made;
}

bool compares_as_they_are(const function_row& row, const elementwise_types& types) noexcept {
  return row.compares &&
         std::ranges::all_of(std::span(types.inputs).first(row.operand_count()), is_whole);
}

std::string operation_of(const function_row& row, const elementwise_types& types, type_code written,
                         std::string_view out) {
  const auto conditions = static_cast<std::size_t>(row.conditions);
  const std::size_t count = row.operand_count();
  const std::span inputs = std::span(types.inputs).first(count);
  const bool are_compared = compares_as_they_are(row, types);
  std::string text = detail::message("using C = ", language_name(types.computed), ";\n");
  std::string_view names = row.operands;
  const char* letter = "abc";
  for (std::size_t k = 0; k < count; ++k) {
    const std::string_view name = take_word(names);
    if (k >= conditions && !are_compared) {
      text += detail::message("const C ", *letter++, " = ",
                              converted_operand(name, inputs[k], types.computed), ";\n");
    }
  }
  const char kind = are_compared ? 'i' : dtype(types.computed).kind();
  const std::string value =
      detail::message(language_name(types.result), '(', row.expression(kind), ')');
  return written == types.result ? detail::message(text, out, " = ", value)
                                 : detail::message(text, out, " = converted<",
                                                   language_name(written), ">(", value, ')');
}

std::string_view language_name(dtype type) noexcept {
  constexpr std::string_view names[type_count] = {
      "bool",     "int8_t",   "int16_t", "int32_t", "int64_t", "uint8_t",        "uint16_t",
      "uint32_t", "uint64_t", "half",    "float",   "double",  "complex<float>", "complex<double>"};
  return names[static_cast<std::size_t>(type.code())];
}

namespace {

/// All that a plan depends on, in one number: the row, the operands' kinds, the type of the output
/// and the types of the device.
std::uint64_t key_of(const function_row& row, std::span<const operand_kind> kinds,
                     std::optional<type_code> into, type_support has) {
  auto key = static_cast<std::uint64_t>(&row - function_rows().data());
  for (std::size_t k = 0; k < max_function_operands; ++k) {  // of equal width for all rows
    const operand_kind each = k < kinds.size() ? kinds[k] : operand_kind{};
    key = key << 5 | static_cast<std::uint64_t>(each.type) << 1 | (each.is_weak ? 1U : 0U);
  }
  constexpr std::uint64_t own_type = type_count + 1;  // no code, nor that of structures
  const auto code = into ? static_cast<std::uint64_t>(*into) : own_type;
  return key << 6 | code << 2 | (has.fp16 ? 2U : 0U) | (has.fp64 ? 1U : 0U);
}

std::string inputs_of(const function_row& row, const elementwise_types& types) {
  std::string text;
  std::string_view names = row.operands;
  for (std::size_t k = 0; !names.empty(); ++k) {
    text +=
        detail::message(k == 0 ? "" : ", ", dtype(types.inputs[k]).name(), ' ', take_word(names));
  }
  return text;
}

std::shared_ptr<const elementwise_plan> make_plan(const function_row& row,
                                                  std::span<const operand_kind> kinds,
                                                  std::optional<type_code> into, type_support has) {
  const elementwise_types types = types_of(row, kinds, has);
  if (into && (*into == type_code::structured || !is_same_kind(types.result, *into))) {
    throw type_error(detail::message(row.name, ": a result of type ", dtype(types.result).name(),
                                     " cannot be written to an array of ",
                                     *into == type_code::structured
                                         ? "structured elements"
                                         : detail::message("type ", dtype(*into).name())));
  }
  const type_code written = into.value_or(types.result);
  return std::make_shared<const elementwise_plan>(elementwise_plan{
      types,
      elementwise_kernel(inputs_of(row, types), detail::message(dtype(written).name(), " out"),
                         operation_of(row, types, written),
                         {.name = std::string(row.name),
                          .preamble = std::string(device_text("device_functions.hpp"))})});
}

/// The plans that were used last, the latest one first.
class plan_cache {
 public:
  using plan = std::shared_ptr<const elementwise_plan>;

  plan find(std::uint64_t key) {
    const std::lock_guard lock(mutex_);
    const auto found = found_by_key_.find(key);
    if (found == found_by_key_.end()) {
      return nullptr;
    }
    plans_.splice(plans_.begin(), plans_, found->second);
    return found->second->second;
  }

  /// Adds a plan, unless another thread was faster. Returns the one that is kept.
  plan add(std::uint64_t key, plan made) {
    std::pair<std::uint64_t, plan> oldest;  // ends when the lock is free
    const std::lock_guard lock(mutex_);
    const auto found = found_by_key_.find(key);
    if (found != found_by_key_.end()) {
      return found->second->second;
    }
    plans_.emplace_front(key, made);
    found_by_key_.emplace(key, plans_.begin());
    if (plans_.size() > max_plans) {
      oldest = std::move(plans_.back());
      found_by_key_.erase(oldest.first);
      plans_.pop_back();
    }
    return made;
  }

  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return plans_.size();
  }

 private:
  detail::ranked_mutex<detail::lock_rank::elementwise_plans> mutex_;
  std::list<std::pair<std::uint64_t, plan>> plans_;
  std::unordered_map<std::uint64_t, std::list<std::pair<std::uint64_t, plan>>::iterator>
      found_by_key_;
};

/// The cache is never destroyed: a program may call functions up to its end.
plan_cache& plans() {
  static plan_cache& all = *new plan_cache();
  return all;
}

}  // namespace

std::shared_ptr<const elementwise_plan> plan_for(const function_row& row,
                                                 std::span<const operand_kind> kinds,
                                                 std::optional<type_code> into, type_support has) {
  const std::uint64_t key = key_of(row, kinds, into, has);
  if (auto known = plans().find(key)) {
    return known;
  }
  return plans().add(key, make_plan(row, kinds, into, has));
}

std::size_t plan_count() { return plans().size(); }

}  // namespace usmx::inline v1::internal
