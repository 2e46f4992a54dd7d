// What random tests start from.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

namespace support {

/// Drawn once for the process and printed; the environment variable USMX_TEST_SEED repeats it. 0 in
/// CI, so that a change is judged by the same cases as the one before.
inline std::uint32_t process_seed() {
  static const std::uint32_t drawn = [] {
    const char* const given = std::getenv("USMX_TEST_SEED");
    if (given != nullptr) return static_cast<std::uint32_t>(std::stoul(given));
    const char* const ci = std::getenv("CI");
    if (ci != nullptr && *ci != '\0') return std::uint32_t{0};
    const std::uint32_t fresh = std::random_device()();
    std::cout << "random cases: USMX_TEST_SEED=" << fresh << " repeats them\n";
    return fresh;
  }();
  return drawn;
}

/// For the engine of one test, which `number` tells from the others of its file.
inline std::uint32_t seed(std::uint32_t number) { return process_seed() ^ number; }

}  // namespace support
