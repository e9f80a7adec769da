// The second book: every live alias, storage and graph node, and the bytes of the storages, counted
// without asking an allocator.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "csrc/core/spin_lock.h"
#include "csrc/device/device.h"
#include "csrc/lifetime/dispose_scope.h"
#include "csrc/lifetime/peak.h"
#include "csrc/lifetime/record.h"
#include "csrc/lifetime/scope_ledger.h"

namespace garboard {

/// A storage's record: its bytes, where they lie, and the scope they are counted in.
struct StorageRecord : Record {
  Device device;
  bool is_foreign = false;  // memory that is not ours: in foreign_bytes, in no scope and no limit
  bool is_waiting = false;  // its bytes are still being asked for
  std::int64_t bytes = 0;
  ScopeLedger* ledger = nullptr;
};

/// A graph node's record.
struct NodeRecord : Record {};

struct LiveCounts {
  std::int64_t aliases = 0;
  std::int64_t storages = 0;
  std::int64_t nodes = 0;
  std::array<std::int64_t, max_devices> bytes{};  // not the foreign ones
  std::array<std::int64_t, max_devices> foreign_bytes{};
};

/// The process's list of what lives. Storages and nodes may come and go on any thread, aliases
/// under the LifetimeLock.
class Registry {
 public:
  constexpr Registry() noexcept = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  /// Stamps and lists a storage whose bytes are there, and adds them to the innermost scope's
  /// ledger and those around it. Raises ScopeLimitError, changing nothing, where that crosses a
  /// scope's limit; and OutOfMemoryError where a FailingAllocation says so.
  void add(StorageRecord& storage) { add(storage, storage.device); }
  /// `at` is the storage's device, here and below: known to the compiler where it is always one.
  [[gnu::always_inline]] void add(StorageRecord& storage, Device at) {
    static_cast<Stamp&>(storage) = stamp_now();
    {
      const std::lock_guard guard(storages_.lock);
      DeviceBytes& device = bytes_on(at);
      ScopeLedger* const ledger = birth.scope ? birth.scope->open_ledger() : nullptr;
      const std::int64_t now = device.live + storage.bytes;
      if (now - device.waiting <= device.alarm && !(ledger && ledger->has_limit)) [[likely]] {
        storages_.add(storage);
        device.live = now;
        storage.ledger = ledger;
        if (ledger) ledger->add(at.slot(), storage.bytes);
        return;
      }
    }
    add_slowly<false>(storage);
  }
  /// The same for one whose bytes are still to be asked for: `arrive` says that they have come,
  /// `abandon`, which ends it, that they never will. Until then they count against limits alone.
  void expect(StorageRecord& storage);
  void arrive(StorageRecord& storage) noexcept;
  void abandon(StorageRecord& storage) noexcept;

  void remove(StorageRecord& storage) noexcept { remove(storage, storage.device); }
  [[gnu::always_inline]] void remove(StorageRecord& storage, Device at) noexcept {
    ScopeLedger* dead = nullptr;
    bool is_slow;
    {
      const std::lock_guard guard(storages_.lock);
      is_slow = storage.serial < bytes_on(at).slow_until;
      if (!is_slow) [[likely]]
        dead = unlist(storage, at);
    }
    if (is_slow) [[unlikely]]
      return remove_slowly(storage);
    if (dead) end(dead);
  }
  /// The same for memory that is not ours: in no scope, no limit and no peak. Never refuses.
  void add_foreign(StorageRecord& storage) noexcept;
  void remove_foreign(StorageRecord& storage) noexcept;

  void add(NodeRecord& node) noexcept {
    static_cast<Stamp&>(node) = stamp_now();
    const std::lock_guard guard(nodes_.lock);
    nodes_.add(node);
  }
  void remove(NodeRecord& node) noexcept {
    const std::lock_guard guard(nodes_.lock);
    nodes_.remove(node);
  }

  /// The caller holds the LifetimeLock.
  void add_alias(Record& alias) noexcept {
    static_cast<Stamp&>(alias) = stamp_now();
    aliases_.add(alias);
  }
  void remove_alias(Record& alias) noexcept { aliases_.remove(alias); }

  LiveCounts live() const noexcept;
  /// The most that lived on a device since the last reset, and where it was born.
  Peak peak(Device device);
  /// What lives now becomes the peak.
  void reset_peak(Device device) noexcept;
  /// Lines such as `1.0 MiB in 2 storages, born at train.py:3 step()`, the five largest sites
  /// first, of what was born in a scope, or on a device.
  std::string largest_sites(const ScopeLedger& scope);
  std::string largest_sites(Device device);
  /// The serial the next one will have.
  std::uint64_t next_alias_serial() const noexcept;
  std::uint64_t next_storage_serial() const noexcept;
  std::uint64_t next_node_serial() const noexcept;

