// How much memory this process may use before the system ends it.
#pragma once

#include <cstddef>
#include <string>

namespace garboard {

/// The machine's memory, or the smallest limit of this process's control groups (version 2 or 1) if
/// that is less. `root` is where the system's own files are looked for, for tests. What cannot be
/// read sets no limit.
std::size_t host_memory_bytes(const std::string& root = {});

/// Whether that is a control group's limit.
bool is_control_group_tighter(const std::string& root = {});

}  // namespace garboard
