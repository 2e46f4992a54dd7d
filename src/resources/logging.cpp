#include "usmx/memory/resources/logging.hpp"

#include <utility>

#include "observing/memory_log.hpp"
#include "usmx/memory/memory_observer.hpp"

namespace usmx::inline v1 {

logging_resource::logging_resource(any_resource upstream, const std::filesystem::path& path)
    : upstream_(detail::as_upstream(std::move(upstream))),
      log_(std::make_shared<detail::memory_log>(path.string())) {}

std::byte* logging_resource::allocate(std::size_t nbytes, std::size_t alignment,
                                      const sycl::queue& queue) {
  const auto write = [&](memory_action action, const std::byte* block) {
    log_->write({action, memory_source::resource, kind(), nbytes, block, queue});
  };
  std::byte* block = nullptr;
  try {
    block = upstream_.allocate(nbytes, alignment, queue);
  } catch (...) {
    write(memory_action::failure, nullptr);
    throw;
  }
  write(memory_action::allocate, block);
  return block;
}

void logging_resource::deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                                  const sycl::queue& queue) noexcept {
  log_->write({memory_action::free, memory_source::resource, kind(), nbytes, block, queue});
  upstream_.deallocate(block, nbytes, alignment, queue);
}

}  // namespace usmx::inline v1
