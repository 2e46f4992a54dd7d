// usmx/exchange/arrow.hpp: arrays to Arrow, columns from it, and who lets go when.
#include "usmx/exchange/arrow.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/exchange/dlpack.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/memory/buffer.hpp"

namespace {

using support::all_kinds;
using support::expect_error;
using usmx::array;
using usmx::array_view;
using usmx::buffer_error;
using usmx::layout;
using usmx::overflow_error;
using usmx::type_code;
using usmx::usm_kind;
using usmx::value_error;
using usmx::exchange::column;
using usmx::exchange::dictionary_rows;
using usmx::exchange::host_rows;
using usmx::exchange::host_views;
using usmx::exchange::receive;
using usmx::exchange::to_arrow;
using usmx::exchange::to_arrow_device;
using usmx::exchange::to_arrow_schema;
using usmx::exchange::unpack;
namespace arrow = usmx::arrow;
using extents = std::vector<std::ptrdiff_t>;
using owned_array = arrow::owned<arrow::array>;

// ---- The binary interface, as every program on 64 bits has it

static_assert(sizeof(arrow::schema) == 72);
static_assert(sizeof(arrow::array) == 80);
static_assert(sizeof(arrow::device_array) == 128);
static_assert(offsetof(arrow::device_array, device_type) == 88);
static_assert(offsetof(arrow::device_array, sync_event) == 96);
static_assert(sizeof(arrow::array_stream) == 40);

struct pair_of_type {
  type_code type;
  const char* format;
};
constexpr std::array formats{
    pair_of_type{type_code::int8, "c"},    pair_of_type{type_code::int16, "s"},
    pair_of_type{type_code::int32, "i"},   pair_of_type{type_code::int64, "l"},
    pair_of_type{type_code::uint8, "C"},   pair_of_type{type_code::uint16, "S"},
    pair_of_type{type_code::uint32, "I"},  pair_of_type{type_code::uint64, "L"},
    pair_of_type{type_code::float16, "e"}, pair_of_type{type_code::float32, "f"},
    pair_of_type{type_code::float64, "g"},
};

/// A column of a stranger's, whose releases count.
struct foreign_column {
  std::vector<double> values;
  std::array<const void*, 2> buffers{};
  arrow::schema schema{};
  arrow::array array{};
  int schemas_released = 0;
  int arrays_released = 0;

  explicit foreign_column(std::vector<double> of) : values(std::move(of)) {
    buffers[1] = values.data();
    schema.format = "g";
    schema.context = this;
    schema.release = [](arrow::schema* self) {
      ++static_cast<foreign_column*>(self->context)->schemas_released;
      self->release = nullptr;
    };
    array.length = static_cast<std::int64_t>(values.size());
    array.n_buffers = 2;
    array.buffers = buffers.data();
    array.context = this;
    array.release = [](arrow::array* self) {
      ++static_cast<foreign_column*>(self->context)->arrays_released;
      self->release = nullptr;
    };
  }
  foreign_column(const foreign_column&) = delete;
  foreign_column& operator=(const foreign_column&) = delete;

  column received() { return receive(schema, array); }
};

/// A stream of a stranger's columns.
struct foreign_stream {
  std::vector<foreign_column*> columns;
  std::size_t next = 0;
  std::size_t fails_at = std::numeric_limits<std::size_t>::max();
  const char* error = "disk on fire";
  int released = 0;
  arrow::array_stream stream{};

  explicit foreign_stream(std::vector<foreign_column*> of) : columns(std::move(of)) {
    stream.context = this;
    stream.get_schema = [](arrow::array_stream* self, arrow::schema* out) {
      return self_of(self).give(self_of(self).columns.front()->schema, *out);
    };
    stream.get_next = [](arrow::array_stream* self, arrow::array* out) {
      foreign_stream& given = self_of(self);
      if (given.next == given.fails_at) {
        return EIO;
      }
      return given.next == given.columns.size()
                 ? 0
                 : given.give(given.columns[given.next++]->array, *out);
    };
    stream.get_last_error = [](arrow::array_stream* self) { return self_of(self).error; };
    stream.release = [](arrow::array_stream* self) {
      ++self_of(self).released;
      self->release = nullptr;
    };
  }

