#include "kernels/cuda/launch/runtime.h"

#include <atomic>
#include <mutex>
#include <new>

#include "csrc/device/cuda_library.h"
#include "kernels/cuda/launch/captured.h"
#include "kernels/cuda/launch/fault_record.h"
#include "kernels/cuda/launch/scratch_source.h"
#include "kernels/cuda/launch/status.h"

namespace garboard::kernels::cuda {
namespace {

cudaStream_t handle_of(Stream stream) { return static_cast<cudaStream_t>(stream.handle); }

// Each time: another library may have chosen another device on this thread.
void use(Device device) { ok(cudaSetDevice(device.number)); }

constexpr int host = -1;

/// The number of the device that `data` lies on, or `host`.
int place_of(const void* data) {
  cudaPointerAttributes attributes{};
  ok(cudaPointerGetAttributes(&attributes, data));
  const bool is_on_device =
      attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  return is_on_device ? attributes.device : host;
}

ScratchSource scratch_source{};

}  // namespace

void set_scratch_source(const ScratchSource& source) { scratch_source = source; }

void start(const void* kernel, const Grid& grid, void** arguments) {
  use(grid.stream.device);
  // Beyond this a kernel has to be allowed it, on each device; the runtime knows which are.
  constexpr std::size_t given_to_all = 48 << 10;
  if (grid.shared_bytes > given_to_all)
    ok(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            static_cast<int>(grid.shared_bytes)));
  ok(cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(grid.blocks)),
                      dim3(static_cast<unsigned>(grid.block_threads)), arguments, grid.shared_bytes,
                      handle_of(grid.stream)));
}

bool multiplies_halves(Device device) {
  static std::atomic<int> majors[max_cuda_devices];  // 0: not asked yet
  std::atomic<int>& major = majors[device.number];
  if (major == 0) {
    int value = 0;
    ok(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, device.number));
    major = value;
  }
  return major >= 8;
}

bool is_on_host(const void* data) { return place_of(data) == host; }

void copy_bytes(void* to, const void* from, std::size_t bytes, Stream stream) {
  if (bytes == 0) return;
  const int source = place_of(from);
  const bool stays = source == place_of(to);
  if (!stays) refuse_captured("copy", stream);
  if (!stays && source != host && source != stream.device.number) {
    ok(cudaSetDevice(source));  // our stream does not wait for what that device is doing
    ok(cudaDeviceSynchronize());
  }
  use(stream.device);
  ok(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, handle_of(stream)));
  if (stays) return;
  ok(cudaStreamSynchronize(handle_of(stream)));
  raise_noted(fault_record(stream));
}

// Pinned, so that a look costs the host nothing. Leaked: kernels may run until the end.
Fault* fault_record(Stream stream) {
  static Fault* records[max_cuda_devices];
  static std::once_flag made[max_cuda_devices];
  const int device = stream.device.number;
  std::call_once(made[device], [&] {
    use(stream.device);
    void* memory = nullptr;
    ok(cudaHostAlloc(&memory, sizeof(Fault), cudaHostAllocPortable | cudaHostAllocMapped));
    records[device] = new (memory) Fault{};
  });
  return records[device];
}

Scratch::Scratch(std::size_t bytes, Stream stream) : stream_(stream) {
  if (bytes > 0) data_ = scratch_source.take(stream, bytes, handle_);
}

// At once, though the kernels are only queued: the next user's come after them on the same stream.
Scratch::~Scratch() {
  if (handle_) scratch_source.give(stream_, handle_);
}

}  // namespace garboard::kernels::cuda
