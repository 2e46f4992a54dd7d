#include <algorithm>
#include <string_view>

#include "base/messages.hpp"
#include "compute/table.hpp"
#include "kernels/groups.hpp"
#include "usmx/base/error.hpp"

USMX_EMBED(device_best, USMX_REPOSITORY "/src/compute/device/best.hpp")
USMX_EMBED(device_functions, USMX_REPOSITORY "/src/compute/device/device_functions.hpp")
USMX_EMBED(device_product, USMX_REPOSITORY "/src/compute/device/product.hpp")
USMX_EMBED(device_random, USMX_REPOSITORY "/src/compute/device/random.hpp")
USMX_EMBED(device_random_distributions,
           USMX_REPOSITORY "/src/compute/device/random_distributions.hpp")
USMX_EMBED(device_scan, USMX_REPOSITORY "/src/compute/device/scan.hpp")
USMX_EMBED(device_scan_groups, USMX_REPOSITORY "/src/compute/device/scan_groups.hpp")
USMX_EMBED(device_search, USMX_REPOSITORY "/src/compute/device/search.hpp")
USMX_EMBED(device_sort_digits, USMX_REPOSITORY "/src/compute/device/sort_digits.hpp")
USMX_EMBED(device_sort_elements, USMX_REPOSITORY "/src/compute/device/sort_elements.hpp")
USMX_EMBED(device_sort_groups, USMX_REPOSITORY "/src/compute/device/sort_groups.hpp")
USMX_EMBED(device_sort_rows, USMX_REPOSITORY "/src/compute/device/sort_rows.hpp")
USMX_EMBED(device_sort_runs, USMX_REPOSITORY "/src/compute/device/sort_runs.hpp")
USMX_EMBED(device_special, USMX_REPOSITORY "/src/compute/device/special.hpp")

namespace usmx::inline v1::internal {

std::string_view device_text(std::string_view name) {
  struct file {
    std::string_view name;
    std::string_view text;
  };
  static const file all[] = {
      {"best.hpp", {usmx_device_best_begin, usmx_device_best_end}},
      {"device_functions.hpp", {usmx_device_functions_begin, usmx_device_functions_end}},
      {"product.hpp", {usmx_device_product_begin, usmx_device_product_end}},
      {"random.hpp", {usmx_device_random_begin, usmx_device_random_end}},
      {"random_distributions.hpp",
       {usmx_device_random_distributions_begin, usmx_device_random_distributions_end}},
      {"scan.hpp", {usmx_device_scan_begin, usmx_device_scan_end}},
      {"scan_groups.hpp", {usmx_device_scan_groups_begin, usmx_device_scan_groups_end}},
      {"search.hpp", {usmx_device_search_begin, usmx_device_search_end}},
      {"sort_digits.hpp", {usmx_device_sort_digits_begin, usmx_device_sort_digits_end}},
      {"sort_elements.hpp", {usmx_device_sort_elements_begin, usmx_device_sort_elements_end}},
      {"sort_groups.hpp", {usmx_device_sort_groups_begin, usmx_device_sort_groups_end}},
      {"sort_rows.hpp", {usmx_device_sort_rows_begin, usmx_device_sort_rows_end}},
      {"sort_runs.hpp", {usmx_device_sort_runs_begin, usmx_device_sort_runs_end}},
      {"special.hpp", {usmx_device_special_begin, usmx_device_special_end}},
  };
  const auto found = std::ranges::find(all, name, &file::name);
  if (found == std::end(all)) {
    throw value_error(detail::message("compute/device has no file ", detail::quoted(name)));
  }
  return found->text;
}

}  // namespace usmx::inline v1::internal
