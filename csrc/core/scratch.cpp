#include "csrc/core/scratch.h"

#include <atomic>
#include <new>

namespace garboard {
namespace {

constinit std::atomic<const ScratchKeeper::Ways*> keeper{nullptr};
constexpr std::align_val_t alignment{64};

}  // namespace

void ScratchKeeper::declare(const Ways& ways) noexcept { keeper.store(&ways); }

ScratchPiece take_scratch(std::size_t bytes) {
  const ScratchKeeper::Ways* const told =
      bytes < least_told_scratch ? nullptr : keeper.load(std::memory_order_acquire);
  if (!told) return {::operator new(bytes, alignment)};
  told->take(bytes);
  ScratchPiece piece{::operator new(bytes, alignment, std::nothrow), bytes};
  if (piece.address) return piece;
  told->give_back(bytes);
  throw std::bad_alloc();
}

void give_back(ScratchPiece piece) noexcept {
  ::operator delete(piece.address, alignment);
  if (piece.told_bytes) keeper.load(std::memory_order_acquire)->give_back(piece.told_bytes);
}

}  // namespace garboard
