#include "compute/functions.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

// The kernels' own functions, compiled for the host: their names are those of the standard library.
// g++ lacks one builtin of clang's.
namespace usmx::inline v1::internal::host {
namespace {

using namespace std;
#ifndef __clang__
#define __is_signed(T) (std::is_signed_v<T>)
#endif
#include "device_functions.hpp"
#undef __is_signed

// Each row and class of types is a structure with a function.
#define USMX_ROW_1(name, types, ...)       \
  struct name##_##types {                  \
    template <class C>                     \
    static auto of([[maybe_unused]] C a) { \
      return __VA_ARGS__;                  \
    }                                      \
  };
#define USMX_ROW_2(name, types, ...) \
  struct name##_##types {            \
    template <class C>               \
    static auto of(C a, C b) {       \
      return __VA_ARGS__;            \
    }                                \
  };
#define USMX_ROW_3(name, types, ...)
#define USMX_ROW(name, count, operands, types, result, bits, ...) \
  USMX_ROW_##count(name, types, __VA_ARGS__)
#include "compute/rows.inc"
#undef USMX_ROW
#undef USMX_ROW_3
#undef USMX_ROW_2
#undef USMX_ROW_1

}  // namespace
}  // namespace usmx::inline v1::internal::host

namespace usmx::inline v1::internal {
namespace {

/// Any byte but 0 is true, as in a view of integers. A bool of C++ has no other bytes than 0 and 1.
template <class C>
C value_at(const C* elements, std::ptrdiff_t k) {
  if constexpr (std::is_same_v<C, bool>) {
    return reinterpret_cast<const unsigned char*>(elements)[k] != 0;
  } else {
    return elements[k];
  }
}

template <class Function, class C, class R>
void unary(const void* x1, const void*, void* result, std::ptrdiff_t count) {
  const C* a = static_cast<const C*>(x1);
  R* z = static_cast<R*>(result);
  for (std::ptrdiff_t k = 0; k < count; ++k) {
    z[k] = static_cast<R>(Function::template of<C>(value_at(a, k)));
  }
}

template <class Function, class C, class R, int NumberAt>
void binary(const void* x1, const void* x2, void* result, std::ptrdiff_t count) {
  const C* a = static_cast<const C*>(x1);
  const C* b = static_cast<const C*>(x2);
  R* z = static_cast<R*>(result);
  const C first = value_at(a, 0);
  const C second = value_at(b, 0);
  for (std::ptrdiff_t k = 0; k < count; ++k) {
    z[k] = static_cast<R>(Function::template of<C>(NumberAt == 1 ? first : value_at(a, k),
                                                   NumberAt == 2 ? second : value_at(b, k)));
  }
}

template <class... Types>
struct type_list {};
using booleans = type_list<bool>;
using signed_integers = type_list<std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
using unsigned_integers = type_list<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
using reals = type_list<float, double>;
using complexes = type_list<>;

class function_list {
 public:
  template <class Function, bool IsTruth, int Operands, class... Types>
  void add(std::string_view name, type_list<Types...>) {
    if (all_.empty() || all_.back().name != name) {
      all_.push_back({name, Operands});
    }
    (add_type<Function, IsTruth, Operands, Types>(), ...);
  }
  const std::vector<host_function>& all() const noexcept { return all_; }

 private:
  template <class Function, bool IsTruth, int Operands, class C>
  void add_type() {
    using R = std::conditional_t<IsTruth, bool, C>;
    host_loops& made = all_.back().loops[static_cast<std::size_t>(dtype::of<C>().code())];
    made.result = dtype::of<R>().code();
    if constexpr (Operands == 1) {
      made.arrays = &unary<Function, C, R>;
    } else {
      made.arrays = &binary<Function, C, R, 0>;
      made.number_first = &binary<Function, C, R, 1>;
      made.number_second = &binary<Function, C, R, 2>;
    }
  }

  std::vector<host_function> all_;
};

function_list make_functions() {
  function_list made;
#define USMX_near(...)
#define USMX_equal(...) __VA_ARGS__
#define USMX_ADD(name, count, types, result) \
  made.add<host::name##_##types, std::string_view(#result) == "bool", count>(#name, types());
#define USMX_ROW(name, count, operands, types, result, bits, ...) \
  USMX_##bits(USMX_ADD(name, count, types, result))
#include "compute/rows.inc"
#undef USMX_ROW
#undef USMX_ADD
#undef USMX_equal
#undef USMX_near
  return made;
}

}  // namespace

const host_function* find_host_function(std::string_view name) {
  static const function_list& functions = *new function_list(make_functions());
  const auto found = std::ranges::find(functions.all(), name, &host_function::name);
  return found == functions.all().end() ? nullptr : &*found;
}

}  // namespace usmx::inline v1::internal
