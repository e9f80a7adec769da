// The control groups that bound what this process may use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace garboard {

/// Where the files of one group lie.
struct ControlGroup {
  std::string folder;
  bool is_unified = true;  // of version 2, whose files have other names
};

/// The groups of this process that `controller` is bound by, and all those around them. In a
/// container the path is often one of the machine's, of which only the upper part is visible: a
/// folder may not be there. `root` is where /proc and /sys are looked for, for tests.
std::vector<ControlGroup> control_groups(std::string_view controller, const std::string& root = {});

}  // namespace garboard