  static foreign_stream& self_of(arrow::array_stream* stream) {
    return *static_cast<foreign_stream*>(stream->context);
  }
  template <class Structure>
  int give(Structure& from, Structure& to) {
    to = from;
    from.release = nullptr;
    return 0;
  }
};

class arrow_test : public support::device_test {
 protected:
  static array sample(usm_kind kind = usm_kind::shared, type_code type = type_code::float64,
                      std::ptrdiff_t size = 6) {
    return usmx::empty(extents{size}, type, queue(), kind);
  }

  template <class Error>
  static void refuse(foreign_column& given, std::initializer_list<std::string> parts,
                     std::source_location where = std::source_location::current()) {
    expect_error<Error>([&] { host_views(given.received(), queue()); }, parts, where);
    EXPECT_EQ(given.array.release == nullptr ? 1 : 0, given.arrays_released);
  }

  static extents values_of(const array_view& view) {
    const auto* from = static_cast<const double*>(static_cast<const void*>(view.data()));
    return extents(from, from + view.size());
  }
};

// ---- Out

TEST_F(arrow_test, every_type_of_numbers_has_its_format) {
  for (const auto& [type, format] : formats) {
    EXPECT_STREQ(to_arrow_schema(type)->format, format);
  }
}

TEST_F(arrow_test, other_elements_are_refused_by_name) {
  for (const type_code type : {type_code::complex64, type_code::complex128}) {
    const std::string name(usmx::dtype(type).name());
    expect_error<buffer_error>([&] { to_arrow_schema(type); }, {name});
    expect_error<buffer_error>([&] { to_arrow(sample(usm_kind::shared, type)); }, {name});
  }
  const usmx::dtype structure = usmx::dtype::structured({{"x", type_code::int32, {}, 0}}, 4);
  expect_error<buffer_error>([&] { to_arrow_schema(structure); }, {"dtype"});
}

TEST_F(arrow_test, structure_points_at_the_elements) {
  const array whole = sample(usm_kind::host);
  const array part = whole.with_layout(layout::c_order(extents{3}, 2));
  const owned_array made = to_arrow(part);
  EXPECT_EQ(made->length, 3);
  EXPECT_EQ(made->null_count, 0);
  EXPECT_EQ(made->offset, 0);
  EXPECT_EQ(made->n_buffers, 2);
  EXPECT_EQ(made->buffers[0], nullptr);
  EXPECT_EQ(made->buffers[1], part.data());
  EXPECT_EQ(made->n_children, 0);
  EXPECT_EQ(made->dictionary, nullptr);
}

TEST_F(arrow_test, host_accessible_memory_is_on_the_host) {
  for (const usm_kind kind : {usm_kind::shared, usm_kind::host}) {
    const auto made = to_arrow_device(sample(kind));
    EXPECT_EQ(made->device_type, arrow::device_type::cpu);
    EXPECT_EQ(made->device_id, -1);
    EXPECT_EQ(made->sync_event, nullptr);
  }
}

TEST_F(arrow_test, memory_that_the_host_reaches_is_on_the_host) {
  const array a = sample(usm_kind::device);
  const auto made = to_arrow_device(a);
  EXPECT_EQ(made->device_type == arrow::device_type::cpu,
            usmx::host_may_touch(usm_kind::device, device()));
}

TEST_F(arrow_test, device_memory_is_on_its_device_and_not_on_the_host) {
  const support::strict_host_access strict;
  const array a = sample(usm_kind::device);
  const auto made = to_arrow_device(a);
  EXPECT_EQ(static_cast<int>(made->device_type),
            static_cast<int>(usmx::exchange::dlpack_device(a).type));
  EXPECT_EQ(made->device_id, usmx::exchange::dlpack_device(a).id);
  EXPECT_EQ(made->array.buffers[1], a.data());
  expect_error<buffer_error>([&] { to_arrow(a); }, {"device memory", "__arrow_c_device_array__"});
}

TEST_F(arrow_test, memory_lives_until_it_is_released_on_any_thread) {
  array a = sample();
  const std::weak_ptr<usmx::buffer> memory = a.owner();
  owned_array made = to_arrow(a);
  auto on_device = to_arrow_device(a);
  a = sample();
  EXPECT_EQ(memory.use_count(), 2);
  std::thread([&] {
    made->release(&*made);
    const auto moved = std::move(on_device);
  }).join();
  usmx::synchronize();
  EXPECT_FALSE(made.is_there());
  EXPECT_TRUE(memory.expired());
}

TEST_F(arrow_test, what_was_moved_out_is_released_once) {
  const array a = sample();
  {
    owned_array made = to_arrow(a);
    const owned_array consumer = owned_array::taken_from(*made);
    EXPECT_FALSE(made.is_there());
    EXPECT_EQ(a.owner().use_count(), 2);
  }
  EXPECT_EQ(a.owner().use_count(), 1);
}

TEST_F(arrow_test, other_dimensions_and_gaps_are_refused) {
  const array a = sample();
  expect_error<buffer_error>([&] { to_arrow(a.with_layout(layout::f_order(extents{2, 3}))); },
                             {"side by side", "(2, 3)", "(1, 2)"});
  expect_error<buffer_error>([&] { to_arrow(a.with_layout(layout::c_order(extents{}))); },
                             {"one dimension", "()"});
  for (const std::ptrdiff_t stride : {2, 0, -1}) {
    const layout gaps = layout::strided(extents{2}, extents{stride}, 3);
    expect_error<buffer_error>([&] { to_arrow_device(a.with_layout(gaps)); },
                               {"side by side", std::to_string(stride)});
  }
}

TEST_F(arrow_test, stride_that_no_element_is_reached_by_does_not_count) {
  const array a = sample();
  for (const std::ptrdiff_t size : {0, 1}) {
    const layout where = layout::strided(extents{size}, extents{-2}, 3);
    EXPECT_EQ(to_arrow(a.with_layout(where))->length, size);
  }
}

TEST_F(arrow_test, dimensions_after_the_first_are_lists) {
  const array a = usmx::empty(extents{2, 3, 4}, type_code::int16, queue(), usm_kind::host);
  const auto schema = to_arrow_schema(a);
  const owned_array made = to_arrow(a);
  EXPECT_STREQ(schema->format, "+w:3");
  EXPECT_STREQ(schema->children[0]->format, "+w:4");
  EXPECT_STREQ(schema->children[0]->children[0]->format, "s");
  EXPECT_EQ(made->length, 2);
  const arrow::array& lists = *made->children[0];
  EXPECT_EQ(lists.length, 6);
  EXPECT_EQ(lists.children[0]->length, 24);
  EXPECT_EQ(lists.children[0]->buffers[1], a.data());
}

TEST_F(arrow_test, child_that_was_moved_out_lives_on) {
  array a = usmx::empty(extents{2, 3}, type_code::int16, queue(), usm_kind::host);
  const std::weak_ptr<usmx::buffer> memory = a.owner();
  std::optional<owned_array> child;
  {
    const owned_array made = to_arrow(a);
    child.emplace(owned_array::taken_from(*made->children[0]));
  }
  a = sample();
  EXPECT_FALSE(memory.expired());
  child.reset();
  usmx::synchronize();
  EXPECT_TRUE(memory.expired());
}

TEST_F(arrow_test, bools_are_packed_and_unpacked) {
  const array bools = usmx::empty(extents{11}, type_code::bool_, queue(), usm_kind::host);
  auto* const values = static_cast<bool*>(static_cast<void*>(bools.data()));
  for (int k = 0; k < 11; ++k) {
    values[k] = k % 3 == 0;
  }
  const auto schema = to_arrow_schema(bools);
  EXPECT_STREQ(schema->format, "b");
  for (const std::int64_t first : {0, 1, 8, 10}) {
    owned_array made = to_arrow(bools);
    made->offset = first;
    made->length -= first;
    const column received = receive(*schema, *made);
    EXPECT_TRUE(received.formats[0].is_packed);
    const auto rows = host_rows(received, 0, 0, queue());
    std::vector<std::uint8_t> unpacked(static_cast<std::size_t>(11 - first), 7);
    unpack(rows, unpacked);
    for (std::size_t k = 0; k < unpacked.size(); ++k) {
      EXPECT_EQ(unpacked[k], values[static_cast<std::size_t>(first) + k]) << first << ' ' << k;
    }
    expect_error<value_error>([&] { unpack(rows, std::span(unpacked).subspan(1)); },
                              {std::to_string(11 - first)});
    expect_error<value_error>([&] { host_views(received, queue()); }, {"packed"});
  }
}

// ---- In

TEST_F(arrow_test, dates_and_times_have_the_type_of_their_integers) {
  for (const auto& [type, format] :
       {pair_of_type{type_code::int32, "tdD"}, pair_of_type{type_code::int64, "tdm"},
        pair_of_type{type_code::int32, "ttm"}, pair_of_type{type_code::int64, "ttu"},
        pair_of_type{type_code::int64, "tss:UTC"}, pair_of_type{type_code::int64, "tDn"}}) {
    foreign_column given({1});
    given.schema.format = format;
    EXPECT_EQ(given.received().type, type);
  }
}

/// A table or lists of a stranger's: a structure of columns.
struct foreign_parent {
  std::vector<foreign_column*> columns;
  std::vector<arrow::schema*> schemas;
  std::vector<arrow::array*> arrays;
  foreign_column all{{}};

