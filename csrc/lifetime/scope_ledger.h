// The bytes born inside a scope, and the most there were at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "csrc/device/device.h"

namespace garboard {

/// Counts the storages born while its scope was innermost, and those of the scopes inside it. It
/// outlives its scope for as long as such a storage lives. Everything here is guarded by the
/// registry's storage lock; only the registry touches it.
struct ScopeLedger {
  std::array<std::int64_t, max_devices> live_bytes{};
  std::array<std::int64_t, max_devices> peak_bytes{};
  std::array<std::int64_t, max_devices> waiting_bytes{};  // live, but still being asked for
  std::int64_t limit_bytes = -1;                          // of the sum over devices; negative: none
  bool has_limit = false;                                 // at its opening, it or one around it
  ScopeLedger* outer = nullptr;                           // a share of it is held
  std::uint32_t shares = 1;

  std::int64_t total_bytes() const noexcept {
    std::int64_t total = 0;
    for (const auto bytes : live_bytes) total += bytes;
    return total;
  }
  void note_peak(int slot) noexcept {
    peak_bytes[slot] = std::max(peak_bytes[slot], live_bytes[slot] - waiting_bytes[slot]);
  }
  /// Of a birth inside, which holds a share: counts here and in all around.
  void add(int slot, std::int64_t bytes) noexcept {
    ++shares;
    for (ScopeLedger* at = this; at; at = at->outer) {
      at->live_bytes[slot] += bytes;
      at->note_peak(slot);
    }
  }
  /// True when that was the last share.
  bool subtract(int slot, std::int64_t bytes) noexcept {
    for (ScopeLedger* at = this; at; at = at->outer) at->live_bytes[slot] -= bytes;
    return --shares == 0;
  }
  static void* operator new(std::size_t bytes);
  static void operator delete(void* block, std::size_t bytes) noexcept;
};

/// A scope's place for its ledger; guarded like the ledger.
struct LedgerSlot {
  ScopeLedger* open = nullptr;  // null once the scope has closed
  ScopeLedger at_close = {};
};

}  // namespace garboard
