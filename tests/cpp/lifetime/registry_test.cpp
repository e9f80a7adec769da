#include "csrc/lifetime/registry.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "csrc/core/bytes.h"
#include "csrc/core/error.h"
#include "csrc/device/cuda_library.h"
#include "csrc/lifetime/dispose_scope.h"

namespace garboard {
namespace {

constexpr Device cuda_1{cuda_kind, 1};

/// A storage as the registry sees it.
struct Listed {
  explicit Listed(std::int64_t bytes, Device device = {}, bool is_foreign = false) {
    record.bytes = bytes;
    record.device = device;
    is_foreign ? registry().add_foreign(record) : registry().add(record);
  }
  ~Listed() { record.is_foreign ? registry().remove_foreign(record) : registry().remove(record); }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;

  StorageRecord record;
};

std::int64_t live_bytes(Device device = {}) {
  return registry().live().bytes[static_cast<std::size_t>(device.slot())];
}
std::int64_t live_bytes(const DisposeScope& scope, Device device = {}) {
  return scope.bytes().live_bytes[static_cast<std::size_t>(device.slot())];
}
std::int64_t peak_bytes(const DisposeScope& scope, Device device = {}) {
  return scope.bytes().peak_bytes[static_cast<std::size_t>(device.slot())];
}

/// Opens a scope with a budget, as the innermost one, for a block.
class Budget {
 public:
  explicit Budget(std::int64_t limit_bytes)
      : scope_(new DisposeScope("budget", Counted<DisposeScope>(birth.scope), limit_bytes)) {
    birth.scope = scope_.get();
  }
  ~Budget() { scope_->dispose(); }
  DisposeScope& scope() { return *scope_; }

 private:
  Counted<DisposeScope> scope_;
};

TEST(Registry, NumbersEachKindOnItsOwnAndNeverAgain) {
  const std::uint64_t next = registry().next_storage_serial();
  const std::uint64_t next_node = registry().next_node_serial();
  auto first = std::make_unique<Listed>(8);
  EXPECT_EQ(first->record.serial, next);
  first.reset();

  const Listed second(8);

  EXPECT_EQ(second.record.serial, next + 1);
  EXPECT_EQ(registry().next_storage_serial(), next + 2);
  EXPECT_EQ(registry().next_node_serial(), next_node);
}

TEST(Registry, StampsSiteStepAndThread) {
  const std::uint32_t step = birth_step.exchange(7);
  birth.site = 42;
  const Listed here(8);
  birth.site = unknown_site;
  birth_step = step;
  std::uint32_t elsewhere = 0;
  std::thread([&] { elsewhere = Listed(8).record.thread; }).join();

  EXPECT_EQ(here.record.site, 42u);
  EXPECT_EQ(here.record.step, 7u);
  EXPECT_EQ(here.record.thread, thread_number());
  EXPECT_NE(elsewhere, 0u);
  EXPECT_NE(elsewhere, thread_number());
}

TEST(Registry, CountsWhatLivesPerDevice) {
  const LiveCounts before = registry().live();
  const std::int64_t on_cpu = live_bytes(), on_cuda = live_bytes(cuda_1);
  {
    const Listed here(100), there(1000, cuda_1), empty(0);
    EXPECT_EQ(live_bytes(), on_cpu + 100);
    EXPECT_EQ(live_bytes(cuda_1), on_cuda + 1000);
    EXPECT_EQ(registry().live().storages, before.storages + 3);
  }

  EXPECT_EQ(live_bytes(), on_cpu);
  EXPECT_EQ(live_bytes(cuda_1), on_cuda);
  EXPECT_EQ(registry().live().storages, before.storages);
}

TEST(Registry, CountsNodes) {
  const std::int64_t before = registry().live().nodes;
  struct Node : NodeRecord {
  } node;

  registry().add(node);
  EXPECT_EQ(registry().live().nodes, before + 1);

  registry().remove(node);
  EXPECT_EQ(registry().live().nodes, before);
}

TEST(Registry, KeepsForeignMemoryApart) {
  const LiveCounts before = registry().live();
  Budget budget(10);

  const Listed foreign(1'000'000, {}, true);

  EXPECT_EQ(live_bytes(), before.bytes[0]);
  EXPECT_EQ(registry().live().foreign_bytes[0], before.foreign_bytes[0] + 1'000'000);
  EXPECT_EQ(live_bytes(budget.scope()), 0);
}

TEST(Registry, VisitsStoragesOldestFirst) {
  const Listed first(1), second(2), third(3);
  std::vector<std::int64_t> seen;

  registry().for_each_storage([&](const StorageRecord& it) {
    if (it.serial >= first.record.serial) seen.push_back(it.bytes);
  });

  EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2, 3}));
}

TEST(ScopeBytes, CountWhatIsBornInsideAndInsideThat) {
  OpenScope outer;
  const Listed in_outer(10);
  {
    OpenScope inner;
    const Listed in_inner(100), on_cuda(7, cuda_1);
    EXPECT_EQ(live_bytes(*inner), 100);
    EXPECT_EQ(live_bytes(*inner, cuda_1), 7);
    EXPECT_EQ(live_bytes(*outer), 110);
    EXPECT_EQ(live_bytes(*outer, cuda_1), 7);
  }

  EXPECT_EQ(live_bytes(*outer), 10);
  EXPECT_EQ(peak_bytes(*outer), 110);
  EXPECT_EQ(peak_bytes(*outer, cuda_1), 7);
}

TEST(ScopeBytes, StayThoseOfTheScopeOfBirth) {
  OpenScope outer;
  auto born_in_outer = std::make_unique<Listed>(10);
  OpenScope inner;

  born_in_outer.reset();

  EXPECT_EQ(live_bytes(*inner), 0);
  EXPECT_EQ(live_bytes(*outer), 0);
}

