#include "csrc/core/cpu_share.h"

#include <sched.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace garboard {
namespace {

namespace fs = std::filesystem;

/// A folder that stands for /, gone with the object.
class Root {
 public:
  Root() : folder_(fs::temp_directory_path() / ("garboard_" + std::to_string(::getpid()))) {}
  ~Root() { fs::remove_all(folder_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  std::string path() const { return folder_; }

 private:
  fs::path folder_;
};

/// Binds the process to one processor, for the length of a test.
class OneProcessor {
 public:
  OneProcessor() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i)
      if (CPU_ISSET(i, &before_)) CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneProcessor() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_;
};

TEST(CpuShare, IsAtLeastOneHere) { EXPECT_GE(cpu_share(), 1); }

TEST(CpuShare, FollowsTheAffinityMask) {
  const OneProcessor bound;

  EXPECT_EQ(cpu_share(), 1);
}

TEST(CpuShare, OfAQuotaIsRoundedUpFromTheInnermostGroupOut) {
  const Root root;
  root.write("proc/self/cgroup", "0::/outer/inner\n");
  root.write("sys/fs/cgroup/outer/cpu.max", "50000 100000\n");
  root.write("sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");

  EXPECT_EQ(cpu_share(root.path()), 1);
}

TEST(CpuShare, WithoutAQuotaIsTheMask) {
  const Root root;
  root.write("proc/self/cgroup", "0::/\n");
  root.write("sys/fs/cgroup/cpu.max", "max 100000\n");

  EXPECT_EQ(cpu_share(root.path()), cpu_share(root.path() + "/nothing"));
}

TEST(CpuShare, ReadsTheOlderGroups) {
  const Root root;
  root.write("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a\n");
  root.write("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "100000\n");
  root.write("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");

  EXPECT_EQ(cpu_share(root.path()), 1);
}

TEST(CpuShare, OfALineItCannotReadIsUnbound) {
  const Root root;
  root.write("proc/self/cgroup", "nonsense\n0::\n::/\n");
  root.write("sys/fs/cgroup/cpu.max", "0 0\n");

  EXPECT_GE(cpu_share(root.path()), 1);
}

}  // namespace
}  // namespace garboard
