// All segments and blocks of one device, and nothing that could wait: no lock, no source.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "csrc/core/bytes.h"
#include "csrc/memory/heap/block_supply.h"
#include "csrc/memory/heap/pending_frees.h"
#include "csrc/memory/heap/pool.h"
#include "csrc/memory/heap/pool_counts.h"
#include "csrc/memory/heap/segment.h"

namespace garboard {

/// Requests up to this size come from small segments, larger ones from large segments: one
/// long-lived small block never keeps a large segment.
inline constexpr std::size_t largest_small_bytes = 256_KiB;
/// Blocks of large requests are multiples of it, and aligned to it.
inline constexpr std::size_t page_bytes = 4_KiB;

/// The blocks that a stream has freed can be had again by its own work without waiting, and by no
/// other; hence pools of its own. Captured work of a stream has others, which `key` stands for
/// where else the stream does.
struct StreamPools {
  StreamPools(Stream stream, std::size_t quantum_bytes, BlockSupply& supply) noexcept
      : key(stream),
        small(stream, quantum_bytes, supply),
        large(stream, std::max(quantum_bytes, page_bytes), supply) {}
  Pool& of_size(std::size_t bytes) noexcept { return bytes <= largest_small_bytes ? small : large; }
  bool holds(const Pool& pool) const noexcept { return &pool == &small || &pool == &large; }
  Stream stream() const noexcept { return small.stream(); }
  /// From now on these pools are found by their own address, and by nothing else.
  void make_own() noexcept { key.handle = this; }

  Stream key;
  bool is_reserved =
      false;  // captured work may be played: free memory stays, and goes to nobody else

  Pool small;
  Pool large;
  PendingFrees pending;  // blocks of other streams, which this one may still use
  std::unique_ptr<StreamPools> next;
};

/// Of the addresses.
enum class End { lowest, highest };

/// Not thread-safe: its allocator locks. What needs the system is made before the lock is taken, as
/// a Stock, and handed in under it.
class Heap {
 public:
  /// Blocks of small requests are multiples of `quantum_bytes`, a power of two from 64 on, and
  /// aligned to it.
  /// Memory comes and goes in multiples of `granularity_bytes`.
  Heap(std::size_t quantum_bytes, std::size_t granularity_bytes) noexcept
      : quantum_bytes_(quantum_bytes), granularity_bytes_(granularity_bytes) {}
  ~Heap();

  /// What a search may need: descriptors to cut a block, the pools of a new stream; and what it
  /// takes to share a block with that stream.
  struct Stock {
    std::unique_ptr<BlockSupply::Slab> slab;
    std::unique_ptr<StreamPools> pools;
    std::unique_ptr<ForeignUse> use = {};
  };
  bool is_stocked(Stream stream) const noexcept {
    return supply_.is_stocked() && pools_of(stream) != nullptr;
  }
  /// Reads nothing that changes, so no lock is needed. Throws std::bad_alloc.
  Stock make_stock(Stream stream);
  /// The same, and a use. Throws std::bad_alloc.
  Stock make_sharing_stock(Stream stream);
  /// Descriptors alone; without any where there is no memory for them.
  static Stock make_spare() noexcept;
  /// Whether there are enough of them for any one step.
  bool has_descriptors() const noexcept { return supply_.is_stocked(); }
  /// Takes of `stock` what is missing.
  void put(Stock& stock) noexcept;

  /// A block from the pool of such requests; null where it has none, and where the heap has run out
  /// of stock.
  Block* take(std::size_t bytes, Stream stream) noexcept {
    StreamPools* const pools = pools_of(stream);
    if (!pools || supply_.is_empty()) return nullptr;
    return counted(pools->of_size(bytes).take(bytes));
  }
  /// For when no more segments can be had: a small block, cut from a large segment. Stocked.
  Block* take_from_large(std::size_t bytes, Stream stream) noexcept {
    return counted(pools_of(stream)->large.take(bytes));
  }
  /// What the pool of such requests has, in all.
  std::size_t mapped_bytes(std::size_t bytes, Stream stream) const noexcept;
  void give(Block& block) noexcept {
    counts_.remove_block(is_small(block), block.requested_bytes, block.bytes);
    put_back(block);
  }
  /// The same for a block that `end_use` gave: it has been counted.
  void put_back(Block& block) noexcept { block.segment->pool->give(block); }

