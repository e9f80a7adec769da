// Blocks that more than one stream uses.
#include "csrc/memory/heap/heap.h"

namespace garboard {

bool Heap::share(Block& block, Stream stream) noexcept {
  if (stream == block.stream) return true;  // the stream of its pool: reuse comes after its work
  for (const ForeignUse* use = block.uses; use; use = use->next) {
    if (use->user->stream() == stream) return true;
  }
  StreamPools* const user = pools_of(stream);
  if (!user || !spare_uses_) return false;
  ForeignUse& use = *spare_uses_;
  spare_uses_ = use.next;
  use.block = &block;
  use.user = user;
  use.next = block.uses;
  block.uses = &use;
  return true;
}

Block* Heap::take_from_others(std::size_t bytes, Stream stream) noexcept {
  for (StreamPools* pools = pools_.get(); pools; pools = pools->next.get()) {
    if (pools->key == stream || pools->is_reserved) continue;
    Block* block = pools->of_size(bytes).take(bytes);
    if (!block) block = pools->large.take(bytes);
    if (!block) continue;
    share(*block, stream);
    return counted(block);
  }
  return nullptr;
}

bool Heap::suspend(Block& block) noexcept {
  counts_.suspend_block(is_small(block), block.requested_bytes, block.bytes);
  block.state = BlockState::pending;
  bool is_due = false;
  while (ForeignUse* const use = block.uses) {
    block.uses = use->next;
    ++block.waits;
    use->order = next_order_;
    use->user->pending.push(*use);
    is_due = is_due || use->user->pending.is_due();
  }
  ++next_order_;
  return is_due;
}

Block* Heap::end_use(StreamPools& user, Ticket ticket) noexcept {
  ForeignUse* const use = user.pending.pop(ticket);
  if (!use) return nullptr;
  Block& block = *use->block;
  use->next = spare_uses_;
  spare_uses_ = use;
  if (--block.waits == 0) {
    counts_.end_pending(is_small(block), block.bytes);
    block.state = BlockState::live;
  }
  return &block;
}

}  // namespace garboard
