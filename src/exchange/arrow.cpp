#include "usmx/exchange/arrow.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "exchange/consumer.hpp"
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
constexpr std::int64_t buffers_of_lists = 1;  // and of tables

// ---- elements

struct number_format {
  type_code type;
  std::string_view text;
};
/// The formats of the types that Arrow stores in memory as usmx does.
constexpr number_format number_formats[] = {
    {type_code::int8, "c"},    {type_code::int16, "s"},   {type_code::int32, "i"},
    {type_code::int64, "l"},   {type_code::uint8, "C"},   {type_code::uint16, "S"},
    {type_code::uint32, "I"},  {type_code::uint64, "L"},  {type_code::float16, "e"},
    {type_code::float32, "f"}, {type_code::float64, "g"},
};

/// Arrow packs bools into bits.
constexpr std::string_view packed_format = "b";

/// The beginnings of the formats of dates, times and durations, and the integers that count them.
constexpr number_format counting_formats[] = {
    {type_code::int32, "tdD"}, {type_code::int64, "tdm"}, {type_code::int32, "tts"},
    {type_code::int32, "ttm"}, {type_code::int64, "ttu"}, {type_code::int64, "ttn"},
    {type_code::int64, "ts"},  {type_code::int64, "tD"},
};

/// The format of a type, which ends with a null character.
const char* format_of(dtype type) {
  if (type == dtype(type_code::bool_)) {
    return packed_format.data();
  }
  const auto* const found = std::ranges::find(number_formats, type.code(), &number_format::type);
  if (found == std::end(number_formats)) {
    throw buffer_error(detail::message(
        "Arrow takes bools, integers and floating-point numbers, found dtype ", type));
  }
  return found->text.data();
}

/// The beginning of the formats of another type, and its name.
struct format_name {
  std::string_view begin;
  const char* name;
};
constexpr format_name foreign_formats[] = {
    {"n", "nothing but missing values"},
    {"z", "binary data"},
    {"Z", "binary data"},
    {"vz", "binary data"},
    {"w:", "binary data"},
    {"u", "strings"},
    {"U", "strings"},
    {"vu", "strings"},
    {"d:", "decimal numbers"},
    {"ti", "intervals"},
    {"+", "nested values"},
};

[[noreturn]] void throw_foreign_elements(std::string_view format) {
  const auto* named = std::ranges::find_if(
      foreign_formats, [&](const format_name& known) { return format.starts_with(known.begin); });
  throw buffer_error(detail::message(
      "the column must be of bools, of numbers from int8 to float64, of dates, times or durations, "
      "or of lists of one size of them, found ",
      named == std::end(foreign_formats) ? "elements of no known type" : named->name,
      ", Arrow's format ", detail::quoted(format)));
}

dtype parse_format(std::string_view format) {
  if (format == packed_format) {
    return type_code::bool_;
  }
  if (const auto* known = std::ranges::find(number_formats, format, &number_format::text);
      known != std::end(number_formats)) {
    return known->type;
  }
  const auto* counting = std::ranges::find_if(
      counting_formats, [&](const number_format& known) { return format.starts_with(known.text); });
  if (counting == std::end(counting_formats)) {
    throw_foreign_elements(format);
  }
  return counting->type;
}

constexpr std::string_view table_format = "+s";
constexpr std::string_view list_format = "+w:";

std::ptrdiff_t parse_list(std::string_view format) {
  std::ptrdiff_t size = 0;
  const char* const end = format.data() + format.size();
  const auto [stop, error] = std::from_chars(format.data() + list_format.size(), end, size);
  if (error != std::errc() || stop != end || size < 0) {
    throw value_error(detail::message("the size of lists must be 0 or more, found Arrow's format ",
                                      detail::quoted(format)));
  }
  return size;
}

