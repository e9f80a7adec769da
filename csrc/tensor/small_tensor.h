// A tensor of a few elements on the CPU in one block of memory: its storage, the payload inside it,
// and its body. What an op on single numbers returns: hence inline, all of it, into those ops.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "csrc/core/pool.h"
#include "csrc/memory/allocator/allocators.h"
#include "csrc/memory/allocator/caching_allocator.h"
#include "csrc/tensor/grad_node.h"

namespace garboard {

/// Storage and body keep counts of their own, as everywhere; the block goes with the storage, which
/// a body holds until it ends and views may hold for longer.
struct SmallTensor {
  Storage storage;
  TensorBody body;

  /// Dense and uninitialised, its view yet to be filled in; with one share, which is the caller's.
  /// Raises OutOfMemoryError, ScopeLimitError.
  [[gnu::always_inline]] static TensorBody* make(std::int64_t bytes) {
    auto* const block = static_cast<SmallTensor*>(pool::take(sizeof(SmallTensor)));
    auto* const storage = ::new (&block->storage) Storage;
    storage->is_in_small_tensor_ = true;
    storage->bytes = bytes;
    storage->data_ = storage->payload_;
    try {
      registry().add(*storage);
    } catch (...) {
      free(storage);
      throw;
    }
    allocator_of({}).book(static_cast<std::size_t>(bytes), storage->payload_);
    storage->start_with_one_share();
    auto* const body = ::new (&block->body) TensorBody;
    body->is_in_small_tensor_ = true;
    body->storage = Counted<Storage>::adopt(storage);
    body->start_with_one_share();
    return body;
  }

  /// Lets `body` be over `storage` from now on. A body that lies in a block of these keeps the
  /// share of the block's storage, which the block goes with, and finds it here again.
  static void move_to(TensorBody& body, Counted<Storage> storage) noexcept {
    Storage* const home = body.is_in_small_tensor_ ? home_of(body) : nullptr;
    if (home && body.storage.get() == home) (void)body.storage.release();
    if (home && storage.get() == home)
      body.storage = Counted<Storage>::adopt(home);
    else
      body.storage = std::move(storage);
  }

  /// The storage in the block that `body` lies in.
  [[gnu::always_inline]] static Storage* home_of(TensorBody& body) noexcept {
    constexpr std::size_t align = alignof(TensorBody);
    constexpr std::size_t before = (sizeof(Storage) + align - 1) / align * align;
    auto* const at = reinterpret_cast<std::byte*>(&body) - before;
    return std::launder(reinterpret_cast<Storage*>(at));
  }

  /// What `destroy` is for other storages.
  [[gnu::always_inline]] static void end(Storage* storage) noexcept {
    registry().remove(*storage);
    allocator_of({}).unbook(static_cast<std::size_t>(storage->bytes), storage->payload_);
    free(storage);
  }

 private:
  static void free(Storage* storage) noexcept {
    storage->~Storage();
    pool::give(storage, sizeof(SmallTensor));
  }
};

}  // namespace garboard
