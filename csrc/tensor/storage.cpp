#include "csrc/tensor/storage.h"

#include <memory>

#include "csrc/memory/allocator/allocators.h"
#include "csrc/memory/allocator/caching_allocator.h"
#include "csrc/tensor/small_tensor.h"

namespace garboard {

// The registry first: it stamps the birth and knows the budgets, so a scope's limit refuses before
// any byte is asked for.
Counted<Storage> Storage::allocate(std::int64_t bytes, Device device) {
  CachingAllocator& allocator = allocator_of(device);  // may raise: nothing is registered yet
  auto* const storage = new Storage;
  storage->bytes = bytes;
  storage->device = device;
  try {
    storage->take_block(allocator);
  } catch (...) {
    delete storage;
    throw;
  }
  storage->start_with_one_share();
  return Counted<Storage>::adopt(storage);
}

void Storage::take_block(CachingAllocator& allocator) {
  registry().expect(*this);
  try {
    block_ = allocator.allocate(static_cast<std::size_t>(bytes), current_stream(device));
  } catch (...) {
    registry().abandon(*this);
    throw;
  }
  if (block_) data_ = block_->data();
  registry().arrive(*this);
}

void Storage::used_on(Stream stream) {
  if (Block* const block = this->block()) allocator_of(device).used_on(block, stream);
  if (is_pinned()) owner_->used_on(owner_->object, stream);
}

void Storage::meet(Stream stream) {
  const Block* const block = this->block();
  if (!block || block->stream == stream) return;
  let_wait(stream, block->stream);
  used_on(stream);
}

void Storage::refuse_saving() {
  throw GradientError(
      "backward: a tensor that was made in inference mode would be kept for it; clone() it outside "
      "of inference_mode(), or make it there");
}

Counted<Storage> Storage::around(void* data, std::int64_t bytes, Device device, ForeignOwner owner,
                                 bool is_writable) {
  CachingAllocator& allocator = allocator_of(device);
  auto keeper = std::make_unique<ForeignOwner>(owner);
  auto* const storage = new Storage;
  storage->bytes = bytes;
  storage->device = device;
  storage->data_ = data;
  storage->owner_ = keeper.release();
  storage->is_writable_ = is_writable;
  registry().add_foreign(*storage);
  allocator.book_foreign(static_cast<std::size_t>(bytes));
  storage->start_with_one_share();
  return Counted<Storage>::adopt(storage);
}

void destroy(Storage* storage) noexcept {
  if (storage->small_tensor_grains_) return SmallTensor::end(storage);
  const auto bytes = static_cast<std::size_t>(storage->bytes);
  if (storage->is_foreign) {
    registry().remove_foreign(*storage);
    allocator_of(storage->device).unbook_foreign(bytes);
    const std::unique_ptr<ForeignOwner> owner(storage->owner_);
    if (owner->release) owner->release(owner->object);
    delete storage;
    return;
  }
  registry().remove(*storage);
  if (storage->block_) {
    allocator_of(storage->device).release(storage->block_);
  }
  delete storage;
}

}  // namespace garboard
