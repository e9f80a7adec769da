#include "csrc/core/cpu_share.h"

#include <sched.h>

#include <algorithm>
#include <climits>
#include <fstream>
#include <thread>

#include "csrc/core/control_groups.h"

namespace garboard {
namespace {

int of_affinity() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(CPU_COUNT(&set), 1);
  return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));  // over 1,024 of them
}

int whole_processors(double quota, double period) {
  if (quota <= 0 || period <= 0) return INT_MAX;
  const double processors = quota / period;
  return processors >= INT_MAX ? INT_MAX : std::max(static_cast<int>(processors + 0.999), 1);
}

int quota_in(const std::string& folder) {  // version 2: "max 100000" or "150000 100000"
  std::ifstream file(folder + "/cpu.max");
  double quota = 0, period = 0;
  return file >> quota >> period ? whole_processors(quota, period) : INT_MAX;
}

int old_quota_in(const std::string& folder) {  // version 1: -1 for none
  double quota = 0, period = 0;
  const bool found = (std::ifstream(folder + "/cpu.cfs_quota_us") >> quota) &&
                     (std::ifstream(folder + "/cpu.cfs_period_us") >> period);
  return found ? whole_processors(quota, period) : INT_MAX;
}

}  // namespace

int cpu_share(const std::string& root) {
  int share = of_affinity();
  for (const ControlGroup& group : control_groups("cpu", root))
    share = std::min(share, group.is_unified ? quota_in(group.folder) : old_quota_in(group.folder));
  return share;
}

}  // namespace garboard
