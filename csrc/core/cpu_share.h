// How many processors this process may use at once.
#pragma once

#include <string>

namespace garboard {

/// The processors of its affinity mask, and no more than the quota of its control groups pays for
/// (rounded up); at least 1. `root` is where /proc and /sys are looked for.
int cpu_share(const std::string& root = {});

}  // namespace garboard
