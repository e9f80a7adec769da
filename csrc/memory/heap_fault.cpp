// What must hold of a heap, checked by walking all of it.
#include <cstdint>

#include "csrc/core/text.h"
#include "csrc/memory/heap.h"

namespace garboard {
namespace {

// What the blocks of a segment come to, told by walking them.
struct Audit {
  std::size_t granularity;
  std::string fault;
  Heap::Counts counts;
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
    counts.segment_bytes += mapped;
    counts.segment_count += mapped > 0;
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
    if (block.is_free()) {
      if (!segment.pool->bins().holds(block) && segment.pool->wilderness() != &block) {
        fail("not in its bin:", at);
      }
      ++free_blocks;
    } else if (block.is_live()) {
      if (block.requested_bytes == 0 || block.requested_bytes > block.bytes) {
        fail("the request does not fit", at);
      }
      counts.requested_bytes += block.requested_bytes;
      counts.occupied_bytes += block.bytes;
    } else if (block.state == BlockState::pending) {
      counts.pending_bytes += block.bytes;
      ++counts.pending_count;
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
  Audit audit{.granularity = granularity_bytes_, .fault = {}, .counts = {}};
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
  differs("requested bytes", counts_.requested_bytes, audit.counts.requested_bytes);
  differs("occupied bytes", counts_.occupied_bytes, audit.counts.occupied_bytes);
  differs("pending bytes", counts_.pending_bytes, audit.counts.pending_bytes);
  differs("pending blocks", counts_.pending_count, audit.counts.pending_count);
  differs("segment bytes", counts_.segment_bytes, audit.counts.segment_bytes);
  differs("segments", counts_.segment_count, audit.counts.segment_count);
  return audit.fault;
}

}  // namespace garboard
