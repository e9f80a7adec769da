#include "csrc/lifetime/failing_allocation.h"

#include <mutex>

#include "csrc/core/bytes.h"
#include "csrc/core/error.h"
#include "csrc/core/spin_lock.h"
#include "csrc/core/text.h"
#include "csrc/lifetime/registry.h"

namespace garboard {
namespace {

constinit SpinLock lock;
constinit IntrusiveList<FailingAllocation, InFailing> all;

}  // namespace

FailingAllocation::FailingAllocation(std::int64_t number)
    : number_(number), thread_(stamp_now().thread) {
  {
    const std::lock_guard guard(lock);
    all.push_back(*this);
  }
  registry().watch_births();
}

FailingAllocation::~FailingAllocation() {
  registry().unwatch_births();
  const std::lock_guard guard(lock);
  unlink();
}

std::int64_t FailingAllocation::count() const noexcept {
  const std::lock_guard guard(lock);
  return count_;
}

void FailingAllocation::meet(const StorageRecord& storage) {
  if (storage.bytes == 0) return;
  std::int64_t due = 0;
  {
    const std::lock_guard guard(lock);
    all.for_each([&](FailingAllocation& it) {
      if (it.thread_ == storage.thread && ++it.count_ == it.number_) due = it.number_;
    });
  }
  if (!due) return;
  const std::string message =
      text("allocate: ", human_bytes(storage.bytes), " asked on ", storage.device, ", allocation ",
           due, " of a fail_allocation; catch the error, or let it pass");
  throw OutOfMemoryError(message, message + "\nfailed on purpose: nothing was asked of the device");
}

}  // namespace garboard
