#include "usmx/exchange/usm_array_interface.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "exchange/consumer.hpp"
#include "memory/registry.hpp"
#include "runtime/contexts.hpp"
#include "runtime/drivers/usm_driver.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/queues.hpp"

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
  /// The types of the fields, held until the type that they form holds them.
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

namespace {

layout parse_layout(const usm_array_interface& given) {
  if (!given.strides) {
    return layout::c_order(given.shape, given.offset);
  }
  if (given.strides->size() != given.shape.size()) {
    throw value_error(detail::message("'strides' must have ", given.shape.size(),
                                      " entries to match shape ", tuple_text(given.shape),
                                      ", found ", given.strides->size(), ": ",
                                      tuple_text(*given.strides)));
  }
  return layout::strided(given.shape, *given.strides, given.offset);
}

/// Checks that each stride fits in bytes, also those of dimensions of length 1, since consumers
/// count strides in bytes.
void check_byte_strides(std::span<const std::ptrdiff_t> strides, dtype type) {
  for (const std::ptrdiff_t stride : strides) {
    checked_multiply(stride, static_cast<std::ptrdiff_t>(type.itemsize()),
                     "a stride of 'strides' in bytes");
  }
}

void check_alignment(std::uintptr_t element_zero, dtype type) {
  if (element_zero % type.alignment() != 0) {
    throw value_error(detail::message("element zero must be aligned to ", type.alignment(),
                                      " bytes for typestr '", type.typestr(), "', found address 0x",
                                      std::hex, element_zero));
  }
}

/// Checks that the elements are inside the buffer that took the place of `data`.
void check_inside_buffer(const usm_array_interface& given, detail::byte_range touched) {
  // The difference is used only if the elements do not begin before the buffer; then it is exact in
  // unsigned arithmetic.
  const std::size_t before = touched.begin - given.data;
  const std::size_t available = *given.buffer_nbytes;
  if (touched.begin < given.data || before > available || touched.nbytes() > available - before) {
    const auto first = static_cast<std::ptrdiff_t>(before);
    throw value_error(detail::message(
        "elements must lie in the buffer that takes the place of the missing 'data': expected "
        "bytes inside of its ",
        available, ", found bytes ", first, " to ",
        first + static_cast<std::ptrdiff_t>(touched.nbytes()) - 1, " (first and last)"));
  }
}

/// Checks that the host and the context's devices can access the buffer.
void check_host_accessible(const void* pointer, const detail::context_state& state) {
  const usm_kind kind = detail::query_allocation(pointer, state).kind;
  if (!is_host_accessible(kind)) {
    throw value_error(detail::message(
        "the buffer that takes the place of the missing 'data' must be host-accessible USM (shared "
        "or host) of ",
        usmx::describe(state.context()), ", found ",
        kind == usm_kind::unknown ? "no USM" : "device memory", " at ", pointer));
  }
}

/// The bytes that must lie in one allocation: those of the elements, and the one that the pointer
/// points to. Offset and strides lead from that to the elements, and may lead into memory of
/// others.
detail::byte_range bytes_with_pointer(detail::byte_range touched, std::uintptr_t data) noexcept {
  return {std::min(touched.begin, data), std::max(touched.end - 1, data) + 1};
}

/// Whether the elements would lie in one allocation with the pointer if their strides or their
/// offset, or both, were given in bytes.
bool would_fit_in_elements(usm_array_interface given, dtype type,
                           const detail::context_state& state) {
  const auto itemsize = static_cast<std::ptrdiff_t>(type.itemsize());
  const auto is_whole = [&](std::ptrdiff_t n) { return n % itemsize == 0; };
  const auto strides = given.strides;
  const std::ptrdiff_t offset = given.offset;
  std::vector<std::ptrdiff_t> smaller;
  if (strides && std::ranges::all_of(*strides, is_whole)) {
    smaller.assign(strides->begin(), strides->end());
    std::ranges::for_each(smaller, [&](std::ptrdiff_t& stride) { stride /= itemsize; });
  }
  const auto fits = [&] {
    try {
      const auto span = parse_layout(given).span();
      const auto all = bytes_with_pointer(touched_bytes(given, type, *span), given.data);
      const auto* first = reinterpret_cast<const void*>(all.begin);
      const allocation_info found = detail::query_allocation(first, state);
      return found.bounds_known && all.nbytes() <= detail::available_from(first, found);
    } catch (const overflow_error&) {
      return false;
    }
  };
  for (const bool divides_strides : {true, false}) {
    for (const bool divides_offset : {true, false}) {
      const bool strides_change = divides_strides && !smaller.empty();
      const bool offset_changes = divides_offset && offset != 0 && is_whole(offset);
      given.strides =
          strides_change ? std::optional(std::span<const std::ptrdiff_t>(smaller)) : strides;
      given.offset = offset_changes ? offset / itemsize : offset;
      if ((strides_change || offset_changes) && fits()) {
        return true;
      }
    }
  }
  return false;
}

/// The description in words, for a message about bytes that strides or an offset lead to; empty if
/// there are none of these.
std::string elements_in_words(const usm_array_interface& given, dtype type,
                              const detail::context_state& state) {
  if (!given.strides && given.offset == 0) {
    return {};
  }
  const bool are_bytes = type.itemsize() > 1 && would_fit_in_elements(given, type, state);
  return detail::message("; found 'data' ", reinterpret_cast<const void*>(given.data), ", shape ",
                         tuple_text(given.shape), ", strides ",
                         given.strides ? tuple_text(*given.strides) : "None", ", offset ",
                         given.offset, ", elements of ", type.itemsize(), " bytes",
                         are_bytes ? ": strides and offset count elements, not bytes" : "");
}

/// Checks that the elements lie in the allocation that the pointer points into.
detail::checked_memory check_memory(const usm_array_interface& given, dtype type,
                                    detail::byte_range touched,
                                    const detail::context_state& state) {
  const detail::byte_range all = bytes_with_pointer(touched, given.data);
  try {
    return detail::check_access(reinterpret_cast<const void*>(all.begin), all.nbytes(), state);
  } catch (const value_error& error) {
    throw value_error(error.what() + elements_in_words(given, type, state));
  }
}

detail::queue_state state_of(const placement& where) {
  return where.queue() != nullptr ? detail::state_of(*where.queue())
                                  : detail::queue_state{detail::state_of(where.context())};
}

/// The producer's own queue, or the one that usmx keeps for the pointer's device; also usmx's if
/// the producer's queue is the one that the peers keep for the device.
sycl::queue choose_queue(placement&& where, const detail::queue_state& known, const void* pointer,
                         usm_kind kind) {
  detail::context_state& state = *known.of_context;
  if (where.queue() != nullptr) {
    return known.is_peers ? state.queue_of(where.queue()->get_device()) : std::move(*where.queue());
  }
  const bool owned_by_device = kind == usm_kind::device || kind == usm_kind::shared;
  return state.queue_of(owned_by_device && state.devices().size() > 1
                            ? pointer_device(pointer, state.context())
                            : state.devices().front());
}

/// Checks an array without elements: the pointer may be any, and is never used.
checked_import check_empty(const usm_array_interface& given, dtype type, layout where,
                           placement&& at) {
  auto* memory = reinterpret_cast<std::byte*>(given.data);
  const detail::queue_state known = state_of(at);
  const usm_kind kind = memory == nullptr
                            ? usm_kind::unknown
                            : detail::query_allocation(memory, *known.of_context).kind;
  return {memory,
          0,
          type,
          std::move(where),
          detail::kind_without_elements(kind),
          choose_queue(std::move(at), known, memory, kind),
          given.readonly};
}

}  // namespace

