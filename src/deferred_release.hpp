// Memory whose last user is gone while work on it is still running: letting go of it must neither
// block nor call the runtime from whatever thread that happens on, so it waits here until its work
// is found finished. Private to the library.
#pragma once

#include <vector>

#include <sycl/event.hpp>

#include "usmx/buffer.hpp"

namespace usmx::detail {

/// Runs `release` once the events are complete: in a later call of release_finished.
void release_after(std::vector<sycl::event> events, release_action release) noexcept;

/// Releases what has finished in the meantime; never waits.
void release_finished() noexcept;

/// Waits for all of it and releases it.
void release_all();

}  // namespace usmx::detail
