#include "kernels/cuda/library/events.h"

#include <cuda_runtime_api.h>

namespace garboard::kernels::cuda {
namespace {

// Refusing is an answer here: nothing may report it later.
bool is_done(cudaError_t status) noexcept {
  if (status != cudaSuccess) cudaGetLastError();
  return status == cudaSuccess;
}

cudaEvent_t event_of(void* event) noexcept { return static_cast<cudaEvent_t>(event); }
cudaStream_t handle_of(Stream stream) noexcept { return static_cast<cudaStream_t>(stream.handle); }

// Without a time stamp: with one, recording would wait for the device's clock.
void* create(int device) noexcept {
  cudaEvent_t event = nullptr;
  const bool is_made = is_done(cudaSetDevice(device)) &&
                       is_done(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return is_made ? event : nullptr;
}

bool record(void* event, Stream stream) noexcept {
  return is_done(cudaSetDevice(stream.device.number)) &&
         is_done(cudaEventRecord(event_of(event), handle_of(stream)));
}

bool is_passed(void* event) noexcept { return is_done(cudaEventQuery(event_of(event))); }

bool await(void* event) noexcept { return is_done(cudaEventSynchronize(event_of(event))); }

bool let_wait(Stream waiter, void* event) noexcept {
  return is_done(cudaSetDevice(waiter.device.number)) &&
         is_done(cudaStreamWaitEvent(handle_of(waiter), event_of(event), 0));
}

void await_stream(Stream stream) noexcept {
  if (is_done(cudaSetDevice(stream.device.number)))
    is_done(cudaStreamSynchronize(handle_of(stream)));
}

}  // namespace

const CudaEvents events{.create = create,
                        .record = record,
                        .is_passed = is_passed,
                        .await = await,
                        .let_wait = let_wait,
                        .await_stream = await_stream};

}  // namespace garboard::kernels::cuda
