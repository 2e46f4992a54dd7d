#include "compute/driver_functions.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>

#include "base/messages.hpp"
#include "base/process.hpp"

namespace usmx::inline v1::internal {
namespace {

/// A library of the driver's: its name for the vector unit, and what that has.
struct unit {
  const char* name;
  std::size_t nbytes;  // of vectors
  bool has_fma;
};

/// Calls for vectors of so many bytes. The driver's functions take them in vector registers, as
/// C++'s own do, and keep more registers. The last vector is filled up with ones.
template <class T, std::size_t Bytes>
struct vector_calls;

#if defined(__x86_64__)
#define USMX_VECTOR_CALLS(bytes, target_)                                                       \
  template <class T>                                                                            \
  struct vector_calls<T, bytes> {                                                               \
    using numbers [[gnu::vector_size(bytes)]] = T;                                              \
    static constexpr std::ptrdiff_t width = bytes / sizeof(T);                                  \
                                                                                                \
    [[gnu::target(target_)]] static void of_one(const driver_function<T>& function, const T* a, \
                                                T* results, std::ptrdiff_t count) {             \
      const auto call = reinterpret_cast<numbers (*)(numbers)>(                                 \
          reinterpret_cast<void (*)()>(const_cast<void*>(function.of_vectors)));                \
      numbers x;                                                                                \
      std::ptrdiff_t k = 0;                                                                     \
      for (; k + width <= count; k += width) {                                                  \
        std::memcpy(&x, a + k, sizeof x);                                                       \
        x = call(x);                                                                            \
        std::memcpy(results + k, &x, sizeof x);                                                 \
      }                                                                                         \
      if (k < count) {                                                                          \
        const auto rest = static_cast<std::size_t>(count - k) * sizeof(T);                      \
        x = numbers{} + T(1);                                                                   \
        std::memcpy(&x, a + k, rest);                                                           \
        x = call(x);                                                                            \
        std::memcpy(results + k, &x, rest);                                                     \
      }                                                                                         \
    }                                                                                           \
    [[gnu::target(target_)]] static void of_two(const driver_function<T>& function, const T* a, \
                                                const T* b, T* results, std::ptrdiff_t count) { \
      const auto call = reinterpret_cast<numbers (*)(numbers, numbers)>(                        \
          reinterpret_cast<void (*)()>(const_cast<void*>(function.of_vectors)));                \
      numbers x;                                                                                \
      numbers y;                                                                                \
      std::ptrdiff_t k = 0;                                                                     \
      for (; k + width <= count; k += width) {                                                  \
        std::memcpy(&x, a + k, sizeof x);                                                       \
        std::memcpy(&y, b + k, sizeof y);                                                       \
        x = call(x, y);                                                                         \
        std::memcpy(results + k, &x, sizeof x);                                                 \
      }                                                                                         \
      if (k < count) {                                                                          \
        const auto rest = static_cast<std::size_t>(count - k) * sizeof(T);                      \
        x = y = numbers{} + T(1);                                                               \
        std::memcpy(&x, a + k, rest);                                                           \
        std::memcpy(&y, b + k, rest);                                                           \
        x = call(x, y);                                                                         \
        std::memcpy(results + k, &x, rest);                                                     \
      }                                                                                         \
    }                                                                                           \
  };
USMX_VECTOR_CALLS(16, "sse2")
USMX_VECTOR_CALLS(32, "avx")
USMX_VECTOR_CALLS(64, "avx512f")
#undef USMX_VECTOR_CALLS

constexpr std::array units{unit{"h8", 16, false}, unit{"e9", 32, false}, unit{"l9", 32, true},
                           unit{"z0", 64, true}, unit{"z1", 64, true}};
#else
constexpr std::array<unit, 0> units{};
#endif

struct function_file {
  unit of;
  detail::loaded_library file;
};

std::optional<function_file> find_only_file() {
  std::optional<function_file> found;
  for (const unit& each : units) {
    const detail::loaded_library file(detail::message("libocl_svml_", each.name, ".so").c_str());
    if (!file.is_there()) {
      continue;
    }
    if (found) {
      return std::nullopt;
    }
    found.emplace(function_file{each, file});
  }
  return found;
}

/// Its functions' names end with the number of numbers, after an f for float.
template <class T>
bool find_function(const function_file& from, std::string_view name, driver_function<T>& found) {
  const auto full_name = [&](std::size_t width) {
    return detail::message("__ocl_svml_", from.of.name, '_', name, sizeof(T) == 4 ? "f" : "",
                           width);
  };
  return from.file.find(found.of_one, full_name(1).c_str()) &&
         from.file.find(found.of_vectors, full_name(from.of.nbytes / sizeof(T)).c_str());
}

template <class T>
std::optional<driver_library<T>> read(const function_file& from) {
  driver_library<T> made{};
  made.has_fma = from.of.has_fma;
  const auto find_all = [&](const auto& names, auto& functions) {
    return std::ranges::all_of(names, [&](const std::string_view& name) {
      return find_function(from, name, functions[static_cast<std::size_t>(&name - names.data())]);
    });
  };
  if (!find_all(driver_functions_of_one, made.of_one) ||
      !find_all(driver_functions_of_two, made.of_two)) {
    return std::nullopt;
  }
  const auto take = [&]<std::size_t Bytes>(std::integral_constant<std::size_t, Bytes>) {
    if (from.of.nbytes == Bytes) {
      made.run_of_one = &vector_calls<T, Bytes>::of_one;
      made.run_of_two = &vector_calls<T, Bytes>::of_two;
    }
  };
  take(std::integral_constant<std::size_t, 16>());
  take(std::integral_constant<std::size_t, 32>());
  take(std::integral_constant<std::size_t, 64>());
  return made;
}

/// The library, once it is there. It is kept for ever, as the driver's is.
template <class T>
const driver_library<T>* library() {
  static std::atomic<const driver_library<T>*> known{nullptr};
  if (const driver_library<T>* found = known.load(std::memory_order_acquire)) {
    return found;
  }
  const std::optional<function_file> file = find_only_file();
  const auto all = file ? read<T>(*file) : std::nullopt;
  if (!all) {
    return nullptr;
  }
  const auto* made = new driver_library<T>(*all);
  const driver_library<T>* other = nullptr;
  if (known.compare_exchange_strong(other, made, std::memory_order_acq_rel)) {
    return made;
  }
  delete made;
  return other;
}

}  // namespace

template <>
const driver_library<float>* find_driver_library<float>() {
  return library<float>();
}

template <>
const driver_library<double>* find_driver_library<double>() {
  return library<double>();
}

}  // namespace usmx::inline v1::internal
