#include "csrc/memory/heap.h"

#include <algorithm>
#include <utility>

#include "csrc/core/text.h"

namespace garboard {

Heap::~Heap() {
  while (pools_) pools_ = std::exchange(pools_->next, nullptr);
}

Heap::Stock Heap::make_stock(Stream stream) {
  return {std::make_unique<BlockSupply::Slab>(),
          std::make_unique<StreamPools>(stream, quantum_bytes_, supply_)};
}

void Heap::put(Stock& stock) noexcept {
  if (!supply_.is_stocked()) supply_.stock(std::move(stock.slab));
  if (!pools_of(stock.pools->small.stream())) {
    stock.pools->next = std::move(pools_);
    pools_ = std::move(stock.pools);
  }
}

void Heap::add(Segment& segment, std::size_t bytes, Stream stream) noexcept {
  pools_of(stream)->of_size(bytes).add(segment);
  segments_.insert(segment);
  counts_.segment_bytes += segment.bytes;
  ++counts_.segment_count;
}

Segment* Heap::take_free_segments(std::size_t bytes) noexcept {
  Segment* taken = nullptr;
  Segment* segment = segments_.highest();
  for (std::size_t sum = 0; segment && sum < bytes;) {
    Segment* const below = segment->below;
    if (segment->is_free()) {
      segments_.remove(*segment);
      segment->pool->remove(*segment);
      counts_.segment_bytes -= segment->bytes;
      --counts_.segment_count;
      sum += segment->bytes;
      segment->below = std::exchange(taken, segment);
    }
    segment = below;
  }
  return taken;
}

std::size_t Heap::free_segment_bytes() const noexcept {
  std::size_t sum = 0;
  for (const Segment* segment = segments_.highest(); segment; segment = segment->below) {
    if (segment->is_free()) sum += segment->bytes;
  }
  return sum;
}

std::size_t Heap::largest_free_bytes() const noexcept {
  std::size_t largest = 0;
  for (const StreamPools* pools = pools_.get(); pools; pools = pools->next.get()) {
    largest = std::max(
        {largest, pools->small.bins().largest_bytes(), pools->large.bins().largest_bytes()});
  }
  return largest;
}

namespace {

// What the blocks of a segment come to, told by walking them.
struct Walk {
  std::string fault;
  Heap::Counts counts;
  std::size_t free_blocks = 0;

  void look_at(const Segment& segment) {
    const std::byte* at = segment.address;
    const Block* before = nullptr;
    for (const Block* block = segment.first; block; before = block, block = block->after) {
      look_at(*block, segment, before, at);
      at += block->bytes;
    }
    if (at != segment.address + segment.bytes) fail("blocks do not fill their segment", at);
    counts.segment_bytes += segment.bytes;
    ++counts.segment_count;
  }

  void look_at(const Block& block, const Segment& segment, const Block* before,
               const std::byte* at) {
    const std::size_t quantum = segment.pool->quantum_bytes();
    if (block.address != at) fail("a gap or an overlap before", at);
    if (block.before != before) fail("the neighbour below is not linked to", at);
    if (block.segment != &segment) fail("the segment is not that of", at);
    if (block.bytes == 0 || block.bytes % quantum) fail("no multiple of the quantum at", at);
    if (reinterpret_cast<std::uintptr_t>(at) % quantum) fail("not aligned:", at);
    if (block.is_free) {
      if (before && before->is_free) fail("not merged with the block below:", at);
      if (!segment.pool->bins().holds(block)) fail("not in its bin:", at);
      ++free_blocks;
    } else {
      if (block.requested_bytes == 0 || block.requested_bytes > block.bytes) {
        fail("the request does not fit", at);
      }
      counts.requested_bytes += block.requested_bytes;
      counts.occupied_bytes += block.bytes;
    }
  }

  void fail(const char* what, const std::byte* at) {
    if (fault.empty()) fault = text(what, ' ', static_cast<const void*>(at));
  }
};

}  // namespace

std::string Heap::fault() const {
  Walk walk;
  const Segment* above = nullptr;
  for (const Segment* segment = segments_.highest(); segment; segment = segment->below) {
    if (above && segment->address + segment->bytes > above->address) {
      walk.fail("overlapping or unsorted segments at", segment->address);
    }
    walk.look_at(*segment);
    above = segment;
  }
  std::size_t binned = 0;
  for (const StreamPools* pools = pools_.get(); pools; pools = pools->next.get()) {
    binned += pools->small.bins().block_count() + pools->large.bins().block_count();
  }
  if (!walk.fault.empty()) return walk.fault;
  const auto differs = [&](const char* what, std::size_t counted, std::size_t found) {
    if (walk.fault.empty() && counted != found) {
      walk.fault = text(what, ": ", counted, " counted, ", found, " found");
    }
  };
  differs("blocks in bins", binned, walk.free_blocks);
  differs("requested bytes", counts_.requested_bytes, walk.counts.requested_bytes);
  differs("occupied bytes", counts_.occupied_bytes, walk.counts.occupied_bytes);
  differs("segment bytes", counts_.segment_bytes, walk.counts.segment_bytes);
  differs("segments", counts_.segment_count, walk.counts.segment_count);
  return walk.fault;
}

}  // namespace garboard
