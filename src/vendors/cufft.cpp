#include "vendors/cufft.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include <sycl/backend.hpp>
#include <sycl/queue.hpp>

#include "array/array.hpp"
#include "array/submission.hpp"
#include "base/messages.hpp"
#include "base/process.hpp"
#include "base/ranked_mutex.hpp"
#include "copy/copy.hpp"
#include "runtime/drivers/cuda.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/layout.hpp"
#include "vendors/plan_cache.hpp"
#include "vendors/toolkit.hpp"
#include "vendors/transforms.hpp"

namespace usmx::inline v1::detail {
namespace {

using internal::fourier_call;
using internal::transform_axis;
using std::ptrdiff_t;

constexpr toolkit_library cufft_files{
    {{"libcufft.so.12", "nvidia/cu13/lib"}, {"libcufft.so.11", "nvidia/cufft/lib"}}};

/// The few declarations of cufft.h and cufftXt.h that are needed, as NVIDIA's "cuFFT" has them.
struct cufft_functions {
  using handle = int;
  using status = int;

  status (*create)(handle*);
  status (*allocate_at_once)(handle, int whether);  // cufftSetAutoAllocation
  // cufftXtMakePlanMany
  status (*make)(handle, int rank, long long* extents, long long* memory_in, long long stride_in,
                 long long distance_in, int type_in, long long* memory_out, long long stride_out,
                 long long distance_out, int type_out, long long count, std::size_t* work_nbytes,
                 int computed);
  status (*set_stream)(handle, CUstream);
  status (*set_work_area)(handle, void*);
  status (*execute)(handle, void* from, void* to, int direction);  // cufftXtExec
  status (*destroy)(handle);
};

/// Null where the library, or one of its functions, is missing.
const cufft_functions* cufft() {
  static constinit optional_library search(find_cufft);
  void* const loaded = search.handle();
  if (loaded == nullptr) {
    return nullptr;
  }
  static const auto all = [loaded]() -> std::optional<cufft_functions> {
    cufft_functions found{};
    function_search find(loaded);
    find(found.create, "cufftCreate");
    find(found.allocate_at_once, "cufftSetAutoAllocation");
    find(found.make, "cufftXtMakePlanMany");
    find(found.set_stream, "cufftSetStream");
    find(found.set_work_area, "cufftSetWorkArea");
    find(found.execute, "cufftXtExec");
    find(found.destroy, "cufftDestroy");
    return find.has_all() ? std::optional(found) : std::nullopt;
  }();
  return all ? &*all : nullptr;
}

constexpr std::size_t most_axes = 3;       // of a plan
constexpr ptrdiff_t most_repetitions = 8;  // calls of a plan, beyond which a copy takes less time

// ---- plans

/// The request for a plan: it knows no address and no stream.
struct plan_key {
  CUdevice device;
  bool is_double;
  bool is_real;
  bool is_forward;
  std::vector<long long> extents;
  cufft_side input;
  cufft_side output;
  long long count;

  friend bool operator==(const plan_key&, const plan_key&) = default;
};

int type_of(const plan_key& key, bool is_real) {  // cudaDataType
  return (key.is_double ? 1 : 0) + (is_real ? 0 : 4);
}

class plan {
 public:
  /// Throws device_error with cuFFT's status.
  explicit plan(const plan_key& key) : device_(key.device) {
    const cuda::current_primary_context current(cuda::required_functions(), device_);
    require(cufft()->create(&handle_), "make a plan");
    is_made_ = true;
    require(cufft()->allocate_at_once(handle_, 0), "let usmx allocate");
    plan_key told = key;  // which the function may write to
    require(cufft()->make(handle_, static_cast<int>(told.extents.size()), told.extents.data(),
                          told.input.memory.data(), told.input.stride, told.input.distance,
                          type_of(key, key.is_real && key.is_forward), told.output.memory.data(),
                          told.output.stride, told.output.distance,
                          type_of(key, key.is_real && !key.is_forward), told.count, &work_nbytes_,
                          type_of(key, false)),
            "plan this transform");
    wait_for_setup();
  }
  plan(const plan&) = delete;
  plan& operator=(const plan&) = delete;
  /// Waits for the device: its work may use the tables and the kernels of the plan, which the
  /// library frees at once.
  ~plan() {
    if (is_made_) {
      try {
        const cuda::functions& driver = cuda::required_functions();
        const cuda::current_primary_context current(driver, device_);
        driver.synchronize_context();
        cufft()->destroy(handle_);
      } catch (const std::exception&) {  // the device is gone, and the plan with it
      }
    }
  }

