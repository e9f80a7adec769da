#include "csrc/memory/limits.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>

#include "csrc/core/bytes.h"

namespace garboard {
namespace {

constexpr std::size_t unlimited = SIZE_MAX;

std::size_t machine_bytes(const std::string& root) {
  std::ifstream file(root + "/proc/meminfo");
  std::string key;
  std::size_t kibibytes = 0;
  while (file >> key >> kibibytes) {
    if (key == "MemTotal:") return kibibytes * 1_KiB;
    file.ignore(256, '\n');
  }
  return unlimited;
}

// Version 2 writes `max` for none, version 1 a number near 2^63.
std::size_t limit_in(const std::string& file) {
  std::size_t bytes = 0;
  return std::ifstream(file) >> bytes ? bytes : unlimited;
}

// A group is bound by its own limit and by all those around it. In a container the path is often
// one of the machine's, of which only the upper part is visible: what is not there is passed over.
std::size_t limit_up_from(std::string group, const std::string& mount, const char* file) {
  std::size_t least = unlimited;
  while (!group.empty() && group != "/") {
    least = std::min(least, limit_in(mount + group + '/' + file));
    group.resize(group.rfind('/'));
  }
  return std::min(least, limit_in(mount + '/' + file));
}

// A line of /proc/self/cgroup reads `hierarchy:controllers:/path`; version 2 has no controllers.
std::size_t limit_of_line(const std::string& line, const std::string& root) {
  const auto first = line.find(':');
  const auto second = line.find(':', first + 1);
  if (second == line.npos || line.compare(second, 2, ":/") != 0) return unlimited;
  const std::string path = line.substr(second + 1);
  if (second == first + 1) return limit_up_from(path, root + "/sys/fs/cgroup", "memory.max");
  std::istringstream controllers(line.substr(first + 1, second - first - 1));
  for (std::string controller; std::getline(controllers, controller, ',');) {
    if (controller != "memory") continue;
    return limit_up_from(path, root + "/sys/fs/cgroup/memory", "memory.limit_in_bytes");
  }
  return unlimited;
}

}  // namespace

std::size_t host_memory_bytes(const std::string& root) {
  std::size_t bytes = machine_bytes(root);
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    bytes = std::min(bytes, limit_of_line(line, root));
  }
  return bytes;
}

bool is_control_group_tighter(const std::string& root) {
  return host_memory_bytes(root) < machine_bytes(root);
}

std::size_t default_cpu_limit_bytes() { return host_memory_bytes() / 10 * 8; }

}  // namespace garboard
