#include "usmx/exchange/arrow.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "exchange/consumer.hpp"
#include "memory/pointers.hpp"
#include "memory/registry.hpp"
#include "usmx/base/error.hpp"
#include "usmx/exchange/dlpack.hpp"
#include "usmx/exchange/usm_array_interface.hpp"

namespace usmx::inline v1::exchange {
namespace {

// Capsules own what they point to.
static_assert(std::is_standard_layout_v<arrow::owned<arrow::device_array>>);
static_assert(std::is_same_v<std::int64_t, std::ptrdiff_t>, "lengths are taken as they are");

constexpr std::int64_t buffers_of_numbers = 2;

// ---- elements

struct column_format {
  type_code type;
  std::string_view text;
};
/// The formats of the types that Arrow stores in memory as usmx does.
constexpr column_format formats[] = {
    {type_code::int8, "c"},    {type_code::int16, "s"},   {type_code::int32, "i"},
    {type_code::int64, "l"},   {type_code::uint8, "C"},   {type_code::uint16, "S"},
    {type_code::uint32, "I"},  {type_code::uint64, "L"},  {type_code::float16, "e"},
    {type_code::float32, "f"}, {type_code::float64, "g"},
};

/// Ends with a null character.
const char* format_of(dtype type) {
  const auto* const found = std::ranges::find(formats, type.code(), &column_format::type);
  if (found == std::end(formats)) {
    throw buffer_error(detail::message(
        "Arrow takes integers and floating-point numbers, found dtype ", type,
        type == dtype(type_code::bool_) ? ", which Arrow packs into bits: view it as 'u1'" : ""));
  }
  return found->text.data();
}

/// How the formats of other types begin.
struct format_name {
  std::string_view begin;
  const char* name;
};
constexpr format_name foreign_formats[] = {
    {"n", "nothing but missing values"},
    {"b", "bool, packed into bits"},
    {"z", "binary data"},
    {"Z", "binary data"},
    {"vz", "binary data"},
    {"w:", "binary data"},
    {"u", "strings"},
    {"U", "strings"},
    {"vu", "strings"},
    {"d:", "decimal numbers"},
    {"td", "dates"},
    {"tt", "times"},
    {"ts", "timestamps"},
    {"tD", "durations"},
    {"ti", "intervals"},
    {"+", "nested values"},
};

[[noreturn]] void throw_foreign_elements(const char* what, std::string_view format) {
  throw buffer_error(detail::message(
      "the column must be of numbers, from int8 to float64, found ", what, ", Arrow's format ",
      detail::quoted(format), format.starts_with("+s") ? ": give one column of a table" : ""));
}

dtype parse_format(std::string_view format) {
  if (const auto* known = std::ranges::find(formats, format, &column_format::text);
      known != std::end(formats)) {
    return known->type;
  }
  const auto* named = std::ranges::find_if(
      foreign_formats, [&](const format_name& known) { return format.starts_with(known.begin); });
  throw_foreign_elements(
      named == std::end(foreign_formats) ? "elements of no known type" : named->name, format);
}

dtype parse_schema(const arrow::schema& given) {
  if (given.release == nullptr) {
    throw value_error("the schema was released already");
  }
  if (given.format == nullptr) {
    throw value_error("'format' of the schema must be a text, found a null pointer");
  }
  const std::string_view format(given.format, strnlen(given.format, 64));
  if (given.dictionary != nullptr) {
    throw_foreign_elements("indices into a dictionary", format);
  }
  return parse_format(format);
}

// ---- arrays of Arrow's

void let_go_of_schema(arrow::schema* schema) noexcept { schema->release = nullptr; }

/// The state behind an exported structure: the pointers to its buffers, the array that keeps the
/// memory, and its consumer.
struct kept_column {
  array source;
  const void* buffers[buffers_of_numbers];
  internal::consumer consumer;
};

void let_go_of_array(arrow::array* given) noexcept {
  given->release = nullptr;
  delete static_cast<kept_column*>(given->context);
}

void require_column(const array& a) {
  if (a.ndim() != 1) {
    throw buffer_error(detail::message("Arrow takes arrays of one dimension, found shape ",
                                       tuple_text(a.shape())));
  }
  if (a.size() > 1 && a.strides()[0] != 1) {
    throw buffer_error(
        detail::message("Arrow takes elements that lie side by side, found a stride of ",
                        a.strides()[0], ": copy them"));
  }
  format_of(a.type());
}

/// The same elements, for a consumer who may work on a queue: Arrow has no word for memory that
/// devices reach as well as the host.
array leased(const array& a) {
  return internal::unchecked_array(std::make_shared<buffer>(buffer::lent_out(a.owner())), a.type(),
                                   a.layout(), a.readonly());
}

arrow::owned<arrow::array> export_column(const array& a, dlpack::device where) {
  require_column(a);
  std::unique_ptr<kept_column> made(
      new kept_column{leased(a), {nullptr, internal::first_element(a)}, {}});
  if (where.type != dlpack::device_type::oneapi) {
    made->consumer.works_on(where, a);
  }
  arrow::array result{};
  result.length = a.size();
  result.n_buffers = buffers_of_numbers;
  result.buffers = made->buffers;
  result.release = let_go_of_array;
  result.context = made.release();
  return arrow::owned(result);
}

// ---- columns of Arrow's

void require_numbers(const arrow::array& given) {
  if (given.length < 0 || given.offset < 0) {
    throw value_error(detail::message("'length' and 'offset' must be 0 or more, found ",
                                      given.length, " and ", given.offset));
  }
  if (given.n_buffers != buffers_of_numbers || given.n_children != 0) {
    throw value_error(
        detail::message("an array of numbers must have 2 buffers and no children, "
                        "found 'n_buffers' ",
                        given.n_buffers, " and 'n_children' ", given.n_children));
  }
  if (given.buffers == nullptr) {
    throw value_error("'buffers' must point to 2 buffers, found a null pointer");
  }
  if (given.null_count < -1 || given.null_count > given.length) {
    throw value_error(detail::message("'null_count' must be from -1 to the length ", given.length,
                                      ", found ", given.null_count));
  }
}

/// How many of the bits are not set.
std::int64_t count_unset(const std::uint8_t* bits, std::int64_t first, std::int64_t end) {
  std::int64_t unset = 0;
  while (first < end) {
    if (first % 8 == 0 && end - first >= 8) {
      unset += 8 - std::popcount(bits[first / 8]);
      first += 8;
    } else {
      unset += (bits[first / 8] >> (first % 8) & 1) == 0 ? 1 : 0;
      ++first;
    }
  }
  return unset;
}

void require_size(const std::vector<sized_buffer>& sizes, const arrow::array& given, int buffer,
                  std::size_t needed) {
  const auto known = std::ranges::find(sizes, given.buffers[buffer], &sized_buffer::first);
  if (known != sizes.end() && known->nbytes < needed) {
    throw value_error(detail::message("'length' ", given.length, " after 'offset' ", given.offset,
                                      " takes ", needed, " bytes of buffer ", buffer,
                                      ", which has ", known->nbytes));
  }
}

/// For numbers whose addresses are known to be possible. If they are USM, the driver knows the
/// bounds. Memory of a pool that no live block has is refused.
void require_numbers_inside(const std::vector<sized_buffer>& sizes, const arrow::array& given,
                            detail::byte_range touched, const sycl::queue& queue) {
  const auto* first = static_cast<const std::byte*>(given.buffers[1]);
  const auto* touched_first = reinterpret_cast<const std::byte*>(touched.begin);
  require_size(sizes, given, 1, static_cast<std::size_t>(touched_first - first) + touched.nbytes());
  const detail::queue_state known = detail::state_of(queue);
  if (detail::pooled_ranges::contains(touched_first) ||
      detail::query_allocation(touched_first, *known.of_context).kind != usm_kind::unknown) {
    detail::check_access(touched_first, touched.nbytes(), *known.of_context);
  }
}

/// Checks that no number is missing. The numbers' places have been checked before.
void require_no_missing(const std::vector<sized_buffer>& sizes, const arrow::array& given) {
  const auto* bits = static_cast<const std::uint8_t*>(given.buffers[0]);
  if (given.null_count < 0 && bits != nullptr) {
    const auto end =
        static_cast<std::size_t>(given.offset) + static_cast<std::size_t>(given.length);
    require_size(sizes, given, 0, end / 8 + (end % 8 == 0 ? 0 : 1));
  }
  const std::int64_t missing = given.null_count >= 0 ? given.null_count
                               : bits == nullptr
                                   ? 0
                                   : count_unset(bits, given.offset, given.offset + given.length);
  if (missing != 0) {
    throw buffer_error(detail::message("the column must have a number in every place, found ",
                                       missing, " missing (null) of ", given.length,
                                       ": fill or drop them"));
  }
}

array_view host_view(const arrow::array& given, const column& of, const sycl::queue& queue) {
  require_numbers(given);
  usm_array_interface described;
  described.data = reinterpret_cast<std::uintptr_t>(given.buffers[1]);
  described.typestr = of.type.typestr();
  described.shape = {&given.length, 1};
  described.offset = given.offset;
  auto [parsed, where] = parse_elements(described);
  if (const auto span = where.span()) {
    const detail::byte_range touched = touched_bytes(described, parsed, *span);
    require_numbers_inside(of.sizes, given, touched, queue);
  }
  require_no_missing(of.sizes, given);
  return {const_cast<void*>(given.buffers[1]),
          parsed,
          std::move(where),
          usm_kind::unknown,
          queue,
          true};
}

/// Takes the array; throws if it was released already.
arrow::owned<arrow::array> take(arrow::array& given) {
  if (given.release == nullptr) {
    throw value_error("the array was released already");
  }
  return arrow::owned<arrow::array>::taken_from(given);
}

void require_success(int code, arrow::array_stream& stream) {
  if (code == 0) {
    return;
  }
  const char* said = stream.get_last_error == nullptr ? nullptr : stream.get_last_error(&stream);
  throw std::runtime_error(
      detail::message("the stream of Arrow's arrays failed with error ", code, ", ",
                      said == nullptr ? std::string("without a message")
                                      : detail::quoted({said, strnlen(said, 1024)}, 1024)));
}

/// Returns what a function of the stream writes. Throws if the function fails.
template <class Structure>
arrow::owned<Structure> ask(int (*function)(arrow::array_stream*, Structure*),
                            arrow::array_stream& stream) {
  Structure given{};
  require_success(function(&stream, &given), stream);
  return arrow::owned(given);
}

}  // namespace

arrow::owned<arrow::schema> to_arrow_schema(dtype type) {
  arrow::schema result{};
  result.format = format_of(type);
  result.name = "";
  result.release = let_go_of_schema;
  return arrow::owned(result);
}

arrow::owned<arrow::array> to_arrow(const array& a) {
  if (!is_host_accessible(a.kind())) {
    throw buffer_error(
        "the host cannot reach device memory: copy it to kind 'shared' or 'host', or use "
        "__arrow_c_device_array__");
  }
  return export_column(a, dlpack::host);
}

arrow::owned<arrow::device_array> to_arrow_device(const array& a) {
  const bool is_on_host = is_host_accessible(a.kind());
  const dlpack::device where = is_on_host ? dlpack::host : dlpack_device(a);
  arrow::device_array result{};
  result.device_type = static_cast<arrow::device_type>(where.type);
  result.device_id = is_on_host ? -1 : where.id;
  arrow::owned<arrow::array> elements = export_column(a, where);
  std::swap(result.array, *elements);
  return arrow::owned(result);
}

column receive(const arrow::schema& schema, arrow::array& given) {
  column result{parse_schema(schema), {}};
  result.chunks.reserve(1);
  result.chunks.push_back(take(given));
  return result;
}

column receive(const arrow::schema& schema, arrow::device_array& given) {
  if (given.device_type != arrow::device_type::cpu) {
    throw buffer_error(
        detail::message("the column must be in host memory (1), found Arrow's "
                        "device type ",
                        static_cast<int>(given.device_type), " with number ", given.device_id));
  }
  return receive(schema, given.array);
}

column receive(arrow::array_stream& stream) {
  if (stream.release == nullptr) {
    throw value_error("the stream was released already");
  }
  if (stream.get_schema == nullptr || stream.get_next == nullptr) {
    throw value_error("'get_schema' and 'get_next' must be functions, found a null pointer");
  }
  column result{parse_schema(*ask(stream.get_schema, stream)), {}};
  for (;;) {
    arrow::owned<arrow::array> next = ask(stream.get_next, stream);
    if (!next.is_there()) {
      return result;
    }
    result.chunks.push_back(std::move(next));
  }
}

std::vector<array_view> host_views(const column& given, const sycl::queue& queue) {
  std::vector<array_view> views;
  views.reserve(given.chunks.size());
  for (const auto& chunk : given.chunks) {
    views.push_back(host_view(*chunk, given, queue));
  }
  return views;
}

}  // namespace usmx::inline v1::exchange
