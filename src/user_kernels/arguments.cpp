#include "user_kernels/launch.hpp"

#include <cmath>
#include <complex>
#include <concepts>
#include <cstring>
#include <limits>
#include <type_traits>

#include "array/array.hpp"
#include "runtime/devices.hpp"
#include "runtime/queues.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/kernels/compile.hpp"
#include "usmx/layout/for_each.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1 {

std::string to_string(const kernel_parameter& parameter) {
  switch (parameter.form) {
    case parameter_form::value:
      break;
    case parameter_form::pointer:
      return detail::message(parameter.type_name, '*');
    case parameter_form::const_pointer:
      return detail::message("const ", parameter.type_name, '*');
    case parameter_form::local_memory:
      return detail::message("usmx::local_memory<", parameter.type_name, '>');
    case parameter_form::view:
      return detail::message("usmx::view<", parameter.type_name, ", ", parameter.ndim, '>');
    case parameter_form::const_view:
      return detail::message("usmx::view<const ", parameter.type_name, ", ", parameter.ndim, '>');
  }
  return parameter.type_name;
}

std::string to_string(const kernel_signature& signature) {
  std::string text = signature.name;
  const char* separator = "(";
  for (const kernel_parameter& each : signature.parameters) {
    text.append(separator).append(to_string(each));
    separator = ", ";
  }
  return text.append(signature.parameters.empty() ? "()" : ")");
}

}  // namespace usmx::inline v1

namespace usmx::inline v1::detail {
namespace {

using number = kernel_argument::number;
using real_number = std::variant<bool, std::int64_t, std::uint64_t, double>;
using complex_number = std::complex<double>;

/// The parameter that an argument is for. It throws errors that say what is wrong with the
/// argument.
class checked_parameter {
 public:
  checked_parameter(const kernel_signature& signature, std::size_t index)
      : signature_(signature), index_(index) {}

  const kernel_parameter& parameter() const noexcept { return signature_.parameters[index_]; }

  template <class Error = value_error, class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    throw Error(message(parameter_text(signature_, index_), parts...));
  }

