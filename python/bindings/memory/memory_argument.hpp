// New memory as Python asks for it, and existing memory as it is to be taken.
#pragma once

#include <memory>

#include "support/nanobind.hpp"
#include "usmx/memory/buffer.hpp"

namespace usmx::bindings {

/// The keywords of the constructors.
struct memory_options {
  std::size_t alignment = 0;
  /// None: the default queue, or for a copy that of its source.
  nb::object queue = nb::none();
  bool copy = false;
};

/// The alignment of new memory: an integer that is not negative.
std::size_t alignment_argument(nb::handle alignment);

/// New memory. nbytes > 0 (value_error).
std::shared_ptr<buffer> allocate_memory(std::ptrdiff_t nbytes, usm_kind kind,
                                        const memory_options& options);

/// A view of existing memory, or with options.copy a copy of it in new memory of that kind.
/// value_error when a view would have another kind or context than is asked for.
std::shared_ptr<buffer> take_memory(std::shared_ptr<buffer> existing, usm_kind kind,
                                    const memory_options& options);

}  // namespace usmx::bindings
