#include "csrc/lifetime/failing_allocation.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "csrc/core/error.h"
#include "csrc/lifetime/dispose_scope.h"
#include "csrc/lifetime/registry.h"

namespace garboard {
namespace {

struct Listed {
  explicit Listed(std::int64_t bytes) {
    record.bytes = bytes;
    registry().add(record);
  }
  ~Listed() { registry().remove(record); }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;

  StorageRecord record;
};

TEST(FailingAllocation, FailsTheOneWithItsNumber) {
  const LiveCounts before = registry().live();
  FailingAllocation failing(3);
  {
    const Listed first(8), second(8);
    EXPECT_FALSE(failing.has_failed());
    EXPECT_THROW(Listed(8), OutOfMemoryError);
    EXPECT_TRUE(failing.has_failed());
    const Listed fourth(8);
  }

  EXPECT_EQ(failing.count(), 4);
  EXPECT_EQ(registry().live().bytes, before.bytes);
  EXPECT_EQ(registry().live().storages, before.storages);
}

TEST(FailingAllocation, SaysWhatWasAskedFor) {
  const FailingAllocation failing(1);
  try {
    const Listed refused(2048);
    FAIL() << "nothing was raised";
  } catch (const OutOfMemoryError& error) {
    EXPECT_STREQ(error.what(),
                 "allocate: 2.0 KiB asked on cpu, allocation 1 of a fail_allocation; catch the "
                 "error, or let it pass");
    EXPECT_NE(error.report().find("failed on purpose"), std::string::npos);
  }
}

TEST(FailingAllocation, ReachesWhatIsExpectedAndWhatIsInAScope) {
  const OpenScope scope;
  {
    const FailingAllocation failing(1);
    StorageRecord record;
    record.bytes = 8;
    EXPECT_THROW(registry().expect(record), OutOfMemoryError);
    EXPECT_FALSE(record.is_registered());
  }
  const FailingAllocation failing(1);
  EXPECT_THROW(Listed(8), OutOfMemoryError);
}

TEST(FailingAllocation, PassesOverWhatHasNoBytes) {
  const FailingAllocation failing(1);

  const Listed empty(0);

  EXPECT_EQ(failing.count(), 0);
}

TEST(FailingAllocation, IsOfItsThreadAlone) {
  const FailingAllocation failing(1);

  std::thread([] { const Listed elsewhere(8); }).join();

  EXPECT_EQ(failing.count(), 0);
}

TEST(FailingAllocation, OnlyCountsWithoutANumber) {
  const FailingAllocation counting(0);

  const Listed one(8), two(8);

  EXPECT_EQ(counting.count(), 2);
  EXPECT_FALSE(counting.has_failed());
}

TEST(FailingAllocation, CountsBesideOthersAndEndsInAnyOrder) {
  std::optional<FailingAllocation> outer(std::in_place, 3), inner(std::in_place, 1);

  EXPECT_THROW(Listed(8), OutOfMemoryError);
  outer.reset();
  const Listed second(8), third(8);

  EXPECT_EQ(inner->count(), 3);
  inner.reset();
  const Listed unseen(8);
}

TEST(FailingAllocation, LeavesThePeakExact) {
  registry().reset_peak({});
  const std::int64_t start = registry().peak({}).bytes;
  {
    const FailingAllocation counting(0);
    const Listed high(100);
  }
  const Listed low(50);

  EXPECT_EQ(registry().peak({}).bytes - start, 100);
}

}  // namespace
}  // namespace garboard
