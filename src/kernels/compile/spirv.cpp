#include "kernels/compile/spirv.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/messages.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {

namespace spirv {
namespace {

constexpr word first_version = 0x10000;
constexpr word last_version = 0x10600;

/// The instructions that are read, by their number in the specification.
enum class code : word {
  entry_point = 15,
  type_int = 21,
  type_float = 22,
  type_vector = 23,
  type_array = 28,
  type_struct = 30,
  type_pointer = 32,
  type_function = 33,
  constant = 43,
  function = 54,
  function_parameter = 55,
  decorate = 71,
};
constexpr word model_kernel = 6;
constexpr word decoration_packed = 10;
constexpr word decoration_non_writable = 24;
constexpr word decoration_parameter = 38;
constexpr word decoration_linkage = 41;
constexpr word linkage_import = 1;
constexpr word attribute_no_write = 6;

enum class storage : word { constant = 0, workgroup = 4, cross_workgroup = 5, function = 7 };

/// Types in types that are looked at for one parameter: a hostile module may have very many.
constexpr int most_types = 1000;

[[noreturn]] void refuse(const auto&... parts) {
  throw value_error(message("a module of SPIR-V: ", parts...));
}

/// A text that ends with a null character, four characters in a word.
std::string text_in(words from) {
  std::string text;
  for (const word each : from) {
    for (int shift = 0; shift < 32; shift += 8) {
      const auto character = static_cast<char>(each >> shift & 0xff);
      if (character == '\0') {
        return text;
      }
      text.push_back(character);
    }
  }
  refuse("expected a name that ends");
}

struct instruction {
  enum code code;
  words operands;
};

struct extent_of_type {
  std::size_t size;
  std::size_t alignment;
};

std::size_t round_up(std::size_t size, std::size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

/// Reads a module, and refers to it.
class module_reader {
 public:
  explicit module_reader(words module) {
    for (const words each : instructions_of(module)) {
      read({code{each[0] & 0xffff}, each.subspan(1)});
    }
  }

  std::vector<kernel_parameter> parameters_of(std::string_view kernel) const {
    const auto entry = entries_.find(std::string(kernel));
    if (entry == entries_.end()) {
      refuse("expected a kernel '", kernel, "', found ", entry_names());
    }
    const auto function = functions_.find(entry->second);
    if (function == functions_.end()) {
      refuse("expected the function of the kernel '", kernel, "', found none");
    }
    std::vector<kernel_parameter> all;
    for (const auto& [number, type] : function->second) {
      all.push_back(parameter(number, type, kernel));
    }
    return all;
  }

  /// Names of functions and variables that the module uses, and that it defines for others.
  const std::set<std::string>& imported() const noexcept { return imported_; }
  const std::set<std::string>& exported() const noexcept { return exported_; }

 private:
  using id = word;

  void read(const instruction& found) {
    switch (found.code) {
      case code::entry_point:
        if (at(found, 0) == model_kernel) {
          entries_[text_in(from(found, 2))] = at(found, 1);
        }
        return;
      case code::type_int:
      case code::type_float:
      case code::type_vector:
      case code::type_array:
      case code::type_struct:
      case code::type_pointer:
        types_.insert_or_assign(at(found, 0), found);
        return;
      case code::constant:
        constants_[at(found, 1)] = at(found, 2);
        return;
      case code::function:
        function_ = at(found, 1);
        functions_[function_].clear();
        return;
      case code::function_parameter:
        functions_[function_].emplace_back(at(found, 1), at(found, 0));
        return;
      case code::decorate:
        if (at(found, 1) == decoration_linkage) {
          const bool is_import = from(found, 3).back() == linkage_import;
          (is_import ? imported_ : exported_).insert(text_in(from(found, 2)));
        } else if (at(found, 1) == decoration_packed) {
          packed_.insert(at(found, 0));
        } else if (at(found, 1) == decoration_non_writable ||
                   (at(found, 1) == decoration_parameter && at(found, 2) == attribute_no_write)) {
          only_read_.insert(at(found, 0));
        }
        return;
      default:
        return;
    }
  }

  static word at(const instruction& in, std::size_t index) { return from(in, index)[0]; }
  /// At least one operand.
  static words from(const instruction& in, std::size_t index) {
    if (in.operands.size() <= index) {
      refuse("expected more than ", in.operands.size(), " operands in instruction ",
             static_cast<word>(in.code));
    }
    return in.operands.subspan(index);
  }

  std::string entry_names() const {
    return entries_.empty()
               ? "none"
               : listed(entries_, [](const auto& each) { return message("'", each.first, "'"); });
  }

  const instruction* type(id of) const {
    const auto found = types_.find(of);
    return found == types_.end() ? nullptr : &found->second;
  }

  kernel_parameter parameter(id parameter, id of, std::string_view kernel) const {
    const instruction* const found = type(of);
    std::optional<kernel_parameter> made;
    if (found != nullptr && found->code == code::type_pointer) {
      made = pointed(storage{at(*found, 1)}, at(*found, 2), only_read_.contains(parameter));
    } else {
      made = value(of);
    }
    if (!made) {
      throw type_error(
          message("kernel ", kernel,
                  ": a parameter must be a number, a structure, or a pointer to global "
                  "or local memory, found a type that is none of them"));
    }
    return *std::move(made);
  }

  std::optional<kernel_parameter> pointed(storage in, id element, bool only_read) const {
    switch (in) {
      case storage::constant:
      case storage::cross_workgroup:
        return element_of(in == storage::constant || only_read ? parameter_form::const_pointer
                                                               : parameter_form::pointer,
                          element);
      case storage::workgroup:
        return element_of(parameter_form::local_memory, element);
      case storage::function:
        return value(element);
      default:
        return std::nullopt;
    }
  }

  /// Compilers make pointers to bytes of pointers to anything.
  kernel_parameter element_of(parameter_form form, id element) const {
    std::optional<kernel_parameter> known = value(element);
    if (!known || known->type == type_code::structured || known->size == 1) {
      return {form, type_code::structured, 0, 1, "void"};
    }
    known->form = form;
    return *std::move(known);
  }

  std::optional<kernel_parameter> value(id of) const {
    const instruction* const found = type(of);
    if (found == nullptr) {
      return std::nullopt;
    }
    if (found->code == code::type_int || found->code == code::type_float) {
      return number(*found);
    }
    int types_left = most_types;
    const std::optional<extent_of_type> extent = extent_of(of, types_left);
    if (!extent || extent->size == 0) {
      return std::nullopt;
    }
    return kernel_parameter{parameter_form::value, type_code::structured, extent->size,
                            extent->alignment, message("structure of ", extent->size, " bytes")};
  }

  static std::optional<kernel_parameter> number(const instruction& found) {
    const word bits = at(found, 1);
    const bool is_integer = found.code == code::type_int;
    if (!std::has_single_bit(bits) || bits < (is_integer ? 8U : 16U) || bits > 64) {
      return std::nullopt;
    }
    const auto index = std::bit_width(bits) - (is_integer ? 4 : 5);
    const type_code first = is_integer ? type_code::int8 : type_code::float16;
    constexpr const char* floating_names[] = {"half", "float", "double"};
    return kernel_parameter{parameter_form::value,
                            static_cast<type_code>(static_cast<int>(first) + index),
                            bits / 8,
                            bits / 8,
                            is_integer ? message("i", bits) : floating_names[index],
                            0,
                            is_integer};
  }

  /// The size and the alignment of a type, as compilers of OpenCL C lay it out.
  std::optional<extent_of_type> extent_of(id of, int& types_left) const {
    const instruction* const found = type(of);
    if (found == nullptr || --types_left < 0) {
      return std::nullopt;
    }
    switch (found->code) {
      case code::type_int:
      case code::type_float: {
        const auto known = number(*found);
        return known ? std::optional(extent_of_type{known->size, known->size}) : std::nullopt;
      }
      case code::type_pointer:
        return extent_of_type{8, 8};
      case code::type_vector: {
        const auto element = extent_of(at(*found, 1), types_left);
        const std::size_t count = at(*found, 2) == 3 ? 4 : at(*found, 2);
        return element ? checked(element->size, count, element->size * count) : std::nullopt;
      }
      case code::type_array: {
        const auto element = extent_of(at(*found, 1), types_left);
        const auto count = constants_.find(at(*found, 2));
        return element && count != constants_.end()
                   ? checked(element->size, count->second, element->alignment)
                   : std::nullopt;
      }
      case code::type_struct:
        return extent_of_members(*found, types_left);
      default:
        return std::nullopt;
    }
  }

  std::optional<extent_of_type> extent_of_members(const instruction& found, int& types_left) const {
    const bool packed = packed_.contains(at(found, 0));
    extent_of_type all{0, 1};
    for (const id member : found.operands.subspan(1)) {
      const auto extent = extent_of(member, types_left);
      if (!extent || all.size > most_bytes) {
        return std::nullopt;
      }
      const std::size_t alignment = packed ? 1 : extent->alignment;
      all.size = round_up(all.size, alignment) + extent->size;
      all.alignment = std::max(all.alignment, alignment);
    }
    all.size = round_up(all.size, all.alignment);
    return all.size <= most_bytes ? std::optional(all) : std::nullopt;
  }

  /// No parameter has more: devices take a few thousand bytes.
  static constexpr std::size_t most_bytes = std::size_t{1} << 20;

  static std::optional<extent_of_type> checked(std::size_t size, std::size_t count,
                                               std::size_t alignment) {
    if (count == 0 || count > most_bytes || size > most_bytes || size * count > most_bytes) {
      return std::nullopt;
    }
    return extent_of_type{size * count, alignment};
  }

  std::set<std::string> imported_;
  std::set<std::string> exported_;
  std::map<std::string, id> entries_;
  std::map<id, instruction> types_;
  std::map<id, word> constants_;
  std::set<id> packed_;
  std::set<id> only_read_;
  std::map<id, std::vector<std::pair<id, id>>> functions_;
  id function_ = 0;
};

/// Whether SPIR-V, or the SYCL runtime, defines what has this name. C++ puts the length of the name
/// and "_Z" in front of it.
bool is_built_in(std::string_view name) {
  if (name.starts_with("_Z")) {
    name.remove_prefix(std::min(name.find_first_not_of("0123456789", 2), name.size()));
  }
  return name.starts_with("__spirv_") || name.starts_with("__devicelib_");
}

/// A name of C++ as users write it.
std::string readable(const std::string& name) {
  int failed = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &failed), &std::free);
  return text == nullptr ? name : text.get();
}

}  // namespace

