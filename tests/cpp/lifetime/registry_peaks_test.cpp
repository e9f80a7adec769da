#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/device/cuda_library.h"
#include "csrc/lifetime/dispose_scope.h"
#include "csrc/lifetime/registry.h"

namespace garboard {
namespace {

constexpr Device cuda_1{cuda_kind, 1};
using Sites = std::map<Site, std::int64_t>;

/// A storage as the registry sees it, born on a line of its own.
struct Listed {
  Listed(std::int64_t bytes, Site site, Device device = {}) {
    record.bytes = bytes;
    record.device = device;
    const Site before = std::exchange(birth.site, site);
    registry().add(record);
    birth.site = before;
  }
  ~Listed() { registry().remove(record); }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;

  StorageRecord record;
};

/// What is live on no known line, as everything that earlier tests left, is left out.
Sites peak_sites(Device device = {}) {
  Sites bytes;
  for (const SiteBytes& it : registry().peak(device).by_site) {
    if (it.site != unknown_site) bytes[it.site] = it.bytes;
  }
  return bytes;
}

class RegistryPeak : public testing::Test {
 protected:
  void SetUp() override {
    registry().reset_peak({});
    registry().reset_peak(cuda_1);
    start_ = registry().peak({}).bytes;
  }
  std::int64_t peak() { return registry().peak({}).bytes - start_; }

  std::int64_t start_ = 0;
};

TEST_F(RegistryPeak, IsWhatLivesAtFirst) {
  EXPECT_EQ(peak(), 0);
  EXPECT_EQ(peak_sites(), Sites{});
}

TEST_F(RegistryPeak, KeepsWhoHeldItAfterTheyAreGone) {
  { const Listed a(100, 1), b(20, 2), c(3, 2); }
  const Listed later(50, 3);

  EXPECT_EQ(peak(), 123);
  EXPECT_EQ(peak_sites(), (Sites{{1, 100}, {2, 23}}));
}

TEST_F(RegistryPeak, CountsNobodyBornAfterIt) {
  auto first = std::make_unique<Listed>(100, 1);
  first.reset();
  const Listed second(100, 2);  // as much, not more

  EXPECT_EQ(peak_sites(), (Sites{{1, 100}}));
}

TEST_F(RegistryPeak, ForgetsALowerOne) {
  auto brief = std::make_unique<Listed>(100, 1);
  const Listed kept(10, 2);
  brief.reset();
  const Listed higher(101, 3);

  EXPECT_EQ(peak(), 111);
  EXPECT_EQ(peak_sites(), (Sites{{2, 10}, {3, 101}}));
}

TEST_F(RegistryPeak, IsOfEachDeviceAlone) {
  const Listed here(100, 1);
  const Listed there(7, 2, cuda_1);

  EXPECT_EQ(peak_sites(), (Sites{{1, 100}}));
  EXPECT_EQ(peak_sites(cuda_1), (Sites{{2, 7}}));
}

TEST_F(RegistryPeak, SeesWhatLivesInScopes) {
  {
    OpenScope scope;
    const Listed inside(100, 1);
  }

  EXPECT_EQ(peak_sites(), (Sites{{1, 100}}));
}

TEST_F(RegistryPeak, KnowsItsStep) {
  const std::uint32_t before = birth_step.exchange(41);
  { const Listed highest(100, 1); }
  birth_step = 42;
  const Listed lower(50, 1);
  birth_step = before;

  EXPECT_EQ(registry().peak({}).step, 41u);
}

TEST_F(RegistryPeak, AddsUpToItsBytesWhateverHappens) {
  std::mt19937 random(7);
  std::vector<std::unique_ptr<Listed>> live;
  std::map<Site, std::int64_t> now, at_peak;
  std::int64_t sum = 0, most = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (live.empty() || static_cast<int>(random() % 5) < 2 + step / 5000 % 2) {
      const auto bytes = static_cast<std::int64_t>(random() % 1000 + 1);
      const Site site = random() % 300 + 1;
      live.push_back(std::make_unique<Listed>(bytes, site));
      now[site] += bytes;
      if ((sum += bytes) > most) {
        most = sum;
        at_peak = now;
      }
    } else {
      std::swap(live[random() % live.size()], live.back());
      const StorageRecord& dead = live.back()->record;
      sum -= dead.bytes;
      if ((now[dead.site] -= dead.bytes) == 0) now.erase(dead.site);
      live.pop_back();
    }
  }

  EXPECT_EQ(peak(), most);
  EXPECT_EQ(peak_sites(), at_peak);
}

/// One whose bytes are still to be asked for.
struct Expected {
  explicit Expected(std::int64_t bytes, Site site) {
    record.bytes = bytes;
    birth.site = site;
    registry().expect(record);
    birth.site = unknown_site;
  }
  StorageRecord record;
};

TEST_F(RegistryPeak, DoesNotCountBytesThatNeverCame) {
  OpenScope scope;
  Expected refused(1'000'000, 1);
  registry().abandon(refused.record);

  EXPECT_EQ(peak(), 0);
  EXPECT_EQ(scope->bytes().peak_bytes[0], 0);
  EXPECT_EQ(scope->bytes().live_bytes[0], 0);
}

TEST_F(RegistryPeak, DoesNotCountBytesOnTheirWay) {
  OpenScope scope;
  Expected slow(1000, 1);
  {
    const Listed meanwhile(10, 2);  // by a finalizer, say, that the allocator ran
    EXPECT_EQ(peak(), 10);
    EXPECT_EQ(scope->bytes().peak_bytes[0], 10);
    EXPECT_EQ(peak_sites(), (Sites{{2, 10}}));
  }
  EXPECT_EQ(peak_sites(), (Sites{{2, 10}}));

  registry().arrive(slow.record);
  EXPECT_EQ(peak(), 1000);
  EXPECT_EQ(scope->bytes().peak_bytes[0], 1000);
  EXPECT_EQ(peak_sites(), (Sites{{1, 1000}}));
  registry().remove(slow.record);
  EXPECT_EQ(peak_sites(), (Sites{{1, 1000}}));
}

TEST_F(RegistryPeak, LeavesOutWhatArrivedAfterIt) {
  Expected slow(5, 1);
  auto highest = std::make_unique<Listed>(100, 2);
  highest.reset();
  registry().arrive(slow.record);
  registry().remove(slow.record);

  EXPECT_EQ(peak_sites(), (Sites{{2, 100}}));
}

TEST_F(RegistryPeak, IsExactOverThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      for (int step = 0; step < 5000; ++step) {
        const Listed a(step % 97 + 1, static_cast<Site>(1 + i)), b(step % 31 + 1, 9);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  std::int64_t sum = 0;
  for (const auto& [site, bytes] : peak_sites()) sum += bytes;
  EXPECT_EQ(sum, peak());
  EXPECT_GE(peak(), 97 + 31);
}

}  // namespace
}  // namespace garboard
