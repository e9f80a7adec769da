// A run of bytes or of bare addresses inside a segment: free, handed out, or on its way.
#pragma once

#include <cstddef>
#include <cstdint>

#include "csrc/device/device.h"

namespace garboard {

struct ForeignUse;
struct Segment;

/// What is larger is refused at once: there is no bin for it.
inline constexpr std::size_t largest_request_bytes = std::size_t{1} << 47;
/// The smallest that blocks are multiples of, on any device.
inline constexpr std::size_t least_quantum_bytes = 64;

enum class BlockState : std::uint8_t {
  live,      // handed out
  pending,   // released, but another stream may still use it
  free,      // mapped, and for the next request of its size
  held,      // free, but kept for a growth that is under way
  moving,    // some thread is having it mapped or unmapped
  unmapped,  // addresses without memory
};

/// What `CachingAllocator::allocate` hands out. Its user keeps the pointer, reads what is public by
/// name, and gives it back: no table maps addresses to blocks.
struct alignas(64) Block {
  void* data() const noexcept { return address; }

  std::byte* address = nullptr;
  std::size_t bytes = 0;            // what it occupies: the request, rounded up
  std::size_t requested_bytes = 0;  // 0 unless it is live or pending

  // The allocator's own, under its lock; one cache line with the above. Neighbours touch in memory
  // and lie in one segment; of two free or two unmapped neighbours the lower has swallowed the
  // upper.
  BlockState state = BlockState::live;
  std::uint32_t caller = 0;  // who asked for it, while a history is kept; see Origin
  Block* before = nullptr;
  Block* after = nullptr;
  Block* bin_before = nullptr;  // in its bin, or among the gaps of its segment
  Block* bin_after = nullptr;
  Segment* segment = nullptr;

  Stream stream;               // of its pool: who may use it when it is free
  ForeignUse* uses = nullptr;  // of other streams; while it is live
  std::uint32_t waits = 0;     // how many of them have to end; while it is pending

  bool is_live() const noexcept { return state == BlockState::live; }
  bool is_free() const noexcept { return state == BlockState::free; }
  bool is_unmapped() const noexcept { return state == BlockState::unmapped; }
  std::byte* end() const noexcept { return address + bytes; }
};

}  // namespace garboard