std::vector<word> words_of(std::string_view module) {
  std::vector<word> all(module.size() / sizeof(word));
  if (module.size() % sizeof(word) != 0 || all.size() < words_of_header) {
    refuse("expected at least ", words_of_header, " words of 4 bytes, found ", module.size(),
           " bytes");
  }
  std::memcpy(all.data(), module.data(), module.size());
  if (all[1] < first_version || all[1] > last_version) {
    refuse("expected version 1.0 to 1.6, found ", all[1] >> 16 & 0xff, '.', all[1] >> 8 & 0xff);
  }
  return all;
}

std::vector<words> instructions_of(words module) {
  std::vector<words> all;
  for (words left = module.subspan(words_of_header); !left.empty();) {
    const std::size_t count = left[0] >> 16;
    if (count == 0 || count > left.size()) {
      refuse("expected an instruction of 1 to ", left.size(), " words, found ", count);
    }
    all.push_back(left.first(count));
    left = left.subspan(count);
  }
  return all;
}

}  // namespace spirv

std::vector<kernel_parameter> spirv_parameters(std::string_view module, std::string_view kernel) {
  const std::vector<spirv::word> all = spirv::words_of(module);
  return spirv::module_reader(all).parameters_of(kernel);
}

void require_definitions(std::span<const std::string_view> modules) {
  std::set<std::string> imported;
  std::set<std::string> exported;
  for (const std::string_view module : modules) {
    const std::vector<spirv::word> all = spirv::words_of(module);
    const spirv::module_reader reader(all);
    imported.insert(reader.imported().begin(), reader.imported().end());
    exported.insert(reader.exported().begin(), reader.exported().end());
  }
  std::string missing;
  for (const std::string& name : imported) {
    if (!exported.contains(name) && !spirv::is_built_in(name)) {
      missing += message(missing.empty() ? "" : ", ", '\'', spirv::readable(name), '\'');
    }
  }
  if (!missing.empty()) {
    throw compile_error(message("the kernel uses what has no definition: ", missing,
                                ". A kernel can call functions of its own source and of its "
                                "headers, and none of the host's"),
                        {});
  }
}

