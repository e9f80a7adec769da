#include "csrc/core/machine.h"

#include <algorithm>
#include <fstream>

namespace garboard {
namespace {

/// As in `2048K`; 0 where there is none.
std::int64_t bytes_in(const std::string& file) {
  std::int64_t number = 0;
  char unit = 0;
  std::ifstream text(file);
  if (!(text >> number) || number < 0 || number > std::int64_t{1} << 30) return 0;
  text >> unit;
  return number << (unit == 'K' ? 10 : unit == 'M' ? 20 : 0);
}

// Not sysconf: the C library says nothing of caches on some processors.
std::int64_t cache_bytes(const std::string& root, int wanted) {
  const std::string caches = root + "/sys/devices/system/cpu/cpu0/cache/index";
  for (int i = 0; i < 8; ++i) {
    const std::string folder = caches + std::to_string(i);
    int level = 0;
    if (!(std::ifstream(folder + "/level") >> level)) break;
    if (level == wanted) return bytes_in(folder + "/size");
  }
  return 0;
}

Machine& current() noexcept {
  static Machine it = [] {
    try {
      return Machine::read();
    } catch (...) {  // without memory for a path
      return Machine();
    }
  }();
  return it;
}

}  // namespace

Machine Machine::read(const std::string& root) {
  Machine it;
  if (const std::int64_t bytes = cache_bytes(root, 2); bytes > 0) it.second_cache_bytes = bytes;
  constexpr std::int64_t most = std::int64_t{32} << 20;
  it.streaming_bytes = std::clamp(cache_bytes(root, 3), it.streaming_bytes, most);
  return it;
}

const Machine& machine() noexcept { return current(); }
void set_machine(const Machine& machine) noexcept { current() = machine; }

}  // namespace garboard
