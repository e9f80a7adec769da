// Binds the CUDA devices: how many there are, or why there are none, and the wait for one.
#include <pybind11/pybind11.h>

#include "csrc/device/streams.h"
#include "csrc/ops/devices/cuda_devices.h"
#include "csrc/ops/devices/devices.h"
#include "python/bindings/interpreter/gil.h"
#include "python/bindings/memory/cuda_graphs.h"
#include "python/bindings/memory/cuda_streams.h"
#include "python/bindings/wrapped/bindings.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

Device numbered(int number) { return Device::of(cuda_kind, number); }

py::dict properties_of(const char* op, int number) {
  const CudaProperties& it = cuda_properties(op, numbered(number));
  py::dict all;
  all["name"] = it.name;
  all["major"] = it.major;
  all["minor"] = it.minor;
  all["total_memory"] = it.total_memory;
  all["multi_processor_count"] = it.multi_processor_count;
  all["uuid"] = it.uuid;
  all["is_integrated"] = it.is_integrated;
  all["is_multi_gpu_board"] = it.is_multi_gpu_board;
  all["max_threads_per_multi_processor"] = it.max_threads_per_multi_processor;
  all["max_threads_per_block"] = it.max_threads_per_block;
  all["warp_size"] = it.warp_size;
  all["regs_per_multiprocessor"] = it.regs_per_multiprocessor;
  all["shared_memory_per_block"] = it.shared_memory_per_block;
  all["shared_memory_per_block_optin"] = it.shared_memory_per_block_optin;
  all["shared_memory_per_multiprocessor"] = it.shared_memory_per_multiprocessor;
  all["L2_cache_size"] = it.l2_cache_size;
  all["memory_bus_width"] = it.memory_bus_width;
  all["clock_rate"] = it.clock_rate;
  all["memory_clock_rate"] = it.memory_clock_rate;
  all["pci_bus_id"] = it.pci_bus_id;
  all["pci_device_id"] = it.pci_device_id;
  all["pci_domain_id"] = it.pci_domain_id;
  return all;
}

}  // namespace

void bind_cuda(py::module_& m) {
  bind_cuda_streams(m);
  bind_cuda_graphs(m);
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
  m.def("_cuda_properties", &properties_of, py::arg("op"), py::arg("number"),
        "What the device is, by name.");
  m.def(
      "_cuda_free_bytes", [](int number) { return cuda_free_bytes(numbered(number)); },
      py::arg("number"), "What the device could still give, whoever has the rest.");
  m.def(
      "_choose_products",
      [](bool tf32_products, bool tf32_convolutions, bool uses_cudnn, bool is_determined) {
        choose_products({tf32_products, tf32_convolutions, uses_cudnn, is_determined});
      },
      py::arg("tf32_products"), py::arg("tf32_convolutions"), py::arg("uses_cudnn"),
      py::arg("is_determined"), "Choose how CUDA devices compute products and convolutions.");
  m.def("_why_not_fused", &why_not_fused,
        "Why chains run op by op on CUDA devices; empty if they are compiled.");
  m.def("_cudnn_version", &cudnn_version, "As 91002 is 9.10.2; 0 where it is not installed.");
  m.def("_is_cuda_open", &is_cuda_open, "Whether the library was opened, and has a device.");
  m.def(
      "_current_cuda_device", [] { return current_device_number(cuda_kind); },
      "The number of the device that the name alone means, on this thread.");
  m.def(
      "_set_current_cuda_device",
      [](int number) {
        require_cuda("set_device", numbered(number));
        set_current_device_number(cuda_kind, number);
      },
      py::arg("number"), "Let the name alone mean another device, on this thread.");
}

}  // namespace garboard::python
