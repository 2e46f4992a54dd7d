#include "array/array.hpp"

#include "base/process.hpp"
#include "memory/registry.hpp"
#include "runtime/queues.hpp"
#include "runtime/waits.hpp"
#include "usmx/array/array.hpp"
#include "usmx/array/array_of.hpp"
#include "usmx/array/requirement.hpp"
#include "usmx/base/error.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1 {
namespace {

std::string_view contiguity(element_order order) {
  switch (order) {
    case element_order::c:
      return "C-contiguous";
    case element_order::f:
      return "Fortran-contiguous";
    default:
      return "contiguous";
  }
}

}  // namespace

std::optional<std::string> reason_to_copy(const array& a, const array_request& asked) {
  const sycl::queue& queue = internal::private_queue(a);
  if (asked.type != a.type()) {
    return detail::message("the element type is ", a.type(), ", not ", asked.type);
  }
  if (asked.kind != a.kind()) {
    return detail::message("the memory is of kind '", name(a.kind()), "', not '", name(asked.kind),
                           "'");
  }
  if (asked.queue.get_device() != queue.get_device()) {
    return detail::message("the array is on ", describe(queue.get_device()), ", not ",
                           describe(asked.queue.get_device()));
  }
  if (asked.queue.get_context() != queue.get_context()) {
    return "the array is in another context";
  }
  if (asked.exactly_on_queue && asked.queue != queue) {
    return "the array is on another queue of the same device";
  }
  if (!is_contiguous_in(a.layout(), asked.order)) {
    return detail::message("the array is not ", contiguity(asked.order));
  }
  return std::nullopt;
}

std::byte* array_view::data() const noexcept {
  // The offset of an array without elements may be anything.
  const std::ptrdiff_t first = size() == 0 ? 0 : layout_.offset();
  return origin_ + first * static_cast<std::ptrdiff_t>(type_.itemsize());
}

std::size_t array_view::nbytes() const noexcept {
  return static_cast<std::size_t>(size()) * type_.itemsize();
}

void array_view::require_host_access() const {
  if (kind_ == usm_kind::device) {
    throw value_error(
        "array must be in memory that the host may touch, of kind shared or host, found kind "
        "device");
  }
}

void array_view::require(dtype type, int ndim, bool writable) const {
  if (type != type_) {
    throw type_error(detail::message("element type must be ", type, ", found ", type_));
  }
  if (ndim != this->ndim()) {
    throw value_error(detail::message("array must have ", ndim, " dimensions, found ", this->ndim(),
                                      " with shape ", tuple_text(shape())));
  }
  if (writable && readonly_) {
    throw read_only_error("array must be writable, found a read-only one");
  }
}

void array_view::require_c_contiguous() const {
  if (!layout_.is_c_contiguous()) {
    throw value_error(detail::message("array must be C-contiguous, found ", layout_));
  }
}

namespace {

void check_inside(const buffer& memory, dtype type, const layout& where) {
  const auto span = where.span();
  if (!span) {
    return;
  }
  checked_nbytes(where.size(), type);
  const auto itemsize = static_cast<std::ptrdiff_t>(type.itemsize());
  const auto first = checked_multiply(span->first, itemsize, "first byte of the array");
  const auto last = checked_add(checked_multiply(span->last, itemsize, "last byte of the array"),
                                itemsize - 1, "last byte of the array");
  if (first < 0 || static_cast<std::size_t>(last) >= memory.nbytes()) {
    throw value_error(detail::message("array of ", where, " and element type ", type,
                                      " needs bytes ", first, " to ", last,
                                      " of its memory, which has ", memory.nbytes(), " bytes"));
  }
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data() + where.offset() * itemsize);
  if (address % type.alignment() != 0) {
    throw value_error(detail::message("element zero of an array of ", type, " must be aligned to ",
                                      type.alignment(), " bytes, found address 0x", std::hex,
                                      address));
  }
}

}  // namespace

array::array() noexcept
    : layout_(usmx::layout::without_elements()), type_(type_code::float64), readonly_(false) {}

