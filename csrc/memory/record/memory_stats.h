// What an allocator has counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace garboard {

/// What can serve a request that the cache did not, in the order in which it is tried.
enum class MissStep : std::uint8_t {
  search,         // once more, after pending blocks have come back
  grow,           // with free memory returned for it
  other_sizes,    // a small block out of large ones
  other_streams,  // a free block of another stream
  callbacks,      // that were registered
  pending,        // waiting for what streams still use
  garbage,        // Python's, when nothing else helps and under pressure
  trim,           // all free memory returned
};
inline constexpr std::array<std::string_view, 8> miss_step_names{
    "search", "grow", "other_sizes", "other_streams", "callbacks", "pending", "garbage", "trim"};

/// One look at the counters of one device. Bytes are requested bytes where they are live, and whole
/// segments where they are reserved.
struct MemoryStats {
  std::size_t live_bytes = 0;  // requested: of blocks, and booked
  std::size_t peak_live_bytes = 0;
  std::size_t booked_bytes = 0;    // the part of the live ones that has no block
  std::size_t reserved_bytes = 0;  // all segments
  std::size_t peak_reserved_bytes = 0;
  std::size_t pending_bytes = 0;       // of released blocks that other streams may still use
  std::size_t cached_bytes = 0;        // reserved, and in no live or pending block
  std::size_t largest_free_block = 0;  // bytes
  std::size_t foreign_bytes = 0;       // memory that is not ours, outside the limit
  std::size_t scratch_bytes = 0;       // of kernels that run, beside all the others
  std::size_t peak_scratch_bytes = 0;
  std::uint64_t allocation_count = 0;  // blocks handed out, ever
  std::uint64_t free_count = 0;        // and given back
  std::uint64_t segment_count = 0;     // now
  std::uint64_t cache_hits = 0;        // blocks handed out at the first look
  std::uint64_t cache_misses = 0;      // requests that took longer, failed ones too
  std::array<std::uint64_t, miss_step_names.size()> saved_by{};  // misses served, by MissStep
  std::uint64_t map_count = 0;  // calls of the source, failed ones too
  std::uint64_t map_time_us = 0;
  std::uint64_t unmap_count = 0;
  std::uint64_t unmap_time_us = 0;
  std::uint64_t stream_wait_count = 0;  // for pending blocks, when memory had run out
  std::uint64_t moved_bytes = 0;        // taken from where they lay free, to grow elsewhere, ever
  std::uint64_t stolen_bytes = 0;       // handed to one stream out of another's, ever
  std::uint64_t retry_count = 0;        // how often free memory was returned to make room
  std::uint64_t gc_runs = 0;            // under pressure, and before giving up
  std::uint64_t gc_freed_bytes = 0;
  std::uint64_t gc_time_us = 0;
  std::uint64_t out_of_memory_count = 0;  // requests refused
};

}  // namespace garboard
