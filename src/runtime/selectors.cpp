#include "usmx/runtime/selectors.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/quoted.hpp"
#include "runtime/drivers/back_ends.hpp"
#include "runtime/root_devices.hpp"
#include "usmx/base/error.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/diagnosis.hpp"

namespace usmx::inline v1 {

namespace {

using detail::root_device;
using sycl::info::device_type;

/// How much of a filter selector a message shows.
constexpr std::size_t longest_shown_filter = 80;

template <class Row, std::size_t N>
auto value_named(const std::array<Row, N>& table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Row::name);
  return found == table.end() ? std::nullopt : std::optional(found->value);
}

// One alternative of a filter selector.
struct device_filter {
  std::optional<sycl::backend> backend;
  std::optional<device_type> type;
  std::optional<std::size_t> index;
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

// A number that is greater than any list of devices is still a number: that of a device that is not
// there.
std::optional<std::size_t> parse_index(std::string_view text) {
  if (text.empty() || !std::ranges::all_of(text, [](char c) { return '0' <= c && c <= '9'; })) {
    return std::nullopt;
  }
  std::size_t value = std::numeric_limits<std::size_t>::max();
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Empty parts count as left out. At least one part has to be there, and the parts keep their order.
std::optional<device_filter> parse_alternative(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() > 3 || std::ranges::all_of(parts, &std::string_view::empty)) {
    return std::nullopt;
  }
  device_filter filter;
  for (std::string_view part : parts) {
    if (part.empty()) {
      continue;
    }
    if (filter.index) {
      return std::nullopt;
    }
    if ((filter.index = parse_index(part))) {
      continue;
    }
    if (filter.type) {
      return std::nullopt;
    }
    if ((filter.type = value_named(detail::device_types, part))) {
      continue;
    }
    if (filter.backend || !(filter.backend = value_named(detail::back_ends, part))) {
      return std::nullopt;
    }
  }
  return filter;
}

template <class Row, std::size_t N>
std::string listed(const std::array<Row, N>& table) {
  std::string out;
  for (const Row& row : table) {
    out.append(out.empty() ? "" : ", ").append(row.name);
  }
  return out;
}

std::vector<device_filter> parse_filter(std::string_view text) {
  std::vector<device_filter> alternatives;
  for (std::string_view part : split(text, ',')) {
    const std::optional<device_filter> filter = parse_alternative(part);
    if (!filter) {
      throw value_error(detail::message(
          "select_device: expected a filter selector 'backend:device_type:index', any part left "
          "out, alternatives separated by commas, no spaces (backends: ",
          listed(detail::back_ends), "; device types: ", listed(detail::device_types), "), found ",
          detail::quoted(text, longest_shown_filter)));
    }
    alternatives.push_back(*filter);
  }
  return alternatives;
}

bool fits(const root_device& root, const device_filter& filter) {
  return (!filter.backend || *filter.backend == root.backend) &&
         (!filter.type || *filter.type == root.type);
}

// With an index, the device at that place among those that fit. Without one, the device among them
// that the runtime prefers, and the first of equals.
const root_device* find_match(const device_filter& filter) {
  const root_device* best = nullptr;
  std::size_t seen = 0;
  for (const root_device& root : detail::root_devices()) {
    if (!fits(root, filter)) {
      continue;
    }
    if (filter.index && seen++ == *filter.index) {
      return &root;
    }
    if (!filter.index && (best == nullptr || root.default_score > best->default_score)) {
      best = &root;
    }
  }
  return best;
}

std::string list_of_devices() {
  std::string out;
  for (const root_device& root : detail::root_devices()) {
    out.append(out.empty() ? "" : ", ").append(describe(root.device));
  }
  return out;
}

}  // namespace

sycl::device select_device(std::string_view filter) {
  for (const device_filter& alternative : parse_filter(filter)) {
    if (const root_device* match = find_match(alternative)) {
      return match->device;
    }
  }
  const std::string devices = list_of_devices();
  throw device_error(detail::message(
      "select_device: no device matches ", detail::quoted(filter, longest_shown_filter), "; ",
      devices.empty() ? diagnose_missing_device() : detail::message("there are: ", devices)));
}

std::string filter_string(const sycl::device& device) {
  if (const root_device* root = detail::find_root(device)) {
    return root->filter();
  }
  throw value_error(
      detail::message("filter_string: expected a root device, found ", describe(device)));
}

}  // namespace usmx::inline v1
