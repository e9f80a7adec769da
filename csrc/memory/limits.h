// How much memory this process may use before the system ends it.
#pragma once

#include <cstddef>
#include <string>

namespace garboard {

/// The machine's memory, or the smallest limit of this process's control groups (version 2 or 1) if
/// that is less. `root` is where the system's own files are looked for, for tests. What cannot be
/// read sets no limit.
std::size_t host_memory_bytes(const std::string& root = "");

/// Whether that is a control group's limit.
bool is_control_group_tighter(const std::string& root = "");

/// Who decided what the limit is.
enum class LimitOrigin {
  program,        // set_limit
  machine,        // a share of its memory
  control_group,  // a share of what this process's group may use
};

/// What the CPU's allocator is limited to unless told otherwise: the system hands out pages it
/// does not have, so a limit below its own is the only way to fail before the process is killed.
std::size_t default_cpu_limit_bytes();

}  // namespace garboard
