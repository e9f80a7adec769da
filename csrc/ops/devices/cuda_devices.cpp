#include "csrc/ops/devices/cuda_devices.h"

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/device/backend.h"
#include "csrc/device/cuda_library.h"
#include "csrc/memory/allocator/allocators.h"
#include "csrc/memory/sources/cuda_source.h"
#include "kernels/table.h"

namespace garboard {
namespace {

void* take_scratch(Device device, std::size_t bytes, void*& handle) {
  Block* const block = allocator_of(device).allocate(bytes, Stream{device});
  handle = block;
  return block->data();
}

void give_scratch(Device device, void* handle) noexcept {
  allocator_of(device).release(static_cast<Block*>(handle));
}

OpenedCudaLibrary open_and_introduce() {
  OpenedCudaLibrary opened = open_cuda_library(folder_of_binaries(), kernels::roll_call_hash());
  if (!opened.library) return opened;
  const CudaLibrary& library = *opened.library;
  try {
    library.set_scratch_source({take_scratch, give_scratch});
    for (int n = 0; n < library.device_count; ++n)
      register_source(Device::of(cuda_kind, n), new CudaSource(library, n));
  } catch (const Error& error) {
    return {nullptr, text("no device: ", error.what())};
  }
  return opened;
}

// Never destroyed: finalizers may still ask when the process is leaving.
const OpenedCudaLibrary& opened() noexcept {
  static const OpenedCudaLibrary& once = *new OpenedCudaLibrary(open_and_introduce());
  return once;
}

}  // namespace

int cuda_device_count() noexcept { return opened().library ? opened().library->device_count : 0; }

const std::string& why_no_cuda() noexcept { return opened().reason; }

void require_cuda(const char* op, Device device) {
  if (!opened().library)
    throw DeviceError(text(op, ": device ", device, " cannot be used; ", why_no_cuda()));
  if (device.number >= cuda_device_count())
    throw DeviceError(
        text(op, ": device ", device, "; there are ", cuda_device_count(), ", numbered from 0"));
}

template <>
const Backend& backend<cuda_kind>() noexcept {
  static constexpr Backend cuda{
      .require = require_cuda,
      .synchronize =
          [](Device device) {
            require_cuda("synchronize", device);
            opened().library->synchronize(device.number);
          },
      .table = []() -> const kernels::Table& { return *opened().library->table; },
      // It is waited for before its memory moves, and nobody has measured yet what that costs.
      .moves_memory = false};
  return cuda;
}

std::string cuda_device_name(Device device) {
  require_cuda("get_device_name", device);
  return opened().library->device_name(device.number);
}

}  // namespace garboard
