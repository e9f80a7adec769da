#include "csrc/core/forks.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace garboard {
namespace {

int before_count = 0, parent_count = 0, child_count = 0;
bool is_held = true;

void before() { ++before_count; }
void in_parent() { ++parent_count; }
void in_child() { ++child_count; }

/// What `act` returns in a child.
template <class Act>
int in_a_child(Act act) {
  const pid_t child = fork();
  if (child == 0) _exit(act());
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

TEST(Forks, RunWhatWatchesThemOnlyWhereTheOuterLockIsHeld) {
  ASSERT_TRUE((watch_forks<before, in_parent, in_child>()));

  EXPECT_EQ(in_a_child([] { return child_count; }), 1) << "no outer lock is declared";
  EXPECT_EQ(before_count, 1);
  EXPECT_EQ(parent_count, 1);

  // In a child of its own: what is declared once stays.
  const int fault = in_a_child([] {
    Exclusive::declare([]() noexcept { return is_held; });
    is_held = false;
    const int without = in_a_child([] { return child_count; });
    if (before_count != 2 || parent_count != 1 || without != 1) return 1;
    is_held = true;
    const int with = in_a_child([] { return child_count; });
    return before_count == 3 && parent_count == 2 && with == 2 ? 0 : 2;
  });
  EXPECT_EQ(fault, 0);
}

}  // namespace
}  // namespace garboard
