#include "csrc/memory/heap/heap.h"

#include <algorithm>
#include <new>
#include <utility>

#include "csrc/memory/heap/granules.h"

namespace garboard {
namespace {

// Of a free block, what trimming leaves: in a range all but what can be taken away.
std::size_t stuck_bytes(const Block& block, std::size_t granularity_bytes) noexcept {
  if (!block.segment->is_range) return block.segment->is_free() ? 0 : block.bytes;
  return block.bytes - granules_of(block, granularity_bytes).bytes();
}

}  // namespace

Heap::~Heap() {
  while (spare_uses_) delete std::exchange(spare_uses_, spare_uses_->next);
  while (pools_) pools_ = std::exchange(pools_->next, nullptr);
}

Heap::Stock Heap::make_stock(Stream stream) {
  return {std::make_unique<BlockSupply::Slab>(),
          std::make_unique<StreamPools>(stream, quantum_bytes_, supply_)};
}

Heap::Stock Heap::make_sharing_stock(Stream stream) {
  Stock stock = make_stock(stream);
  stock.use = std::make_unique<ForeignUse>();
  return stock;
}

Heap::Stock Heap::make_spare() noexcept {
  return {std::unique_ptr<BlockSupply::Slab>(new (std::nothrow) BlockSupply::Slab), nullptr};
}

void Heap::put(Stock& stock) noexcept {
  if (stock.slab && !supply_.is_stocked()) supply_.stock(std::move(stock.slab));
  if (stock.pools && !pools_of(stock.pools->key)) add(std::move(stock.pools));
  if (stock.use && !spare_uses_) spare_uses_ = stock.use.release();
}

void Heap::add(Segment& segment, std::size_t bytes, Stream stream) noexcept {
  pools_of(stream)->of_size(bytes).add(segment);
  segments_.insert(segment);
  if (!segment.is_range) counts_.add_memory(is_small(segment), segment.bytes, true);
}

CountsByPool Heap::counts_by_pool() const noexcept {
  CountsByPool counts = counts_;
  for (const Segment* segment = segments_.highest(); segment; segment = segment->below) {
    PoolCounts& pool = counts.of(is_small(*segment));
    for (const Block* block = segment->first; block; block = block->after) {
      if (!block->is_free()) continue;
      const std::size_t stuck = stuck_bytes(*block, granularity_bytes_);
      pool.free_squared += static_cast<double>(block->bytes) * static_cast<double>(block->bytes);
      pool.split_blocks += stuck > 0;
      pool.split_bytes += stuck;
    }
  }
  return counts.summed();
}

std::size_t Heap::largest_free_bytes() const noexcept {
  std::size_t largest = 0;
  for (const StreamPools* pools = pools_.get(); pools; pools = pools->next.get()) {
    for (const Pool* pool : {&pools->small, &pools->large}) {
      const std::size_t reserve = pool->wilderness() ? pool->wilderness()->bytes : 0;
      largest = std::max({largest, pool->bins().largest_bytes(), reserve});
    }
  }
  return largest;
}

}  // namespace garboard