std::string_view checked_format(const arrow::schema& given) {
  if (given.release == nullptr) {
    throw value_error("the schema was released already");
  }
  if (given.format == nullptr) {
    throw value_error("'format' of the schema must be a text, found a null pointer");
  }
  return {given.format, strnlen(given.format, 64)};
}

const arrow::schema& child_of(const arrow::schema& given, std::int64_t k) {
  if (given.children == nullptr || given.children[k] == nullptr) {
    throw value_error("'children' of the schema must point to schemas, found a null pointer");
  }
  return *given.children[k];
}

std::string name_of(const arrow::schema& given) {
  constexpr std::size_t longest = 1024;
  return given.name == nullptr ? std::string()
                               : std::string(given.name, strnlen(given.name, longest));
}

column_format parse_column(const arrow::schema& given, bool is_dictionary = false) {
  std::vector<column_format> dictionary;
  std::vector<std::ptrdiff_t> row;
  const arrow::schema* elements = &given;
  std::string_view format = checked_format(given);
  if (given.dictionary != nullptr) {
    if (is_dictionary) {
      throw buffer_error("a dictionary must have values, found indices into another dictionary");
    }
    dictionary.push_back(parse_column(*given.dictionary, true));
  }
  while (format.starts_with(list_format) && dictionary.empty()) {
    if (elements->n_children != 1) {
      throw value_error(
          detail::message("lists must have 1 child, found 'n_children' ", elements->n_children));
    }
    if (row.size() + 1 >= static_cast<std::size_t>(max_ndim)) {
      throw value_error(
          detail::message("lists can be nested at most ", max_ndim - 1, " deep, found more"));
    }
    row.push_back(parse_list(format));
    elements = &child_of(*elements, 0);
    format = checked_format(*elements);
    if (elements->dictionary != nullptr) {
      throw_foreign_elements(format);
    }
  }
  const dtype type = parse_format(format);
  if (!dictionary.empty() && type.kind() != 'i' && type.kind() != 'u') {
    throw value_error(detail::message("indices into a dictionary must be integers, found ", type));
  }
  return {.name = name_of(given),
          .type = type,
          .row = std::move(row),
          .is_packed = format == packed_format,
          .dictionary = std::move(dictionary)};
}

/// Reads a schema as a column or a table, without its chunks.
column parse_schema(const arrow::schema& given) {
  const bool is_table = checked_format(given) == table_format && given.dictionary == nullptr;
  std::vector<column_format> formats;
  if (!is_table) {
    formats.push_back(parse_column(given));
  } else {
    if (given.n_children < 0) {
      throw value_error(
          detail::message("'n_children' must be 0 or more, found ", given.n_children));
    }
    for (std::int64_t k = 0; k < given.n_children; ++k) {
      formats.push_back(parse_column(child_of(given, k)));
    }
  }
  const dtype type = formats.empty() ? dtype(type_code::uint8) : formats[0].type;
  return {.type = type, .chunks = {}, .formats = std::move(formats), .is_table = is_table};
}

// ---- arrays of Arrow's

void let_go_of_schema(arrow::schema* schema) noexcept { schema->release = nullptr; }

arrow::schema schema_of_elements(dtype type) {
  arrow::schema result{};
  result.format = format_of(type);
  result.name = "";
  result.release = let_go_of_schema;
  return result;
}

/// The state behind the schema of lists.
struct kept_lists_schema {
  std::string format;
  arrow::schema child;
  arrow::schema* children[1];
};

void let_go_of_lists_schema(arrow::schema* schema) noexcept {
  schema->release = nullptr;
  auto* kept = static_cast<kept_lists_schema*>(schema->context);
  if (kept->child.release != nullptr) {
    kept->child.release(&kept->child);
  }
  delete kept;
}

