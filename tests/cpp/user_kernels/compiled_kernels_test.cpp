// src/user_kernels/kernel_code.hpp: the compiled kernels that are kept.
#include "user_kernels/kernel_code.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "support/device_test.hpp"
#include "usmx/copy/values.hpp"

namespace {

using usmx::kernel;
using table = usmx::internal::compiled_kernels<int>;

class compiled_kernels_test : public support::device_test {
 protected:
  static sycl::queue queue_of_new_context() { return sycl::queue(new_context(), device()); }
  static std::vector<kernel> compile(const sycl::queue& queue) {
    return {kernel::compile(
        queue, "#include <usmx/kernel.hpp>\nUSMX_KERNEL(1) f(int* x) { x[0] = 7; }", "f")};
  }
};

TEST_F(compiled_kernels_test, kernels_are_found_for_every_queue_of_their_context_and_device) {
  table all;
  const auto added = all.add(queue(), 1, compile(queue()));
  EXPECT_EQ(all.find(sycl::queue(queue().get_context(), device()), 1), added);
  EXPECT_EQ(all.find(queue(), 2), nullptr);
  EXPECT_EQ(all.find(queue_of_new_context(), 1), nullptr);
}

TEST_F(compiled_kernels_test, found_kernel_runs_on_the_queue_that_a_launch_names) {
  table all;
  all.add(sycl::queue(queue().get_context(), device()), 1, compile(queue()));
  const usmx::array x = usmx::zeros({1}, usmx::int32, queue());
  const sycl::queue where = queue();
  const usmx::kernel_argument arguments[] = {x};
  all.find(queue(), 1)->front().launch({1, {1, 1, 1}, {}}, arguments, &where).wait();
  EXPECT_EQ(usmx::to_vector<int>(x), std::vector<int>{7});
}

TEST_F(compiled_kernels_test, queue_that_they_were_compiled_on_is_not_held) {
  table all;
  using implementation = std::remove_cvref_t<decltype(sycl::detail::getSyclObjImpl(queue()))>;
  std::weak_ptr<implementation::element_type> of_queue;
  {
    const sycl::queue own(queue().get_context(), device());
    all.add(own, 1, compile(own));
    of_queue = sycl::detail::getSyclObjImpl(own);
  }
  EXPECT_TRUE(of_queue.expired());
  EXPECT_FALSE(all.empty());
}

TEST_F(compiled_kernels_test, second_of_two_threads_gets_the_kernels_of_the_first) {
  table all;
  const auto first = all.add(queue(), 1, compile(queue()));
  EXPECT_EQ(all.add(queue(), 1, compile(queue())), first);
}

TEST_F(compiled_kernels_test, contexts_that_were_not_used_lately_are_forgotten) {
  table all;
  const std::vector<kernel> kernels = compile(queue());
  const sycl::queue steady = queue_of_new_context();
  const sycl::queue once = queue_of_new_context();
  const auto held = all.add(steady, 1, kernels);
  all.add(once, 1, kernels);
  for (std::size_t count = 1; count < table::most_targets; ++count) {
    EXPECT_EQ(all.find(steady, 1), held);
    all.add(queue_of_new_context(), 1, kernels);
  }
  EXPECT_EQ(all.find(steady, 1), held);
  EXPECT_EQ(all.find(once, 1), nullptr);
}

TEST_F(compiled_kernels_test, keys_that_were_not_used_lately_are_forgotten) {
  table all;
  const std::vector<kernel> kernels = compile(queue());
  for (int key = 0; key <= static_cast<int>(table::most_keys); ++key) {
    all.add(queue(), key, kernels);
    EXPECT_NE(all.find(queue(), 0), nullptr) << key;
  }
  EXPECT_EQ(all.find(queue(), 1), nullptr);
  EXPECT_NE(all.find(queue(), 2), nullptr);
}

TEST_F(compiled_kernels_test, programs_that_a_context_did_not_use_lately_are_forgotten) {
  using usmx::detail::built_kernels;
  built_kernels all(queue().get_context());
  const auto program = std::make_shared<const std::vector<usmx::detail::built_kernel>>();
  for (std::size_t k = 0; k <= built_kernels::most_programs; ++k) {
    all.add(device(), std::to_string(k), program);
    EXPECT_EQ(all.find(device(), "0"), program);
  }
  EXPECT_EQ(all.size(), built_kernels::most_programs);
  EXPECT_EQ(all.find(device(), "1"), nullptr);
}

}  // namespace
