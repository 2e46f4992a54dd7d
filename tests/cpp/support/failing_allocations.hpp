// Makes an allocation of the library's own code fail. The program is linked with the library's
// objects and failing_allocations.cpp, which replaces operator new.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <new>

namespace support {

/// While it lives, the `number`-th allocation (from 1) that this thread makes in the library or in
/// the test throws bad_alloc. What the SYCL runtime and drivers allocate never fails: they end the
/// process.
class failing_allocation {
 public:
  explicit failing_allocation(int number) noexcept;
  ~failing_allocation();
  failing_allocation(const failing_allocation&) = delete;
  failing_allocation& operator=(const failing_allocation&) = delete;

  /// Whether there were so many.
  static bool has_happened() noexcept;
};

/// While it lives, each allocation that this thread makes in the library or in the test is told of
/// first. The function may hold the thread up.
class told_allocations {
 public:
  explicit told_allocations(std::function<void()> told);
  ~told_allocations();
  told_allocations(const told_allocations&) = delete;
  told_allocations& operator=(const told_allocations&) = delete;

 private:
  std::function<void()> told_;
};

/// Calls `attempt` with the first, second, ... allocation in `body` failing, until none does.
template <class Attempt>
void with_every_allocation(const Attempt& attempt) {
  for (int number = 1;; ++number) {
    SCOPED_TRACE(testing::Message() << "allocation " << number);
    attempt(number);
    if (!failing_allocation::has_happened() || testing::Test::HasFatalFailure()) {
      EXPECT_GT(number, 1) << "nothing was allocated";
      return;
    }
  }
}

/// Whether bad_alloc came out.
template <class Body>
bool fails(int number, const Body& body) {
  const failing_allocation failing(number);
  try {
    body();
    return false;
  } catch (const std::bad_alloc&) {
    return true;
  }
}

}  // namespace support
