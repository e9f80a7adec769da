// Blocks that were released while another stream than their own may still use them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "csrc/core/bytes.h"
#include "csrc/device/timeline.h"
#include "csrc/memory/heap/block.h"

namespace garboard {

struct StreamPools;

/// One stream that uses a block of another. Chained to the block while that is live, and then in
/// the queue of the stream.
struct ForeignUse {
  Block* block = nullptr;
  StreamPools* user = nullptr;
  ForeignUse* next = nullptr;
  Ticket ticket = 0;        // behind the use; 0 until its batch is sealed
  std::uint64_t order = 0;  // of the releases of the device
};

/// The uses of one stream whose blocks have been released, oldest first. They come in batches: one
/// ticket, that is one event, serves a batch of them. Owns nothing. Not thread-safe.
class PendingFrees {
 public:
  /// An open batch is due from so many uses or bytes on.
  static constexpr std::size_t batch_uses = 32;
  static constexpr std::size_t batch_bytes = 64_MiB;

  /// Joins the open batch.
  void push(ForeignUse& use) noexcept;
  bool is_due() const noexcept { return open_uses_ >= batch_uses || open_bytes_ >= batch_bytes; }
  bool is_empty() const noexcept { return !first_; }
  /// The oldest use; null where there is none, and where it has no ticket yet.
  const ForeignUse* oldest_sealed() const noexcept {
    return first_ == first_open_ ? nullptr : first_;
  }

  /// Closes the open batch, whose ticket is then taken without the lock. False where there is
  /// nothing to close, or another thread is taking one.
  bool begin_sealing() noexcept;
  void end_sealing(Ticket ticket) noexcept;
  bool is_being_sealed() const noexcept { return last_closed_; }
  /// Who was sealing does not exist any more.
  void abandon_sealing() noexcept { last_closed_ = nullptr; }

  /// Takes the oldest use out, if it is over when its stream has passed `ticket`; else null.
  ForeignUse* pop(Ticket ticket) noexcept;

 private:
  ForeignUse* first_ = nullptr;
  ForeignUse* last_ = nullptr;
  ForeignUse* first_open_ = nullptr;   // without a ticket, as all behind it
  ForeignUse* last_closed_ = nullptr;  // of the batch whose ticket is being taken
  std::size_t open_uses_ = 0;
  std::size_t open_bytes_ = 0;
};

}  // namespace garboard
