// Binds the devices to try allocations on.
#include <pybind11/pybind11.h>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/ops/devices/simulated_devices.h"
#include "python/bindings/call/arguments.h"
#include "python/bindings/values/dtype_object.h"
#include "python/bindings/wrapped/bindings.h"

namespace py = pybind11;

namespace garboard::python {

void bind_simulated_devices(py::module_& m) {
  m.def(
      "_open_simulated_device",
      [](std::size_t capacity_bytes, std::size_t taken_bytes) {
        return open_simulated_device({capacity_bytes, taken_bytes}).number;
      },
      py::arg("capacity_bytes"), py::arg("taken_bytes"), "Open a device; its number.");
  m.def(
      "_close_simulated_device",
      [](int number) { close_simulated_device(Device::simulated(number)); }, py::arg("number"),
      "Close it. Raises DeviceError where something lives on it.");
  m.def(
      "_abandon_simulated_device",
      [](int number) { abandon_simulated_device(Device::simulated(number)); }, py::arg("number"),
      "Close it once nothing lives on it.");
}

}  // namespace garboard::python
