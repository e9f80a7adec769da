#include "kernels/cuda/library/streams.h"

#include <cuda_runtime_api.h>

#include "kernels/cuda/launch/fault_record.h"
#include "kernels/cuda/launch/status.h"
#include "kernels/cuda/library/captures.h"

namespace garboard::kernels::cuda {
namespace {

cudaStream_t handle_of(Stream stream) { return static_cast<cudaStream_t>(stream.handle); }
cudaEvent_t event_of(void* mark) { return static_cast<cudaEvent_t>(mark); }

// Refusing is an answer here: nothing may report it later.
bool is_done(cudaError_t status) noexcept {
  if (status != cudaSuccess) cudaGetLastError();
  return status == cudaSuccess;
}

// The default stream would wait for every other kind, and they for it: no two would overlap.
void* make(Device device, int priority) noexcept {
  cudaStream_t stream = nullptr;
  const bool is_made =
      is_done(cudaSetDevice(device.number)) &&
      is_done(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority));
  return is_made ? stream : nullptr;
}

PriorityRange priorities(Device device) noexcept {
  PriorityRange range;
  if (is_done(cudaSetDevice(device.number)))
    is_done(cudaDeviceGetStreamPriorityRange(&range.least, &range.greatest));
  return range;
}

bool is_idle(Stream stream) {
  ok(cudaSetDevice(stream.device.number));
  const cudaError_t status = cudaStreamQuery(handle_of(stream));
  if (status == cudaErrorNotReady) {
    cudaGetLastError();  // no fault: the next call must not report it
    return false;
  }
  ok(status);
  return true;
}

void synchronize(Stream stream) {
  ok(cudaSetDevice(stream.device.number));
  ok(cudaStreamSynchronize(handle_of(stream)));
  raise_noted(fault_record(stream));
}

void copy(void* to, const void* from, std::size_t bytes, Stream stream) {
  if (bytes == 0) return;
  ok(cudaSetDevice(stream.device.number));
  ok(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, handle_of(stream)));
}

void* make_time_mark(Device device) noexcept {
  cudaEvent_t event = nullptr;
  const bool is_made = is_done(cudaSetDevice(device.number)) && is_done(cudaEventCreate(&event));
  return is_made ? event : nullptr;
}

// The driver keeps it until it was passed.
void end_time_mark(Device device, void* mark) noexcept {
  if (is_done(cudaSetDevice(device.number))) is_done(cudaEventDestroy(event_of(mark)));
}

void record_time_mark(void* mark, Stream stream) {
  ok(cudaSetDevice(stream.device.number));
  ok(cudaEventRecord(event_of(mark), handle_of(stream)));
}

double elapsed_ms(void* first, void* last) {
  float milliseconds = 0;
  ok(cudaEventElapsedTime(&milliseconds, event_of(first), event_of(last)));
  return milliseconds;
}

}  // namespace

const StreamDriver streams{.make = make,
                           .priorities = priorities,
                           .is_idle = is_idle,
                           .synchronize = synchronize,
                           .copy = copy,
                           .make_time_mark = make_time_mark,
                           .end_time_mark = end_time_mark,
                           .record_time_mark = record_time_mark,
                           .elapsed_ms = elapsed_ms,
                           .captures = &captures};

}  // namespace garboard::kernels::cuda
