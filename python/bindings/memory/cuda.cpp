// Binds the CUDA devices: how many there are, or why there are none, and the wait for one.
#include <pybind11/pybind11.h>

#include "csrc/ops/devices/cuda_devices.h"
#include "csrc/ops/devices/devices.h"
#include "python/bindings/interpreter/gil.h"
#include "python/bindings/wrapped/bindings.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

Device numbered(int number) { return Device::of(cuda_kind, number); }

}  // namespace

void bind_cuda(py::module_& m) {
  m.def("_cuda_device_count", &cuda_device_count, "How many CUDA devices can be used.");
  m.def("_why_no_cuda", &why_no_cuda, "Why there is none; empty if there is one.");
  m.def(
      "_require_cuda", [](const char* op, int number) { require_cuda(op, numbered(number)); },
      py::arg("op"), py::arg("number"), "Raise DeviceError unless the device can be used.");
  m.def(
      "_cuda_synchronize",
      [](int number) {
        const WithoutGil others_may_run;  // a device may need seconds
        synchronize(numbered(number));
      },
      py::arg("number"), "Wait until all work queued on the device is done.");
  m.def(
      "_cuda_device_name", [](int number) { return cuda_device_name(numbered(number)); },
      py::arg("number"), "The device as its maker calls it.");
}

}  // namespace garboard::python
