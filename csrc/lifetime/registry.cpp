#include "csrc/lifetime/registry.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "csrc/core/bytes.h"
#include "csrc/core/error.h"
#include "csrc/core/pool.h"
#include "csrc/core/text.h"
#include "csrc/lifetime/failing_allocation.h"
#include "csrc/lifetime/lifetime_lock.h"
#include "csrc/lifetime/sites_by_bytes.h"

namespace garboard {

void* ScopeLedger::operator new(std::size_t bytes) { return pool::take(bytes); }
void ScopeLedger::operator delete(void* block, std::size_t bytes) noexcept {
  pool::give(block, bytes);
}

namespace {

/// The first scope, from the inside out, that `bytes` more would take over its limit.
const ScopeLedger* crossed(const ScopeLedger* ledger, std::int64_t bytes) noexcept {
  for (; ledger; ledger = ledger->outer) {
    if (ledger->limit_bytes >= 0 && bytes > ledger->limit_bytes - ledger->total_bytes())
      return ledger;
  }
  return nullptr;
}

bool lies_in(const ScopeLedger* ledger, const ScopeLedger* scope) noexcept {
  for (; ledger; ledger = ledger->outer) {
    if (ledger == scope) return true;
  }
  return false;
}

}  // namespace

std::string Registry::largest_sites(const ScopeLedger& scope) {
  return largest_lines(
      sites_by_bytes([&](const StorageRecord& it) { return lies_in(it.ledger, &scope); }));
}

std::string Registry::largest_sites(Device device) {
  return largest_lines(
      sites_by_bytes([=](const StorageRecord& it) { return it.device == device; }));
}

template <bool waits>
void Registry::add_slowly(StorageRecord& storage) {
  if (watcher_count_.load(std::memory_order_relaxed)) [[unlikely]]
    FailingAllocation::meet(storage);
  const int slot = storage.device.slot();
  const ScopeLedger* full = nullptr;
  std::int64_t live = 0, limit = 0;
  {
    const std::lock_guard guard(storages_.lock);
    ScopeLedger* const ledger = birth.scope ? birth.scope->open_ledger() : nullptr;
    full = crossed(ledger, storage.bytes);
    if (!full) {
      DeviceBytes& device = bytes_on(storage.device);
      storages_.add(storage);
      device.live += storage.bytes;
      if (waits) device.waiting += storage.bytes;
      if (device.arrived() > device.peak) rise(device);
      storage.is_waiting = waits;
      storage.ledger = ledger;
      for (ScopeLedger* at = ledger; waits && at; at = at->outer)
        at->waiting_bytes[slot] += storage.bytes;
      if (ledger) ledger->add(slot, storage.bytes);
    } else {
      live = full->total_bytes();
      limit = full->limit_bytes;
    }
  }
  if (!full) {
    if constexpr (!waits) tell(storage, true);
    return;
  }
  std::string report =
      text("scope limit: ", human_bytes(storage.bytes), " more on ", storage.device, " beside ",
           human_bytes(live), " live; the scope's limit is ", human_bytes(limit));
  report += largest_sites(*full);
  throw ScopeLimitError(report + "\ndispose what is done with, or give the scope a larger limit",
                        report);
}

template void Registry::add_slowly<false>(StorageRecord& storage);

void Registry::expect(StorageRecord& storage) {
  static_cast<Stamp&>(storage) = stamp_now();
  add_slowly<true>(storage);
}

void Registry::end_waiting(StorageRecord& storage) noexcept {
  const int slot = storage.device.slot();
  bytes_on(storage.device).waiting -= storage.bytes;
  for (ScopeLedger* at = storage.ledger; at; at = at->outer)
    at->waiting_bytes[slot] -= storage.bytes;
}

void Registry::arrive(StorageRecord& storage) noexcept {
  {
    const std::lock_guard guard(storages_.lock);
    end_waiting(storage);
    storage.is_waiting = false;
    DeviceBytes& device = bytes_on(storage.device);
    if (storage.serial < device.peak_until) {  // a peak came and went while it waited: not its own
      storages_.remove(storage);
      storages_.add(storage);
    }
    if (device.arrived() > device.peak) rise(device);
    for (ScopeLedger* at = storage.ledger; at; at = at->outer) at->note_peak(storage.device.slot());
  }
  tell(storage, true);
}

void Registry::abandon(StorageRecord& storage) noexcept {
  {
    const std::lock_guard guard(storages_.lock);
    end_waiting(storage);
  }
  remove(storage);
}

void Registry::remove_slowly(StorageRecord& storage) noexcept {
  DeviceBytes& device = bytes_on(storage.device);
  ScopeLedger* dead = nullptr;
  for (const bool needs_room : {true, false}) {
    {
      const std::lock_guard guard(storages_.lock);
      const bool has_room = device.ended && device.ended->has_room();
      // What has waited in vain was never part of a peak.
      const bool was_there =
          storage.serial < device.peak_until && !storage.is_waiting && storage.bytes > 0;
      if (was_there && device.ended && (has_room || !needs_room))
        device.ended->add({has_room ? storage.site : unknown_site, 1, storage.bytes});
      if (!was_there || has_room || !needs_room) {
        dead = unlist(storage, storage.device);
        break;
      }
    }
    enlarge_tally(device);
  }
  if (!storage.is_waiting) tell(storage, false);
  if (dead) end(dead);
}

void Registry::end(ScopeLedger* ledger) noexcept {
  while (ledger) {
    ScopeLedger* const outer = ledger->outer;
    delete ledger;
    const std::lock_guard guard(storages_.lock);
    ledger = outer && --outer->shares == 0 ? outer : nullptr;
  }
}

void Registry::add_foreign(StorageRecord& storage) noexcept {
  static_cast<Stamp&>(storage) = stamp_now();
  storage.is_foreign = true;
  const std::lock_guard guard(storages_.lock);
  storages_.add(storage);
  bytes_on(storage.device).foreign += storage.bytes;
}

void Registry::remove_foreign(StorageRecord& storage) noexcept {
  const std::lock_guard guard(storages_.lock);
  storages_.remove(storage);
  bytes_on(storage.device).foreign -= storage.bytes;
}

LiveCounts Registry::live() const noexcept {
  LiveCounts counts;
  counts.aliases = aliases_.count;
  {
    const std::lock_guard guard(nodes_.lock);
    counts.nodes = nodes_.count;
  }
  const std::lock_guard guard(storages_.lock);
  counts.storages = storages_.count;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    counts.bytes[i] = devices_[i].arrived();
    counts.foreign_bytes[i] = devices_[i].foreign;
  }
  return counts;
}

