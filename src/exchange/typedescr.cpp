#include "usmx/exchange/typedescr.hpp"

#include <charconv>
#include <optional>

#include "base/quoted.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::exchange {
namespace {

/// The n of "|V<n>", without signs or leading zeros; none for anything else.
std::optional<std::size_t> parse_void(std::string_view typestr) noexcept {
  if (!typestr.empty() && detail::is_order_prefix(typestr.front())) {
    typestr.remove_prefix(1);
  }
  if (!typestr.starts_with('V') || typestr.starts_with("V0")) {
    return std::nullopt;
  }
  std::size_t n = 0;
  const char* const end = typestr.data() + typestr.size();
  const auto [stop, error] = std::from_chars(typestr.data() + 1, end, n);
  const bool whole = error == std::errc() && stop == end && n <= max_structure_itemsize;
  return whole ? std::optional(n) : std::nullopt;
}

struct fields_and_size {
  std::vector<field> fields;
  std::size_t itemsize;
  /// Holds the fields' types until the type that they form holds them.
  std::vector<held_dtype> held;
};

fields_and_size parse_entries(const typedescr& entries, int depth);

held_dtype parse_element(const typedescr_entry& entry, int depth) {
  if (const auto* typestr = std::get_if<std::string>(&entry.type)) {
    return dtype::from_typestr(*typestr);
  }
  auto parsed = parse_entries(std::get<typedescr>(entry.type), depth + 1);
  return held_dtype::structured(std::move(parsed.fields), parsed.itemsize);
}

std::size_t parse_padding(const typedescr_entry& entry) {
  const auto* typestr = std::get_if<std::string>(&entry.type);
  const auto nbytes = typestr != nullptr ? parse_void(*typestr) : std::nullopt;
  if (!nbytes || !entry.shape.empty()) {
    throw value_error("an entry without a name must be padding, ('', '|V<n>'), found " +
                      text({entry}));
  }
  return *nbytes;
}

held_dtype parse_field_type(const typedescr_entry& entry, int depth) {
  try {
    return parse_element(entry, depth);
  } catch (const value_error& error) {
    throw value_error(detail::message("field ", detail::quoted(entry.name), ": ", error.what()));
  }
}

fields_and_size parse_entries(const typedescr& entries, int depth) {
  if (depth > max_typedescr_depth) {
    throw value_error(
        detail::message("entries must be nested at most ", max_typedescr_depth, " deep"));
  }
  fields_and_size result{{}, 0, {}};
  for (const typedescr_entry& entry : entries) {
    if (entry.name.empty()) {
      result.itemsize += parse_padding(entry);
    } else {
      result.held.push_back(parse_field_type(entry, depth));
      result.fields.push_back({entry.name, result.held.back(), entry.shape, result.itemsize});
      result.itemsize += checked_nbytes(result.fields.back());
    }
    if (result.itemsize > max_structure_itemsize) {
      throw value_error(detail::message("entries must have at most ", max_structure_itemsize,
                                        " bytes together, found more"));
    }
  }
  return result;
}

typedescr_entry padding_entry(std::size_t nbytes) {
  return {"", detail::message("|V", nbytes), {}};
}

void append_text(std::string& out, const typedescr& entries) {
  out += '[';
  for (const typedescr_entry& entry : entries) {
    out += out.back() == '[' ? "(" : ", (";
    out += detail::quoted(entry.name) + ", ";
    if (const auto* typestr = std::get_if<std::string>(&entry.type)) {
      out += detail::quoted(*typestr);
    } else {
      append_text(out, std::get<typedescr>(entry.type));
    }
    out += entry.shape.empty() ? ")" : ", " + tuple_text(entry.shape) + ")";
  }
  out += ']';
}

}  // namespace

held_dtype parse_typedescr(std::string_view typestr, const typedescr& entries) {
  const auto conflict = [&](const auto&... reason) {
    return value_error(detail::message("'typedescr' must describe 'typestr' ",
                                       detail::quoted(typestr), ", found ", text(entries), ": ",
                                       reason...));
  };
  const auto expected = parse_void(typestr);
  if (!expected) {
    throw value_error(detail::message("'typestr' of a structured type must be '|V<n>' with 1 to ",
                                      max_structure_itemsize, " bytes, found ",
                                      detail::quoted(typestr)));
  }
  try {
    auto parsed = parse_entries(entries, 1);
    if (parsed.itemsize != *expected) {
      throw value_error(detail::message("it has ", parsed.itemsize, " bytes"));
    }
    return held_dtype::structured(std::move(parsed.fields), parsed.itemsize);
  } catch (const value_error& reason) {
    throw conflict(reason.what());
  }
}

dtype parse_typedescr(const typedescr& entries) {
  auto parsed = parse_entries(entries, 1);
  return dtype::structured(std::move(parsed.fields), parsed.itemsize);
}

typedescr describe_type(dtype type) {
  typedescr result;
  std::size_t end = 0;
  const auto pad_to = [&](std::size_t offset) {
    if (offset > end) {
      result.push_back(padding_entry(offset - end));
    }
  };
  for (const field& f : type.fields()) {
    pad_to(f.offset);
    result.push_back({f.name, std::string(f.type.typestr()), f.shape});
    if (f.type.is_structured()) {
      result.back().type = describe_type(f.type);
    }
    end = f.offset + checked_nbytes(f);
  }
  if (type.is_structured()) {
    pad_to(type.itemsize());
  }
  return result;
}

std::string text(const typedescr& entries) {
  constexpr std::size_t longest = 1000;
  std::string out;
  append_text(out, entries);
  return out.size() <= longest ? out : out.substr(0, longest) + "...";
}

}  // namespace usmx::inline v1::exchange
