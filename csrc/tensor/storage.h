// One block of bytes on one device, counted in both books: its allocator's and the registry's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "csrc/core/counted.h"
#include "csrc/core/pool.h"
#include "csrc/device/streams.h"
#include "csrc/lifetime/registry.h"
#include "csrc/tensor/grad_mode.h"

namespace garboard {

struct Block;
class CachingAllocator;

/// Payloads up to this size lie in one piece of memory with their storage, and cost no block.
inline constexpr std::int64_t inline_bytes = 64;

/// Who gets memory that is not ours back; may be called on any thread.
struct ForeignOwner {
  void* object = nullptr;
  void (*release)(void* object) noexcept = nullptr;
  /// Of pinned memory, which devices copy from and to by themselves: hears of a stream that does,
  /// and takes care that the memory is not used again before that work is done. May raise.
  void (*used_on)(void* object, Stream stream) = nullptr;
};

/// Shared through Counted<Storage>. The bytes are uninitialised, aligned to 64 (to 16 where they
/// lie beside the storage), and go back to the allocator with the last share.
class Storage final : public StorageRecord, public RefCounted {
 public:
  /// For work on this thread's current stream. Raises OutOfMemoryError, or ScopeLimitError where a
  /// scope's budget does not allow it.
  static Counted<Storage> allocate(std::int64_t bytes, Device device);
  /// Whether a payload lies beside the storage.
  static bool holds(std::int64_t bytes, Device device) noexcept {
    return bytes <= inline_bytes && device.is_cpu();
  }
  /// Memory that somebody else owns and `owner` gives back.
  static Counted<Storage> around(void* data, std::int64_t bytes, Device device, ForeignOwner owner,
                                 bool is_writable);

  void* data() const noexcept { return data_; }
  bool is_writable() const noexcept { return is_writable_; }
  /// Memory of the host that devices copy from and to while the program goes on.
  bool is_pinned() const noexcept { return is_foreign && owner_->used_on; }

  /// Work that `stream` is given until this storage ends may use its bytes, beside the work of the
  /// stream it was born on: nobody else gets them before that is done. Throws std::bad_alloc.
  void used_on(Stream stream);
  /// The same for this thread's current stream, which also waits for all that the stream of birth
  /// was given until now. Nothing on the CPU.
  void meet_current_stream() {
    if (!device.is_cpu()) [[unlikely]]
      meet(current_stream(device));
  }

  /// Moves on with every in-place write that autograd watches; views share it.
  std::uint32_t version() const noexcept { return version_.load(std::memory_order_relaxed); }
  void bump_version() noexcept {
    version_.store(version() + 1, std::memory_order_relaxed);  // writers of one storage take turns
  }
  /// Moves on with every in-place write, with those that autograd is not to see, too.
  std::uint32_t writes() const noexcept {
    return version() + unwatched_.load(std::memory_order_relaxed);
  }
  void note_unwatched_write() noexcept {
    unwatched_.store(unwatched_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  /// True once a graph node has kept a tensor over these bytes for its backward pass.
  bool was_saved() const noexcept { return marks_.load(std::memory_order_relaxed) & saved; }
  /// Raises GradientError where the bytes were born in inference mode.
  void mark_saved() {
    mark(saved);
    if (is_inference_) [[unlikely]]
      refuse_saving();
  }
  /// True where the bytes were born in inference mode.
  bool is_inference() const noexcept { return is_inference_; }

  /// Arrays, capsules and buffers that look into this storage.
  std::atomic<std::uint32_t> export_count{0};
  /// Whether there ever was one: what it wrote nobody has counted.
  bool was_exported() const noexcept { return marks_.load(std::memory_order_relaxed) & exported; }
  void note_export() noexcept {
    export_count.fetch_add(1);
    mark(exported);
  }

  static void* operator new(std::size_t bytes) { return pool::take(bytes); }
  static void operator delete(void* block, std::size_t bytes) noexcept { pool::give(block, bytes); }

 private:
  friend void destroy(Storage* storage) noexcept;
  friend struct SmallTensor;
  Storage() = default;
  ~Storage() = default;
  void take_block(CachingAllocator& allocator);
  void meet(Stream stream);
  [[noreturn]] static void refuse_saving();

  // By whoever has the outer lock.
  void mark(std::uint8_t one) noexcept {
    marks_.store(marks_.load(std::memory_order_relaxed) | one, std::memory_order_relaxed);
  }
  static constexpr std::uint8_t saved = 1, exported = 2;

  Block* block() const noexcept { return is_foreign ? nullptr : block_; }

  void* data_ = nullptr;
  union {
    Block* block_ = nullptr;  // null: the payload is beside the storage, or empty
    ForeignOwner* owner_;     // where it is foreign
  };
  std::atomic<std::uint32_t> version_{0};
  std::atomic<std::uint16_t> unwatched_{0};  // narrow, for the size of storages
  std::atomic<std::uint8_t> marks_{0};
  bool is_writable_ : 1 = true;
  bool is_inference_ : 1 = (grad_mode & mode::inference) != 0;
  /// Of a small tensor whose front it is: what its memory comes to, in pieces of 16 bytes.
  std::uint8_t small_tensor_grains_ : 6 = 0;
};

void destroy(Storage* storage) noexcept;

}  // namespace garboard
