// The arguments of the memory classes: makes new memory, or takes existing memory.
#pragma once

#include <memory>

#include "support/nanobind.hpp"
#include "usmx/memory/buffer.hpp"

namespace usmx::bindings {

/// The keywords of the constructors.
struct memory_options {
  std::size_t alignment = 0;
  /// None for the default queue; for a copy, the queue of its source.
  nb::object queue = nb::none();
  bool copy = false;
};

/// The alignment of new memory: an integer that is not negative.
std::size_t alignment_argument(nb::handle alignment);

/// New memory. nbytes > 0 (value_error).
std::shared_ptr<buffer> allocate_memory(std::ptrdiff_t nbytes, usm_kind kind,
                                        const memory_options& options);

/// A view of existing memory, or with options.copy a copy of it in new memory of that kind. Throws
/// value_error if a view would have another kind or context than was asked for.
std::shared_ptr<buffer> take_memory(std::shared_ptr<buffer> existing, usm_kind kind,
                                    const memory_options& options);

}  // namespace usmx::bindings