std::uint64_t Registry::next_alias_serial() const noexcept { return aliases_.next_serial; }

std::uint64_t Registry::next_storage_serial() const noexcept {
  const std::lock_guard guard(storages_.lock);
  return storages_.next_serial;
}

std::uint64_t Registry::next_node_serial() const noexcept {
  const std::lock_guard guard(nodes_.lock);
  return nodes_.next_serial;
}

void Registry::open(LedgerSlot& slot, const DisposeScope* outer, std::int64_t limit_bytes) {
  auto* const ledger = new ScopeLedger;
  ledger->limit_bytes = limit_bytes;
  const std::lock_guard guard(storages_.lock);
  ledger->outer = outer ? outer->open_ledger() : nullptr;
  if (ledger->outer) ++ledger->outer->shares;
  ledger->has_limit = limit_bytes >= 0 || (ledger->outer && ledger->outer->has_limit);
  slot.open = ledger;
}

void Registry::close(LedgerSlot& slot) noexcept {
  ScopeLedger* const ledger = slot.open;
  {
    const std::lock_guard guard(storages_.lock);
    slot.at_close = *ledger;
    ledger->limit_bytes = -1;
    slot.open = nullptr;
    if (--ledger->shares > 0) return;
  }
  end(ledger);
}

ScopeLedger Registry::read(const LedgerSlot& slot) const noexcept {
  const std::lock_guard guard(storages_.lock);
  return slot.open ? *slot.open : slot.at_close;
}

void Registry::reset_locks_after_fork() noexcept {
  lifetime_spin_lock.unlock();
  storages_.lock.unlock();
  nodes_.lock.unlock();
}

constinit Registry the_registry;
static_assert(std::is_trivially_destructible_v<Registry>);

}  // namespace garboard