  foreign_parent(const char* format, std::int64_t length, std::vector<foreign_column*> of)
      : columns(std::move(of)) {
    for (foreign_column* column : columns) {
      schemas.push_back(&column->schema);
      arrays.push_back(&column->array);
    }
    all.schema.format = format;
    all.schema.n_children = std::ssize(columns);
    all.schema.children = schemas.data();
    all.array.length = length;
    all.array.n_buffers = 1;
    all.array.n_children = std::ssize(columns);
    all.array.children = arrays.data();
  }
};

TEST_F(arrow_test, rows_of_a_table_are_parts_of_its_columns) {
  foreign_column x({1, 2, 3, 4, 5});
  foreign_column y({6, 7, 8, 9});
  x.array.offset = 1;
  x.array.length = 4;
  y.schema.name = "y";
  foreign_parent table("+s", 2, {&x, &y});
  table.all.array.offset = 1;
  const column received = table.all.received();
  EXPECT_TRUE(received.is_table);
  EXPECT_EQ(received.formats[1].name, "y");
  EXPECT_EQ(values_of(host_rows(received, 0, 0, queue()).elements), (extents{3, 4}));
  EXPECT_EQ(values_of(host_rows(received, 0, 1, queue()).elements), (extents{7, 8}));
  expect_error<value_error>([&] { host_rows(received, 0, 2, queue()); }, {"2 columns"});
  expect_error<value_error>([&] { host_rows(received, 1, 0, queue()); }, {"1 chunks"});
  expect_error<value_error>([&] { host_views(received, queue()); }, {"2 columns"});
}

TEST_F(arrow_test, children_that_are_too_short_or_not_there_are_refused) {
  for (const char* format : {"+s", "+w:1"}) {
    foreign_column x({1, 2, 3});
    foreign_parent parent(format, 4, {&x});
    expect_error<value_error>([&] { host_rows(parent.all.received(), 0, 0, queue()); }, {"4", "3"});
    foreign_column other({1, 2, 3});
    foreign_parent without(format, 3, {&other});
    without.arrays[0] = nullptr;
    expect_error<value_error>([&] { host_rows(without.all.received(), 0, 0, queue()); }, {"null"});
    foreign_column third({1, 2, 3});
    foreign_parent none(format, 3, {&third});
    none.schemas[0] = nullptr;
    expect_error<value_error>([&] { none.all.received(); }, {"children", "null"});
  }
}

TEST_F(arrow_test, lists_of_a_size_that_is_none_are_refused) {
  for (const char* format : {"+w:", "+w:-1", "+w:x", "+w:99999999999999999999"}) {
    foreign_column x({1});
    foreign_parent lists(format, 1, {&x});
    expect_error<value_error>([&] { lists.all.received(); }, {"size of lists"});
  }
  foreign_column x({1});
  foreign_parent huge("+w:9223372036854775807", 2, {&x});
  expect_error<usmx::overflow_error>([&] { host_rows(huge.all.received(), 0, 0, queue()); },
                                     {"lists"});
}

TEST_F(arrow_test, dictionary_is_found_beside_its_indices) {
  foreign_column indices({});
  foreign_column values({1, 2, 3});
  indices.schema.format = "l";
  indices.schema.dictionary = &values.schema;
  indices.array.dictionary = &values.array;
  const column received = indices.received();
  EXPECT_EQ(received.formats[0].dictionary[0].type, type_code::float64);
  EXPECT_EQ(values_of(dictionary_rows(received, 0, 0, queue()).elements), (extents{1, 2, 3}));
  foreign_column plain({1});
  expect_error<value_error>([&] { dictionary_rows(plain.received(), 0, 0, queue()); },
                            {"dictionary"});
  foreign_column nested({1});
  nested.schema.format = "l";
  nested.schema.dictionary = &nested.schema;
  expect_error<buffer_error>([&] { nested.received(); }, {"another dictionary"});
  foreign_column fractions({1});
  fractions.schema.dictionary = &values.schema;
  expect_error<value_error>([&] { fractions.received(); }, {"integers", "float64"});
}

TEST_F(arrow_test, every_format_of_numbers_has_its_type) {
  for (const auto& [type, format] : formats) {
    foreign_column given({1});
    given.schema.format = format;
    EXPECT_EQ(given.received().type, type);
  }
}

TEST_F(arrow_test, column_is_seen_as_it_lies_and_let_go_once) {
  foreign_column given({1, 2, 3, 4});
  given.array.offset = 1;
  given.array.length = 2;
  {
    const column received = given.received();
    EXPECT_EQ(given.array.release, nullptr);
    const auto views = host_views(received, queue());
    ASSERT_EQ(views.size(), 1);
    EXPECT_EQ(values_of(views[0]), (extents{2, 3}));
    EXPECT_EQ(views[0].kind(), usm_kind::unknown);
    EXPECT_TRUE(views[0].readonly());
    EXPECT_EQ(given.arrays_released, 0);
  }
  EXPECT_EQ(given.arrays_released, 1);
  EXPECT_EQ(given.schemas_released, 0);  // its owner keeps it
}

TEST_F(arrow_test, release_that_does_not_clear_itself_is_called_once) {
  foreign_column given({1});
  given.array.release = [](arrow::array* self) {
    ++static_cast<foreign_column*>(self->context)->arrays_released;
  };
  {
    column received = given.received();
    const column moved = std::move(received);
  }
  EXPECT_EQ(given.arrays_released, 1);
}

TEST_F(arrow_test, usmxs_own_arrays_come_back) {
  const array a = sample(usm_kind::shared, type_code::int16);
  auto schema = to_arrow_schema(a.type());
  auto made = to_arrow_device(a);
  const column received = receive(*schema, *made);
  EXPECT_EQ(host_views(received, queue())[0].data(), a.data());
  EXPECT_EQ(received.type, type_code::int16);
}

TEST_F(arrow_test, other_places_are_refused_and_stay_with_their_owner) {
  foreign_column given({1});
  arrow::device_array there{.array = given.array,
                            .device_id = 3,
                            .device_type = static_cast<arrow::device_type>(2),
                            .sync_event = nullptr,
                            .reserved = {}};
  expect_error<buffer_error>([&] { receive(given.schema, there); }, {"device type 2", "3"});
  EXPECT_NE(there.array.release, nullptr);
  EXPECT_EQ(given.arrays_released, 0);
}

TEST_F(arrow_test, what_was_let_go_is_refused) {
  foreign_column no_schema({1});
  no_schema.schema.release = nullptr;
  refuse<value_error>(no_schema, {"schema", "released"});
  foreign_column no_array({1});
  no_array.array.release = nullptr;
  expect_error<value_error>([&] { no_array.received(); }, {"array", "released"});
  EXPECT_EQ(no_array.arrays_released, 0);
}

TEST_F(arrow_test, other_columns_are_refused_by_name) {
  for (const auto& [format, name] :
       std::vector<std::pair<const char*, std::string>>{{"u", "strings"},
                                                        {"vu", "strings"},
                                                        {"z", "binary"},
                                                        {"w:16", "binary"},
                                                        {"d:5,2", "decimal"},
                                                        {"tiM", "intervals"},
                                                        {"n", "missing"},
                                                        {"", "no known"},
                                                        {"\xff\x01", "xff"},
                                                        {"ii", "no known"}}) {
    foreign_column given({1});
    given.schema.format = format;
    refuse<buffer_error>(given, {name, "format"});
  }
  foreign_column coded({1});
  coded.schema.dictionary = &coded.schema;
  refuse<buffer_error>(coded, {"dictionary"});
}

TEST_F(arrow_test, schema_without_a_format_is_refused) {
  foreign_column given({1});
  given.schema.format = nullptr;
  refuse<value_error>(given, {"'format'", "null pointer"});
}

TEST_F(arrow_test, lying_numbers_are_refused) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto refuses = [](auto error, auto change, std::initializer_list<std::string> parts) {
    foreign_column given({1, 2});
    change(given.array);
    refuse<decltype(error)>(given, parts);
    EXPECT_EQ(given.arrays_released, 1);
  };
  const value_error wrong("");
  const overflow_error far("");
  refuses(wrong, [](arrow::array& a) { a.length = -1; }, {"'length'", "-1"});
  refuses(wrong, [](arrow::array& a) { a.offset = -1; }, {"'offset'", "-1"});
  refuses(wrong, [](arrow::array& a) { a.n_buffers = 1; }, {"2 buffers", "1"});
  refuses(wrong, [](arrow::array& a) { a.n_buffers = most; }, {"2 buffers"});
  refuses(wrong, [](arrow::array& a) { a.n_children = 1; }, {"children"});
  refuses(wrong, [](arrow::array& a) { a.buffers = nullptr; }, {"'buffers'", "null pointer"});
  refuses(wrong, [](arrow::array& a) { a.buffers[1] = nullptr; }, {"null pointer"});
  refuses(wrong, [](arrow::array& a) { a.null_count = -2; }, {"'null_count'", "-2"});
  refuses(wrong, [](arrow::array& a) { a.null_count = 3; }, {"'null_count'", "3"});
  refuses(far, [](arrow::array& a) { a.length = most; }, {});
  refuses(far, [](arrow::array& a) { a.offset = most; }, {});
  refuses(far, [](arrow::array& a) { a.length = most / 8 + 1; }, {});
  refuses(far, [](arrow::array& a) { a.offset = most / 8; }, {});
  refuses(far, [](arrow::array& a) { a.buffers[1] = reinterpret_cast<void*>(UINTPTR_MAX - 8); },
          {"address space"});
}

