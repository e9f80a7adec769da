#include "csrc/memory/heap/pending_frees.h"

namespace garboard {

void PendingFrees::push(ForeignUse& use) noexcept {
  use.next = nullptr;
  use.ticket = 0;
  (last_ ? last_->next : first_) = &use;
  last_ = &use;
  if (!first_open_) first_open_ = &use;
  ++open_uses_;
  open_bytes_ += use.block->bytes;
}

bool PendingFrees::begin_sealing() noexcept {
  if (last_closed_ || !first_open_) return false;
  last_closed_ = last_;
  open_uses_ = open_bytes_ = 0;  // what comes now comes after the ticket
  return true;
}

// Nobody can have taken them out meanwhile: they had no ticket.
void PendingFrees::end_sealing(Ticket ticket) noexcept {
  for (bool is_last = false; !is_last; first_open_ = first_open_->next) {
    first_open_->ticket = ticket;
    is_last = first_open_ == last_closed_;
  }
  last_closed_ = nullptr;
}

ForeignUse* PendingFrees::pop(Ticket ticket) noexcept {
  ForeignUse* const use = first_;
  if (!use || use == first_open_ || use->ticket > ticket) return nullptr;
  first_ = use->next;
  if (!first_) last_ = nullptr;
  return use;
}

}  // namespace garboard
