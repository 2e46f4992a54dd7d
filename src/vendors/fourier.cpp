#include "vendors/fourier.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "base/process.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"
#include "vendors/cufft.hpp"
#include "vendors/onemkl.hpp"
#include "vendors/plan_cache.hpp"
#include "vendors/transforms.hpp"

namespace usmx::inline v1::internal {
namespace {
namespace host_fourier {

using std::ptrdiff_t;

// ---- the few declarations of mkl_dfti.h that are needed, for 64-bit integers

using dfti_integer = long;
using descriptor = struct DFTI_DESCRIPTOR*;
static_assert(sizeof(dfti_integer) == sizeof(ptrdiff_t));

enum dfti_setting : int {
  forward_scale = 4,
  backward_scale = 5,
  number_of_transforms = 7,
  conjugate_even_storage = 10,
  placement = 11,
  input_strides = 12,
  output_strides = 13,
  input_distance = 14,
  output_distance = 15,
  thread_limit = 27
};
enum dfti_value : int {
  complex_domain = 32,
  real_domain = 33,
  single_precision = 35,
  double_precision = 36,
  complex_complex = 39,
  not_inplace = 44
};

struct dfti_functions {
  dfti_integer (*create)(descriptor*, int precision, int domain, dfti_integer rank, ...);
  dfti_integer (*set)(descriptor, int setting, ...);
  dfti_integer (*commit)(descriptor);
  dfti_integer (*forward)(descriptor, const void*, ...);
  dfti_integer (*backward)(descriptor, const void*, ...);
  dfti_integer (*free)(descriptor*);
};

/// Null where the library, or one of its functions, is missing.
const dfti_functions* dfti() {
  void* const library = detail::onemkl_host();
  if (library == nullptr) {
    return nullptr;
  }
  static const auto all = [library]() -> std::optional<dfti_functions> {
    dfti_functions found{};
    const auto find = [library](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    const bool has_all =
        find(found.create, "DftiCreateDescriptor") && find(found.set, "DftiSetValue") &&
        find(found.commit, "DftiCommitDescriptor") && find(found.forward, "DftiComputeForward") &&
        find(found.backward, "DftiComputeBackward") && find(found.free, "DftiFreeDescriptor");
    return has_all ? std::optional(found) : std::nullopt;
  }();
  return all ? &*all : nullptr;
}

// ---- plans

/// The request for a plan: it knows no address and no queue.
struct plan_key {
  bool is_double;
  bool is_real;
  bool is_forward;
  double scale;
  std::vector<transform_axis> axes;
  transform_axis repeated;

  friend bool operator==(const plan_key&, const plan_key&) = default;
};

/// Elements that one call of a plan transforms.
dfti_integer elements_of(const plan_key& key) {
  dfti_integer count = key.repeated.extent;
  for (const transform_axis& each : key.axes) {
    count *= each.extent;  // an array has as many
  }
  return count;
}
/// The library's threads cost more than they help up to here.
constexpr dfti_integer most_for_one_thread = 1 << 15;

class plan {
 public:
  /// Null if the library refuses the strides.
  static std::shared_ptr<plan> make(const plan_key& key) {
    const std::shared_ptr<plan> made(new plan);
    return made->set_up(key) ? made : nullptr;
  }
  plan(const plan&) = delete;
  plan& operator=(const plan&) = delete;
  ~plan() {
    if (descriptor_ != nullptr) {
      dfti()->free(&descriptor_);
    }
  }

  /// Several threads may compute at once.
  bool compute(bool is_forward, const std::byte* input, std::byte* output) const {
    const auto function = is_forward ? dfti()->forward : dfti()->backward;
    return function(descriptor_, input, output) == 0;
  }

 private:
  plan() = default;

  bool set_up(const plan_key& key) {
    const dfti_functions& library = *dfti();
    const auto rank = static_cast<dfti_integer>(key.axes.size());
    std::vector<dfti_integer> lengths;
    std::vector<dfti_integer> from{0};  // the first stride is an offset
    std::vector<dfti_integer> to{0};
    for (const transform_axis& each : key.axes) {
      lengths.push_back(each.extent);
      from.push_back(each.input);
      to.push_back(each.output);
    }
    const int precision = key.is_double ? double_precision : single_precision;
    const int domain = key.is_real ? real_domain : complex_domain;
    const dfti_integer created =
        rank == 1 ? library.create(&descriptor_, precision, domain, rank, lengths.front())
                  : library.create(&descriptor_, precision, domain, rank, lengths.data());
    const auto set = [&](dfti_setting setting, auto value) {
      return library.set(descriptor_, setting, value) == 0;
    };
    return created == 0 && set(placement, int{not_inplace}) &&
           (!key.is_real || set(conjugate_even_storage, int{complex_complex})) &&
           set(input_strides, from.data()) && set(output_strides, to.data()) &&
           set(number_of_transforms, key.repeated.extent) &&
           set(input_distance, key.repeated.input) && set(output_distance, key.repeated.output) &&
           set(key.is_forward ? forward_scale : backward_scale, key.scale) &&
           (elements_of(key) > most_for_one_thread || set(thread_limit, dfti_integer{1})) &&
           library.commit(descriptor_) == 0;
  }

  descriptor descriptor_ = nullptr;
};

struct kept_plan_cache : detail::plan_cache<plan_key, plan> {
  kept_plan_cache() : plan_cache(max_kept_plans, max_kept_plan_nbytes) {}
};

kept_plan_cache& all_plans() { return detail::immortal<kept_plan_cache>(); }

/// A plan holds about as many numbers as a transform has elements.
std::size_t nbytes_of(const plan_key& key) {
  return static_cast<std::size_t>(elements_of(key) / key.repeated.extent) *
         (key.is_double ? 16 : 8);
}

/// The plan that was kept, or a new one. Null if the library refuses it.
std::shared_ptr<plan> plan_for(const plan_key& key) {
  kept_plan_cache& cache = all_plans();
  if (auto found = cache.find(key)) {
    return found;
  }
  const auto made = plan::make(key);
  if (made != nullptr) {
    cache.keep(key, made, nbytes_of(key));
  }
  return made;
}

// ---- calls

constexpr ptrdiff_t little_size = 4096;  // elements that are transformed in about 30 us

}  // namespace host_fourier
}  // namespace

using namespace host_fourier;

bool has_fourier() { return dfti() != nullptr; }

std::optional<host_work> fourier_work(const fourier_call& call) {
  const transform_types types = types_of(call);
  require_shapes(call, types.is_real);
  const array& longer = call.is_forward ? call.input : call.output;
  std::vector<transform_axis> repeated = repeated_axes(call);
  plan_key key{types.is_double, types.is_real, call.is_forward, call.scale, {}, {1, 1, 1}};
  for (const int axis : call.axes) {
    key.axes.push_back({longer.extent(axis), call.input.stride(axis), call.output.stride(axis)});
  }
  if (!repeated.empty()) {  // the plan has the longest, and calls of it the others
    const auto longest = std::ranges::max_element(repeated, {}, &transform_axis::extent);
    key.repeated = *longest;
    repeated.erase(longest);
  }
  std::shared_ptr<plan> made = plan_for(key);
  if (made == nullptr) {
    return std::nullopt;
  }
  const auto run = [made, repeated, is_forward = call.is_forward, from = first_element(call.input),
                    to = first_element(call.output),
                    input_size = static_cast<ptrdiff_t>(call.input.type().itemsize()),
                    output_size = static_cast<ptrdiff_t>(call.output.type().itemsize()),
                    nbytes = call.output.nbytes()] {
    bool is_done = true;
    for_each_repetition(repeated, 0, 0, [&](ptrdiff_t input, ptrdiff_t output) {
      is_done = made->compute(is_forward, from + input * input_size, to + output * output_size) &&
                is_done;
    });
    if (!is_done) {
      std::memset(to, 0xff, nbytes);  // the bits of NaN: no room for a workspace
    }
  };
  return host_work({call.input}, {call.output}, longer.size() <= little_size, run);
}

kept_plans fourier_plans() {
  const kept_plans ours = all_plans().kept();
  const kept_plans of_cuda = detail::cufft_plans();
  return {ours.count + of_cuda.count, ours.nbytes + of_cuda.nbytes};
}

void clear_fourier_plans() {
  all_plans().clear();
  detail::clear_cufft_plans();
}

}  // namespace usmx::inline v1::internal