/// The schema of lists of that size, whose items the child describes. Takes the child over.
arrow::owned<arrow::schema> schema_of_lists(std::ptrdiff_t size,
                                            arrow::owned<arrow::schema> child) {
  auto made = std::make_unique<kept_lists_schema>();
  made->format = detail::message(list_format, size);
  std::swap(made->child, *child);
  made->children[0] = &made->child;
  arrow::schema result{};
  result.format = made->format.c_str();
  result.name = "";
  result.n_children = 1;
  result.children = made->children;
  result.release = let_go_of_lists_schema;
  result.context = made.release();
  return arrow::owned(result);
}

/// The state behind an exported structure: the pointers to its buffers, the array that keeps the
/// memory, and its consumer. Bools are packed into memory of its own.
struct kept_column {
  array source;
  const void* buffers[buffers_of_numbers];
  internal::consumer consumer;
  std::vector<std::uint8_t> packed;
};

void let_go_of_array(arrow::array* given) noexcept {
  given->release = nullptr;
  delete static_cast<kept_column*>(given->context);
}

/// The state behind an array of lists.
struct kept_lists {
  const void* buffers[buffers_of_lists] = {nullptr};
  arrow::array child;
  arrow::array* children[1];
};

void let_go_of_lists(arrow::array* given) noexcept {
  given->release = nullptr;
  auto* kept = static_cast<kept_lists*>(given->context);
  if (kept->child.release != nullptr) {
    kept->child.release(&kept->child);
  }
  delete kept;
}

/// Makes lists of the elements of the child, and takes the child over.
arrow::owned<arrow::array> lists_of(std::ptrdiff_t count, arrow::owned<arrow::array> child) {
  auto made = std::make_unique<kept_lists>();
  std::swap(made->child, *child);
  made->children[0] = &made->child;
  arrow::array result{};
  result.length = count;
  result.n_buffers = buffers_of_lists;
  result.n_children = 1;
  result.buffers = made->buffers;
  result.children = made->children;
  result.release = let_go_of_lists;
  result.context = made.release();
  return arrow::owned(result);
}

void require_column(const array& a) {
  if (a.ndim() == 0) {
    throw buffer_error("Arrow takes arrays of at least one dimension, found shape ()");
  }
  if (!a.layout().is_c_contiguous()) {
    throw buffer_error(detail::message("Arrow takes elements that lie side by side, found shape ",
                                       tuple_text(a.shape()), " and strides ",
                                       tuple_text(a.strides()), ": copy them"));
  }
  format_of(a.type());
}

/// An array of the same elements for a consumer who may work on a queue: Arrow has no word for
/// memory that devices reach as well as the host.
array leased(const array& a) {
  return internal::unchecked_array(std::make_shared<buffer>(buffer::lent_out(a.owner())), a.type(),
                                   a.layout(), a.readonly());
}

/// The bools of an array, eight in a byte.
std::vector<std::uint8_t> packed(const array& bools) {
  bools.wait();
  const std::byte* from = internal::first_element(bools);
  std::vector<std::uint8_t> bits(static_cast<std::size_t>(bools.size() / 8 + 1));
  for (std::ptrdiff_t k = 0; k < bools.size(); ++k) {
    bits[static_cast<std::size_t>(k / 8)] |=
        static_cast<std::uint8_t>((from[k] != std::byte{}) << (k % 8));
  }
  return bits;
}

