#include "usmx/layout/dtype.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <ostream>
#include <set>

#include "base/messages.hpp"
#include "base/process.hpp"
#include "base/ranked_mutex.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1 {
namespace {

using detail::foreign_order;
using detail::is_order_prefix;
using detail::native_order;

/// The type of a kind and a size without a byte order in front: "f8".
std::optional<dtype> parse_kind_and_size(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto* const entry =
      std::ranges::find_if(detail::type_table, [&](const detail::type_entry& e) {
        return e.kind == text[0] && e.typestr.substr(1) == text;
      });
  if (entry == detail::type_table.end()) return std::nullopt;
  return dtype(static_cast<type_code>(entry - detail::type_table.begin()));
}

/// The names for a message: "b1, i1, ..., c16".
std::string accepted_types() {
  return detail::listed(detail::type_table,
                        [](const detail::type_entry& each) { return each.typestr.substr(1); });
}

}  // namespace

dtype dtype::from_typestr(std::string_view typestr) {
  const bool foreign = typestr.starts_with(foreign_order);
  const bool prefixed = foreign || (!typestr.empty() && is_order_prefix(typestr[0]));
  const auto type = parse_kind_and_size(typestr.substr(prefixed ? 1 : 0));
  if (!type) {
    throw value_error(detail::message("'typestr' must be one of ", accepted_types(), " with '",
                                      native_order, "', '=', '|' or nothing in front, found ",
                                      detail::quoted(typestr)));
  }
  if (foreign) {
    throw value_error(detail::message("'typestr' must be in this machine's byte order, with '",
                                      native_order, "', '=', '|' or nothing in front, found ",
                                      detail::quoted(typestr)));
  }
  return *type;
}

std::ostream& operator<<(std::ostream& out, dtype type) {
  return type.is_structured() && type.format() != nullptr ? out << type.format()
                                                          : out << type.name();
}

namespace {

/// The parts of a structured type that are compared: two types with equal content are equal.
struct content {
  std::vector<field> fields;
  std::size_t itemsize;
  friend auto operator<=>(const content&, const content&) = default;
};

/// A structured type of the process. All dtypes of that type point to it.
struct structure : detail::type_entry {
  structure(content fields_and_size, std::optional<std::string> format_or_none)
      : what(std::move(fields_and_size)),
        typestr_text(detail::message("|V", what.itemsize)),
        name_text(detail::message("void", 8 * what.itemsize)),
        format_text(std::move(format_or_none)) {
    for (const field& f : what.fields) {
      if (f.type.is_structured()) {
        held.emplace_back(f.type);
      }
    }
    kind = 'V';
    typestr = typestr_text;
    itemsize = what.itemsize;
    alignment = 1;
    format = format_text ? format_text->c_str() : nullptr;
    name = name_text;
  }
  structure(const structure&) = delete;  // the entry points into this object
  structure& operator=(const structure&) = delete;

  const content what;
  const std::string typestr_text;
  const std::string name_text;
  const std::optional<std::string> format_text;
  std::vector<held_dtype> held;

  // The member is mutable because the count of holders is no part of the type's value.
  mutable std::atomic<std::size_t> holders = 0;
  mutable bool is_permanent = false;
};

struct by_content {
  using is_transparent = void;
  static const content& of(const structure& s) { return s.what; }
  static const content& of(const content& c) { return c; }
  bool operator()(const auto& a, const auto& b) const { return of(a) < of(b); }
};

// ---- Rules

void check_fields(const content& what) {
  if (what.itemsize < 1 || what.itemsize > max_structure_itemsize) {
    throw value_error(detail::message("a structured type must have 1 to ", max_structure_itemsize,
                                      " bytes, found ", what.itemsize));
  }
  if (what.fields.empty()) {
    throw value_error("a structured type must have at least one named field, found none");
  }
  std::set<std::string_view> names;
  std::size_t end = 0;
  for (const field& f : what.fields) {
    if (f.name.empty()) {
      throw value_error(
          detail::message("the field at byte ", f.offset, " must have a name, found an empty one"));
    }
    if (!names.insert(f.name).second) {
      throw value_error(
          detail::message("field names must be unique, found ", detail::quoted(f.name), " twice"));
    }
    const std::size_t nbytes = checked_nbytes(f);
    if (f.offset < end || f.offset > what.itemsize || nbytes > what.itemsize - f.offset) {
      throw value_error(detail::message("field ", detail::quoted(f.name), " must lie in bytes ",
                                        end, " to ", what.itemsize, " of its element, found ",
                                        nbytes, " bytes at byte ", f.offset));
    }
    end = f.offset + nbytes;
  }
}

// ---- PEP 3118

bool can_be_written(const field& f) {
  return f.name.find_first_of(std::string_view(":\0", 2)) == std::string::npos;
}

/// The letter of a type in standard sizes (mode '=', without alignment), where 64 bits are `q`,
/// never `l`.
std::string_view standard_letter(dtype plain) {
  switch (plain.code()) {
    case type_code::int64:
      return "q";
    case type_code::uint64:
      return "Q";
    default:
      return plain.format();
  }
}

std::string padding(std::size_t nbytes) {
  return nbytes == 0 ? "" : nbytes == 1 ? "x" : std::to_string(nbytes) + "x";
}

/// The fields between the braces, with every gap written out; none if a name cannot be written.
std::optional<std::string> format_of_fields(std::span<const field> fields, std::size_t itemsize) {
  std::string out;
  std::size_t end = 0;
  for (const field& f : fields) {
    if (!can_be_written(f)) {
      return std::nullopt;
    }
    out += padding(f.offset - end);
    for (std::size_t k = 0; k < f.shape.size(); ++k) {
      out.append(k == 0 ? "(" : ",").append(std::to_string(f.shape[k]));
    }
    out += f.shape.empty() ? "" : ")";
    if (f.type.is_structured()) {
      const auto inner = format_of_fields(f.type.fields(), f.type.itemsize());
      if (!inner) {
        return std::nullopt;
      }
      out += "T{" + *inner + "}";
    } else {
      out += '=';  // NumPy looks for it here, after the shape
      out += standard_letter(f.type);
    }
    out += ":" + f.name + ":";
    end = f.offset + checked_nbytes(f);
  }
  return out + padding(itemsize - end);
}

std::optional<std::string> format_of(const content& what) {
  const auto inner = format_of_fields(what.fields, what.itemsize);
  return inner ? std::optional("T{" + *inner + "}") : std::nullopt;
}

// ---- Kept once

/// Estimates the bytes of a type, at least half of the true number.
std::size_t bytes_to_keep(const content& what, std::size_t format_size) {
  std::size_t result = sizeof(content) + sizeof(structure) + format_size;
  for (const field& f : what.fields) {
    result += sizeof(field) + f.name.size() + f.shape.size() * sizeof(std::ptrdiff_t);
  }
  return result;
}

std::size_t bytes_to_keep(const structure& s) {
  return bytes_to_keep(s.what, s.format_text ? s.format_text->size() : 0);
}

/// All structured types of the process. Their number is bounded, because descriptions come from
/// outside: types that nobody holds are removed from time to time.
class kept_structures {
 public:
  /// Keeps a type that stays for ever.
  const structure& keep(content what) {
    const std::lock_guard lock(mutex_);
    const structure& result = find_or_add(std::move(what));
    result.is_permanent = true;
    return result;
  }

