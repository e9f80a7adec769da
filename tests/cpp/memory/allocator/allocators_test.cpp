#include "csrc/memory/allocator/allocators.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <latch>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/core/host_memory.h"
#include "csrc/core/text.h"
#include "csrc/device/cuda_library.h"
#include "csrc/memory/sources/simulated_source.h"

namespace garboard {
namespace {

constexpr Device last_cuda{cuda_kind, max_cuda_devices - 1};

TEST(Allocators, OpenTheCpuAtItsFirstUseUnderTheDefaultLimit) {
  CachingAllocator& cpu = allocator_of(Device{});

  EXPECT_EQ(&allocator_of(Device{}), &cpu);
  EXPECT_EQ(find_allocator(Device{}), &cpu);
  EXPECT_EQ(cpu.source().name(), "cpu");
  EXPECT_EQ(cpu.limit(), default_cpu_limit_bytes());
}

TEST(Allocators, RefuseADeviceWithoutASource) {
  const Device unknown{cuda_kind, max_cuda_devices - 2};

  EXPECT_THROW(allocator_of(unknown), DeviceError);
  EXPECT_EQ(find_allocator(unknown), nullptr);
}

TEST(Allocators, RefuseANumberThatNoDeviceHas) {
  SimulatedSource source({.capacity_bytes = 64_MiB});
  for (const Device device : {Device{cuda_kind, -1}, Device{cuda_kind, 100}, Device{cpu_kind, 1},
                              Device::simulated(-1), Device::simulated(max_simulated_devices)}) {
    EXPECT_THROW(allocator_of(device), DeviceError);
    EXPECT_THROW(register_source(device, &source), DeviceError);
  }
}

TEST(Allocators, OpenADeviceWithTheSourceThatIsRegisteredForIt) {
  if (!find_allocator(last_cuda)) {
    register_source(last_cuda, new SimulatedSource({.capacity_bytes = 64_MiB, .name = "cuda:7"}));
  }
  CachingAllocator& allocator = allocator_of(last_cuda);

  EXPECT_EQ(allocator.source().name(), "cuda:7");
  EXPECT_EQ(allocator.limit(), std::nullopt);
  SimulatedSource other({.capacity_bytes = 64_MiB});
  EXPECT_THROW(register_source(last_cuda, &other), DeviceError);
}

TEST(Allocators, AskTheSameHooksWhenMemoryIsShort) {
  if (!find_allocator(last_cuda)) {
    register_source(last_cuda, new SimulatedSource({.capacity_bytes = 64_MiB, .name = "cuda:7"}));
  }
  int collected = 0;
  set_hooks_everywhere({.collect = [&](int, bool) { ++collected; },
                        .holders =
                            [](Device device) {
                              return HoldersReport{text("all of ", device), {}};
                            }});

  try {
    allocator_of(last_cuda).allocate(1_GiB, {});
    FAIL() << "1 GiB of 64 MiB was given";
  } catch (const OutOfMemoryError& error) {
    EXPECT_NE(error.report().find("all of cuda:7"), std::string::npos);
  }
  EXPECT_GT(collected, 0);
  set_hooks_everywhere({});
}

// Without the handlers the child would inherit a lock that a thread it does not have has taken.
TEST(Allocators, CanBeUsedByAChildOfABusyProgram) {
  CachingAllocator& cpu = allocator_of(Device{});
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      while (!is_over) cpu.release(cpu.allocate(5_KiB, {}));
    });
  }

  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);  // ends a child that waits forever
      Block* const block = cpu.allocate(5_KiB, {});
      static_cast<char*>(block->data())[0] = 1;
      cpu.release(block);
      _exit(cpu.fault().empty() ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    if (status != 0) break;
  }

  is_over = true;
  for (std::thread& thread : threads) thread.join();
}

// Hands out nothing before it is told to.
class SlowSource final : public MemorySource {
 public:
  std::string name() const override { return "slow"; }
  std::size_t capacity_bytes() const noexcept override { return 64_MiB; }
  std::size_t granularity_bytes() const noexcept override { return 2_MiB; }
  std::size_t quantum_bytes() const noexcept override { return 64; }
  void* map(std::size_t bytes) noexcept override {
    has_been_asked.count_down();
    may_answer.wait();
    return source.map(bytes);
  }
  void unmap(void* segment, std::size_t bytes) noexcept override { source.unmap(segment, bytes); }

  std::latch has_been_asked{1};
  std::latch may_answer{1};
  SimulatedSource source{{.capacity_bytes = 64_MiB}};
};

TEST(Allocators, ChargeAChildNothingThatAnotherThreadOfItsParentWasMapping) {
  SlowSource source;
  CachingAllocator allocator(source);
  allocator.set_limit(2_MiB);
  std::thread other([&] { allocator.release(allocator.allocate(100, {})); });
  source.has_been_asked.wait();

  allocator.before_fork();
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    allocator.after_fork_in_child();
    new (&source.may_answer) std::latch(0);  // there is nobody else to open it
    new (&source.has_been_asked) std::latch(1);
    allocator.allocate(100, {});
    _exit(0);  // not reached where the two megabytes count as taken
  }
  allocator.after_fork_in_parent();
  source.may_answer.count_down();
  other.join();

  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(DefaultCpuLimit, LeavesTheMachineAFifth) {
  EXPECT_GT(default_cpu_limit_bytes(), 0u);
  EXPECT_LE(default_cpu_limit_bytes(), host_memory_bytes() / 5 * 4);
}

}  // namespace
}  // namespace garboard