  /// Notes that `stream` uses a live block; nothing for the stream of its pool, or a second time.
  /// False where a sharing stock for that stream is missing.
  bool share(Block& block, Stream stream) noexcept;
  /// A block from the pools of another stream, shared with `stream`, or null. Sharing stock.
  Block* take_from_others(std::size_t bytes, Stream stream) noexcept;
  /// Whether it lies in pools for captured work.
  bool is_of_captured_work(const Block& block) const noexcept {
    const StreamPools* const pools = pools_with(*block.segment->pool);
    return pools->key != pools->stream();
  }
  /// Pools for captured work of a stream. They stay as long as the heap. Throws std::bad_alloc.
  std::unique_ptr<StreamPools> make_pools(Stream stream) {
    return std::make_unique<StreamPools>(stream, quantum_bytes_, supply_);
  }
  void add(std::unique_ptr<StreamPools> pools) noexcept {
    pools->next = std::move(pools_);
    pools_ = std::move(pools);
  }
  /// Releases a shared block, which waits in the queues of all that use it. Whether a batch is due.
  bool suspend(Block& block) noexcept;
  /// Ends the oldest use of a stream that has passed `ticket`; null if there is none. The block is
  /// not pending any more if nobody else uses it: then it is live, and to be given.
  Block* end_use(StreamPools& user, Ticket ticket) noexcept;
  /// Of all streams, chained; those of captured work among them.
  StreamPools* streams() const noexcept { return pools_.get(); }

  /// Adds a segment for requests of the size of `bytes`. Stocked.
  void add(Segment& segment, std::size_t bytes, Stream stream) noexcept;

  /// Holds neighbours for `bytes` in a range of their pool: see Pool::hold. Stocked.
  Held hold(std::size_t bytes, Stream stream, std::size_t most_bytes, Fit fit) noexcept;
  /// They have memory: a block for `bytes` out of it. Stocked.
  Block* settle(const Held& held, std::size_t bytes) noexcept;
  /// They have memory, and nobody takes it.
  void absorb(const Held& held) noexcept;
  void cancel(const Held& held) noexcept { held.first->segment->pool->cancel(held); }

  /// Takes up to `bytes` of whole granules out of the free block of all ranges that has some and
  /// lies at that end; null where none has. Its memory no longer counts. Stocked.
  Block* carve(std::size_t bytes, End end) noexcept;
  /// What was carved out has been unmapped.
  void drop(Block& carved) noexcept { carved.segment->pool->drop(carved); }
  /// Takes whole segments that are wholly free out, highest address first, until they come to
  /// `bytes` or none is left; chained through `below`.
  Segment* take_free_segments(std::size_t bytes) noexcept;
  /// Takes out the ranges that have no memory, chained likewise.
  Segment* take_empty_ranges() noexcept;
  /// The most that `carve` and `take_free_segments` could come to.
  std::size_t trimmable_bytes() const noexcept;
  /// The largest free block of all.
  std::size_t largest_free_bytes() const noexcept;

  /// `all` of it has peaks alone.
  const CountsByPool& counts() const noexcept { return counts_; }
  CountsByPool& counts() noexcept { return counts_; }
  /// What there is now, by small and large.
  std::size_t current(CountsByPool::Quantity which) const noexcept {
    return counts_.current(which);
  }
  /// Ever, or since somebody began to count anew.
  std::uint64_t allocated(CountsByPool::Quantity which) const noexcept {
    return (counts_.small.*which).allocated() + (counts_.large.*which).allocated();
  }
  /// All of them, added up, with what is told by walking all blocks.
  CountsByPool counts_by_pool() const noexcept;

  const Segments& segments() const noexcept { return segments_; }
  /// Whether it serves requests up to `largest_small_bytes`.
  bool is_small(const Segment& segment) const noexcept {
    const StreamPools* const pools = pools_with(*segment.pool);
    return pools && segment.pool == &pools->small;
  }

  /// The first thing that is not as it must be, or nothing. Walks everything.
  std::string fault() const;

 private:
  StreamPools* pools_of(Stream key) const noexcept {
    StreamPools* pools = pools_.get();
    while (pools && pools->key != key) pools = pools->next.get();
    return pools;
  }
  const StreamPools* pools_with(const Pool& pool) const noexcept {
    const StreamPools* pools = pools_.get();
    while (pools && !pools->holds(pool)) pools = pools->next.get();
    return pools;
  }
  static bool is_small(const Block& block) noexcept {
    return block.requested_bytes <= largest_small_bytes;
  }
  Block* counted(Block* block) noexcept {
    if (block) counts_.add_block(is_small(*block), block->requested_bytes, block->bytes);
    return block;
  }
  void count_settled(const Held& held) noexcept;

  template <class Act>
  void for_each_free_block_with_granules(Act act) const;
  /// Whether it is free, and nobody's who will come back to it.
  bool may_go(const Segment& segment) const noexcept;
  template <class Chosen>
  Segment* take_segments(std::size_t bytes, Chosen is_chosen) noexcept;

  std::size_t quantum_bytes_;
  std::size_t granularity_bytes_;
  BlockSupply supply_;
  ForeignUse* spare_uses_ = nullptr;  // chained
  std::uint64_t next_order_ = 1;
  Segments segments_;
  std::unique_ptr<StreamPools> pools_;  // a chain: a program has few streams
  CountsByPool counts_;
};

}  // namespace garboard
