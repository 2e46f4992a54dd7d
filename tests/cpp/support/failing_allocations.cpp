#include "support/failing_allocations.hpp"

#include <dlfcn.h>
#include <unwind.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <utility>

extern const char __executable_start;  // by the linker: where the program's code begins and ends
extern const char etext;

namespace {

thread_local int left = 0;  // until one fails; 0: none will
thread_local bool happened = false;
thread_local const std::function<void()>* told = nullptr;

bool is_in_program(std::uintptr_t address) noexcept {
  return address >= reinterpret_cast<std::uintptr_t>(&__executable_start) &&
         address < reinterpret_cast<std::uintptr_t>(&etext);
}

bool is_in_standard_library(std::uintptr_t address) noexcept {
  Dl_info found;
  return dladdr(reinterpret_cast<void*>(address), &found) != 0 && found.dli_fname != nullptr &&
         std::strstr(found.dli_fname, "libstdc++") != nullptr;
}

/// Who calls, beyond operator new and the parts of the standard library that are not inline.
struct caller {
  int frames_to_skip;
  bool is_program = false;
};

_Unwind_Reason_Code look_at(_Unwind_Context* frame, void* state) {
  auto& found = *static_cast<caller*>(state);
  if (found.frames_to_skip > 0) {
    --found.frames_to_skip;
    return _URC_NO_REASON;
  }
  const std::uintptr_t address = _Unwind_GetIP(frame);
  if (is_in_standard_library(address)) {
    return _URC_NO_REASON;
  }
  found.is_program = is_in_program(address);
  return _URC_END_OF_STACK;
}

bool fails_now() noexcept;
void tell();

[[gnu::noinline]] void* allocate(std::size_t nbytes, std::size_t alignment) {
  if (left > 0 && fails_now()) {
    throw std::bad_alloc();
  }
  if (told != nullptr) {
    tell();
  }
  void* const memory =
      alignment <= alignof(std::max_align_t)
          ? std::malloc(nbytes)
          : std::aligned_alloc(alignment, (nbytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

[[gnu::noinline]] bool fails_now() noexcept {
  caller found{3};  // this function, allocate, operator new
  _Unwind_Backtrace(look_at, &found);
  if (!found.is_program || --left > 0) {
    return false;
  }
  happened = true;
  return true;
}

/// What is told of may allocate, too.
[[gnu::noinline]] void tell() {
  caller found{3};  // as above
  const std::function<void()>* const function = std::exchange(told, nullptr);
  _Unwind_Backtrace(look_at, &found);
  if (found.is_program) {
    (*function)();
  }
  told = function;
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t nbytes) { return allocate(nbytes, 1); }
[[gnu::noinline]] void* operator new(std::size_t nbytes, std::align_val_t alignment) {
  return allocate(nbytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace support {

failing_allocation::failing_allocation(int number) noexcept {
  happened = false;
  left = number;
}
failing_allocation::~failing_allocation() { left = 0; }
bool failing_allocation::has_happened() noexcept { return happened; }

told_allocations::told_allocations(std::function<void()> function) : told_(std::move(function)) {
  told = &told_;
}
told_allocations::~told_allocations() { told = nullptr; }

}  // namespace support
