// A run of bytes inside a segment, free or handed out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "csrc/device/device.h"

namespace garboard {

struct Segment;

/// What `CachingAllocator::allocate` hands out. Its user keeps the pointer, reads what is public by
/// name, and gives it back: no table maps addresses to blocks.
struct alignas(64) Block {
  void* data() const noexcept { return address; }

  std::byte* address = nullptr;
  std::size_t bytes = 0;            // what it occupies: the request, rounded up
  std::size_t requested_bytes = 0;  // 0 while it is free

  // The allocator's own, under its lock; one cache line with the above. Neighbours touch in memory
  // and lie in one segment; of two free neighbours the lower has swallowed the upper.
  bool is_free = false;
  std::uint32_t caller = 0;  // who asked for it, while a history is kept; see Origin
  Block* before = nullptr;
  Block* after = nullptr;
  Block* bin_before = nullptr;
  Block* bin_after = nullptr;
  Segment* segment = nullptr;

  Stream stream;  // whose work may use it without waiting
};

}  // namespace garboard
