// Which of the open scopes hold most.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "csrc/device/device.h"

namespace garboard {

/// What a scope holds on one device.
struct ScopeBytes {
  std::string name;
  std::int64_t bytes = 0;  // born in it, and in no scope inside
  int size = 0;            // tensors
};

/// Of the calling thread's open scopes those that hold anything on `device`, most bytes first. What
/// is just being asked for is not live yet.
std::vector<ScopeBytes> scopes_by_bytes(Device device);

/// Lines such as `1.3 GiB born in scope "eval" are live, 12 tensors are in it`, each with its line
/// break before it: the first three.
std::string largest_scopes(const std::vector<ScopeBytes>& scopes);

}  // namespace garboard