held_dtype parse_type(const usm_array_interface& given) {
  if (!is_structured_typestr(given.typestr)) {
    return dtype::from_typestr(given.typestr);
  }
  if (!given.typedescr) {
    throw value_error(detail::message("'typestr' ", detail::quoted(given.typestr),
                                      " must come with a 'typedescr' of its fields, found none"));
  }
  return parse_typedescr(given.typestr, *given.typedescr);
}

elements parse_elements(const usm_array_interface& given) {
  held_dtype type = parse_type(given);
  layout where = parse_layout(given);
  if (given.strides) {
    check_byte_strides(*given.strides, type);
  }
  checked_nbytes(where.size(), type);
  return {type, std::move(where)};
}

detail::byte_range touched_bytes(const usm_array_interface& given, dtype type, element_range span) {
  if (given.data == 0) {
    throw value_error(detail::message("'data' must point to memory for shape ",
                                      tuple_text(given.shape), ", found a null pointer"));
  }
  const auto itemsize = static_cast<std::ptrdiff_t>(type.itemsize());
  const auto first = checked_multiply(span.first, itemsize, "first byte of the elements");
  const auto end = checked_add(checked_multiply(span.last, itemsize, "last byte of the elements"),
                               itemsize, "last byte of the elements");
  // The difference is exact in unsigned arithmetic, since end > first.
  const std::size_t nbytes = static_cast<std::size_t>(end) - static_cast<std::size_t>(first);
  const std::uintptr_t lowest = given.data + static_cast<std::uintptr_t>(first);
  const bool wraps = first < 0 ? lowest > given.data : lowest < given.data;
  if (wraps || nbytes > std::numeric_limits<std::ptrdiff_t>::max() ||
      lowest > std::numeric_limits<std::uintptr_t>::max() - nbytes) {
    throw overflow_error(detail::message("'data' 0x", std::hex, given.data, std::dec,
                                         " with elements from byte ", first, " to ", end - 1,
                                         " leaves the address space"));
  }
  return {lowest, lowest + nbytes};
}

