// Memory of usmx for PyTorch's tensors on XPU: the functions that
// torch.xpu.memory.XPUPluggableAllocator loads. PyTorch calls them on any thread.
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sycl/queue.hpp>
#include <usmx/memory/buffer.hpp>

namespace {

struct block {
  std::shared_ptr<usmx::buffer> memory;
  /// The memory on the further queues that PyTorch has recorded for it.
  std::vector<usmx::buffer> on_other_queues;
};

/// The blocks that tensors have, by address.
class block_table {
 public:
  void add(std::shared_ptr<usmx::buffer> memory) {
    const void* const address = memory->data();
    const std::lock_guard lock(mutex_);
    blocks_.insert_or_assign(address, block{std::move(memory), {}});
  }
  void add_queue(const void* address, const sycl::queue& queue) {
    const std::lock_guard lock(mutex_);
    block& found = blocks_.at(address);
    found.on_other_queues.push_back(usmx::buffer::on_queue(found.memory, queue));
  }
  block take(const void* address) {
    const std::lock_guard lock(mutex_);
    auto node = blocks_.extract(address);
    return node ? std::move(node.mapped()) : block{};
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const void*, block> blocks_;
};

/// Never destroyed: tensors may be freed after the static objects of this library.
block_table& blocks() {
  static auto& table = *new block_table;
  return table;
}

}  // namespace

/// Device memory for a tensor, aligned to 64 bytes or more; null for no bytes. PyTorch takes any
/// other null for memory, so this throws where there is none (usmx::allocation_error): PyTorch
/// calls it as a std::function, from C++ whose exceptions become Python's.
extern "C" void* usmx_xpu_malloc(std::size_t nbytes, int /*device*/, sycl::queue* queue) {
  if (nbytes == 0) {
    return nullptr;
  }
  auto memory = usmx::buffer::allocate_shared(nbytes, *queue, usmx::usm_kind::device);
  memory->expose();  // PyTorch submits work to the queue and tells nobody
  void* const address = memory->data();
  blocks().add(std::move(memory));
  return address;
}

/// Takes a block back, and does not wait: usmx frees the memory when the work that its queues have
/// by now is done, and nobody has imported it.
extern "C" void usmx_xpu_free(void* address, std::size_t, int, sycl::queue*) noexcept {
  if (address != nullptr) {
    blocks().take(address);
  }
}

/// For Tensor.record_stream(): work on a further queue uses the block, too.
extern "C" void usmx_xpu_record_stream(void* address, sycl::queue* queue) {
  if (address != nullptr) {
    blocks().add_queue(address, *queue);
  }
}
