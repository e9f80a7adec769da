#include "csrc/core/host_memory.h"

#include <algorithm>
#include <cstdint>
#include <fstream>

#include "csrc/core/bytes.h"
#include "csrc/core/control_groups.h"

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

}  // namespace

std::size_t host_memory_bytes(const std::string& root) {
  std::size_t bytes = machine_bytes(root);
  for (const ControlGroup& group : control_groups("memory", root)) {
    const char* const file = group.is_unified ? "/memory.max" : "/memory.limit_in_bytes";
    bytes = std::min(bytes, limit_in(group.folder + file));
  }
  return bytes;
}

bool is_control_group_tighter(const std::string& root) {
  return host_memory_bytes(root) < machine_bytes(root);
}

}  // namespace garboard