namespace {

// LLVM's offload binary holds one image, the SYCLBIN, which holds tables of headers, a table of
// texts and a table of modules. Numbers are those of sycl/doc/design/SYCLBINDesign.md.
constexpr std::string_view binary_magic = "\x10\xff\x10\xad";
constexpr std::string_view syclbin_magic = "IBYS";
constexpr std::uint32_t binary_version = 2;
constexpr std::uint32_t syclbin_version = 1;
constexpr std::uint64_t header_nbytes = 56;
constexpr std::uint64_t entry_nbytes = 32;
constexpr std::uint16_t kind_of_syclbin = 7;
constexpr std::uint16_t kind_of_sycl = 8;

[[noreturn]] void refuse() {
  throw std::runtime_error(
      "the SYCL runtime saves compiled kernels in a form that usmx cannot read");
}

std::string_view part(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) {
    refuse();
  }
  return bytes.substr(offset, size);
}

template <class Number>
Number number_at(std::string_view bytes, std::uint64_t offset) {
  Number value;
  std::memcpy(&value, part(bytes, offset, sizeof value).data(), sizeof value);
  return value;
}

void require_form(std::string_view bytes, std::string_view magic, std::uint32_t version) {
  if (!bytes.starts_with(magic) || number_at<std::uint32_t>(bytes, magic.size()) != version) {
    refuse();
  }
}

