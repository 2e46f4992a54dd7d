#include "compute/products.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include <sycl/queue.hpp>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "compute/elementwise.hpp"
#include "compute/functions.hpp"
#include "compute/host_calls.hpp"
#include "compute/host_reductions.hpp"
#include "compute/made_kernels.hpp"
#include "compute/promotion.hpp"
#include "compute/rows.hpp"
#include "compute/table.hpp"
#include "copy/copy.hpp"
#include "generated_kernels/call.hpp"
#include "runtime/queues.hpp"
#include "user_kernels/kernel_code.hpp"
#include "user_kernels/launch.hpp"
#include "usmx/array/submit.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/compute/functions.hpp"
#include "usmx/compute/products.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/generated_kernels/generated_kernels.hpp"
#include "usmx/runtime/devices.hpp"
#include "vendors/host_work.hpp"
#include "vendors/product.hpp"

namespace usmx::inline v1 {
namespace internal {
namespace {

using std::ptrdiff_t;
using extents = std::vector<ptrdiff_t>;
using told = std::function<void(std::chrono::seconds)>;

// ---- operands

usm_kind kind_of_both(const array& x, const array& y) {
  return x.kind() == y.kind() ? x.kind() : detail::common_kind(std::array{&x, &y});
}

void require_common_queue(std::string_view function, const array& x, const array& y) {
  if (private_queue(x) != private_queue(y)) {
    detail::common_queue(function, std::array<kernel_argument, 2>{x, y});
  }
}

/// The type that both are promoted to.
dtype type_of_both(std::string_view function, const array& x, const array& y) {
  require_plain(function, x.type());
  require_plain(function, y.type());
  const std::array kinds{operand_kind{x.type().code(), false},
                         operand_kind{y.type().code(), false}};
  return nearest_supported(common_type(kinds), support_of(private_queue(x).get_device()));
}

/// The elements of that layout in another shape: a view, or a copy where there is none.
array reshaped_rows(const array& a, const layout& wide, std::span<const ptrdiff_t> shape) {
  if (const std::optional<layout> found = reshaped(wide, shape)) {
    return with_layout(a, *found);
  }
  const array made = new_beside(a, wide.shape(), a.type());
  copy_for_call(with_layout(a, wide), made);
  return with_layout(made, layout::c_order(shape));
}

// ---- the host

bool is_for_loops(const array& a) { return is_of_cpu(a) && host_reaches(a); }

bool are_idle(std::initializer_list<const array*> arrays) {
  return std::ranges::none_of(arrays, [](const array* each) { return each->may_be_busy(); });
}

/// Whether they are idle, or are so within the time that it takes to submit a command which comes
/// after their work: most operands were computed just now.
bool are_idle_soon(const array& x, const array& y) {
  constexpr std::chrono::microseconds patience(100);
  const auto begin = std::chrono::steady_clock::now();
  const auto others_work = [](const array& each) { return each.owner()->others_may_work(); };
  while (!are_idle({&x, &y})) {
    if (others_work(x) || others_work(y) || std::chrono::steady_clock::now() - begin > patience) {
      return false;
    }
    if (!pending_events({x, y}, {}).empty()) {  // which forgets what is complete
      std::this_thread::yield();
    }
  }
  return true;
}

/// Multiplies the matrices of arrays of three dimensions, at once or in the order of work on them,
/// unless a library or a kernel does that better. `is_last` says that no library does it.
bool start_on_host(const array& x, const array& y, const array& z, bool is_last) {
  const std::optional<host_product> product = host_product::of(x, y);
  if (!product || !is_for_loops(x) || !is_for_loops(y) || !is_for_loops(z)) {
    return false;
  }
  std::byte* const to = first_element(z);
  const bool is_little = product->is_little();
  if (is_little && are_idle({&x, &y, &z})) {
    product->run(to, false);
    return true;
  }
  if (is_last ? !product->beats_kernels() : is_little || !product->is_best_here()) {
    return false;
  }
  if (!is_little && product->is_quick() && are_idle_soon(x, y) && are_idle({&z})) {
    product->run(to, true);
  } else {
    host_work({x, y}, {z}, false, [product, to, is_little] {
      product->run(to, !is_little);
    }).start(false);
  }
  return true;
}

// ---- kernels

constexpr ptrdiff_t items_of_tile = 16;    // along both axes, as in device/product.hpp
constexpr ptrdiff_t edge_of_tile = 64;     // what they make along both
constexpr ptrdiff_t most_batches = 65535;  // that a launch on a CUDA device may have

std::string_view joined_products(dtype type) {
  switch (type.kind()) {
    case 'b':
      return "c || (a && b)";
    case 'i':
    case 'u':
      return "wrapping_add(c, wrapping_multiply(a, b))";
    default:
      return "c + a * b";
  }
}

held_kernels product_kernels(dtype type, const sycl::queue& queue, const told& progress) {
  // Never destroyed: a program may compute up to its end.
  static compiled_kernels<type_code>& all = *new compiled_kernels<type_code>();
  if (held_kernels known = all.find(queue, type.code())) {
    return known;
  }
  const std::string name(language_name(type));
  const std::pair<std::string, std::string> macros[] = {
      {"X", name},
      {"A", std::string(computed_name(type))},
      {"R", name},
      {"JOIN", std::string(joined_products(type))}};
  const std::string names[] = {"product"};
  return all.add(queue, type.code(),
                 compile_device_text(queue, "product.hpp", names, macros, progress));
}

void start_kernels(const array& x, const array& y, const array& z, const told& progress) {
  const sycl::queue& queue = presented_queue(private_queue(z));
  const held_kernels kernels = product_kernels(z.type(), queue, progress);
  const auto items = [&](int axis) {
    return static_cast<std::size_t>(divided_up(z.extent(axis), edge_of_tile) * items_of_tile);
  };
  constexpr auto of_group = static_cast<std::size_t>(items_of_tile);
  for (ptrdiff_t first = 0; first < z.extent(0); first += most_batches) {
    const ptrdiff_t end = std::min(first + most_batches, z.extent(0));
    const auto part = [&](const array& of) {
      return with_layout(of, subscript(of.layout(), std::array{range(first, end)}));
    };
    const launch_sizes sizes{3,
                             {static_cast<std::size_t>(end - first), items(1), items(2)},
                             std::array<std::size_t, 3>{1, of_group, of_group}};
    const array of_x = part(x);
    const array of_y = part(y);
    const array of_z = part(z);
    const kernel_argument arguments[] = {of_x, of_y, of_z};
    detail::launch_of_library(kernels->front(), sizes, arguments, queue);
  }
}

/// The kernel of vecdot(), as reduction_kernel has its texts. What the package has compiled is
/// found for C++, too.
reduction_kernel make_vecdot(dtype first, dtype second, dtype made, bool has_fp64) {
  const std::string_view values = computed_name(made);
  const char* const product = made.kind() == 'b'   ? "A(x) && A(y)"
                              : made.kind() == 'c' ? "conj(A(x)) * A(y)"
                              : made.kind() == 'f' ? "A(x) * A(y)"
                                                   : "wrapping_multiply(A(x), A(y))";
  const char* const sum = made.kind() == 'b'                         ? "a || b"
                          : made.kind() == 'i' || made.kind() == 'u' ? "wrapping_add(a, b)"
                                                                     : "a + b";
  // float16 has fewer conversions than the others.
  const char* const rounded = made == float16 ? "float(rounded(a))" : "rounded(a)";
  return {detail::message(first.name(), " x, ", second.name(), " y"),
          detail::message(made.name(), " out"),
          {.map = product,
           .reduce = sum,
           .post_map = detail::message("out = ", language_name(made), '(', rounded, ')'),
           .identity = "0",
           .type = "summed",
           .block_type = "A"},
          {.name = "vecdot",
           .preamble = detail::message(device_text("device_functions.hpp"), "using A = ", values,
                                       ";\nusing summed = ", summed_name(made, has_fp64), ";\n")}};
}

/// That kernel, which is made once.
const reduction_kernel& vecdot_kernel(dtype first, dtype second, dtype made, type_support has) {
  static made_kernels<reduction_kernel, std::size_t{4} * type_count * type_count> all;
  const std::size_t index = (static_cast<std::size_t>(first.code()) * type_count +
                             static_cast<std::size_t>(second.code())) *
                                4 +
                            (has.fp16 ? 2 : 0) + (has.fp64 ? 1 : 0);
  return all.at(index, [&] { return make_vecdot(first, second, made, has.fp64); });
}

}  // namespace

// ---- matrices

matrix_product::matrix_product(std::string_view function, const array& x1, const array& x2)
    : x_(x1), y_(x2), type_(x1.type()) {
  require_usable_process();
  require_common_queue(function, x1, x2);
  if (x1.ndim() <= 2 && x2.ndim() <= 2) {
    direct_ = host_product::of(x1, x2);
  }
  if (direct_) {  // then all suits
    is_direct_on_host_ = is_for_loops(x1) && (x1.kind() == x2.kind() || host_reaches(x2));
    return;
  }
  if (x1.ndim() == 0 || x2.ndim() == 0) {
    throw value_error(
        detail::message(function, ": operands must have a dimension, found one without"));
  }
  const std::span<const ptrdiff_t> left = x1.shape();
  const std::span<const ptrdiff_t> right = x2.shape();
  if (left.back() != right[right.size() - (right.size() > 1 ? 2 : 1)]) {
    throw value_error(detail::message(function,
                                      ": shapes must agree in the dimension that is summed, found ",
                                      tuple_text(left), " and ", tuple_text(right)));
  }
  type_ = type_of_both(function, x1, x2);
  const auto before_matrix = [](std::span<const ptrdiff_t> shape) {
    return shape.first(shape.size() - std::min<std::size_t>(shape.size(), 2));
  };
  stack_ = detail::common_shape(function, std::array{before_matrix(left), before_matrix(right)});
}

layout matrix_product::made_layout() const {
  std::array<ptrdiff_t, 2> matrix{};
  std::size_t ndim = 0;
  if (x_.ndim() > 1) {
    matrix[ndim++] = x_.extent(x_.ndim() - 2);
  }
  if (y_.ndim() > 1) {
    matrix[ndim++] = y_.shape().back();
  }
  const auto last = std::span(matrix).first(ndim);
  if (stack_.empty()) {
    return layout::c_order(last);
  }
  extents shape = stack_;
  shape.insert(shape.end(), last.begin(), last.end());
  return layout::c_order(shape);
}

usm_kind matrix_product::made_kind() const { return kind_of_both(x_, y_); }

first_use matrix_product::made_use() const {
  const bool is_soon =
      is_direct_on_host_ && !direct_->is_little() && direct_->is_best_here() && direct_->is_quick();
  return is_soon ? first_use::at_once : first_use::in_order;
}

bool matrix_product::is_for_host() const {
  return is_direct_on_host_ && direct_->is_little() && are_idle({&x_, &y_});
}

void matrix_product::run_on_host(const array& made) const {
  direct_->run(first_element(made), false);
}

array matrix_product::matrices_of(const array& operand, bool is_left) const {
  const array typed = in_type(operand, type_);
  layout own = typed.layout();
  if (operand.ndim() == 1) {
    own = is_left ? subscript(own, std::array<index_item, 2>{newaxis, ellipsis})
                  : subscript(own, std::array<index_item, 2>{ellipsis, newaxis});
  }
  extents shape = stack_;
  shape.insert(shape.end(), own.shape().end() - 2, own.shape().end());
  const layout wide = broadcast(own, shape);
  const std::array flat{wide.size() / (shape.back() * shape[shape.size() - 2]),
                        shape[shape.size() - 2], shape.back()};
  return reshaped_rows(typed, wide, flat);
}

product_way matrix_product::run(const array& made, product_ways ways, const told& progress) const {
  if (made.size() == 0) {
    return product_way::kernels;
  }
  if (x_.shape().back() == 0) {  // the sums of nothing
    fill_async(made, 0);
    return product_way::kernels;
  }
  const array x = matrices_of(x_, true);
  const array y = matrices_of(y_, false);
  const array z =
      with_layout(made, layout::c_order(std::array{x.extent(0), x.extent(1), y.extent(2)}));
  if (ways.host && start_on_host(x, y, z, false)) {
    return product_way::host;
  }
  if (ways.vendor && start_vendor_product(x, y, z)) {
    return product_way::vendor;
  }
  if (ways.host && start_on_host(x, y, z, true)) {
    return product_way::host;
  }
  if (!ways.kernels) {
    return product_way::none;
  }
  start_kernels(x, y, z, progress);
  return product_way::kernels;
}

namespace {

array multiplied(std::string_view function, const array& x, const array& y, const told& progress) {
  const matrix_product call(function, x, y);
  const auto make = [&](first_use use) {
    return new_array(call.made_layout(), call.made_type(), private_queue(x), call.made_kind(), 0,
                     use);
  };
  if (call.is_for_host()) {
    array made = make(first_use::at_once);
    if (call.is_for_host()) {  // another thread may have begun work meanwhile
      call.run_on_host(made);
      return made;
    }
  }
  array made = make(call.made_use());
  call.run(made, {}, progress);
  return made;
}

/// A result: the array, or `out` with its elements.
array written(std::string_view function, const array& made, const product_options& how) {
  if (!how.out) {
    return made;
  }
  require_output(function, *how.out, made.type(), made.shape(), private_queue(made));
  detail::copy_in_order(made, *how.out);
  return *how.out;
}

}  // namespace

// ---- other products

tensor_matrices matrices_of_tensors(const array& x1, const array& x2,
                                    std::span<const ptrdiff_t> of_x1,
                                    std::span<const ptrdiff_t> of_x2) {
  require_usable_process();
  require_common_queue("tensordot", x1, x2);
  require_plain("tensordot", x1.type());
  require_plain("tensordot", x2.type());
  if (of_x1.size() != of_x2.size()) {
    throw value_error(detail::message("tensordot: expected as many axes of both, found ",
                                      of_x1.size(), " and ", of_x2.size()));
  }
  struct part {
    std::vector<int> summed;
    std::vector<int> kept;
    extents summed_shape;
    extents kept_shape;
    ptrdiff_t depth = 1;
    ptrdiff_t width = 1;
  };
  const auto part_of = [](const array& x, std::span<const ptrdiff_t> axes) {
    part made;
    for (const ptrdiff_t axis : axes) {
      const int found = normalized_axis(axis, x.ndim());
      if (std::ranges::find(made.summed, found) != made.summed.end()) {
        throw value_error(detail::message("tensordot: an axis can be summed only once, found ",
                                          tuple_text(axes)));
      }
      made.summed.push_back(found);
      made.summed_shape.push_back(x.extent(found));
      made.depth = checked_multiply(made.depth, x.extent(found), "tensordot");
    }
    for (int axis = 0; axis < x.ndim(); ++axis) {
      if (std::ranges::find(made.summed, axis) == made.summed.end()) {
        made.kept.push_back(axis);
        made.kept_shape.push_back(x.extent(axis));
        made.width = checked_multiply(made.width, x.extent(axis), "tensordot");
      }
    }
    return made;
  };
  const part left = part_of(x1, of_x1);
  const part right = part_of(x2, of_x2);
  if (left.summed_shape != right.summed_shape) {
    throw value_error(
        detail::message("tensordot: the axes that are summed must have the same extents, found ",
                        tuple_text(left.summed_shape), " and ", tuple_text(right.summed_shape)));
  }
  const auto matrix = [](const array& x, const std::vector<int>& first,
                         const std::vector<int>& second, std::array<ptrdiff_t, 2> shape) {
    std::vector<int> axes = first;
    axes.insert(axes.end(), second.begin(), second.end());
    return reshaped_rows(x, permuted(x.layout(), axes), shape);
  };
  extents shape = left.kept_shape;
  shape.insert(shape.end(), right.kept_shape.begin(), right.kept_shape.end());
  return {matrix(x1, left.kept, left.summed, {left.width, left.depth}),
          matrix(x2, right.summed, right.kept, {right.depth, right.width}), std::move(shape)};
}

vector_product::vector_product(const array& x1, const array& x2, ptrdiff_t axis)
    : x_(with_axis_last(x1, normalized_axis(axis, x1.ndim()))),
      y_(with_axis_last(x2, normalized_axis(axis, x2.ndim()))),
      type_(x1.type()) {
  require_usable_process();
  require_common_queue("vecdot", x1, x2);
  if (x_.shape().back() != y_.shape().back()) {
    throw value_error(detail::message("vecdot: the axis must have the same extent in both, found ",
                                      x_.shape().back(), " and ", y_.shape().back()));
  }
  type_ = type_of_both("vecdot", x1, x2);
}

namespace {

/// Products of rows of integers or truth values, which have the bits of the kernel in any order:
/// each row is multiplied by a column, as matrices of a stack are.
std::optional<host_product> product_of_rows(const array& x, const array& y) {
  const bool are_rows = x.ndim() == 2;
  const auto matrices = [&](const array& of, std::initializer_list<index_item> items) {
    return are_rows ? with_layout(of, subscript(of.layout(), std::vector<index_item>(items))) : of;
  };
  auto product = x.ndim() > 2 ? std::nullopt
                              : host_product::of(matrices(x, {range(0, x.extent(0)), newaxis}),
                                                 matrices(y, {ellipsis, newaxis}));
  return product && product->is_little() ? product : std::nullopt;
}

}  // namespace

bool vector_product::is_little() const {
  constexpr ptrdiff_t most = 16384;  // elements
  return std::ranges::equal(x_.shape(), y_.shape()) && x_.type() == y_.type() && x_.size() != 0 &&
         x_.size() <= most && is_of_cpu(x_);
}

std::optional<array> vector_product::run_on_host() const {
  if (!is_little() || type_.kind() == 'c' || !is_ready_on_cpu(x_) || !is_ready_on_cpu(y_)) {
    return std::nullopt;
  }
  const auto make = [&](layout where) {
    return new_array(std::move(where), type_, private_queue(x_), kind_of_both(x_, y_), 0,
                     first_use::at_once);
  };
  if (type_.kind() != 'f') {
    const std::optional<host_product> product = product_of_rows(x_, y_);
    if (!product) {
      return std::nullopt;
    }
    array made = make(layout::c_order(x_.shape().first(x_.shape().size() - 1)));
    if (!are_idle({&x_, &y_})) {  // another thread may have begun work meanwhile
      return std::nullopt;
    }
    product->run(first_element(made), false);
    return made;
  }
  // Sums have more digits than their addends, as those of the kernel.
  const host_reduction* const sum = find_host_reduction("sum", type_.code());
  const function_row& row = function_named("multiply");
  const elementwise_types types{{type_.code(), type_.code()}, type_.code(), type_.code()};
  const host_loops* const loops = host_loops_for(*find_host_function("multiply"), row, types);
  if (sum == nullptr || loops == nullptr || !loops->is_for(x_.size(), private_queue(x_), false)) {
    return std::nullopt;
  }
  const std::array<kernel_argument, 2> operands{x_, y_};
  const host_call multiply(*loops, row, types, operands);
  const array products = make(layout::c_order(x_.shape()));
  const host_reduction_call add(*sum, products, nullptr, {.axes = {{-1}}}, 0);
  array made = make(add.output_layout());
  if (!are_idle({&x_, &y_})) {
    return std::nullopt;
  }
  multiply.run(products);
  return add.run(made) ? std::optional(std::move(made)) : std::nullopt;
}

array vector_product::run_kernel(const told& progress) const {
  const type_support has = support_of(private_queue(x_).get_device());
  // The order of the sums depends on the strides: few are added up as the host adds them.
  const auto ordered = [&](const array& a) { return is_little() ? in_c_order(a) : a; };
  const array x = ordered(x_);
  const array y = ordered(y_);
  const std::array<kernel_argument, 2> operands{x, y};
  return vecdot_kernel(x_.type(), y_.type(), type_, has)
      .call(operands, {.axes = -1}, {.progress = progress})
      .front();
}

}  // namespace internal

array matmul(const array& x1, const array& x2, const product_options& how) {
  return internal::written("matmul", internal::multiplied("matmul", x1, x2, how.progress), how);
}

array vecdot(const array& x1, const array& x2, std::ptrdiff_t axis, const product_options& how) {
  const internal::vector_product call(x1, x2, axis);
  const std::optional<array> made = call.run_on_host();
  return internal::written("vecdot", made ? *made : call.run_kernel(how.progress), how);
}

array tensordot(const array& x1, const array& x2, const std::vector<std::ptrdiff_t>& of_x1,
                const std::vector<std::ptrdiff_t>& of_x2, const product_options& how) {
  const internal::tensor_matrices of = internal::matrices_of_tensors(x1, x2, of_x1, of_x2);
  const array made = internal::multiplied("tensordot", of.rows, of.columns, how.progress);
  return internal::written("tensordot", internal::with_layout(made, layout::c_order(of.shape)),
                           how);
}

array tensordot(const array& x1, const array& x2, std::ptrdiff_t count,
                const product_options& how) {
  const int most = std::min(x1.ndim(), x2.ndim());
  if (count < 0 || count > most) {
    throw value_error(detail::message("tensordot: expected 0 to ", most, " axes, found ", count));
  }
  std::vector<std::ptrdiff_t> of_x1;
  std::vector<std::ptrdiff_t> of_x2;
  for (std::ptrdiff_t k = 0; k < count; ++k) {
    of_x1.push_back(x1.ndim() - count + k);
    of_x2.push_back(k);
  }
  return tensordot(x1, x2, of_x1, of_x2, how);
}

array kron(const array& a, const array& b) {
  const int ndim = std::max(a.ndim(), b.ndim());
  std::vector<index_item> of_a;  // n, 1 for each dimension
  std::vector<index_item> of_b;  // 1, n
  std::vector<std::ptrdiff_t> shape;
  for (int k = 0; k < ndim; ++k) {
    std::ptrdiff_t extent = 1;
    for (const auto& [x, items, is_first] :
         {std::tuple(&a, &of_a, true), std::tuple(&b, &of_b, false)}) {
      const int own = k - (ndim - x->ndim());
      const index_item item = own < 0 ? index_item(newaxis) : index_item(range());
      items->push_back(is_first ? item : index_item(newaxis));
      items->push_back(is_first ? index_item(newaxis) : item);
      extent = checked_multiply(extent, own < 0 ? 1 : x->extent(own), "kron: an extent");
    }
    shape.push_back(extent);
  }
  const array made = multiply(internal::with_layout(a, subscript(a.layout(), of_a)),
                              internal::with_layout(b, subscript(b.layout(), of_b)));
  return internal::in_c_order(made).reshaped(shape);
}

}  // namespace usmx::inline v1