TEST_F(arrow_test, column_without_elements_may_point_anywhere) {
  for (const void* data : {static_cast<const void*>(nullptr), reinterpret_cast<const void*>(8)}) {
    foreign_column given({});
    given.buffers[1] = data;
    EXPECT_EQ(host_views(given.received(), queue())[0].size(), 0);
  }
}

TEST_F(arrow_test, missing_values_are_counted_and_refused) {
  const std::vector<double> values(40);
  std::array<std::uint8_t, 5> bits{0xff, 0xff, 0xfe, 0xff, 0x7f};  // 16 and 39 are missing
  const auto given_from = [&](foreign_column& given, std::int64_t first, std::int64_t end) {
    given.buffers[0] = bits.data();
    given.array.null_count = -1;
    given.array.offset = first;
    given.array.length = end - first;
  };
  for (const auto& [first, end, missing] :
       std::vector<std::array<std::int64_t, 3>>{{0, 40, 2}, {16, 17, 1}, {3, 39, 1}, {39, 40, 1}}) {
    foreign_column given(values);
    given_from(given, first, end);
    refuse<buffer_error>(
        given, {"found " + std::to_string(missing) + " missing", std::to_string(end - first)});
  }
  for (const auto& [first, end] :
       std::vector<std::array<std::int64_t, 2>>{{0, 16}, {17, 39}, {20, 20}, {21, 23}}) {
    foreign_column given(values);
    given_from(given, first, end);
    EXPECT_EQ(host_views(given.received(), queue())[0].size(), end - first);
  }
}

