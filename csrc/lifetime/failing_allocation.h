// Makes one allocation fail on purpose, so that a test can see what its program does then.
#pragma once

#include <cstdint>

#include "csrc/core/intrusive_list.h"

namespace garboard {

struct StorageRecord;
struct InFailing;

/// While one exists, it counts the allocations of the thread that made it, storages of no bytes
/// left out, and fails one. Several count side by side. Costs nothing where there is none: it
/// lowers the mark that the registry compares every birth with.
class FailingAllocation : Links<InFailing> {
 public:
  /// Fails the `number`-th from now on, counting from 1; one below 1 fails none.
  explicit FailingAllocation(std::int64_t number);
  /// On any thread.
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  /// Allocations asked for so far, the failed one too.
  std::int64_t count() const noexcept;
  bool has_failed() const noexcept { return number_ > 0 && count() >= number_; }

  /// `storage` is about to be counted. Raises OutOfMemoryError where its turn has come.
  static void meet(const StorageRecord& storage);

 private:
  template <class T, class Tag>
  friend class IntrusiveList;

  std::int64_t number_;
  std::int64_t count_ = 0;
  std::uint32_t thread_;
};

}  // namespace garboard
