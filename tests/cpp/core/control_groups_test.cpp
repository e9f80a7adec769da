#include "csrc/core/control_groups.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace garboard {
namespace {

class ControlGroupsTest : public testing::Test {
 protected:
  ~ControlGroupsTest() override { std::filesystem::remove_all(root_); }

  /// The folders below the mount point, `old` in front of those of version 1.
  std::vector<std::string> folders_of_memory(const std::string& groups) {
    std::filesystem::create_directories(root_ + "/proc/self");
    std::ofstream(root_ + "/proc/self/cgroup") << groups;
    const std::string mount = root_ + "/sys/fs/cgroup";
    std::vector<std::string> found;
    for (const ControlGroup& group : control_groups("memory", root_))
      found.push_back((group.is_unified ? "" : "old ") + group.folder.substr(mount.size()));
    return found;
  }

  const testing::TestInfo* const test_ = testing::UnitTest::GetInstance()->current_test_info();
  const std::string root_ = testing::TempDir() + "garboard_control_groups_" + test_->name();
};

using Folders = std::vector<std::string>;

TEST_F(ControlGroupsTest, AreAGroupAndAllAroundIt) {
  EXPECT_EQ(folders_of_memory("0::/user.slice/job\n"),
            (Folders{"/user.slice/job", "/user.slice", ""}));
}

TEST_F(ControlGroupsTest, AreTheRootAloneInsideAContainer) {
  EXPECT_EQ(folders_of_memory("0::/\n"), (Folders{""}));
}

TEST_F(ControlGroupsTest, AreThoseOfTheControllerInVersionOne) {
  EXPECT_EQ(folders_of_memory("12:cpu,cpuacct:/a\n5:pids,memory:/docker/b\n"),
            (Folders{"old /memory/docker/b", "old /memory/docker", "old /memory"}));
}

TEST_F(ControlGroupsTest, PassOverWhatIsNoGroup) {
  EXPECT_EQ(folders_of_memory("garbage\n::\n0::relative\n"), Folders{});
}

TEST_F(ControlGroupsTest, AreNoneWhereTheSystemHasNone) {
  EXPECT_TRUE(control_groups("memory", root_).empty());
}

}  // namespace
}  // namespace garboard
