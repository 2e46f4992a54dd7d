// flags: -fno-trapping-math
#include "copy/convert.hpp"

#include <algorithm>
#include <utility>

#include "base/threads.hpp"

namespace usmx::inline v1::detail {
namespace {

using kernels::is_complex;

// ---- rows

template <class From, class To>
[[gnu::always_inline]] inline void convert_one(const std::byte* source,
                                               std::byte* destination) noexcept {
  From from;
  std::memcpy(&from, source, sizeof from);
  const To to = kernels::converted<To>(from);
  std::memcpy(destination, &to, sizeof to);
}

template <class From, class To>
void convert_strided(const std::byte* source, std::ptrdiff_t source_step, std::byte* destination,
                     std::ptrdiff_t destination_step, std::ptrdiff_t count) noexcept {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    convert_one<From, To>(source, destination);
    source += source_step;
    destination += destination_step;
  }
}

template <class From, class To>
[[gnu::always_inline]] inline void convert_adjacent(const std::byte* __restrict source,
                                                    std::byte* __restrict destination,
                                                    std::ptrdiff_t count) noexcept {
  if constexpr (is_complex<From> && is_complex<To>) {
    convert_adjacent<decltype(From::real), decltype(To::real)>(source, destination, 2 * count);
  } else if constexpr (std::is_same_v<From, kernels::b1> && std::is_integral_v<To>) {
    const auto* truths = reinterpret_cast<const unsigned char*>(source);
    for (std::ptrdiff_t i = 0; i < count; ++i) {  // g++ makes no vectors of the class
      const To to = std::min<unsigned char>(truths[i], 1);
      std::memcpy(destination + i * static_cast<std::ptrdiff_t>(sizeof to), &to, sizeof to);
    }
  } else {
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      convert_one<From, To>(source + i * static_cast<std::ptrdiff_t>(sizeof(From)),
                            destination + i * static_cast<std::ptrdiff_t>(sizeof(To)));
    }
  }
}

template <class From, class To>
void convert_baseline(const std::byte* source, std::byte* destination,
                      std::ptrdiff_t count) noexcept {
  convert_adjacent<From, To>(source, destination, count);
}

template <class From, class To>
USMX_AVX2 void convert_avx2(const std::byte* source, std::byte* destination,
                            std::ptrdiff_t count) noexcept {
  convert_adjacent<From, To>(source, destination, count);
}

template <class From, class To>
USMX_AVX512 void convert_avx512(const std::byte* source, std::byte* destination,
                                std::ptrdiff_t count) noexcept {
  convert_adjacent<From, To>(source, destination, count);
}

// ---- the tables

struct entry {
  std::array<decltype(conversion::adjacent), 3> adjacent;  // by cpu_level
  decltype(conversion::strided) strided;
};

template <class From, class To>
constexpr entry entry_of{
    {&convert_baseline<From, To>, &convert_avx2<From, To>, &convert_avx512<From, To>},
    &convert_strided<From, To>};

template <std::size_t Code>
using element = stored_element<static_cast<type_code>(Code)>;

template <std::size_t From, std::size_t... To>
constexpr std::array<entry, type_count> entries_from(std::index_sequence<To...>) {
  return {entry_of<element<From>, element<To>>...};
}

template <std::size_t... From>
constexpr std::array<std::array<entry, type_count>, type_count> all_entries(
    std::index_sequence<From...> all) {
  return {entries_from<From>(all)...};
}

constexpr auto entries = all_entries(std::make_index_sequence<type_count>());

const entry& find_entry(dtype source, dtype destination) noexcept {
  return entries[static_cast<std::size_t>(source.code())]
                [static_cast<std::size_t>(destination.code())];
}

}  // namespace

conversion::conversion(dtype source, dtype destination) noexcept
    : adjacent(find_entry(source, destination).adjacent[static_cast<std::size_t>(cpu())]),
      strided(find_entry(source, destination).strided) {}

}  // namespace usmx::inline v1::detail