 private:
  const kernel_signature& signature_;
  std::size_t index_;
};

std::string text_of(const real_number& value) {
  return std::visit(
      [](auto found) {
        if constexpr (std::same_as<decltype(found), bool>) {
          return std::string(found ? "true" : "false");
        } else if constexpr (std::floating_point<decltype(found)>) {
          std::ostringstream out;
          out.precision(17);
          out << found;
          return std::move(out).str();
        } else {
          return std::to_string(found);
        }
      },
      value);
}

std::string text_of(complex_number value) {
  return message("(", text_of(real_number(value.real())), std::signbit(value.imag()) ? "-" : "+",
                 text_of(real_number(std::abs(value.imag()))), "j)");
}

std::string expectation(const kernel_parameter& parameter) {
  switch (parameter.form) {
    case parameter_form::value:
      return parameter.type == type_code::structured
                 ? message("a structure of ", parameter.size, " bytes")
                 : message("a number for ", parameter.type_name);
    case parameter_form::pointer:
    case parameter_form::const_pointer:
    case parameter_form::view:
    case parameter_form::const_view:
      return "an array in USM";
    case parameter_form::local_memory:
      break;
  }
  return "local memory";
}

// ---- numbers

/// Whether the integer type has the value of `from`, which is an integer or floating-point number.
template <std::integral To, class From>
bool holds(From from) {
  if constexpr (std::floating_point<From>) {
    // The limits as floating-point numbers: one above the largest value is a power of two.
    const double above = std::ldexp(1.0, std::numeric_limits<To>::digits);
    const double lowest = std::is_signed_v<To> ? -above : 0.0;
    return from >= lowest && from < above && from == std::trunc(from);
  } else if constexpr (std::same_as<From, bool>) {
    return true;
  } else {
    return std::in_range<To>(from);
  }
}

/// Rounds floating-point numbers; integers must stay as they are.
template <std::floating_point To, class From>
bool becomes(From from, To& to) {
  to = static_cast<To>(from);
  if constexpr (std::floating_point<From>) {
    return std::isfinite(to) || !std::isfinite(from);
  } else if constexpr (std::same_as<From, bool>) {
    return true;
  } else {
    return holds<From>(static_cast<double>(to)) && static_cast<From>(to) == from;
  }
}

template <class To>
number_bytes bytes_of_value(const To& value) {
  number_bytes bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <std::integral To>
number_bytes to_integer(const real_number& value, const checked_parameter& at) {
  using without_sign = std::make_unsigned_t<To>;
  const bool is_signless = at.parameter().is_signless;
  return std::visit(
      [&](auto from) {
        if (holds<To>(from)) {
          return bytes_of_value(static_cast<To>(from));
        }
        if (is_signless && holds<without_sign>(from)) {
          return bytes_of_value(static_cast<without_sign>(from));
        }
        at.refuse("expected an integer from ", +std::numeric_limits<To>::min(), " to ",
                  is_signless ? std::uint64_t{std::numeric_limits<without_sign>::max()}
                              : static_cast<std::uint64_t>(std::numeric_limits<To>::max()),
                  ", found ", text_of(value));
      },
      value);
}

template <std::floating_point To>
To to_floating(const real_number& value, const checked_parameter& at) {
  return std::visit(
      [&](auto from) {
        To to;
        if (!becomes(from, to)) {
          at.refuse("expected a number that ", at.parameter().type_name, " can hold, found ",
                    text_of(value));
        }
        return to;
      },
      value);
}

/// Rounds once, as conversions of arrays do.
number_bytes to_half(const real_number& value, const checked_parameter& at) {
  const auto wide = to_floating<double>(value, at);
  number_bytes narrow{};
  double back = 0;
  convert_element(float64, reinterpret_cast<const std::byte*>(&wide), float16, narrow.data());
  convert_element(float16, narrow.data(), float64, reinterpret_cast<std::byte*>(&back));
  const bool is_integer = !std::holds_alternative<double>(value);
  if ((std::isfinite(wide) && !std::isfinite(back)) || (is_integer && back != wide)) {
    at.refuse("expected a number that ", at.parameter().type_name, " can hold, found ",
              text_of(value));
  }
  return narrow;
}

number_bytes to_bool(const real_number& value, const checked_parameter& at) {
  return std::visit(
      [&](auto from) {
        if (from != static_cast<decltype(from)>(0) && from != static_cast<decltype(from)>(1)) {
          at.refuse("expected a bool, 0 or 1, found ", text_of(value));
        }
        return bytes_of_value(from != static_cast<decltype(from)>(0));
      },
      value);
}

/// Converts a complex number, and rounds both parts.
template <std::floating_point To>
number_bytes to_complex(const complex_number& value, const checked_parameter& at) {
  To parts[2];
  if (!becomes(value.real(), parts[0]) || !becomes(value.imag(), parts[1])) {
    at.refuse("expected a number that ", at.parameter().type_name, " can hold, found ",
              text_of(value));
  }
  return bytes_of_value(parts);
}

number_bytes converted(const complex_number& value, const checked_parameter& at) {
  switch (at.parameter().type) {
    case type_code::complex64:
      return to_complex<float>(value, at);
    case type_code::complex128:
      return to_complex<double>(value, at);
    default:
      at.refuse<type_error>("expected ", expectation(at.parameter()), ", found the complex number ",
                            text_of(value));
  }
}

number_bytes converted(const real_number& value, const checked_parameter& at) {
  switch (at.parameter().type) {
    case type_code::bool_:
      return to_bool(value, at);
    case type_code::float16:
      return to_half(value, at);
    case type_code::float32:
      return bytes_of_value(to_floating<float>(value, at));
    case type_code::float64:
      return bytes_of_value(to_floating<double>(value, at));
    case type_code::complex64:
      return bytes_of_value(std::complex<float>(to_floating<float>(value, at)));
    case type_code::complex128:
      return bytes_of_value(std::complex<double>(to_floating<double>(value, at)));
    case type_code::structured:
      at.refuse<type_error>("expected ", expectation(at.parameter()), ", found the number ",
                            text_of(value));
    default:
      return visit<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t>(
          at.parameter().type,
          [&]<class T>(std::type_identity<T>) { return to_integer<T>(value, at); });
  }
}

number_bytes converted(const number& value, const checked_parameter& at) {
  return std::visit(
      [&](auto found) {
        if constexpr (std::same_as<decltype(found), complex_number>) {
          return converted(found, at);
        } else {
          return converted(real_number(found), at);
        }
      },
      value);
}

// ---- structures

void require_suitable(const kernel_argument::structure& found, const checked_parameter& at) {
  const kernel_parameter& wanted = at.parameter();
  if (wanted.form != parameter_form::value || wanted.type != type_code::structured) {
    at.refuse<type_error>("expected ", expectation(wanted), ", found a structure of ", found.size,
                          " bytes");
  }
  if (found.size != wanted.size) {
    at.refuse("expected a structure of ", wanted.size, " bytes, found one of ", found.size);
  }
}

// ---- memory

/// Whether a type is that of a parameter's elements. Structures are compared by their size: the
/// compiler does not tell their fields.
bool is_element_of(dtype found, const kernel_parameter& wanted) {
  if (wanted.is_signless) {
    return (found.kind() == 'i' || found.kind() == 'u') && found.itemsize() == wanted.size;
  }
  if (wanted.type != type_code::structured) {
    return found == dtype(wanted.type);
  }
  const bool is_compound = found.is_structured() || found.kind() == 'c';
  return wanted.size == 0 || (is_compound && found.itemsize() == wanted.size);
}

std::string element_text(const kernel_parameter& wanted) {
  if (wanted.is_signless) {
    return message("integers of ", wanted.size, " bytes");
  }
  return wanted.type == type_code::structured ? message("structures of ", wanted.size, " bytes")
                                              : std::string(dtype(wanted.type).name());
}

void require_aligned(const void* address, const checked_parameter& at) {
  const std::size_t alignment = at.parameter().alignment;
  if (reinterpret_cast<std::uintptr_t>(address) % alignment != 0) {
    at.refuse("expected an address that is a multiple of ", alignment, ", found ", address);
  }
}

/// The first element of an array that suits the parameter, but for its layout.
std::byte* checked_element(const array& a, const checked_parameter& at, const kernel_home& home) {
  const kernel_parameter& wanted = at.parameter();
  if (a.owner() == nullptr) {
    at.refuse("expected an array in USM, found one without memory");
  }
  if (!is_element_of(a.type(), wanted)) {
    at.refuse<type_error>("expected elements of ", element_text(wanted), ", found ", a.type());
  }
  if (is_written(wanted.form) && a.readonly()) {
    at.refuse<read_only_error>(
        "expected an array that the kernel may write, found a read-only one");
  }
  if (const auto reason = reason_against(a, home)) {
    at.refuse(*reason);
  }
  std::byte* const address = internal::first_element(a);
  require_aligned(address, at);
  return address;
}

argument_bytes pointer_to(const array& a, const checked_parameter& at, const kernel_home& home) {
  std::byte* const address = checked_element(a, at, home);
  if (!a.layout().is_c_contiguous()) {
    at.refuse("expected a C-contiguous array, found shape ", tuple_text(a.shape()),
              " with strides ", tuple_text(a.strides()), " in elements");
  }
  return {{}, nullptr, address, {}};
}

argument_bytes view_of(const array& a, const checked_parameter& at, const kernel_home& home) {
  std::byte* const address = checked_element(a, at, home);
  if (a.ndim() != at.parameter().ndim) {
    const int wanted = at.parameter().ndim;
    at.refuse("expected an array with ", wanted, wanted == 1 ? " dimension" : " dimensions",
              ", found shape ", tuple_text(a.shape()));
  }
  std::vector<std::int64_t> view{reinterpret_cast<std::intptr_t>(address)};
  view.insert(view.end(), a.shape().begin(), a.shape().end());
  view.insert(view.end(), a.strides().begin(), a.strides().end());
  return {{}, nullptr, nullptr, std::move(view)};
}

argument_bytes array_argument(const array& a, const checked_parameter& at,
                              const kernel_home& home) {
  switch (at.parameter().form) {
    case parameter_form::pointer:
    case parameter_form::const_pointer:
      return pointer_to(a, at, home);
    case parameter_form::view:
    case parameter_form::const_view:
      return view_of(a, at, home);
    default:
      at.refuse<type_error>("expected ", expectation(at.parameter()), ", found an array");
  }
}

argument_bytes pointer_argument(const kernel_argument::pointer& found, const checked_parameter& at,
                                const kernel_home& home) {
  const kernel_parameter& wanted = at.parameter();
  if (wanted.form != parameter_form::pointer && wanted.form != parameter_form::const_pointer) {
    at.refuse<type_error>("expected ", expectation(wanted), ", found a pointer");
  }
  const bool suits = found.type == type_code::structured
                         ? found.type == wanted.type && found.size == wanted.size
                         : is_element_of(dtype(found.type), wanted);
  if (!suits && wanted.size != 0) {
    at.refuse<type_error>("expected a pointer to ", element_text(wanted), ", found one to ",
                          found.type == type_code::structured
                              ? message("structures of ", found.size, " bytes")
                              : std::string(dtype(found.type).name()));
  }
  if (found.is_const && is_written(wanted.form)) {
    at.refuse<type_error>(
        "expected a pointer that the kernel may write through, found one to const");
  }
  const usm_kind kind = pointer_kind(found.address, home.context);
  if (kind == usm_kind::unknown) {
    at.refuse("expected a pointer to USM of the kernel's context, found ", found.address);
  }
  const sycl::device owner = pointer_device(found.address, home.context);
  if (!is_in_reach(home.device, home.context, {found.address, kind, owner})) {
    at.refuse("expected a pointer to memory in reach of ", describe(home.device),
              ", found one to memory of ", describe(owner));
  }
  require_aligned(found.address, at);
  return {{}, nullptr, const_cast<void*>(found.address), {}};
}

bool takes_numbers(const checked_parameter& at) {
  return at.parameter().form == parameter_form::value &&
         at.parameter().type != type_code::structured;
}

}  // namespace

std::optional<std::string> reason_against(const array& a, const kernel_home& home) {
  const sycl::queue& queue = internal::private_queue(a);
  if (queue.get_context() != home.context) {
    return "expected memory of the kernel's context, found an array of another context";
  }
  const sycl::device owner = queue.get_device();
  if (is_in_reach(home.device, home.context, {internal::first_element(a), a.kind(), owner})) {
    return std::nullopt;
  }
  return message("expected memory in reach of ", describe(home.device), ", found an array on ",
                 describe(owner), ": copy it to the kernel's device");
}

std::string description(const kernel_argument& argument) {
  if (const auto* other = std::get_if<kernel_argument::unsuitable>(&argument.value())) {
    return other->what;
  }
  if (const auto* integer = std::get_if<kernel_argument::large_integer>(&argument.value())) {
    return integer->what;
  }
  constexpr const char* texts[] = {"an array", "a pointer", "a number", "a structure",
                                   "local memory"};
  return texts[argument.value().index()];
}

std::string parameter_text(const kernel_signature& signature, std::size_t index) {
  return message(to_string(signature), ", argument ", index + 1, " (",
                 to_string(signature.parameters[index]), "): ");
}

argument_bytes checked_argument(const kernel_signature& signature, std::size_t index,
                                const kernel_argument& argument, const kernel_home& home) {
  const checked_parameter at(signature, index);
  const auto& value = argument.value();
  if (const auto* a = std::get_if<const array*>(&value)) {
    return array_argument(**a, at, home);
  }
  if (const auto* pointer = std::get_if<kernel_argument::pointer>(&value)) {
    return pointer_argument(*pointer, at, home);
  }
  if (const auto* structure = std::get_if<kernel_argument::structure>(&value)) {
    require_suitable(*structure, at);
    return {{}, structure->bytes, nullptr, {}};
  }
  if (const auto* found = std::get_if<number>(&value);
      found != nullptr && at.parameter().form == parameter_form::value) {
    return {converted(*found, at), nullptr, nullptr, {}};
  }
  if (std::holds_alternative<kernel_argument::large_integer>(value) && takes_numbers(at)) {
    at.refuse("expected a number that ", at.parameter().type_name, " can hold, found ",
              description(argument));
  }
  at.refuse<type_error>("expected ", expectation(at.parameter()), ", found ",
                        description(argument));
}

namespace {

bool has_type(const kernel_parameter& wanted, type_code found) {
  return wanted.type == found || (wanted.is_signless && is_element_of(dtype(found), wanted));
}

bool is_same(const kernel_parameter& wanted, const kernel_parameter& found) {
  return wanted.form == found.form &&
         (wanted.form == parameter_form::local_memory ||
          (has_type(wanted, found.type) && wanted.size == found.size &&
           wanted.alignment == found.alignment && wanted.ndim == found.ndim));
}

/// Names the type as an array's.
std::string text_of(kernel_parameter found) {
  found.type_name =
      found.type == type_code::structured
          ? message("structure of ", found.size, " bytes, aligned to ", found.alignment)
          : std::string(dtype(found.type).name());
  return to_string(found);
}

}  // namespace

void require_parameters(const kernel_signature& signature,
                        std::span<const kernel_parameter> found) {
  require_count(signature, found.size());
  for (std::size_t index = 0; index < found.size(); ++index) {
    if (!is_same(signature.parameters[index], found[index])) {
      throw type_error(message(parameter_text(signature, index), "expected this type, found ",
                               text_of(found[index])));
    }
  }
}

void require_count(const kernel_signature& signature, std::size_t found) {
  if (const std::size_t wanted = signature.parameters.size(); found != wanted) {
    throw type_error(message(to_string(signature), " takes ", wanted,
                             wanted == 1 ? " argument" : " arguments", ", found ", found));
  }
}

std::size_t checked_local_nbytes(const kernel_signature& signature, std::size_t index,
                                 const kernel_argument& argument) {
  const checked_parameter at(signature, index);
  const auto* found = std::get_if<local_memory>(&argument.value());
  if (found == nullptr) {
    at.refuse<type_error>("expected local memory, found ", description(argument));
  }
  if (!is_element_of(found->type, at.parameter())) {
    at.refuse<type_error>("expected elements of ", element_text(at.parameter()), ", found ",
                          found->type);
  }
  std::size_t nbytes = 0;
  if (found->count == 0 || __builtin_mul_overflow(found->count, found->type.itemsize(), &nbytes)) {
    at.refuse("expected at least one element that memory can hold, found ", found->count);
  }
  return nbytes;
}

}  // namespace usmx::inline v1::detail