/// The only image of an offload binary.
std::string_view image_of(std::string_view binary) {
  require_form(binary, binary_magic, binary_version);
  const auto entry = number_at<std::uint64_t>(binary, 16);
  if (number_at<std::uint64_t>(binary, 24) != 1 || entry > binary.size()) {
    refuse();
  }
  return part(binary, number_at<std::uint64_t>(binary, entry + 24),
              number_at<std::uint64_t>(binary, entry + 32));
}

}  // namespace

syclbin read_syclbin(std::string_view object) {
  const std::string_view image = image_of(object);
  require_form(image, syclbin_magic, syclbin_version);
  const std::uint64_t groups = number_at<std::uint32_t>(image, 8);
  const std::uint64_t count = number_at<std::uint32_t>(image, 12);
  const std::uint64_t natives = number_at<std::uint32_t>(image, 16);
  const auto texts_nbytes = number_at<std::uint64_t>(image, 24);
  const std::uint64_t texts_at = header_nbytes + (groups + count + natives) * entry_nbytes;
  const std::string_view texts = part(image, texts_at, texts_nbytes);
  const std::string_view modules =
      part(image, (texts_at + texts_nbytes + 7) / 8 * 8, number_at<std::uint64_t>(image, 32));
  const auto in = [&](std::string_view table, std::uint64_t entry) {
    return part(table, number_at<std::uint64_t>(image, entry),
                number_at<std::uint64_t>(image, entry + 8));
  };
  syclbin found{in(texts, 40), {}};
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t entry = header_nbytes + (groups + k) * entry_nbytes;
    found.images.push_back({{}, in(texts, entry), in(modules, entry + 16)});
    if (!internal::is_spirv(found.images.back().module)) {
      refuse();
    }
  }
  for (std::uint64_t group = 0; group < groups; ++group) {
    const std::uint64_t entry = header_nbytes + group * entry_nbytes;
    const std::uint64_t first = number_at<std::uint32_t>(image, entry + 20);
    const std::uint64_t end = first + number_at<std::uint32_t>(image, entry + 16);
    for (std::uint64_t k = first; k < std::min(end, count); ++k) {
      found.images[k].metadata = in(texts, entry);
    }
  }
  return found;
}