array::array(std::shared_ptr<buffer> owner, dtype type, usmx::layout where, bool readonly)
    : array(std::move(owner), type, std::move(where), readonly, 0) {
  check_inside(memory(), type_, layout_);
}

void array::throw_no_memory() {
  throw value_error("array without memory, made by array() or moved from: it has no queue");
}

namespace {

void record_access(const array& a, detail::access made, const sycl::event& event) {
  if (!a.owner()) {
    return;
  }
  if (const auto bytes = detail::range_of(a.owner()->data(), a.type(), a.layout())) {
    const detail::runtime_call call;
    detail::add_pending_work(*bytes, made, event, {}, internal::private_queue(a));
    detail::tell_partners(a.memory(), event);
  }
}

}  // namespace

void array::record_read(const sycl::event& event) const {
  record_access(*this, detail::access::read, event);
}

void array::record_write(const sycl::event& event) const {
  record_access(*this, detail::access::write, event);
}

void array::wait() const { detail::wait_before(*this, detail::access::write); }

namespace {

void wait_for_work_before(const array& a, detail::access wanted) {
  if (!detail::has_pending_work()) {
    return;
  }
  if (const auto bytes = detail::range_of(a.memory().data(), a.type(), a.layout())) {
    const detail::runtime_call call;
    detail::wait_for_pending_work(*bytes, wanted);
  }
}

}  // namespace

void detail::wait_before(const array& a, access wanted) {
  if (a.owner()) {
    wait_for_work_before(a, wanted);
    a.owner()->wait_for_others();
  }
}

void internal::wait_for_known_work(const array& a) {
  wait_for_work_before(a, detail::access::write);
}

void internal::wait_for_all_but_partner(const array& a) {
  const detail::runtime_call call;
  wait_for_known_work(a);
  const sycl::queue& his = presented_queue(private_queue(a));
  for (const partner& other : partners(a.memory())) {
    if (!other.reads_events || other.queue != his) {
      wait_interruptibly(other.queue);
    }
  }
}

bool internal::may_have_work_before(const array& of, detail::access wanted) noexcept {
  if (of.owner() == nullptr) {
    return false;
  }
  if (of.owner()->others_may_work()) {
    return true;
  }
  if (!detail::has_pending_work()) {
    return false;
  }
  const auto bytes = detail::range_of(of.owner()->data(), of.type(), of.layout());
  return bytes && detail::may_have_pending_work(*bytes, wanted);
}

bool array::may_be_busy() const noexcept {
  return internal::may_have_work_before(*this, detail::access::write);
}

array array::subscripted(std::span<const index_item> items) const {
  return internal::with_layout(*this, subscript(layout_, items));
}

array array::reshaped(const shape_argument& shape) const {
  const std::span<const std::ptrdiff_t> given = shape;
  std::vector<std::ptrdiff_t> extents(given.begin(), given.end());
  resolve_extent(extents, size());
  std::optional<usmx::layout> where = usmx::reshaped(layout_, extents);
  if (!where) {
    throw value_error(detail::message("reshaped: only a copy of the array of ", layout_,
                                      " can have shape ", tuple_text(extents)));
  }
  return internal::with_layout(*this, *std::move(where));
}

array_view array::private_view() const {
  const buffer& here = memory();
  return {here.data(), type_, layout_, here.kind(), internal::private_queue(here), readonly()};
}

void array::expose() const noexcept { owner_->expose(); }

const sycl::queue& array::queue() const { return memory().queue(); }

array_view array::view() const& {
  const buffer& here = memory();
  return {here.data(), type_, layout_, here.kind(), here.queue(), readonly()};
}

std::byte* detail::ordered_access::data(const array& a) noexcept {
  return a.owner_ ? a.first_element() : nullptr;
}

const sycl::queue& detail::ordered_access::queue(const array& a) {
  return internal::handed_out(internal::private_queue(a));
}

bool may_overlap(const array_view& a, const array_view& b) noexcept {
  const auto bytes_of_a = detail::range_of(a);
  const auto bytes_of_b = detail::range_of(b);
  return bytes_of_a && bytes_of_b && detail::overlap(*bytes_of_a, *bytes_of_b);
}