/// The elements of an array, in one dimension.
arrow::owned<arrow::array> elements_of(const array& a, dlpack::device where) {
  std::unique_ptr<kept_column> made(
      new kept_column{leased(a), {nullptr, internal::first_element(a)}, {}, {}});
  if (a.type() == dtype(type_code::bool_)) {
    if (where.type != dlpack::host.type) {
      throw buffer_error(
          "the host cannot reach the bools to pack them into bits: copy them to kind 'shared' or "
          "'host'");
    }
    made->packed = packed(a);
    made->source = {};
    made->buffers[1] = made->packed.data();
  } else if (where.type != dlpack::device_type::oneapi) {
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

arrow::owned<arrow::array> export_column(const array& a, dlpack::device where) {
  require_column(a);
  arrow::owned<arrow::array> result = elements_of(a, where);
  for (std::size_t axis = a.shape().size() - 1; axis > 0; --axis) {
    const auto rows = a.shape().subspan(0, axis);
    std::ptrdiff_t count = 1;
    for (const std::ptrdiff_t n : rows) {
      count *= n;
    }
    result = lists_of(count, std::move(result));
  }
  return result;
}

// ---- columns of Arrow's

/// Rows of an array. `first` counts from the beginning of its buffers.
struct rows_of {
  const arrow::array* given;
  std::int64_t first;
  std::int64_t count;
};

/// Checks the rules that hold for every array.
void require_array(const arrow::array& given, const char* what, std::int64_t buffers,
                   std::int64_t children) {
  if (given.length < 0 || given.offset < 0) {
    throw value_error(detail::message("'length' and 'offset' must be 0 or more, found ",
                                      given.length, " and ", given.offset));
  }
  if (given.n_buffers != buffers || given.n_children != children) {
    throw value_error(detail::message("an array of ", what, " must have ", buffers,
                                      buffers == 1 ? " buffer and " : " buffers and ",
                                      children == 0 ? std::string("no") : std::to_string(children),
                                      children == 1 ? " child" : " children",
                                      ", found 'n_buffers' ", given.n_buffers, " and 'n_children' ",
                                      given.n_children));
  }
  if (given.buffers == nullptr) {
    throw value_error(detail::message("'buffers' must point to ", buffers,
                                      buffers == 1 ? " buffer" : " buffers",
                                      ", found a null pointer"));
  }
  if (children > 0 && given.children == nullptr) {
    throw value_error("'children' must point to arrays, found a null pointer");
  }
  if (given.null_count < -1 || given.null_count > given.length) {
    throw value_error(detail::message("'null_count' must be from -1 to the length ", given.length,
                                      ", found ", given.null_count));
  }
}

rows_of all_rows(const arrow::array& given) { return {&given, given.offset, given.length}; }

/// The rows of a child that belong to rows of its parent: `each` of them belong to one.
rows_of rows_of_child(const rows_of& parent, std::int64_t k, std::int64_t each) {
  const arrow::array* child = parent.given->children[k];
  if (child == nullptr) {
    throw value_error("'children' must point to arrays, found a null pointer");
  }
  if (child->length < 0 || child->offset < 0) {
    throw value_error(detail::message("'length' and 'offset' must be 0 or more, found ",
                                      child->length, " and ", child->offset));
  }
  const auto first = checked_multiply(parent.first, each, "first element of lists");
  const auto count = checked_multiply(parent.count, each, "number of elements of lists");
  if (checked_add(first, count, "number of elements of a child") > child->length) {
    throw value_error(detail::message("a child must have ", checked_add(first, count, ""),
                                      " elements, found ", child->length));
  }
  return {child, checked_add(child->offset, first, "first element of a child"), count};
}

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

void require_size(const std::vector<sized_buffer>& sizes, const rows_of& rows, int buffer,
                  std::size_t needed) {
  const auto known = std::ranges::find(sizes, rows.given->buffers[buffer], &sized_buffer::first);
  if (known != sizes.end() && known->nbytes < needed) {
    throw value_error(detail::message("'length' ", rows.count, " after 'offset' ", rows.first,
                                      " takes ", needed, " bytes of buffer ", buffer,
                                      ", which has ", known->nbytes));
  }
}

/// Checks that elements whose addresses are known to be possible are inside their buffers. If they
/// are USM, the driver knows the bounds. Memory of a pool that no live block has is refused.
void require_inside(const std::vector<sized_buffer>& sizes, const rows_of& rows,
                    detail::byte_range touched, const sycl::queue& queue) {
  const auto* first = static_cast<const std::byte*>(rows.given->buffers[1]);
  const auto* touched_first = reinterpret_cast<const std::byte*>(touched.begin);
  require_size(sizes, rows, 1, static_cast<std::size_t>(touched_first - first) + touched.nbytes());
  const detail::queue_state known = detail::state_of(queue);
  if (detail::pooled_ranges::contains(touched_first) ||
      detail::query_allocation(touched_first, *known.of_context).kind != usm_kind::unknown) {
    detail::check_access(touched_first, touched.nbytes(), *known.of_context);
  }
}

std::ptrdiff_t bytes_of_bits(std::ptrdiff_t bits) { return bits / 8 + (bits % 8 == 0 ? 0 : 1); }

/// Checks that no value is missing. The rows' places have been checked before.
void require_no_missing(const std::vector<sized_buffer>& sizes, const rows_of& rows) {
  const auto* bits = static_cast<const std::uint8_t*>(rows.given->buffers[0]);
  std::int64_t missing = std::max<std::int64_t>(rows.given->null_count, 0);
  const bool are_all = rows.first == rows.given->offset && rows.count == rows.given->length;
  if (bits != nullptr && (rows.given->null_count < 0 || (missing > 0 && !are_all))) {
    const std::int64_t end = checked_add(rows.first, rows.count, "number of elements");
    require_size(sizes, rows, 0, static_cast<std::size_t>(bytes_of_bits(end)));
    missing = count_unset(bits, rows.first, end);
  }
  if (missing != 0) {
    throw buffer_error(detail::message("the column must have a value in every place, found ",
                                       missing, " missing (null) of ", rows.given->length,
                                       ": fill or drop them"));
  }
}

/// A view of rows of an array of that format.
column_rows view_of(rows_of rows, const column_format& format,
                    const std::vector<sized_buffer>& sizes, const sycl::queue& queue) {
  std::vector<std::ptrdiff_t> shape{rows.count};
  for (const std::ptrdiff_t each : format.row) {
    require_array(*rows.given, "lists", buffers_of_lists, 1);
    require_no_missing(sizes, rows);
    rows = rows_of_child(rows, 0, each);
    shape.push_back(each);
  }
  require_array(*rows.given, "numbers", buffers_of_numbers, 0);
  usm_array_interface described;
  described.data = reinterpret_cast<std::uintptr_t>(rows.given->buffers[1]);
  described.offset = rows.first;
  described.typestr = format.type.typestr();
  std::ptrdiff_t first_bit = 0;
  if (format.is_packed) {
    first_bit = rows.first % 8;
    described.offset = rows.first / 8;
    described.typestr = dtype(type_code::uint8).typestr();
  }
  const std::ptrdiff_t bits = checked_add(first_bit, rows.count, "number of bits");
  const std::ptrdiff_t nbytes = rows.count == 0 ? 0 : bytes_of_bits(bits);
  described.shape = format.is_packed ? std::span(&nbytes, 1) : std::span(std::as_const(shape));
  auto [parsed, where] = parse_elements(described);
  if (const auto span = where.span()) {
    require_inside(sizes, rows, touched_bytes(described, parsed, *span), queue);
  }
  require_no_missing(sizes, rows);
  return {array_view(const_cast<void*>(rows.given->buffers[1]), parsed, std::move(where),
                     usm_kind::unknown, queue, true),
          std::move(shape), first_bit};
}

const column_format& format_of_column(const column& given, std::size_t chunk, std::size_t k) {
  if (chunk >= given.chunks.size() || k >= given.formats.size()) {
    throw value_error(detail::message("there are ", given.chunks.size(), " chunks and ",
                                      given.formats.size(), " columns, found numbers ", chunk,
                                      " and ", k));
  }
  return given.formats[k];
}

/// The rows of column number `k` of a chunk, which is a chunk of a table or of that column alone.
rows_of rows_of_column(const column& given, std::size_t chunk, std::size_t k) {
  const arrow::array& all = *given.chunks[chunk];
  if (!given.is_table) {
    return all_rows(all);
  }
  require_array(all, "rows", buffers_of_lists, std::ssize(given.formats));
  require_no_missing(given.sizes, all_rows(all));
  return rows_of_child(all_rows(all), static_cast<std::int64_t>(k), 1);
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
  return arrow::owned(schema_of_elements(type));
}

arrow::owned<arrow::schema> to_arrow_schema(const array& a) {
  require_column(a);
  arrow::owned<arrow::schema> result = to_arrow_schema(a.type());
  for (std::size_t axis = a.shape().size() - 1; axis > 0; --axis) {
    result = schema_of_lists(a.shape()[axis], std::move(result));
  }
  return result;
}

arrow::owned<arrow::array> to_arrow(const array& a) {
  if (!internal::host_may_view(a)) {
    throw buffer_error(
        "the host cannot reach device memory: copy it to kind 'shared' or 'host', or use "
        "__arrow_c_device_array__");
  }
  return export_column(a, dlpack::host);
}

arrow::owned<arrow::device_array> to_arrow_device(const array& a) {
  const bool is_on_host = internal::host_may_view(a);
  const dlpack::device where = is_on_host ? dlpack::host : dlpack_device(a);
  arrow::device_array result{};
  result.device_type = static_cast<arrow::device_type>(where.type);
  result.device_id = is_on_host ? -1 : where.id;
  arrow::owned<arrow::array> elements = export_column(a, where);
  std::swap(result.array, *elements);
  return arrow::owned(result);
}

column receive(const arrow::schema& schema, arrow::array& given) {
  column result = parse_schema(schema);
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
  column result = parse_schema(*ask(stream.get_schema, stream));
  for (;;) {
    arrow::owned<arrow::array> next = ask(stream.get_next, stream);
    if (!next.is_there()) {
      return result;
    }
    result.chunks.push_back(std::move(next));
  }
}

column_rows host_rows(const column& given, std::size_t chunk, std::size_t k,
                      const sycl::queue& queue) {
  const column_format& format = format_of_column(given, chunk, k);
  return view_of(rows_of_column(given, chunk, k), format, given.sizes, queue);
}

column_rows dictionary_rows(const column& given, std::size_t chunk, std::size_t k,
                            const sycl::queue& queue) {
  const column_format& format = format_of_column(given, chunk, k);
  const arrow::array* values = rows_of_column(given, chunk, k).given->dictionary;
  if (format.dictionary.empty() || values == nullptr) {
    throw value_error("the column must have a dictionary, found none");
  }
  return view_of(all_rows(*values), format.dictionary[0], given.sizes, queue);
}

std::vector<array_view> host_views(const column& given, const sycl::queue& queue) {
  if (given.formats.size() != 1 || given.formats[0].is_packed) {
    throw value_error(detail::message("host_views: the column must be one of numbers, found ",
                                      given.formats.size() == 1
                                          ? std::string("bools, packed into bits")
                                          : std::to_string(given.formats.size()) + " columns"));
  }
  std::vector<array_view> views;
  views.reserve(given.chunks.size());
  for (std::size_t chunk = 0; chunk < given.chunks.size(); ++chunk) {
    views.push_back(host_rows(given, chunk, 0, queue).elements);
  }
  return views;
}

void unpack(const column_rows& rows, std::span<std::uint8_t> to) {
  const std::ptrdiff_t count = layout::c_order(rows.shape).size();
  if (std::ssize(to) != count) {
    throw value_error(
        detail::message("unpack: there must be ", count, " bytes, found ", to.size()));
  }
  if (to.empty()) {
    return;
  }
  const auto* bits =
      static_cast<const std::uint8_t*>(static_cast<const void*>(rows.elements.data()));
  for (std::size_t k = 0; k < to.size(); ++k) {
    const std::size_t bit = static_cast<std::size_t>(rows.first_bit) + k;
    to[k] = bits[bit / 8] >> (bit % 8) & 1;
  }
}

}  // namespace usmx::inline v1::exchange