namespace {

template <class... Numbers>
void add_numbers(std::string& bytes, Numbers... numbers) {
  (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
}

/// Overwrites the number at that offset, which lies inside of the bytes.
void put(std::string& bytes, std::uint64_t offset, std::uint64_t number) {
  std::memcpy(bytes.data() + offset, &number, sizeof number);
}

/// The offload binary of one image.
std::string binary_of(std::string_view image) {
  using large = std::uint64_t;
  constexpr large binary_header = 32;
  constexpr large binary_entry = 40;
  constexpr large begin = binary_header + binary_entry;
  std::string binary(binary_magic);
  add_numbers(binary, binary_version, begin + image.size(), binary_header, large{1});
  add_numbers(binary, kind_of_syclbin, kind_of_sycl, std::uint32_t{0}, large{0}, large{0}, begin,
              large{image.size()});
  return binary.append(image);
}

}  // namespace

std::string write_syclbin(std::string_view metadata, const syclbin_image& only) {
  using small = std::uint32_t;
  using large = std::uint64_t;
  const large ends[] = {metadata.size(), metadata.size() + only.metadata.size(),
                        metadata.size() + only.metadata.size() + only.module_metadata.size()};
  std::string image(syclbin_magic);
  add_numbers(image, syclbin_version, small{1}, small{1}, small{0}, small{0}, ends[2],
              large{only.module.size()}, large{0}, ends[0]);
  add_numbers(image, ends[0], large{only.metadata.size()}, small{1}, small{0}, small{0}, small{0});
  add_numbers(image, ends[1], large{only.module_metadata.size()}, large{0},
              large{only.module.size()});
  image.append(metadata).append(only.metadata).append(only.module_metadata);
  image.resize((image.size() + 7) / 8 * 8);
  image.append(only.module);
  return binary_of(image);
}

std::string with_modules(std::string_view object, std::span<const std::string> modules) {
  read_syclbin(object);  // refuses another form
  std::string image(image_of(object));
  const std::uint64_t groups = number_at<std::uint32_t>(image, 8);
  if (number_at<std::uint32_t>(image, 12) != modules.size()) {
    refuse();
  }
  const std::uint64_t natives = number_at<std::uint32_t>(image, 16);
  const std::uint64_t texts_end = header_nbytes +
                                  (groups + modules.size() + natives) * entry_nbytes +
                                  number_at<std::uint64_t>(image, 24);
  std::string joined;
  for (std::size_t k = 0; k < modules.size(); ++k) {
    const std::uint64_t entry = header_nbytes + (groups + k) * entry_nbytes;
    put(image, entry + 16, std::uint64_t{joined.size()});
    put(image, entry + 24, std::uint64_t{modules[k].size()});
    joined += modules[k];
  }
  put(image, 32, std::uint64_t{joined.size()});
  image.resize((texts_end + 7) / 8 * 8);
  return binary_of(image + joined);
}

std::vector<std::string_view> modules_of_syclbin(std::string_view object) {
  std::vector<std::string_view> modules;
  if (!object.empty()) {
    for (const syclbin_image& each : read_syclbin(object).images) {
      modules.push_back(each.module);
    }
  }
  return modules;
}

namespace {

using word = std::uint64_t;

/// The words of the name of one type; longer names are cut off.
constexpr std::size_t words_of_name = 4;
constexpr std::size_t words_of_parameter = 1 + words_of_name;

/// The forms and codes in include/usmx/kernel.hpp that the host's enumerations lack.
constexpr word refused_form = 6;
constexpr word code_of_void = 15;

/// Takes `expected` away from the front of the text, if it is there.
bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) {
    return false;
  }
  text.remove_prefix(expected.size());
  return true;
}

