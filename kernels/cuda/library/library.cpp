// The one function that libgarboard_cuda.so exports. It asks the driver for nothing but the devices
// it has, so the library can be opened and questioned on any machine.
#include <garboard_roll_call_hash.h>

#include <algorithm>
#include <string>

#include "csrc/core/text.h"
#include "csrc/device/cuda_library.h"
#include "kernels/cuda/fuse/chains.h"
#include "kernels/cuda/launch/fault_record.h"
#include "kernels/cuda/launch/scratch_source.h"
#include "kernels/cuda/launch/status.h"
#include "kernels/cuda/library/events.h"
#include "kernels/cuda/library/filled_table.h"
#include "kernels/cuda/library/properties.h"
#include "kernels/cuda/library/streams.h"
#include "kernels/cuda/library/virtual_memory.h"
#include "kernels/cuda/product/cudnn.h"
#include "kernels/cuda/product/switches.h"

namespace garboard::kernels::cuda {
namespace {

/// A version as CUDA writes it: 13000 is 13.0.
std::string version_text(int version) { return text(version / 1000, '.', version % 1000 / 10); }

/// How many devices there are, and, where there are none, why.
struct Devices {
  int count = 0;
  std::string reason;

  Devices() {
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaSuccess && count > 0) {
      count = std::min(count, max_cuda_devices);
      return;
    }
    cudaGetLastError();
    count = 0;
    int driver = 0;
    cudaDriverGetVersion(&driver);
    const std::string needed = version_text(CUDART_VERSION);
    if (status == cudaErrorInsufficientDriver && driver == 0) {
      reason = text("no driver: libcuda.so.1 is not there; install NVIDIA's driver for CUDA ",
                    needed, " or newer");
    } else if (status == cudaErrorInsufficientDriver) {
      reason =
          text("driver too old: it knows CUDA ", version_text(driver), "; ", needed, " is needed");
    } else {
      reason = text("no device: ",
                    status == cudaSuccess ? "the driver shows none" : cudaGetErrorString(status));
    }
  }
};

void* allocate(int device, std::size_t bytes) noexcept {
  void* memory = nullptr;
  if (cudaSetDevice(device) == cudaSuccess && cudaMalloc(&memory, bytes) == cudaSuccess)
    return memory;
  cudaGetLastError();  // failing is an answer here: nothing may report it later
  return nullptr;
}

void release(int device, void* memory) noexcept {
  if (cudaSetDevice(device) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess)
    cudaFree(memory);
  cudaGetLastError();
}

// Portable: for copies of all devices.
void* allocate_pinned(std::size_t bytes) noexcept {
  void* memory = nullptr;
  if (cudaHostAlloc(&memory, bytes, cudaHostAllocPortable) == cudaSuccess) return memory;
  cudaGetLastError();
  return nullptr;
}

// Nothing uses it any more: what copies still use is pending, and no segment with that goes.
void release_pinned(void* memory) noexcept {
  if (cudaFreeHost(memory) != cudaSuccess) cudaGetLastError();
}

std::size_t capacity_bytes(int device) { return properties_of(device).total_memory; }

std::size_t free_bytes(int device) noexcept {
  std::size_t free = 0, total = 0;
  if (cudaSetDevice(device) != cudaSuccess || cudaMemGetInfo(&free, &total) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return free;
}

void synchronize(int device) {
  ok(cudaSetDevice(device));
  ok(cudaDeviceSynchronize());
  raise_noted(fault_record({Device::of(cuda_kind, device)}));
}

void choose(const ProductChoices& choices) noexcept {
  switches.tf32_products = choices.tf32_products;
  switches.tf32_convolutions = choices.tf32_convolutions;
  switches.uses_cudnn = choices.uses_cudnn;
  switches.is_determined = choices.is_determined;
}

}  // namespace
}  // namespace garboard::kernels::cuda

extern "C" [[gnu::visibility("default")]] const garboard::CudaLibrary* garboard_cuda_library() {
  namespace cuda = garboard::kernels::cuda;
  static const garboard::kernels::Table table = cuda::filled_table();
  static const auto& devices = *new cuda::Devices;  // leaked: threads may ask until the end
  static const garboard::CudaLibrary library{
      .version = garboard::CudaLibrary::current_version,
      .roll_calls = roll_call_hash_here,
      .device_count = devices.count,
      .reason = devices.reason.c_str(),
      .table = &table,
      .allocate = cuda::allocate,
      .release = cuda::release,
      .allocate_pinned = cuda::allocate_pinned,
      .release_pinned = cuda::release_pinned,
      .capacity_bytes = cuda::capacity_bytes,
      .free_bytes = cuda::free_bytes,
      .virtual_memory = &cuda::virtual_memory,
      .events = &cuda::events,
      .streams = &cuda::streams,
      .properties = cuda::properties_of,
      .synchronize = cuda::synchronize,
      .set_scratch_source = cuda::set_scratch_source,
      .choose = cuda::choose,
      .cudnn_version = cuda::cudnn_version,
      .chains = &cuda::chain_compiler,
  };
  return &library;
}
