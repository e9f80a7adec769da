#include "csrc/core/host_memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "csrc/core/bytes.h"

namespace garboard {
namespace {

// The system's files, as a test wants them.
class HostMemoryTest : public testing::Test {
 protected:
  HostMemoryTest() { write("proc/meminfo", "MemTotal:       16777216 kB\nMemFree:  1 kB\n"); }
  ~HostMemoryTest() override { std::filesystem::remove_all(root_); }

  void write(const std::string& file, const std::string& content) {
    const std::filesystem::path path = root_ + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }

  const testing::TestInfo* const test_ = testing::UnitTest::GetInstance()->current_test_info();
  const std::string root_ = testing::TempDir() + "garboard_host_memory_" + test_->name();
};

TEST_F(HostMemoryTest, IsTheMachinesWithoutGroups) { EXPECT_EQ(host_memory_bytes(root_), 16_GiB); }

TEST_F(HostMemoryTest, IsTheGroupsOwnInVersionTwo) {
  write("proc/self/cgroup", "0::/user.slice/job\n");
  write("sys/fs/cgroup/user.slice/job/memory.max", "2147483648\n");

  EXPECT_EQ(host_memory_bytes(root_), 2_GiB);
}

TEST_F(HostMemoryTest, IsThatOfAGroupAroundWhereThatIsTighter) {
  write("proc/self/cgroup", "0::/user.slice/job\n");
  write("sys/fs/cgroup/user.slice/job/memory.max", "max\n");
  write("sys/fs/cgroup/user.slice/memory.max", "1073741824\n");

  EXPECT_EQ(host_memory_bytes(root_), 1_GiB);
}

TEST_F(HostMemoryTest, IsTheRootsInsideAContainer) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "3221225472\n");

  EXPECT_EQ(host_memory_bytes(root_), 3_GiB);
}

TEST_F(HostMemoryTest, IsTheMemoryControllersInVersionOne) {
  write("proc/self/cgroup", "12:cpu,cpuacct:/docker/abc\n5:memory:/docker/abc\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "536870912\n");

  EXPECT_EQ(host_memory_bytes(root_), 512_MiB);
}

TEST_F(HostMemoryTest, NeverExceedsTheMachine) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "1099511627776\n");

  EXPECT_EQ(host_memory_bytes(root_), 16_GiB);
}

TEST_F(HostMemoryTest, PassesOverWhatCannotBeRead) {
  write("proc/self/cgroup", "garbage\n::\n0::relative\n5:memory:/gone\n");

  EXPECT_EQ(host_memory_bytes(root_), 16_GiB);
}

TEST_F(HostMemoryTest, SaysWhetherItIsTheGroupThatBinds) {
  EXPECT_FALSE(is_control_group_tighter(root_));
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "1099511627776\n");
  EXPECT_FALSE(is_control_group_tighter(root_));
  write("sys/fs/cgroup/memory.max", "3221225472\n");
  EXPECT_TRUE(is_control_group_tighter(root_));
}

}  // namespace
}  // namespace garboard
