// Where one context makes tensors that no device is named for, and by which block's will.
#pragma once

#include "csrc/core/pool.h"
#include "csrc/device/device.h"

namespace garboard::python {

/// The blocks of devices, as they were entered. They may be left in any order: tensors are made on
/// the device of the innermost that is left, outside of all on the CPU until that is set.
class DefaultDevices {
 public:
  Device current() const noexcept { return blocks_.empty() ? outside_ : blocks_.back(); }
  void set(Device device) noexcept { outside_ = device; }
  /// Throws std::bad_alloc.
  void enter(Device device) { blocks_.push_back(device); }
  /// Leaves the innermost block of `device`, if one is open here.
  void leave(Device device) noexcept {
    for (auto it = blocks_.end(); it != blocks_.begin();) {
      if (*--it != device) continue;
      blocks_.erase(it);
      return;
    }
  }

 private:
  Device outside_;
  pool::Vector<Device> blocks_;
};

}  // namespace garboard::python
