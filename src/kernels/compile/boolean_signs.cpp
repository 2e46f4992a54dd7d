#include "kernels/compile/boolean_signs.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <set>
#include <vector>

#include "kernels/compile/spirv.hpp"

namespace usmx::inline v1::detail {
namespace spirv {
namespace {

constexpr std::size_t bound_at = 3;  // greater than each number in the module

/// Instructions by their number in the specification of SPIR-V.
constexpr word op_constant = 43;
constexpr word op_constant_composite = 44;
constexpr word op_constant_null = 46;
constexpr word op_convert_s_to_f = 111;
constexpr word op_s_negate = 126;
constexpr word op_select = 169;

/// Copies a module, instruction by instruction, and negates the integers, 1 or 0, that a boolean
/// became before it becomes a floating-point number as a signed one.
class copier {
 public:
  explicit copier(words module) : copy_(module.begin(), module.begin() + words_of_header) {
    for (const words each : instructions_of(module)) {
      take(each);
    }
  }

  bool is_changed() const noexcept { return is_changed_; }

  std::string bytes() const {
    return {reinterpret_cast<const char*>(copy_.data()), copy_.size() * sizeof(word)};
  }

 private:
  using id = word;

  void take(words instruction) {
    const word code = instruction[0] & 0xffff;
    const words of = instruction.subspan(1);  // type, result, operands
    if (code == op_convert_s_to_f && of.size() == 3 && booleans_.contains(of[2])) {
      const id negative = copy_[bound_at]++;
      add({op_s_negate, booleans_.at(of[2]), negative, of[2]});
      add({op_convert_s_to_f, of[0], of[1], negative});
      is_changed_ = true;
      return;
    }
    copy_.insert(copy_.end(), instruction.begin(), instruction.end());
    note(code, of);
  }

  void note(word code, words of) {
    if (code == op_constant && of.size() >= 3) {
      note_number(of[1], of.subspan(2));
    } else if (code == op_constant_null && of.size() == 2) {
      zeros_.insert(of[1]);
    } else if (code == op_constant_composite && of.size() >= 3) {
      note_vector(of[1], of.subspan(2));
    } else if (code == op_select && of.size() == 5 && ones_.contains(of[3]) &&
               zeros_.contains(of[4])) {
      booleans_.emplace(of[1], of[0]);
    }
  }

  void note_number(id constant, words value) {
    if (std::ranges::all_of(value.subspan(1), [](word each) { return each == 0; })) {
      if (value[0] == 0) {
        zeros_.insert(constant);
      } else if (value[0] == 1) {
        ones_.insert(constant);
      }
    }
  }

  void note_vector(id constant, words parts) {
    for (std::set<id>* numbers : {&zeros_, &ones_}) {
      if (std::ranges::all_of(parts, [&](id part) { return numbers->contains(part); })) {
        numbers->insert(constant);
      }
    }
  }

  void add(std::initializer_list<word> instruction) {
    copy_.push_back(static_cast<word>(instruction.size() << 16) | *instruction.begin());
    copy_.insert(copy_.end(), instruction.begin() + 1, instruction.end());
  }

  std::vector<word> copy_;
  bool is_changed_ = false;
  std::set<id> zeros_;
  std::set<id> ones_;
  std::map<id, id> booleans_;  // integers that are 1 or 0, and their types
};

}  // namespace
}  // namespace spirv

std::optional<std::string> with_boolean_signs(std::string_view module) {
  const std::vector<spirv::word> all = spirv::words_of(module);
  const spirv::copier copy(all);
  return copy.is_changed() ? std::optional(copy.bytes()) : std::nullopt;
}

std::optional<std::string> object_with_boolean_signs(std::string_view object) {
  std::vector<std::string> modules;
  bool is_changed = false;
  for (const std::string_view module : modules_of_syclbin(object)) {
    std::optional<std::string> mended = with_boolean_signs(module);
    is_changed = is_changed || mended;
    modules.push_back(mended ? *std::move(mended) : std::string(module));
  }
  return is_changed ? std::optional(with_modules(object, modules)) : std::nullopt;
}

}  // namespace usmx::inline v1::detail