TEST_F(arrow_test, counted_missing_values_are_believed) {
  foreign_column given({1, 2});
  given.array.null_count = 1;
  refuse<buffer_error>(given, {"1 missing"});
  foreign_column uncounted({1, 2});
  uncounted.array.null_count = -1;  // and no bits: none is missing
  EXPECT_EQ(host_views(uncounted.received(), queue())[0].size(), 2);
}

// ---- Streams

TEST_F(arrow_test, stream_is_read_to_its_end) {
  foreign_column first({1, 2});
  foreign_column second({3});
  foreign_stream given({&first, &second});
  {
    const column received = receive(given.stream);
    const auto views = host_views(received, queue());
    ASSERT_EQ(views.size(), 2);
    EXPECT_EQ(values_of(views[0]), (extents{1, 2}));
    EXPECT_EQ(values_of(views[1]), (extents{3}));
    EXPECT_EQ(first.schemas_released, 1);
    EXPECT_EQ(first.arrays_released, 0);
  }
  EXPECT_EQ(first.arrays_released, 1);
  EXPECT_EQ(second.arrays_released, 1);
  EXPECT_EQ(given.released, 0);  // its owner keeps it
}

TEST_F(arrow_test, stream_that_fails_says_why_and_lets_all_go) {
  foreign_column first({1, 2});
  foreign_stream given({&first});
  given.fails_at = 1;
  expect_error<std::runtime_error>([&] { receive(given.stream); },
                                   {std::to_string(EIO), "disk on fire"});
  EXPECT_EQ(first.arrays_released, 1);
  EXPECT_EQ(first.schemas_released, 1);
}

