// The memory of the host that may not be moved.
#pragma once

namespace garboard {

struct Block;
class CachingAllocator;

/// Made at the first call, never destroyed, and usable on both sides of a fork. Raises DeviceError
/// in the name of `op` where there is no device to pin for.
CachingAllocator& pinned_allocator(const char* op);

/// Null is fine.
void release_pinned(Block* block) noexcept;

}  // namespace garboard