/// A number as a template argument: "Lm42E".
std::optional<word> take_word(std::string_view& text) {
  word value = 0;
  std::string_view rest = text;
  if (!take(rest, "Lm")) {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc()) {
    return std::nullopt;
  }
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (!take(rest, "E")) {
    return std::nullopt;
  }
  text = rest;
  return value;
}

constexpr std::string_view beginning_of_signature = "6detail9signatureI";
constexpr std::string_view end_of_signature = "EEEEEvv";

/// The words of usmx::detail::signature<index, usmx::detail::words<...>>, if that is the name.
std::optional<std::vector<word>> words_of(std::string_view name, std::size_t index) {
  if (!take(name, beginning_of_signature) || take_word(name) != index ||
      !take(name, "NS0_5wordsIJ")) {
    return std::nullopt;
  }
  std::vector<word> words;
  while (const std::optional<word> next = take_word(name)) {
    words.push_back(*next);
  }
  const bool whole = take(name, end_of_signature) && words.size() % words_of_parameter == 0;
  return whole ? std::optional(std::move(words)) : std::nullopt;
}

/// The offset of that signature in the object, and its words.
struct found_signature {
  std::size_t at;
  std::vector<word> words;
};

std::optional<found_signature> find_signature(std::string_view object, std::size_t index) {
  for (std::size_t at = object.find(beginning_of_signature); at != object.npos;
       at = object.find(beginning_of_signature, at + 1)) {
    if (auto words = words_of(object.substr(at), index)) {
      return found_signature{at, *std::move(words)};
    }
  }
  return std::nullopt;
}

[[noreturn]] void refuse_object(std::string_view kernel) {
  throw value_error(message("kernel ", kernel,
                            ": its parameters are not in what the compiler "
                            "made"));
}

/// The words of one parameter's name, which are `distance` apart.
std::string name_from(const word* words, std::size_t distance) {
  std::string name;
  for (std::size_t k = 0; k < words_of_name; ++k) {
    for (word left = words[k * distance]; left != 0; left >>= 8) {
      name.push_back(static_cast<char>(left & 0xff));
    }
  }
  return name.size() == words_of_name * sizeof(word) ? name + "..." : name;
}

kernel_parameter parameter_from(word numbers, std::string name, std::string_view kernel) {
  const word form = numbers & 0xf;
  const word code = numbers >> 4 & 0xf;
  if (form >= refused_form) {
    throw type_error(
        message("kernel ", kernel,
                ": a parameter must be a number, a structure, a "
                "pointer to either, usmx::view or usmx::local_memory, by value, found ",
                name));
  }
  if (code == code_of_void) {
    return {static_cast<parameter_form>(form), type_code::structured, 0, 1, std::move(name), 0};
  }
  return {static_cast<parameter_form>(form),
          static_cast<type_code>(code),
          static_cast<std::size_t>(numbers >> 24 & 0xfffffffff),
          static_cast<std::size_t>(numbers >> 8 & 0xffff),
          std::move(name),
          static_cast<int>(numbers >> 60)};
}

}  // namespace

std::vector<kernel_parameter> parameters_in(std::string_view object, std::size_t index,
                                            std::string_view kernel) {
  const std::optional<found_signature> found = find_signature(object, index);
  if (!found) {
    refuse_object(kernel);
  }
  const std::vector<word>& words = found->words;
  const std::size_t count = words.size() / words_of_parameter;
  std::vector<kernel_parameter> parameters;
  for (std::size_t k = 0; k < count; ++k) {
    parameters.push_back(
        parameter_from(words[k], name_from(words.data() + count + k, count), kernel));
  }
  return parameters;
}

std::string signature_at(std::string_view object, std::size_t index) {
  const std::optional<found_signature> found = find_signature(object, index);
  if (!found) {
    refuse_object(message(index));
  }
  std::string_view rest = object.substr(found->at + beginning_of_signature.size());
  take_word(rest);
  rest = rest.substr(0, rest.find(end_of_signature) + end_of_signature.size());
  return message(beginning_of_signature, "Lm0E", rest);
}

}  // namespace usmx::inline v1::detail
