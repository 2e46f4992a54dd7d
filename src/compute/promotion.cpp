#include "compute/promotion.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/messages.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/for_each.hpp"

namespace usmx::inline v1::internal {
namespace {

using argument_number = kernel_argument::number;

/// The categories of types, from bool up: a type of a higher one has the values of a lower one.
int category_of(dtype type) noexcept {
  switch (type.kind()) {
    case 'b':
      return 0;
    case 'i':
    case 'u':
      return 1;
    case 'f':
      return 2;
    default:
      return 3;
  }
}

dtype sized(char kind, std::size_t itemsize) { return detail::code_of(kind, itemsize); }

/// The size of the floating-point type that has an integer's values, or nearly has them.
std::size_t floating_itemsize(dtype type) noexcept {
  switch (type.kind()) {
    case 'b':
      return 2;
    case 'f':
      return type.itemsize();
    case 'c':
      return type.itemsize() / 2;
    default:
      return std::min<std::size_t>(2 * type.itemsize(), 8);
  }
}

dtype promoted_integers(dtype a, dtype b) {
  if (a.kind() == b.kind()) {
    return a.itemsize() < b.itemsize() ? b : a;
  }
  const dtype with_sign = a.kind() == 'i' ? a : b;
  const dtype without = a.kind() == 'i' ? b : a;
  if (without.itemsize() < with_sign.itemsize()) {
    return with_sign;
  }
  return without.itemsize() == 8 ? float64 : sized('i', 2 * without.itemsize());
}

/// The type of weak numbers alone.
dtype promoted_weak(dtype a, dtype b) { return category_of(a) < category_of(b) ? b : a; }

/// The type of strong operands next to a number of a higher category.
dtype raised(dtype strong, dtype weak) {
  if (weak.kind() == 'c' && strong.kind() == 'f') {
    return promoted(strong, complex64);
  }
  return weak;
}

}  // namespace

dtype promoted(dtype a, dtype b) {
  const int category = std::max(category_of(a), category_of(b));
  if (category == 0) {
    return bool_;
  }
  if (category == 1) {
    return a.kind() == 'b' ? b : b.kind() == 'b' ? a : promoted_integers(a, b);
  }
  const std::size_t part = std::max(floating_itemsize(a), floating_itemsize(b));
  return category == 2 ? sized('f', part) : sized('c', std::max<std::size_t>(2 * part, 8));
}

dtype common_type(std::span<const operand_kind> kinds) {
  std::optional<dtype> highest;
  std::optional<dtype> weak;
  for (const operand_kind& each : kinds) {
    // A bool of the program is a bool of an array: each type has its values.
    if (each.is_weak && each.type != type_code::bool_) {
      weak = weak ? promoted_weak(*weak, each.type) : dtype(each.type);
    } else if (!highest || category_of(*highest) < category_of(each.type)) {
      highest = each.type;
    }
  }
  if (!highest) {
    return *weak;
  }
  // The types are joined each with one of the highest category first, as in NumPy: int16, uint16
  // and float32 are float32, although the first two would be int32.
  dtype common = *highest;
  for (const operand_kind& each : kinds) {
    if (!each.is_weak) {
      common = promoted(common, promoted(*highest, each.type));
    }
  }
  return weak && category_of(common) < category_of(*weak) ? raised(common, *weak) : common;
}

bool is_same_kind(dtype from, dtype to) noexcept {
  constexpr std::string_view order = "buifc";
  return order.find(from.kind()) <= order.find(to.kind());
}

dtype real_part_type(dtype type) noexcept {
  return type.kind() == 'c' ? sized('f', type.itemsize() / 2) : type;
}

dtype asked_type(std::string_view function, dtype of, dtype found, dtype asked, type_support has) {
  const auto is_integer = [](dtype type) { return type.kind() == 'i' || type.kind() == 'u'; };
  const bool is_plain = !asked.is_structured();
  const bool is_near =
      asked == found || asked == of ||
      (is_plain && (is_same_kind(found, asked) || (is_integer(found) && is_integer(asked))));
  if (!is_near) {
    throw type_error(detail::message(function, " of elements of type ", of.name(),
                                     " cannot be of type ", asked));
  }
  return nearest_supported(asked, has);
}

std::optional<operand_kind> operand(const kernel_argument& argument) {
  if (const auto* a = std::get_if<const array*>(&argument.value())) {
    return operand_kind{(*a)->type().code(), false};
  }
  if (const auto* number = std::get_if<argument_number>(&argument.value())) {
    constexpr type_code kinds[] = {type_code::bool_, type_code::int64, type_code::int64,
                                   type_code::float64, type_code::complex128};
    return operand_kind{kinds[number->index()], true};
  }
  return std::nullopt;
}

bool has_integer(dtype type, const argument_number& value) {
  if (type.kind() != 'i' && type.kind() != 'u') {
    return true;
  }
  return std::visit(
      [&]<class From>(From from) {
        if constexpr (std::integral<From> && !std::same_as<From, bool>) {
          return visit<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                       std::uint16_t, std::uint32_t, std::uint64_t>(
              type, [&]<class T>(std::type_identity<T>) { return std::in_range<T>(from); });
        } else {
          return true;
        }
      },
      value);
}

namespace {

/// Rounds to a floating-point type of that size; the launch does not take numbers that become
/// infinite by that.
double rounded_number(double value, std::size_t itemsize) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (itemsize == 4) {
    return std::isfinite(static_cast<float>(value)) ? value : static_cast<float>(value);
  }
  constexpr double first_infinite_half = 65520;
  return itemsize == 2 && std::abs(value) >= first_infinite_half ? std::copysign(infinity, value)
                                                                 : value;
}

template <class From>
bool truth_of(From from) {
  return from != From();
}

template <class From>
argument_number integer_number(std::string_view function, From from, dtype type) {
  if constexpr (std::integral<From>) {
    if (!has_integer(type, from)) {
      throw value_error(detail::message(function, ": the integer ", +from, " is out of bounds for ",
                                        type.name()));
    }
    return from;
  } else {
    throw type_error(detail::message(function, ": expected an integer for ", type.name(),
                                     ", found a number of another kind"));
  }
}

template <class From>
argument_number floating_number(std::string_view function, From from, dtype type) {
  if constexpr (std::same_as<From, std::complex<double>>) {
    throw type_error(detail::message(function, ": expected a real number for ", type.name(),
                                     ", found a complex one"));
  } else {
    return rounded_number(static_cast<double>(from), type.itemsize());
  }
}

template <class From>
argument_number complex_number_of(From from, dtype type) {
  std::complex<double> value;
  if constexpr (std::same_as<From, std::complex<double>>) {
    value = from;
  } else {
    value = static_cast<double>(from);
  }
  const std::size_t part = type.itemsize() / 2;
  return std::complex<double>(rounded_number(value.real(), part),
                              rounded_number(value.imag(), part));
}

}  // namespace

kernel_argument::number converted_number(std::string_view function,
                                         const kernel_argument::number& value, dtype type) {
  return std::visit(
      [&](auto from) -> argument_number {
        switch (type.kind()) {
          case 'b':
            return truth_of(from);
          case 'i':
          case 'u':
            return integer_number(function, from, type);
          case 'f':
            return floating_number(function, from, type);
          default:
            return complex_number_of(from, type);
        }
      },
      value);
}

bool has_value(dtype type, const argument_number& value) {
  constexpr auto is_finite = [](const argument_number& number) {
    if (const auto* real = std::get_if<double>(&number)) {
      return std::isfinite(*real);
    }
    const auto* complex = std::get_if<std::complex<double>>(&number);
    return complex == nullptr || (std::isfinite(complex->real()) && std::isfinite(complex->imag()));
  };
  return has_integer(type, value) &&
         (!is_finite(value) || is_finite(converted_number("number", value, type)));
}

}  // namespace usmx::inline v1::internal
