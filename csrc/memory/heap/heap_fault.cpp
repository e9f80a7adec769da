// What must hold of a heap, checked by walking all of it.
#include <cstdint>

#include "csrc/core/text.h"
#include "csrc/memory/heap/heap.h"

namespace garboard {
namespace {

// What the blocks of a segment come to, told by walking them.
struct Audit {
  std::size_t granularity;
  std::string fault;
  struct {
    std::size_t requested_bytes = 0;
    std::size_t occupied_bytes = 0;
    std::size_t pending_bytes = 0;
    std::size_t pending_blocks = 0;
    std::size_t reserved_bytes = 0;
    std::size_t segments = 0;
  } found;
  std::size_t free_blocks = 0;

  void look_at(const Segment& segment) {
    const std::byte* at = segment.address;
    const Block* before = nullptr;
    const Block* gap = segment.gaps.lowest();
    std::size_t mapped = 0;
    for (const Block* block = segment.first; block; before = block, block = block->after) {
      look_at(*block, segment, before, at);
      at += block->bytes;
      if (block->is_unmapped()) {
        if (block != gap) fail("a gap that is not listed at", block->address);
        if (gap) gap = gap->bin_after;
      } else if (block->state != BlockState::moving) {
        mapped += block->bytes;
      }
    }
    if (gap) fail("no gap, but listed as one:", gap->address);
    if (at != segment.address + segment.bytes) fail("blocks do not fill their segment", at);
    if (mapped != segment.mapped_bytes) fail("mapped bytes are miscounted in", segment.address);
    found.reserved_bytes += mapped;
    found.segments += mapped > 0;
  }

  void look_at(const Block& block, const Segment& segment, const Block* before,
               const std::byte* at) {
    const std::size_t quantum = segment.pool->quantum_bytes();
    if (block.address != at) fail("a gap or an overlap before", at);
    if (block.before != before) fail("the neighbour below is not linked to", at);
    if (block.segment != &segment) fail("the segment is not that of", at);
    if (block.bytes == 0 || block.bytes % quantum) fail("no multiple of the quantum at", at);
    if (reinterpret_cast<std::uintptr_t>(at) % quantum) fail("not aligned:", at);
    if (before && before->state == block.state && (block.is_free() || block.is_unmapped())) {
      fail("not merged with the block below:", at);
    }
    const bool is_at_source = block.is_unmapped() || block.state == BlockState::moving;
    if (is_at_source && (!segment.is_range || block.bytes % granularity ||
                         reinterpret_cast<std::uintptr_t>(at) % granularity)) {
      fail("no whole granules without memory at", at);
    }
    if (is_at_source && segment.large_handles.reach_into(block.address, block.end())) {
      fail("a large handle was cut at", at);
    }
    if (block.is_free()) {
      if (!segment.pool->bins().holds(block) && segment.pool->wilderness() != &block) {
        fail("not in its bin:", at);
      }
      ++free_blocks;
    } else if (block.is_live()) {
      if (block.requested_bytes == 0 || block.requested_bytes > block.bytes) {
        fail("the request does not fit", at);
      }
      found.requested_bytes += block.requested_bytes;
      found.occupied_bytes += block.bytes;
    } else if (block.state == BlockState::pending) {
      found.pending_bytes += block.bytes;
      found.occupied_bytes += block.bytes;
      ++found.pending_blocks;
    }
    if ((block.state == BlockState::pending) != (block.waits > 0)) fail("waits miscounted at", at);
    if (block.uses && !block.is_live()) fail("used, but not live:", at);
  }

  void fail(const char* what, const std::byte* at) {
    if (fault.empty()) fault = text(what, ' ', static_cast<const void*>(at));
  }
};

// Free blocks that a pool has in its bins, and its wilderness, which is free and in no bin.
std::size_t free_blocks_of(const Pool& pool, Audit& audit) {
  const Block* const wilderness = pool.wilderness();
  if (wilderness) {
    const bool ends = wilderness->after && wilderness->after->is_unmapped();
    if (!wilderness->is_free() || !ends || wilderness->after->after) {
      audit.fail("no wilderness:", wilderness->address);
    }
  }
  return pool.bins().block_count() + (wilderness ? 1 : 0);
}

}  // namespace

std::string Heap::fault() const {
  Audit audit{.granularity = granularity_bytes_, .fault = {}, .found = {}};
  const Segment* above = nullptr;
  for (const Segment* segment = segments_.highest(); segment; segment = segment->below) {
    if (above && segment->address + segment->bytes > above->address) {
      audit.fail("overlapping or unsorted segments at", segment->address);
    }
    audit.look_at(*segment);
    above = segment;
  }
  std::size_t binned = 0;
  for (const StreamPools* pools = pools_.get(); pools; pools = pools->next.get()) {
    binned += free_blocks_of(pools->small, audit) + free_blocks_of(pools->large, audit);
  }
  if (!audit.fault.empty()) return audit.fault;
  const auto differs = [&](const char* what, std::size_t counted, std::size_t found) {
    if (audit.fault.empty() && counted != found) {
      audit.fault = text(what, ": ", counted, " counted, ", found, " found");
    }
  };
  differs("free blocks", binned, audit.free_blocks);
  differs("requested bytes", current(&PoolCounts::requested_bytes), audit.found.requested_bytes);
  differs("occupied bytes", current(&PoolCounts::occupied_bytes), audit.found.occupied_bytes);
  differs("pending bytes", current(&PoolCounts::pending_bytes), audit.found.pending_bytes);
  differs("pending blocks", current(&PoolCounts::pending_blocks), audit.found.pending_blocks);
  differs("reserved bytes", current(&PoolCounts::reserved_bytes), audit.found.reserved_bytes);
  differs("segments", current(&PoolCounts::segments), audit.found.segments);
  return audit.fault;
}

}  // namespace garboard
