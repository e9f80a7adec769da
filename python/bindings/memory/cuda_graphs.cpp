// Binds captured work of CUDA devices.
#include "python/bindings/memory/cuda_graphs.h"

#include "csrc/core/text.h"
#include "csrc/device/cuda_library.h"
#include "csrc/ops/devices/device_graph.h"
#include "python/bindings/memory/cuda_streams.h"
#include "python/bindings/tensor/deferred.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

/// A share of a pool, which programs pass from one graph to the next.
struct HeldPool {
  SharedCapturePool shared;
};

HeldPool open_pool(int number) {
  return {SharedCapturePool(usable_cuda("graph_pool_handle", number))};
}

void begin(DeviceGraph& graph, int number, const HeldPool* pool) {
  const Device device = usable_cuda("capture_begin", number);
  if (pool && pool->shared.device() != device)
    throw DeviceError(text("capture_begin: a pool of ", pool->shared.device(), " on ", device,
                           "; one of the same device is needed"));
  settle_all(Threads::all);  // what was put off is no part of what is captured
  graph.begin(device, pool ? pool->shared.number() : 0);
}

}  // namespace

void bind_cuda_graphs(py::module_& m) {
  py::class_<HeldPool>(m, "_CapturePool", "Memory that captured work is given.")
      .def(py::init(&open_pool), py::arg("number"))
      .def_property_readonly("number", [](const HeldPool& it) { return it.shared.number(); });
  py::class_<DeviceGraph>(m, "_DeviceGraph", "Captured work of a device.")
      .def(py::init<>())
      .def_property_readonly("is_capturing", &DeviceGraph::is_capturing)
      .def("begin", &begin, py::arg("number"), py::arg("pool").none(true))
      .def("end",
           [](DeviceGraph& graph) {
             settle_all(Threads::all);
             graph.end();
           })
      .def("replay", &DeviceGraph::replay)
      .def("reset", &DeviceGraph::reset)
      .def("pool", [](const DeviceGraph& graph) {
        const SharedCapturePool& pool = graph.pool();
        return HeldPool{SharedCapturePool(pool.device(), pool.number())};
      });
  m.def(
      "_is_captured",
      [] {
        const Device device = Device::of(cuda_kind, current_device_number(cuda_kind));
        return capture_of(current_stream(device)) != 0;
      },
      "Whether the work of the current stream is captured.");
}

}  // namespace garboard::python