  std::size_t work_nbytes() const noexcept { return work_nbytes_; }

  /// Sets the stream and the work area for the calls of `run`, which gets a function that starts
  /// one. A plan has one of both, so threads take turns.
  template <class Run>
  bool use(CUstream stream, void* work_area, const Run& run) {
    const std::lock_guard lock(mutex_);
    const cufft_functions& functions = *cufft();
    if (functions.set_stream(handle_, stream) != 0 ||
        (work_area != nullptr && functions.set_work_area(handle_, work_area) != 0)) {
      return false;
    }
    bool are_taken = true;
    run([&](std::byte* from, std::byte* to, bool is_forward) {
      are_taken = are_taken && functions.execute(handle_, from, to, is_forward ? -1 : 1) == 0;
    });
    return are_taken;
  }

 private:
  void require(int status, const char* what) {
    if (status == 0) {
      return;
    }
    if (is_made_) {
      cufft()->destroy(handle_);
      is_made_ = false;
    }
    if (status == 2) {  // CUFFT_ALLOC_FAILED
      throw allocation_error(message("cuFFT has no memory to ", what));
    }
    throw device_error(message("cuFFT cannot ", what, ": its status is ", status));
  }

  CUdevice device_;
  int handle_ = 0;
  bool is_made_ = false;
  std::size_t work_nbytes_ = 0;
  ranked_mutex<lock_rank::cufft_plan> mutex_;
};

struct kept_plan_cache : plan_cache<plan_key, plan> {
  kept_plan_cache() : plan_cache(internal::max_kept_plans, internal::max_kept_plan_nbytes) {}
};

kept_plan_cache& all_plans() { return immortal<kept_plan_cache>(); }

std::shared_ptr<plan> plan_for(const plan_key& key) {
  kept_plan_cache& cache = all_plans();
  if (auto found = cache.find(key)) {
    return found;
  }
  auto made = std::make_shared<plan>(key);
  std::size_t nbytes = key.is_double ? 16 : 8;  // about as many numbers as a transform has
  for (const long long extent : key.extents) {
    nbytes *= static_cast<std::size_t>(extent);
  }
  cache.keep(key, made, nbytes);
  return made;
}

// ---- calls

/// A plan for a call, and the repetitions beyond it.
struct request {
  plan_key key;
  std::vector<transform_axis> repeated;
};

/// The axes of a call as plans have them: the outermost first, of real transforms the halved one
/// last.
std::vector<transform_axis> plan_axes(const fourier_call& call, bool is_real) {
  const array& longer = call.is_forward ? call.input : call.output;
  std::vector<transform_axis> axes;
  for (const int axis : call.axes) {
    axes.push_back({longer.extent(axis), call.input.stride(axis), call.output.stride(axis)});
  }
  const auto last = axes.end() - (is_real ? 1 : 0);
  std::ranges::stable_sort(axes.begin(), last, std::ranges::greater(), &transform_axis::output);
  if (is_real && axes.back().extent == 1) {  // whose strides say nothing
    axes.back().input = axes.back().output = 1;
  }
  std::erase_if(
      axes, [&](const transform_axis& each) { return each.extent == 1 && &each != &axes.back(); });
  return axes;
}

bool is_aligned(const array& a, bool is_double) {
  const std::size_t size = is_double ? 16 : 8;  // that of a complex number, for real ones too
  return reinterpret_cast<std::uintptr_t>(internal::first_element(a)) % size == 0;
}

/// Returns none if cuFFT does not take the arrays as they lie.
std::optional<request> request_for(const fourier_call& call) {
  const internal::transform_types types = internal::types_of(call);
  const std::vector<transform_axis> axes = plan_axes(call, types.is_real);
  if (axes.size() > most_axes || !is_aligned(call.input, types.is_double) ||
      !is_aligned(call.output, types.is_double)) {
    return std::nullopt;
  }
  transform_axis batch{1, 1, 1};
  std::vector<transform_axis> repeated = internal::repeated_axes(call);
  if (!repeated.empty()) {  // the plan has the longest, and calls of it the others
    const auto longest = std::ranges::max_element(repeated, {}, &transform_axis::extent);
    batch = *longest;
    repeated.erase(longest);
  }
  ptrdiff_t calls = 1;
  for (const transform_axis& each : repeated) {
    calls = std::min(calls * std::min(each.extent, most_repetitions + 1), most_repetitions + 1);
  }
  if (calls > most_repetitions || (types.is_real && calls > 1)) {  // which might not be aligned
    return std::nullopt;
  }
  std::vector<long long> extents;
  std::vector<ptrdiff_t> sides[2];
  std::vector<ptrdiff_t> strides[2];
  for (const transform_axis& each : axes) {
    extents.push_back(each.extent);
    for (std::vector<ptrdiff_t>& side : sides) {
      side.push_back(each.extent);
    }
    strides[0].push_back(each.input);
    strides[1].push_back(each.output);
  }
  if (types.is_real) {
    ptrdiff_t& halved = sides[call.is_forward ? 1 : 0].back();
    halved = halved / 2 + 1;
  }
  auto input = cufft_side_of(sides[0], strides[0], batch.input);
  auto output = cufft_side_of(sides[1], strides[1], batch.output);
  if (!input || !output) {
    return std::nullopt;
  }
  const CUdevice device = sycl::get_native<sycl::backend::ext_oneapi_cuda>(
      internal::private_queue(call.output).get_device());
  return request{{device, types.is_double, types.is_real, call.is_forward, std::move(extents),
                  std::move(*input), std::move(*output), batch.extent},
                 std::move(repeated)};
}

/// Whether cuFFT takes longer for a transform as it lies than for a copy of it: where long rows lie
/// across memory. On an H200 1,024 transforms of 65,536 complex64 take 2.8 ms so, 1.3 with copies.
bool is_slow_as_it_lies(const fourier_call& call) {
  constexpr ptrdiff_t long_row = 8192;
  constexpr ptrdiff_t large = ptrdiff_t{1} << 22;
  const auto is_across = [&](const array& a) {
    return std::ranges::none_of(call.axes, [&](int axis) { return a.stride(axis) == 1; }) &&
           std::ranges::any_of(call.axes, [&](int axis) { return a.extent(axis) >= long_row; });
  };
  return call.output.size() >= large && (is_across(call.input) || is_across(call.output));
}

array new_beside(const array& of, layout where, dtype type, usm_kind kind) {
  return internal::new_array(std::move(where), type, internal::private_queue(of), kind, 0,
                             internal::first_use::in_order);
}

void start(const request& of, const fourier_call& call) {
  const std::shared_ptr<plan> made = plan_for(of.key);
  const bool spoils_input = of.key.is_real && !of.key.is_forward;
  submission work(internal::private_queue(call.output));
  work.use(call.input, spoils_input ? access::write : access::read);
  work.use(call.output, access::write);
  std::byte* work_area = nullptr;
  std::optional<array> space;
  if (made->work_nbytes() > 0) {
    space = new_beside(call.output, layout::c_order({static_cast<ptrdiff_t>(made->work_nbytes())}),
                       type_code::uint8, usm_kind::device);
    work.use(*space, access::write);
    work_area = internal::first_element(*space);
  }
  const auto run =
      [made, work_area, repeated = of.repeated, is_forward = of.key.is_forward,
       from = internal::first_element(call.input), to = internal::first_element(call.output),
       input_size = static_cast<ptrdiff_t>(call.input.type().itemsize()),
       output_size = static_cast<ptrdiff_t>(call.output.type().itemsize())](CUstream stream) {
        return made->use(stream, work_area, [&](const auto& execute) {
          internal::for_each_repetition(repeated, 0, 0, [&](ptrdiff_t input, ptrdiff_t output) {
            execute(from + input * input_size, to + output * output_size, is_forward);
          });
        });
      };
  if (!start_on_stream(work, run)) {
    throw device_error("cuFFT has refused to start a transform");
  }
}

/// A transform of up to three axes, where cuFFT does not take the arrays as they lie: of a copy
/// whose transforms lie one after another.
void start_with_copies(const fourier_call& call) {
  std::vector<int> order;
  for (int axis = 0; axis < call.input.ndim(); ++axis) {
    if (std::ranges::count(call.axes, axis) == 0) {
      order.push_back(axis);
    }
  }
  fourier_call inner = call;
  inner.axes.clear();
  for (const int axis : call.axes) {
    inner.axes.push_back(static_cast<int>(order.size()));
    order.push_back(axis);
  }
  const auto reordered = [&](const array& a) {
    return internal::with_layout(a, permuted(a.layout(), order));
  };
  const auto compact = [&](const array& a) {
    return new_beside(a, layout::c_order(a.shape()), a.type(), usm_kind::device);
  };
  const array from = reordered(call.input);
  inner.input = compact(from);
  copy_in_order(from, inner.input);
  inner.output = reordered(call.output);
  if (!is_slow_as_it_lies(inner)) {
    if (const auto direct = request_for(inner)) {
      return start(*direct, inner);
    }
  }
  const array to = std::exchange(inner.output, compact(inner.output));
  const auto of_compact = request_for(inner);
  if (!of_compact) {
    throw device_error("cuFFT cannot be told where the elements of a transform lie");
  }
  start(*of_compact, inner);
  copy_in_order(inner.output, to);
}

/// A transform of up to three axes, which may spoil the input if that is a copy.
void start_step(const fourier_call& call, bool may_spoil_input) {
  const bool spoils_input = !call.is_forward && call.output.type() != call.input.type();
  if ((!spoils_input || may_spoil_input) && !is_slow_as_it_lies(call)) {
    if (const auto direct = request_for(call)) {
      return start(*direct, call);
    }
  }
  start_with_copies(call);
}

/// Transforms complex numbers in place along axes, the last ones first.
void start_in_place(const array& a, std::span<const int> axes, bool is_forward) {
  while (!axes.empty()) {
    const std::size_t count = std::min(axes.size(), most_axes);
    const auto last = axes.last(count);
    start_step({a, a, {last.begin(), last.end()}, is_forward, 1.0}, false);
    axes = axes.first(axes.size() - count);
  }
}

}  // namespace

library_search find_cufft() { return find_toolkit_library(cufft_files, "cuFFT"); }

bool has_cufft() { return cufft() != nullptr; }

std::optional<cufft_side> cufft_side_of(std::span<const ptrdiff_t> extents,
                                        std::span<const ptrdiff_t> strides, ptrdiff_t distance) {
  if (strides.back() < 1 || distance < 1) {
    return std::nullopt;
  }
  cufft_side side{{extents.begin(), extents.end()}, strides.back(), distance};
  for (std::size_t k = 1; k < extents.size(); ++k) {
    if (strides[k - 1] % strides[k] != 0 || strides[k - 1] / strides[k] < extents[k]) {
      return std::nullopt;
    }
    side.memory[k] = strides[k - 1] / strides[k];
  }
  return side;
}

internal::kept_plans cufft_plans() { return all_plans().kept(); }

void clear_cufft_plans() { all_plans().clear(); }

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1::internal {

void start_cuda_fourier(const fourier_call& call) {
  using namespace detail;
  const runtime_call runs;  // which cuFFT needs, too: it changes the current device
  const transform_types types = types_of(call);
  require_shapes(call, types.is_real);
  if (call.scale != 1) {
    throw value_error(message("cuFFT multiplies by nothing, found the scale ", call.scale));
  }
  if (cufft() == nullptr) {
    throw device_error(message("cuFFT cannot be used: ", find_cufft().text));
  }
  const std::span axes(call.axes);
  if (types.is_real && !call.is_forward) {
    // Numbers of a spectrum beyond the first half count in cuFFT's transforms of several axes, and
    // not in NumPy's. cuFFT spoils the input.
    const array from = new_beside(call.input, layout::c_order(call.input.shape()),
                                  call.input.type(), usm_kind::device);
    copy_in_order(call.input, from);
    start_in_place(from, axes.first(axes.size() - 1), false);
    return start_step({from, call.output, {axes.back()}, false, 1.0}, true);
  }
  const std::size_t count = std::min(axes.size(), most_axes);
  const auto last = axes.last(count);
  start_step({call.input, call.output, {last.begin(), last.end()}, call.is_forward, 1.0}, false);
  start_in_place(call.output, axes.first(axes.size() - count), call.is_forward);
}

}  // namespace usmx::inline v1::internal
