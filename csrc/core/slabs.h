// Where the pools' blocks lie: slabs of blocks of one size, cut from regions on huge pages. A page
// of 4 KiB costs a fault of its own: that was most of the time of making small records by the
// million.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "csrc/core/intrusive_list.h"
#include "csrc/core/pool.h"

namespace garboard::pool::detail {

inline constexpr std::size_t region_bytes = std::size_t{2} << 20;  // a huge page
inline constexpr std::size_t slab_bytes = std::size_t{64} << 10;
inline constexpr int slabs_a_region = region_bytes / slab_bytes;
/// Regions without a block that are kept: a program's next step finds those of the last one.
inline constexpr int most_idle_regions = 4;

/// Memory of one slab; its blocks are all free, in a chain, or were never used.
struct Slab : Links<Slab> {
  Free* free = nullptr;
  std::uint16_t out_count = 0;
  std::uint16_t unused_count = 0;  // never handed out: they lie at the end
  std::uint8_t size_class = 0;

  bool has_room() const noexcept { return free || unused_count > 0; }
};

/// Lies at the front of its own first slab, at a multiple of its size: so a block finds it.
struct Region : Links<Region> {
  std::uint32_t free_slabs = ~std::uint32_t{0};  // a bit each
  Slab slabs[slabs_a_region];

  bool is_idle() const noexcept { return free_slabs == ~std::uint32_t{0}; }
};

/// Blocks of all size classes. Thread-safe.
class Slabs {
 public:
  constexpr Slabs() noexcept = default;
  Slabs(const Slabs&) = delete;
  Slabs& operator=(const Slabs&) = delete;

  /// A chain of at least one block and at most `most`. Throws std::bad_alloc.
  Free* take(std::size_t size_class, int most);
  /// Takes back a chain of blocks of any classes. Regions that have no block any more go back to
  /// the system, but for some.
  void give(Free* chain) noexcept;
  /// All of them.
  void trim() noexcept;

  /// Blocks that are out, and the memory of all regions.
  std::size_t blocks_out() noexcept;
  std::size_t bytes() noexcept;

  /// Around a fork: the child finds all in order, and the lock free.
  void lock_for_fork() noexcept { lock_.lock(); }
  void unlock_after_fork() noexcept { lock_.unlock(); }

 private:
  // Under the lock.
  Slab* slab_with_room(std::size_t size_class) noexcept;
  void take_back(Free& block) noexcept;
  Region* idle_beyond(int kept) noexcept;

  std::mutex lock_;  // a real one always: a thread that ends brings its blocks without the GIL
  IntrusiveList<Slab, Slab> with_room_[class_count];  // of each class
  IntrusiveList<Region, Region> in_use_;              // those with a free slab
  IntrusiveList<Region, Region> idle_;
  int idle_count_ = 0;
  std::size_t region_count_ = 0;
  std::size_t blocks_out_ = 0;
};

extern constinit Slabs slabs;

}  // namespace garboard::pool::detail