array detail::adopt_array(void* pointer, std::span<const std::ptrdiff_t> shape, dtype type,
                          const sycl::queue& queue, release_action release) {
  layout where = layout::c_order(shape);
  const std::size_t nbytes = checked_nbytes(where.size(), type);
  auto memory =
      nbytes > 0
          ? std::make_shared<buffer>(buffer::adopt(pointer, nbytes, queue, std::move(release)))
          : buffer::adopt_checked(pointer, 0,
                                  kind_without_elements(pointer_kind(pointer, queue.get_context())),
                                  queue, std::move(release));
  return array(std::move(memory), type, std::move(where));
}

std::size_t checked_nbytes(std::ptrdiff_t count, dtype type) {
  return static_cast<std::size_t>(checked_multiply(
      count, static_cast<std::ptrdiff_t>(type.itemsize()), "number of bytes of the array"));
}

layout fitted_to_new_memory(const layout& where) {
  const auto span = where.span();
  const std::ptrdiff_t smallest = span ? where.offset() - span->first : 0;
  if (where.offset() != 0 && where.offset() != smallest) {
    throw value_error(detail::message(
        "offset ", where.offset(), " does not fit new memory, which has exactly the elements that ",
        where, " spans: expected ", smallest));
  }
  return where.with_offset(smallest);
}

std::size_t internal::nbytes_of_new_array(const layout& where, dtype type) {
  checked_nbytes(where.size(), type);
  const auto span = where.span();
  if (span && span->first != 0) {
    throw value_error(
        detail::message("lowest element of a new array must be at offset 0, found it at ",
                        span->first, " with ", where));
  }
  // New arrays own at least one element: the peers refuse null pointers even for empty arrays
  // (docs/decisions.md, 54).
  return checked_nbytes(span ? span->last + 1 : 1, type);
}

array empty(layout where, dtype type, const sycl::queue& queue, usm_kind kind,
            std::size_t alignment) {
  return empty(std::move(where), type, queue, placement(kind), alignment);
}

array empty(layout where, dtype type, const sycl::queue& queue, const placement& memory,
            std::size_t alignment) {
  return internal::new_array(std::move(where), type, internal::own_queue(queue), memory, alignment,
                             internal::first_use::at_once);
}

namespace {

std::ostream& describe_elements(std::ostream& out, dtype type, const layout& where, usm_kind kind,
                                bool readonly) {
  out << type << ", shape " << tuple_text(where.shape()) << ", strides "
      << tuple_text(where.strides()) << ", ";
  if (kind == usm_kind::unknown) {
    out << "no USM";
  } else {
    out << kind << " memory";
  }
  return out << (readonly ? ", read-only" : "");
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const array_view& view) {
  return describe_elements(out, view.type(), view.layout(), view.kind(), view.readonly());
}

std::ostream& operator<<(std::ostream& out, const array& a) {
  return describe_elements(out, a.type(), a.layout(), a.kind(), a.readonly());
}

array empty_like(const array& other) {
  return empty(compact_like(other.layout()), other.type(), internal::private_queue(other),
               other.kind());
}

array internal::as_told(const array& a) {
  return with_layout(a, detail::with_normal_strides(a.layout()));
}

void internal::require_context(const sycl::queue& queue, const array& of) {
  if (of.memory().context() != queue.get_context()) {
    throw value_error(
        "the queue of work on memory must be of the memory's context, found another: make the "
        "queue or the memory in the other's context");
  }
}

array internal::new_array(layout where, dtype type, const sycl::queue& queue,
                          const placement& place, std::size_t alignment, first_use use) {
  auto memory =
      new_buffer::allocate(nbytes_of_new_array(where, type), queue, place, alignment, use);
  return unchecked_array(std::move(memory), type, std::move(where), false);
}

array empty(const shape_argument& shape, dtype type, const sycl::queue& queue, usm_kind kind) {
  return empty(layout::c_order(shape), type, queue, kind);
}

array empty(const shape_argument& shape, dtype type, const sycl::queue& queue,
            const placement& memory) {
  return empty(layout::c_order(shape), type, queue, memory);
}

}  // namespace usmx::inline v1