TEST(ScopeBytes, GoToTheOuterScopeWhenTheirsCloses) {
  OpenScope outer;
  std::unique_ptr<Listed> survivor;
  {
    OpenScope inner;
    survivor = std::make_unique<Listed>(10);
  }
  EXPECT_EQ(live_bytes(*outer), 10);

  survivor.reset();
  EXPECT_EQ(live_bytes(*outer), 0);
}

TEST(ScopeBytes, AreKeptFromTheMomentOfClosing) {
  OpenScope scope;
  auto survivor = std::make_unique<Listed>(10);
  { const Listed brief(90); }

  scope->dispose();
  survivor.reset();

  EXPECT_EQ(live_bytes(*scope), 10);
  EXPECT_EQ(peak_bytes(*scope), 100);
}

TEST(ScopeBytes, OfWhatIsBornInAClosedScopeAreTheOuterOnes) {
  OpenScope outer;
  OpenScope inner;
  std::thread([&] { inner->dispose(); }).join();  // this thread still has it as the innermost

  const Listed late(10);

  EXPECT_EQ(live_bytes(*inner), 0);
  EXPECT_EQ(live_bytes(*outer), 10);
}

TEST(ScopeLimit, RefusesWhatWouldCrossItAndChangesNothing) {
  Budget budget(100);
  const Listed most(60);
  const LiveCounts before = registry().live();
  const std::uint64_t next = registry().next_storage_serial();

  EXPECT_THROW(Listed(41), ScopeLimitError);

  EXPECT_EQ(registry().live().storages, before.storages);
  EXPECT_EQ(registry().live().bytes, before.bytes);
  EXPECT_EQ(registry().next_storage_serial(), next);
  EXPECT_EQ(live_bytes(budget.scope()), 60);
  EXPECT_EQ(peak_bytes(budget.scope()), 60);
  EXPECT_NO_THROW(Listed(40)) << "exactly the limit is allowed";
}

TEST(ScopeLimit, CountsAllDevicesTogether) {
  Budget budget(100);
  const Listed here(60);

  EXPECT_THROW(Listed(41, cuda_1), ScopeLimitError);
}

TEST(ScopeLimit, OfAnOuterScopeBindsTheInnerOnes) {
  Budget outer(100);
  Budget inner(1000);
  const Listed most(60);

  EXPECT_THROW(Listed(41), ScopeLimitError);
}

TEST(ScopeLimit, OfZeroAllowsOnlyEmptyStorages) {
  Budget budget(0);

  EXPECT_NO_THROW(Listed(0));
  EXPECT_THROW(Listed(1), ScopeLimitError);
}

TEST(ScopeLimit, EndsWithItsScope) {
  Budget outer(100);
  OpenScope inner;
  outer.scope().dispose();

  EXPECT_NO_THROW(Listed(1000)) << "a closed scope's budget binds nobody";
}

TEST(ScopeLimit, NamesItsLargestSitesFirst) {
  set_site_resolver([](Site site) { return "line " + std::to_string(site); });
  Budget budget(1_MiB);
  std::vector<std::unique_ptr<Listed>> held;
  for (Site site = 1; site <= 7; ++site) {
    birth.site = site;
    held.push_back(std::make_unique<Listed>(site * 1_KiB));
  }
  held.push_back(std::make_unique<Listed>(7_KiB));
  birth.site = unknown_site;

  std::string message, report;
  try {
    const Listed too_much(1_MiB);
  } catch (const ScopeLimitError& error) {
    message = error.what();
    report = error.report();
  }
  set_site_resolver(nullptr);

  EXPECT_EQ(report,
            "scope limit: 1.0 MiB more on cpu beside 35.0 KiB live; the scope's limit is 1.0 MiB\n"
            "  14.0 KiB in 2 storages, born at line 7\n"
            "  6.0 KiB in 1 storage, born at line 6\n"
            "  5.0 KiB in 1 storage, born at line 5\n"
            "  4.0 KiB in 1 storage, born at line 4\n"
            "  3.0 KiB in 1 storage, born at line 3");
  EXPECT_EQ(message, report + "\ndispose what is done with, or give the scope a larger limit");
}

TEST(Registry, AgreesWithItselfAfterEightThreads) {
  constexpr int thread_count = 8, turns = 2000;
  const LiveCounts before = registry().live();
  const Counted<DisposeScope> shared(new DisposeScope("shared", nullptr, 4000));
  std::atomic<int> refused = 0;
  std::vector<std::unique_ptr<Listed>> left(thread_count);
  const auto work = [&](int number) {
    birth.scope = shared.get();
    for (int turn = 0; turn < turns; ++turn) {
      OpenScope inner;
      try {
        const Listed first(number), second(100 * number, cuda_1);
        left[static_cast<std::size_t>(number)] = std::make_unique<Listed>(300 + turn % 300);
      } catch (const ScopeLimitError&) {
        ++refused;
      }
      registry().for_each_storage([](const StorageRecord& it) { EXPECT_GE(it.bytes, 0); });
    }
    birth.scope = nullptr;
  };

  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();

  std::int64_t expected = 0;
  for (const auto& listed : left) expected += listed ? listed->record.bytes : 0;
  EXPECT_EQ(live_bytes(*shared), expected);
  EXPECT_EQ(live_bytes(*shared, cuda_1), 0);
  EXPECT_LE(peak_bytes(*shared) + 0, 4000);
  left.clear();
  EXPECT_EQ(registry().live().storages, before.storages);
  EXPECT_EQ(registry().live().bytes, before.bytes);
  EXPECT_EQ(live_bytes(*shared), 0);
}

}  // namespace
}  // namespace garboard
