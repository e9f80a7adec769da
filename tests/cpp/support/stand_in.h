// A second backend for tests: what a device's own folder has. Its memory is its own, and elements
// are computed by the CPU's kernels, which can reach it.
#pragma once

#include "csrc/core/bytes.h"
#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/device/backend.h"
#include "csrc/memory/allocator/allocators.h"
#include "csrc/memory/sources/simulated_source.h"
#include "kernels/table.h"

namespace garboard::stand_in {

inline int synchronized = 0;  // how often

inline void require(const char* op, Device device) {
  if (device.number > 0)
    throw DeviceError(text(op, ": device ", device, "; there is one, numbered 0"));
}

inline constexpr Backend backend{
    .require = require,
    .synchronize = [](Device) { ++synchronized; },
    .table = []() -> const kernels::Table& { return kernels::cpu_table(); }};

/// The device, which is there from the first call on.
inline Device device() {
  static const Device first = [] {
    const Device it = Device::of(add_backend("standin", backend), 0);  // the one line
    register_source(it, new SimulatedSource({.capacity_bytes = 64_MiB, .name = text(it)}));
    return it;
  }();
  return first;
}

}  // namespace garboard::stand_in
