// A tensor of a few elements on the CPU in one block of memory: its storage, its body with the
// sizes and strides, and the payload. What an op on single numbers returns: hence inline, all of
// it, into those ops.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "csrc/core/pool.h"
#include "csrc/core/rounding.h"
#include "csrc/memory/allocator/allocators.h"
#include "csrc/memory/allocator/caching_allocator.h"
#include "csrc/tensor/grad_node.h"

namespace garboard {

TensorBody::TensorBody(int ndim, Counted<Storage> storage) noexcept
    : room_(static_cast<std::uint8_t>(ndim)),
      ndim_(room_),
      numbers_(own_numbers()),
      storage(std::move(storage)) {}

TensorBody* TensorBody::make(int ndim, Counted<Storage> storage) {
  auto* const body = ::new (pool::take(bytes_of(ndim))) TensorBody(ndim, std::move(storage));
  body->start_with_one_share();
  return body;
}

/// Storage and body keep counts of their own, as everywhere; the block goes with the storage, which
/// a body holds until it ends and views may hold for longer.
struct SmallTensor {
  /// Dense and uninitialised, its sizes and strides yet to be written; with one share, which is the
  /// caller's. Raises OutOfMemoryError, ScopeLimitError.
  [[gnu::always_inline]] static TensorBody* make(std::int64_t bytes, int ndim) {
    const std::size_t grains = grains_of(bytes, ndim);
    auto* const block = static_cast<std::byte*>(pool::take(grains * grain_bytes));
    auto* const storage = ::new (block) Storage;
    storage->small_tensor_grains_ = static_cast<std::uint8_t>(grains);
    storage->bytes = bytes;
    storage->data_ = block + payload_offset(ndim);
    try {
      registry().add(*storage, {});
    } catch (...) {
      free(storage);
      throw;
    }
    allocator_of({}).book(static_cast<std::size_t>(bytes), storage->data_);
    storage->start_with_one_share();
    auto* const body =
        ::new (block + body_offset) TensorBody(ndim, Counted<Storage>::adopt(storage));
    body->is_in_small_tensor_ = true;
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
    auto* const at = reinterpret_cast<std::byte*>(&body) - body_offset;
    return std::launder(reinterpret_cast<Storage*>(at));
  }

  /// What `destroy` is for other storages.
  [[gnu::always_inline]] static void end(Storage* storage) noexcept {
    registry().remove(*storage, {});
    allocator_of({}).unbook(static_cast<std::size_t>(storage->bytes), storage->data_);
    free(storage);
  }

  /// What its memory comes to, in grains.
  static constexpr std::size_t grains_of(std::int64_t bytes, int ndim) noexcept {
    const auto own = static_cast<std::size_t>(bytes + (bytes == 0));  // an address, at least
    return (payload_offset(ndim) + own + grain_bytes - 1) / grain_bytes;
  }

 private:
  static void free(Storage* storage) noexcept {
    const std::size_t bytes = storage->small_tensor_grains_ * grain_bytes;
    storage->~Storage();
    pool::give(storage, bytes);
  }

  static constexpr std::size_t grain_bytes = 16;  // to which payloads are aligned, too
  static constexpr std::size_t body_offset = rounded_up(sizeof(Storage), alignof(TensorBody));
  static_assert((body_offset + sizeof(TensorBody)) % grain_bytes == 0, "a payload can follow");

  static constexpr std::size_t payload_offset(int ndim) noexcept {
    return body_offset + TensorBody::bytes_of(ndim);
  }
};

static_assert(SmallTensor::grains_of(inline_bytes, max_dims) < 64, "a storage has six bits for it");

}  // namespace garboard