TEST_F(arrow_test, stream_may_fail_without_a_word) {
  foreign_column first({1});
  foreign_stream given({&first});
  given.fails_at = 0;
  given.error = nullptr;
  expect_error<std::runtime_error>([&] { receive(given.stream); }, {"without a message"});
  foreign_column second({1});
  foreign_stream silent({&second});
  silent.fails_at = 0;
  silent.stream.get_last_error = nullptr;
  expect_error<std::runtime_error>([&] { receive(silent.stream); }, {"without a message"});
}

TEST_F(arrow_test, stream_of_other_elements_is_refused_before_it_is_read) {
  foreign_column first({1});
  first.schema.format = "u";
  foreign_stream given({&first});
  expect_error<buffer_error>([&] { receive(given.stream); }, {"strings"});
  EXPECT_EQ(first.schemas_released, 1);
  EXPECT_EQ(given.next, 0);
}

TEST_F(arrow_test, stream_without_a_schema_is_refused) {
  foreign_column first({1});
  first.schema.release = nullptr;
  foreign_stream given({&first});
  expect_error<value_error>([&] { receive(given.stream); }, {"schema", "released"});
}

TEST_F(arrow_test, stream_that_was_let_go_or_lacks_functions_is_refused) {
  foreign_column first({1});
  foreign_stream given({&first});
  given.stream.get_next = nullptr;
  expect_error<value_error>([&] { receive(given.stream); }, {"get_next"});
  given.stream.get_schema = nullptr;
  expect_error<value_error>([&] { receive(given.stream); }, {"get_schema"});
  given.stream.release = nullptr;
  expect_error<value_error>([&] { receive(given.stream); }, {"released"});
}

// ---- Lengths beyond the memory

TEST_F(arrow_test, length_beyond_a_buffer_of_known_size_is_refused) {
  foreign_column given({1, 2, 3, 4});
  given.array.length = 5;
  column received = given.received();
  received.sizes.push_back({given.array.buffers[1], 4 * sizeof(double)});
  expect_error<value_error>([&] { host_views(received, queue()); },
                            {"'length' 5", "40 bytes of buffer 1, which has 32"});
  received.chunks[0]->length = 4;
  EXPECT_EQ(host_views(received, queue())[0].size(), 4);
}

TEST_F(arrow_test, length_beyond_usm_is_refused) {
  const array a = sample(usm_kind::host);
  column received = receive(*to_arrow_schema(a.type()), *to_arrow(a));
  EXPECT_EQ(host_views(received, queue())[0].size(), 6);
  received.chunks[0]->length = 7;
  expect_error<value_error>([&] { host_views(received, queue()); },
                            {"not all inside the host allocation", "48 bytes"});
}

}  // namespace