checked_import check(const usm_array_interface& given, placement at) {
  auto [type, where] = parse_elements(given);
  const auto span = where.span();
  if (!span) {
    return check_empty(given, type, where.with_offset(0), std::move(at));
  }
  const detail::byte_range touched = touched_bytes(given, type, *span);
  auto* memory = reinterpret_cast<std::byte*>(touched.begin);
  const detail::queue_state known = state_of(at);
  detail::context_state& state = *known.of_context;
  if (given.buffer_nbytes) {
    check_inside_buffer(given, touched);
    check_host_accessible(memory, state);
  }
  auto [kind, own] = check_memory(given, type, touched, state);
  if (span->first != 0) {
    // The offset can be represented: it is at most the number of bytes touched.
    where = where.with_offset(where.offset() - span->first);
  }
  check_alignment(touched.begin + static_cast<std::uintptr_t>(where.offset()) * type.itemsize(),
                  type);
  sycl::queue queue = choose_queue(std::move(at), known, memory, kind);
  if (!known.has_only_device) {
    check_device(memory, kind, queue);
  }
  return {memory, touched.nbytes(), type,           std::move(where),
          kind,   std::move(queue), given.readonly, std::move(own)};
}

std::shared_ptr<buffer> to_buffer(checked_import&& checked, detail::release_action&& release,
                                  bool frees) {
  if (checked.own) {
    return std::make_shared<buffer>(buffer::part_on_queue(std::move(checked.own), checked.memory,
                                                          checked.nbytes, checked.queue,
                                                          checked.readonly, std::move(release)));
  }
  return buffer::adopt_checked(checked.memory, checked.nbytes, checked.kind,
                               std::move(checked.queue), std::move(release), checked.readonly,
                               frees);
}

array to_array(checked_import&& checked, detail::release_action&& release, bool frees) {
  const bool readonly = checked.readonly;
  const held_dtype type = checked.type;
  layout where = std::move(checked.where);
  return internal::unchecked_array(to_buffer(std::move(checked), std::move(release), frees), type,
                                   std::move(where), readonly);
}

usm_array_interface describe(const array& a) {
  usm_array_interface result{
      .data = reinterpret_cast<std::uintptr_t>(a.memory().data()),
      .readonly = a.readonly(),
      .typestr = a.type().typestr(),
      .typedescr = std::nullopt,
      .shape = a.shape(),
      .strides = std::nullopt,
      .offset = a.layout().offset(),
      .buffer_nbytes = std::nullopt,
  };
  if (a.type().is_structured()) {
    result.typedescr = describe_type(a.type());
  }
  if (!a.layout().is_c_contiguous()) {
    result.strides = a.strides();
  }
  return result;
}

}  // namespace usmx::inline v1::exchange
