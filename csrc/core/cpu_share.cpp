#include "csrc/core/cpu_share.h"

#include <sched.h>

#include <algorithm>
#include <climits>
#include <fstream>
#include <sstream>
#include <thread>

namespace garboard {
namespace {

int of_affinity() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(CPU_COUNT(&set), 1);
  return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));  // over 1,024 of them
}

int rounded_up(double quota, double period) {
  if (quota <= 0 || period <= 0) return INT_MAX;
  const double processors = quota / period;
  return processors >= INT_MAX ? INT_MAX : std::max(static_cast<int>(processors + 0.999), 1);
}

int quota_in(const std::string& folder) {  // version 2: "max 100000" or "150000 100000"
  std::ifstream file(folder + "/cpu.max");
  double quota = 0, period = 0;
  return file >> quota >> period ? rounded_up(quota, period) : INT_MAX;
}

int old_quota_in(const std::string& folder) {  // version 1: -1 for none
  double quota = 0, period = 0;
  const bool found = (std::ifstream(folder + "/cpu.cfs_quota_us") >> quota) &&
                     (std::ifstream(folder + "/cpu.cfs_period_us") >> period);
  return found ? rounded_up(quota, period) : INT_MAX;
}

/// A group is bound by its own quota and by those of all around it. In a container only the upper
/// part of the path may be visible: what is not there is passed over.
int least_up_from(std::string group, const std::string& mount, int (*read)(const std::string&)) {
  int least = read(mount);
  for (; !group.empty() && group != "/"; group.resize(group.rfind('/')))
    least = std::min(least, read(mount + group));
  return least;
}

bool names_cpu(const std::string& controllers) {
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');)
    if (name == "cpu") return true;
  return false;
}

}  // namespace

int cpu_share(const std::string& root) {
  int share = of_affinity();
  std::ifstream groups(root + "/proc/self/cgroup");
  // A line reads `hierarchy:controllers:/path`; version 2 has no controllers.
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos || line.compare(second, 2, ":/") != 0) continue;
    const std::string path = line.substr(second + 1);
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty())
      share = std::min(share, least_up_from(path, root + "/sys/fs/cgroup", quota_in));
    else if (names_cpu(controllers))
      share = std::min(share, least_up_from(path, root + "/sys/fs/cgroup/cpu", old_quota_in));
  }
  return share;
}

}  // namespace garboard
