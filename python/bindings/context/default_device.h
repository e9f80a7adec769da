// The device of tensors that no device is named for: per thread and asyncio task.
#pragma once

#include <Python.h>

#include "csrc/device/device.h"

namespace garboard::python {

namespace detail {
extern bool was_device_chosen [[gnu::visibility("hidden")]];
Device find_default_device() noexcept;
}  // namespace detail

/// The CPU, and nothing is looked up, until somebody chooses another.
inline Device default_device() noexcept {
  return detail::was_device_chosen ? detail::find_default_device() : Device{};
}

/// All raise PythonErrorSet. Entered blocks may be left in any order.
void set_default_device(Device device);
void enter_device(Device device);
void leave_device(Device device);

}  // namespace garboard::python
