#include "kernels/cuda/launch/runtime.h"

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
  ok(cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(grid.blocks)), dim3(threads), arguments, 0,
                      handle_of(grid.stream)));
}

bool is_on_host(const void* data) { return place_of(data) == host; }

void copy_bytes(void* to, const void* from, std::size_t bytes, Stream stream) {
  if (bytes == 0) return;
  const int source = place_of(from);
  const bool stays = source == place_of(to);
  if (!stays && source != host && source != stream.device.number) {
    ok(cudaSetDevice(source));  // our stream does not wait for what that device is doing
    ok(cudaDeviceSynchronize());
  }
  use(stream.device);
  ok(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, handle_of(stream)));
  if (!stays) ok(cudaStreamSynchronize(handle_of(stream)));
}

Scratch::Scratch(std::size_t bytes, Stream stream) : stream_(stream) {
  if (bytes > 0) data_ = scratch_source.take(stream.device, bytes, handle_);
}

// At once, though the kernels are only queued: the next user's come after them on the same stream.
Scratch::~Scratch() {
  if (handle_) scratch_source.give(stream_.device, handle_);
}

}  // namespace garboard::kernels::cuda
