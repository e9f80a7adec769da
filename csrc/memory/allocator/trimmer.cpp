#include "csrc/memory/allocator/trimmer.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include "csrc/core/outer_lock.h"

namespace garboard {
namespace {

/// A device that works is waited for before its memory goes, however long that takes.
constexpr double device_wait_ns = 1e9;
/// How long to wait for memory that other threads are returning right now.
constexpr auto longest_wait = std::chrono::milliseconds(200);

}  // namespace

std::size_t Trimmer::trim(std::size_t bytes, End end) noexcept {
  if (arena_.is_captured()) return 0;
  if (arena_.locked([&] { return arena_.accounts().cached_bytes(); }) == 0) return 0;
  const OuterLock::Away away(mapper_.source().timeline() ? device_wait_ns : 0);
  std::size_t freed = 0;
  while (freed < bytes) {
    const std::size_t piece = trim_piece(bytes - freed, end);
    if (piece == 0) break;
    freed += piece;
  }
  return freed < bytes ? freed + trim_segments(bytes - freed) : freed;
}

// What is live, or shares its granule with what is, cannot be returned: then what is released next
// is looked at.
void Trimmer::trim_to_limit() noexcept {
  const std::size_t excess = arena_.locked([&] { return arena_.accounts().lacking_bytes(0); });
  if (excess > 0) trim(excess);
  arena_.locked([&] { arena_.attend(); });
}

// A piece at a time: each is found by a look at all large free blocks, and hits of other threads
// shall not wait for all of those looks.
std::size_t Trimmer::trim_piece(std::size_t bytes, End end) noexcept {
  Heap::Stock stock;
  Block* carved = nullptr;
  while (!carved) {
    {
      const std::lock_guard guard(arena_);
      if (stock.slab) arena_.heap().put(stock);
      if (arena_.heap().has_descriptors()) {
        carved = arena_.carve(bytes, end);
        if (!carved) return 0;
        continue;
      }
    }
    stock = Heap::make_spare();
    if (!stock.slab) return 0;
  }
  const std::size_t freed = carved->bytes;
  mapper_.unmap(*carved);
  arena_.locked([&] { arena_.drop(*carved); });
  return freed;
}

std::size_t Trimmer::trim_segments(std::size_t bytes) noexcept {
  Segment* segment = arena_.locked([&] { return arena_.take_free_segments(bytes); });
  std::size_t freed = 0;
  while (segment) {
    const std::unique_ptr<Segment> owned(segment);
    segment = owned->below;
    freed += owned->bytes;
    mapper_.unmap(*owned);
  }
  arena_.locked([&] { arena_.accounts().end_unmapping(freed); });
  return freed;
}

void Trimmer::await_others() const noexcept {
  const auto give_up = std::chrono::steady_clock::now() + longest_wait;
  while (arena_.locked([&] { return arena_.accounts().is_unmapping(); }) &&
         std::chrono::steady_clock::now() <= give_up) {
    std::this_thread::yield();
  }
}

void Trimmer::return_ranges() noexcept {
  Segment* range = arena_.heap().take_empty_ranges();
  while (range) {
    const std::unique_ptr<Segment> owned(range);
    range = owned->below;
    mapper_.source().unreserve(owned->address, owned->bytes);
  }
}

}  // namespace garboard
