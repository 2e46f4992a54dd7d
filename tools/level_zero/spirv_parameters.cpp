#include "spirv_parameters.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>

namespace executing {
namespace {

// The numbers of SPIR-V's specification, version 1.
constexpr std::uint32_t magic_number = 0x07230203;
constexpr std::size_t header_words = 5;
enum opcode : std::uint32_t {
  op_entry_point = 15,
  op_type_bool = 20,
  op_type_int = 21,
  op_type_float = 22,
  op_type_vector = 23,
  op_type_array = 28,
  op_type_struct = 30,
  op_type_pointer = 32,
  op_constant = 43,
  op_function = 54,
  op_function_parameter = 55,
  op_decorate = 71,
};
constexpr std::uint32_t decoration_parameter_attribute = 38;
constexpr std::uint32_t attribute_by_value = 2;
constexpr std::uint32_t storage_workgroup = 4;
constexpr std::uint32_t storage_function = 7;

using id = std::uint32_t;

struct type_layout {
  std::size_t nbytes;
  std::size_t alignment;
};

struct typed_id {
  id type;
  id value;
};

/// The part of a module that says what its kernels take.
class declarations {
 public:
  /// `words` is one instruction, of `count` words.
  void add(const std::uint32_t* words, std::size_t count) {
    switch (words[0] & 0xffff) {
      case op_entry_point:
        kernels_[words[2]] = reinterpret_cast<const char*>(words + 3);
        break;
      case op_type_bool:
      case op_type_int:
      case op_type_float:
      case op_type_vector:
      case op_type_array:
      case op_type_struct:
      case op_type_pointer:
        types_[words[1]].assign(words, words + count);
        break;
      case op_constant:
        constants_[words[2]] = words[3];
        break;
      case op_function:
        function_ = words[2];
        break;
      case op_function_parameter:
        functions_[function_].push_back({words[1], words[2]});
        break;
      case op_decorate:
        if (count > 3 && words[2] == decoration_parameter_attribute &&
            words[3] == attribute_by_value) {
          by_value_.insert(words[1]);
        }
        break;
      default:
        break;
    }
  }

  std::map<std::string, std::vector<parameter>> kernels() const {
    std::map<std::string, std::vector<parameter>> all;
    for (const auto& [function, name] : kernels_) {
      const auto found = functions_.find(function);
      for (const typed_id& each :
           found == functions_.end() ? std::vector<typed_id>{} : found->second) {
        all[name].push_back(parameter_of(each));
      }
    }
    return all;
  }

 private:
  parameter parameter_of(const typed_id& each) const {
    const std::vector<std::uint32_t>& type = words_of(each.type);
    if ((type[0] & 0xffff) != op_type_pointer) {
      return {parameter::kind::value, layout_of(each.type).nbytes};
    }
    if (by_value_.contains(each.value) || type[2] == storage_function) {
      return {parameter::kind::value, layout_of(type[3]).nbytes};
    }
    return {type[2] == storage_workgroup ? parameter::kind::local : parameter::kind::pointer, 0};
  }

  type_layout layout_of(id type) const {
    const std::vector<std::uint32_t>& words = words_of(type);
    switch (words[0] & 0xffff) {
      case op_type_bool:
        return {1, 1};
      case op_type_int:
      case op_type_float:
        return {words[2] / 8, words[2] / 8};
      case op_type_vector: {
        const std::size_t components = words[3] == 3 ? 4 : words[3];
        const std::size_t nbytes = layout_of(words[2]).nbytes * components;
        return {nbytes, nbytes};
      }
      case op_type_array: {
        const type_layout element = layout_of(words[2]);
        return {element.nbytes * constants_.at(words[3]), element.alignment};
      }
      case op_type_struct: {
        type_layout all{0, 1};
        for (std::size_t k = 2; k < words.size(); ++k) {
          const type_layout member = layout_of(words[k]);
          all = {up_to(all.nbytes, member.alignment) + member.nbytes,
                 std::max(all.alignment, member.alignment)};
        }
        return {up_to(all.nbytes, all.alignment), all.alignment};
      }
      default:
        return {sizeof(void*), alignof(void*)};
    }
  }

  /// The instruction that declares a type; of one that no kernel of SYCL's takes, nothing.
  const std::vector<std::uint32_t>& words_of(id type) const {
    static const std::vector<std::uint32_t> nothing{0};
    const auto found = types_.find(type);
    return found == types_.end() ? nothing : found->second;
  }

  static std::size_t up_to(std::size_t nbytes, std::size_t alignment) {
    return (nbytes + alignment - 1) / alignment * alignment;
  }

  std::map<id, std::string> kernels_;
  std::map<id, std::vector<std::uint32_t>> types_;  // whole instructions
  std::map<id, std::uint32_t> constants_;
  std::set<id> by_value_;
  std::map<id, std::vector<typed_id>> functions_;
  id function_ = 0;
};

}  // namespace

std::map<std::string, std::vector<parameter>> parameters_of_kernels(
    const std::vector<char>& module) {
  std::vector<std::uint32_t> words(module.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), module.data(), words.size() * sizeof(std::uint32_t));
  if (words.size() < header_words || words[0] != magic_number) {
    return {};
  }
  declarations found;
  for (std::size_t at = header_words; at < words.size();) {
    const std::size_t count = words[at] >> 16;
    if (count == 0 || count > words.size() - at) {
      return {};
    }
    found.add(words.data() + at, count);
    at += count;
  }
  return found.kernels();
}

}  // namespace executing