  /// Visits under the lock, oldest first: `visit` must neither allocate storages nor call out.
  template <class Visit>
  void for_each_storage(Visit&& visit) {
    const std::lock_guard guard(storages_.lock);
    storages_.list.for_each([&](Record& it) { visit(static_cast<StorageRecord&>(it)); });
  }
  template <class Visit>
  void for_each_node(Visit&& visit) {
    const std::lock_guard guard(nodes_.lock);
    nodes_.list.for_each([&](Record& it) { visit(static_cast<NodeRecord&>(it)); });
  }
  /// The caller holds the LifetimeLock.
  template <class Visit>
  void for_each_alias(Visit&& visit) {
    aliases_.list.for_each(visit);
  }

  /// Opens a scope's ledger inside that of the nearest open scope, `outer` or around it. Null:
  /// none. `limit_bytes` < 0: no limit.
  void open(LedgerSlot& slot, const DisposeScope* outer, std::int64_t limit_bytes);
  /// Keeps the counts of this moment. What was born in the scope counts on in the scopes around it;
  /// its own limit binds nobody any more.
  void close(LedgerSlot& slot) noexcept;
  /// The counts now, or at the close.
  ScopeLedger read(const LedgerSlot& slot) const noexcept;

  /// From now on every birth meets FailingAllocation first, until each watcher has left.
  void watch_births() noexcept;
  void unwatch_births() noexcept;
  /// Tells `watcher` of each storage that came or went, until it is null. One at a time; it is
  /// called without any of our locks, on the thread of the event.
  using MemoryWatcher = void (*)(const StorageRecord& storage, bool is_born) noexcept;
  void watch_memory(MemoryWatcher watcher) noexcept;

  /// A forked child starts with one thread: locks that another thread held are free again.
  void reset_locks_after_fork() noexcept;

 private:
  struct Shelf {
    constexpr Shelf() noexcept = default;
    mutable SpinLock lock;
    IntrusiveList<Record, InRegistry> list;
    std::uint64_t next_serial = 1;
    std::int64_t count = 0;

    void add(Record& record) noexcept {
      record.serial = next_serial++;
      list.push_back(record);
      ++count;
    }
    void remove(Record& record) noexcept {
      record.unlink();
      --count;
    }
  };
  /// Of one device, under the lock of the storages.
  struct DeviceBytes {
    std::int64_t live = 0;
    std::int64_t waiting = 0;  // the part of them that is still being asked for
    std::int64_t foreign = 0;
    /// A birth that takes what has arrived beyond this is looked at: the peak, or less than nothing
    /// while somebody watches births.
    std::int64_t alarm = 0;
    std::int64_t peak = 0;
    std::uint64_t peak_until = 0;  // who lived at the peak has a lower serial
    std::uint32_t peak_step = 0;
    /// An end below this serial is looked at: `peak_until`, or every one while somebody watches.
    std::uint64_t slow_until = 0;
    SiteTally* ended = nullptr;  // what lived at the peak and does no more; leaked like all this

    std::int64_t arrived() const noexcept { return live - waiting; }
  };
  DeviceBytes& bytes_on(Device device) noexcept {
    return devices_[static_cast<std::size_t>(device.slot())];
  }
  template <bool waits>
  void add_slowly(StorageRecord& storage);
  /// Deletes a ledger whose last share has gone, and drops its share of the one around it.
  void end(ScopeLedger* ledger) noexcept;
  void remove_slowly(StorageRecord& storage) noexcept;
  void tell(const StorageRecord& storage, bool is_born) noexcept {
    if (const auto watcher = memory_watcher_.load(std::memory_order_relaxed)) [[unlikely]]
      watcher(storage, is_born);
  }
  void enlarge_tally(DeviceBytes& device) noexcept;
  // Under the lock of the storages.
  void rise(DeviceBytes& device) noexcept;
  void set_marks(DeviceBytes& device) noexcept;
  void end_waiting(StorageRecord& storage) noexcept;
  /// Returns the storage's ledger where that was its last share.
  ScopeLedger* unlist(StorageRecord& storage, Device at) noexcept {
    storages_.remove(storage);
    bytes_on(at).live -= storage.bytes;
    ScopeLedger* const ledger = storage.ledger;
    return ledger && ledger->subtract(at.slot(), storage.bytes) ? ledger : nullptr;
  }

  Shelf storages_;
  Shelf nodes_;
  Shelf aliases_;
  std::array<DeviceBytes, max_devices> devices_{};
  std::atomic<int> watcher_count_ = 0;
  std::atomic<MemoryWatcher> memory_watcher_ = nullptr;
};

// Has no destructor: things may end after main() has.
extern constinit Registry the_registry;
inline Registry& registry() noexcept { return the_registry; }

}  // namespace garboard
