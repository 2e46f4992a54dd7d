#include "compute/driver_functions.hpp"

#include <array>
#include <atomic>
#include <optional>
#include <string>

#include "base/messages.hpp"
#include "base/process.hpp"

namespace usmx::inline v1::internal {
namespace {

/// The driver's names for vector units.
constexpr std::array<const char*, 5> units{"h8", "e9", "l9", "z0", "z1"};

struct function_library {
  const char* unit;
  detail::loaded_library file;
};

std::optional<function_library> find_only_library() {
  std::optional<function_library> found;
  for (const char* unit : units) {
    const detail::loaded_library file(detail::message("libocl_svml_", unit, ".so").c_str());
    if (!file.is_there()) {
      continue;
    }
    if (found) {
      return std::nullopt;
    }
    found.emplace(function_library{unit, file});
  }
  return found;
}

/// The library, once it is there.
const function_library* functions() {
  static std::atomic<const function_library*> known{nullptr};
  if (const function_library* found = known.load(std::memory_order_acquire)) {
    return found;
  }
  if (const std::optional<function_library> found = find_only_library()) {
    const auto* made = new function_library(*found);  // kept for ever, as the library is
    const function_library* other = nullptr;
    if (known.compare_exchange_strong(other, made, std::memory_order_acq_rel)) {
      return made;
    }
    delete made;
    return other;
  }
  return nullptr;
}

template <class T>
driver_function<T> find(std::string_view name, const char* suffix) {
  const function_library* all = functions();
  return all == nullptr ? nullptr
                        : all->file.find<driver_function<T>>(
                              detail::message("__ocl_svml_", all->unit, '_', name, suffix).c_str());
}

}  // namespace

template <>
driver_function<float> find_driver_function<float>(std::string_view name) {
  return find<float>(name, "f1");
}

template <>
driver_function<double> find_driver_function<double>(std::string_view name) {
  return find<double>(name, "1");
}

}  // namespace usmx::inline v1::internal
