#include "csrc/core/control_groups.h"

#include <fstream>
#include <sstream>

namespace garboard {
namespace {

bool names(const std::string& controllers, std::string_view wanted) {
  std::istringstream list(controllers);
  for (std::string name; std::getline(list, name, ',');)
    if (name == wanted) return true;
  return false;
}

}  // namespace

// A line of /proc/self/cgroup reads `hierarchy:controllers:/path`; version 2 has no controllers.
std::vector<ControlGroup> control_groups(std::string_view controller, const std::string& root) {
  std::vector<ControlGroup> groups;
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos || line.compare(second, 2, ":/") != 0) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && !names(controllers, controller)) continue;
    std::string mount = root + "/sys/fs/cgroup";
    if (!controllers.empty()) mount.append("/").append(controller);
    std::string path = line.substr(second + 1);
    for (; !path.empty() && path != "/"; path.resize(path.rfind('/')))
      groups.push_back({mount + path, controllers.empty()});
    groups.push_back({mount, controllers.empty()});
  }
  return groups;
}

}  // namespace garboard
