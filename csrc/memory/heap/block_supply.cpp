#include "csrc/memory/heap/block_supply.h"

#include <utility>

namespace garboard {

// Slab by slab: a chain of owners that end each other would recurse as deep as it is long.
BlockSupply::~BlockSupply() {
  while (slabs_) slabs_ = std::exchange(slabs_->next, nullptr);
}

void BlockSupply::stock(std::unique_ptr<Slab> slab) noexcept {
  for (Block& block : slab->blocks) give(&block);
  slab->next = std::move(slabs_);
  slabs_ = std::move(slab);
}

}  // namespace garboard
