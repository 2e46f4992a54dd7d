#include "copy/pieces.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include <sycl/event.hpp>
#include <sycl/exception.hpp>

#include "copy/host.hpp"
#include "copy/plan.hpp"
#include "copy/queue.hpp"
#include "copy/staging.hpp"
#include "runtime/waiting.hpp"

namespace usmx::inline v1::detail {
namespace {

/// What the device needs about 80 us for: ten times of what a command costs.
constexpr std::size_t piece_nbytes = std::size_t{4} << 20;

void copy_bytes(std::byte* destination, const std::byte* source, std::size_t nbytes) {
  const std::array extent{static_cast<std::ptrdiff_t>(nbytes)};
  const std::array<std::ptrdiff_t, 1> adjacent{1};
  copy_on_host(make_plan(extent, {const_cast<std::byte*>(source), type_code::uint8, adjacent, 1},
                         {destination, type_code::uint8, adjacent, 1}));
}

/// Room for a piece, which the device may be at work on.
class piece {
 public:
  piece(array room, const sycl::queue& queue) : room_(std::move(room)), queue_(queue) {}
  piece(piece&&) = default;
  piece& operator=(piece&&) = delete;
  ~piece() {
    try {
      wait();
    } catch (const sycl::exception&) {
      // Another error is on its way.
    }
  }

  void wait() {
    if (moved_) {
      wait_for(*std::exchange(moved_, std::nullopt));
    }
  }
  void start_from(const std::byte* source, std::size_t nbytes) {
    moved_ = start_memcpy(room_.data(), source, nbytes, queue_);
  }
  void start_to(std::byte* destination, std::size_t nbytes) {
    moved_ = start_memcpy(destination, room_.data(), nbytes, queue_);
  }
  std::byte* data() const noexcept { return room_.data(); }

 private:
  array room_;
  const sycl::queue& queue_;
  std::optional<sycl::event> moved_;
};

using two_pieces = std::array<piece, 2>;

std::optional<two_pieces> pieces_for(std::size_t nbytes, const sycl::queue& queue) {
  const std::array extent{static_cast<std::ptrdiff_t>(std::min(nbytes, piece_nbytes))};
  auto first = staging_for_commands(layout::c_order(extent), type_code::uint8, queue);
  auto second = staging_for_commands(layout::c_order(extent), type_code::uint8, queue);
  if (!first || !second) {
    return std::nullopt;
  }
  return two_pieces{piece(*std::move(first), queue), piece(*std::move(second), queue)};
}

}  // namespace

bool upload_in_pieces(std::byte* destination, const std::byte* source, std::size_t nbytes,
                      const sycl::queue& queue) {
  std::optional<two_pieces> pieces = pieces_for(nbytes, queue);
  if (!pieces) {
    return false;
  }
  auto* now = &pieces->front();
  auto* next = &pieces->back();
  for (std::size_t done = 0; done < nbytes; done += piece_nbytes) {
    const std::size_t count = std::min(piece_nbytes, nbytes - done);
    now->wait();
    copy_bytes(now->data(), source + done, count);
    now->start_to(destination + done, count);
    std::swap(now, next);
  }
  now->wait();
  next->wait();
  return true;
}

bool download_in_pieces(std::byte* destination, const std::byte* source, std::size_t nbytes,
                        const sycl::queue& queue) {
  std::optional<two_pieces> pieces = pieces_for(nbytes, queue);
  if (!pieces) {
    return false;
  }
  auto* now = &pieces->front();
  auto* next = &pieces->back();
  const auto count_at = [&](std::size_t done) { return std::min(piece_nbytes, nbytes - done); };
  now->start_from(source, count_at(0));
  for (std::size_t done = 0; done < nbytes; done += piece_nbytes) {
    if (const std::size_t after = done + piece_nbytes; after < nbytes) {
      next->start_from(source + after, count_at(after));
    }
    now->wait();
    copy_bytes(destination + done, now->data(), count_at(done));
    std::swap(now, next);
  }
  return true;
}

}  // namespace usmx::inline v1::detail