  /// Gives a type one more holder.
  const structure& hold(content what) {
    const std::lock_guard lock(mutex_);
    const structure& result = find_or_add(std::move(what));
    result.holders.fetch_add(1, std::memory_order_relaxed);
    return result;
  }

 private:
  static constexpr std::size_t at_most = std::size_t{64} << 20;
  static constexpr std::size_t between_looks = std::size_t{1} << 20;

  const structure& find_or_add(content what) {
    if (const auto known = structures_.find(what); known != structures_.end()) {
      return *known;
    }
    auto format = format_of(what);
    const std::size_t needed = bytes_to_keep(what, format ? format->size() : 0);
    if (needed > at_most - nbytes_ || nbytes_ + needed > looked_at_ + between_looks) {
      take_out_unheld();
    }
    if (needed > at_most - nbytes_) {
      throw allocation_error(detail::message(
          "the different structured types of this process must take at most ", at_most,
          " bytes, found ", nbytes_, " bytes of them in use and a new one of ", needed));
    }
    const structure& result = *structures_.emplace(std::move(what), std::move(format)).first;
    nbytes_ += needed;
    return result;
  }

  void take_out_unheld() {
    for (auto at = structures_.begin(); at != structures_.end();) {
      if (at->is_permanent || at->holders.load(std::memory_order_acquire) != 0) {
        ++at;
      } else {
        nbytes_ -= bytes_to_keep(*at);
        at = structures_.erase(at);
      }
    }
    looked_at_ = nbytes_;
  }

  // The lock under which a type without holders gets one.
  detail::ranked_mutex<detail::lock_rank::structures> mutex_;
  std::size_t nbytes_ = 0;
  std::size_t looked_at_ = 0;
  std::set<structure, by_content> structures_;
};

kept_structures& all_structures() { return detail::immortal<kept_structures>(); }

content checked_content(std::vector<field> fields, std::size_t itemsize) {
  content what{std::move(fields), itemsize};
  check_fields(what);
  return what;
}

}  // namespace

dtype dtype::structured(std::vector<field> fields, std::size_t itemsize) {
  return dtype(all_structures().keep(checked_content(std::move(fields), itemsize)));
}

held_dtype held_dtype::structured(std::vector<field> fields, std::size_t itemsize) {
  const structure& kept = all_structures().hold(checked_content(std::move(fields), itemsize));
  const held_dtype result(static_cast<dtype>(dtype(kept)));
  result.remove_holder();  // the table's holder, which stood for this one
  return result;
}

void held_dtype::add_holder() const noexcept {
  static_cast<const structure*>(structure_)->holders.fetch_add(1, std::memory_order_relaxed);
}

void held_dtype::remove_holder() const noexcept {
  static_cast<const structure*>(structure_)->holders.fetch_sub(1, std::memory_order_release);
}

std::span<const field> dtype::fields() const noexcept {
  return is_structured() ? static_cast<const structure*>(structure_)->what.fields
                         : std::span<const field>();
}

std::size_t checked_nbytes(const field& f) {
  const auto refuse = [&] {
    throw value_error(detail::message(
        "field ", detail::quoted(f.name), " must have a shape of at most ", max_ndim,
        " extents, none negative, and at most ", max_structure_itemsize, " bytes, found ",
        tuple_text(f.shape), " elements of ", f.type.itemsize(), " bytes"));
  };
  if (f.shape.size() > max_ndim) {
    refuse();
  }
  std::size_t nbytes = f.type.itemsize();
  for (const std::ptrdiff_t extent : f.shape) {
    // Both factors have 31 bits at most.
    if (extent < 0 || static_cast<std::size_t>(extent) > max_structure_itemsize ||
        (nbytes *= static_cast<std::size_t>(extent)) > max_structure_itemsize) {
      refuse();
    }
  }
  return nbytes;
}

const field* find_field(dtype type, std::string_view name) noexcept {
  const auto fields = type.fields();
  const auto found = std::ranges::find(fields, name, &field::name);
  return found == fields.end() ? nullptr : &*found;
}

}  // namespace usmx::inline v1
