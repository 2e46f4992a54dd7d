#include "base/messages.hpp"

#include <atomic>
#include <cstdio>

namespace usmx::inline v1 {
namespace {

void write_to_stderr(const char* text) noexcept { std::fprintf(stderr, "usmx: %s\n", text); }

std::atomic<warning_handler> handler = write_to_stderr;

}  // namespace

void set_warning_handler(warning_handler replacement) noexcept {
  handler = replacement == nullptr ? write_to_stderr : replacement;
}

void detail::warn(const char* text) noexcept { handler.load()(text); }

}  // namespace usmx::inline v1
