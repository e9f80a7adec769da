// Binds the streams of CUDA devices and the events on them.
#include "python/bindings/memory/cuda_streams.h"

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/device/cuda_library.h"
#include "csrc/device/stream_driver.h"
#include "csrc/device/stream_event.h"
#include "csrc/device/streams.h"
#include "csrc/ops/devices/cuda_devices.h"
#include "python/bindings/interpreter/gil.h"
#include "python/bindings/wrapped/tensor_caster.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

/// Keeps a stream as long as Python looks; the default one needs no keeping.
struct HeldStream {
  Device device;
  Counted<LentStream> lent;  // empty: the default stream

  Stream stream() const { return lent ? lent->stream : Stream{device}; }
};

HeldStream lend(int number, int priority) {
  const Device device = usable_cuda("Stream", number);
  return {device, lend_stream(device, priority)};
}

HeldStream current(int number) {
  const Device device = usable_cuda("current_stream", number);
  return {device, current_lent_stream(device)};
}

HeldStream exchange_current(const HeldStream& held) {
  return {held.device, set_current_stream(held.device, held.lent)};
}

void synchronize_stream(const HeldStream& held) {
  const WithoutGil others_may_run;  // a device may need seconds
  synchronize(held.stream());
}

void record_stream(const Tensor& tensor, const HeldStream& held) {
  if (tensor.device() != held.device && !tensor.storage()->is_pinned())
    throw DeviceError(text("record_stream: a tensor on ", tensor.device(), " for a stream of ",
                           held.device, "; they must be of one device, or the tensor pinned"));
  tensor.storage()->used_on(held.stream());
}

void await(const StreamEvent& event) {
  const auto point = event.point();  // another thread may record anew meanwhile
  if (!point) return;
  const WithoutGil others_may_run;
  point->await();
}

}  // namespace

Device usable_cuda(const char* op, int number) {
  const Device device = Device::of(cuda_kind, number);
  require_cuda(op, device);
  return device;
}

void bind_cuda_streams(py::module_& m) {
  py::class_<HeldStream>(m, "_Stream", "A stream of a CUDA device, which is kept.")
      .def(py::init(&lend), py::arg("number"), py::arg("priority"))
      .def_static(
          "default",
          [](int number) {
            return HeldStream{usable_cuda("default_stream", number), {}};
          },
          py::arg("number"))
      .def_static("current", &current, py::arg("number"))
      .def_property_readonly("number", [](const HeldStream& it) { return int{it.device.number}; })
      .def_property_readonly(
          "handle",
          [](const HeldStream& it) { return reinterpret_cast<std::uintptr_t>(it.stream().handle); })
      .def_property_readonly("priority",
                             [](const HeldStream& it) { return it.lent ? it.lent->priority : 0; })
      .def("exchange_current", &exchange_current)
      .def("is_idle", [](const HeldStream& it) { return is_idle(it.stream()); })
      .def("synchronize", &synchronize_stream)
      .def("wait_stream", [](const HeldStream& it, const HeldStream& other) {
        let_wait(it.stream(), other.stream());
      });
  py::class_<StreamEvent>(m, "_StreamEvent", "A point in the work of a stream.")
      .def(py::init<bool>(), py::arg("is_timed"))
      .def_property_readonly("is_recorded",
                             [](const StreamEvent& it) { return it.point().has_value(); })
      .def_property_readonly("number",
                             [](const StreamEvent& it) -> py::object {
                               if (!it.point()) return py::none();
                               return py::int_(int{it.point()->stream.device.number});
                             })
      .def("record", [](StreamEvent& it, const HeldStream& on) { it.record(on.stream()); })
      .def("let_wait",
           [](const StreamEvent& it, const HeldStream& waiter) {
             if (it.point()) it.point()->let_wait(waiter.stream());
           })
      .def("is_passed",
           [](const StreamEvent& it) { return !it.point() || it.point()->is_passed(); })
      .def("wait", &await)
      .def("elapsed_ms", &StreamEvent::elapsed_ms);
  m.def("_record_stream", &record_stream, py::arg("tensor"), py::arg("stream"));
  m.def(
      "_stream_priorities",
      [](int number) {
        const Device device = usable_cuda("priority_range", number);
        const StreamDriver* const driver = stream_driver_of(device);
        const PriorityRange range = driver ? driver->priorities(device) : PriorityRange{};
        return py::make_tuple(range.least, range.greatest);
      },
      py::arg("number"), "The least urgent priority, and the most urgent.");
  m.def(
      "_stream_counts",
      [](int number) {
        const StreamCounts counts = stream_counts(usable_cuda("Stream", number));
        return py::make_tuple(counts.lent, counts.made);
      },
      py::arg("number"), "Streams that somebody holds, and all that were made.");
}

}  // namespace garboard::python
