// Which of the open scopes hold most, as text.
#pragma once

#include <string>

#include "csrc/device/device.h"

namespace garboard {

/// Lines such as `1.3 GiB born in scope "eval" are live, 12 tensors are in it`, each with its line
/// break before it: of the calling thread's open scopes the three that hold most on `device`,
/// largest first. What was born in an inner scope counts there alone; what is just being asked for
/// is not live yet.
std::string largest_scopes(Device device);

}  // namespace garboard
