#include "csrc/memory/heap.h"

#include <algorithm>
#include <new>
#include <utility>

namespace garboard {

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
  if (stock.pools && !pools_of(stock.pools->small.stream())) {
    stock.pools->next = std::move(pools_);
    pools_ = std::move(stock.pools);
  }
  if (stock.use && !spare_uses_) spare_uses_ = stock.use.release();
}

void Heap::add(Segment& segment, std::size_t bytes, Stream stream) noexcept {
  pools_of(stream)->of_size(bytes).add(segment);
  segments_.insert(segment);
  if (segment.is_range) return;
  counts_.segment_bytes += segment.bytes;
  ++counts_.segment_count;
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
