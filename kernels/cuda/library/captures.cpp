#include "kernels/cuda/library/captures.h"

#include <cuda_runtime_api.h>

#include <atomic>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "kernels/cuda/launch/captured.h"
#include "kernels/cuda/launch/status.h"

namespace garboard::kernels::cuda {
namespace {

std::atomic<int> under_way{0};

cudaStream_t handle_of(Stream stream) noexcept { return static_cast<cudaStream_t>(stream.handle); }
cudaGraphExec_t exec_of(void* captured) noexcept { return static_cast<cudaGraphExec_t>(captured); }

// Relaxed: the allocator asks the driver for memory meanwhile, and other threads go on. What must
// not be captured is refused by name before the driver sees it.
void begin(Stream stream) {
  ok(cudaSetDevice(stream.device.number));
  ok(cudaStreamBeginCapture(handle_of(stream), cudaStreamCaptureModeRelaxed));
  ++under_way;
}

void* end(Stream stream) {
  --under_way;
  ok(cudaSetDevice(stream.device.number));
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(handle_of(stream), &graph);
  cudaGraphExec_t exec = nullptr;
  const cudaError_t made =
      ended == cudaSuccess ? cudaGraphInstantiate(&exec, graph, 0) : cudaSuccess;
  if (graph) cudaGraphDestroy(graph);
  if (ended == cudaErrorStreamCaptureUnjoined) {
    cudaGetLastError();
    throw DeviceError(
        "capture_end: another stream joined the capture and was not waited for; call wait_stream() "
        "of the captured one with it first");
  }
  ok(ended);
  ok(made);
  return exec;
}

std::uint64_t capture_of(Stream stream) noexcept {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long number = 0;
  const cudaError_t asked = cudaStreamGetCaptureInfo(handle_of(stream), &status, &number);
  if (asked != cudaSuccess) cudaGetLastError();
  return asked == cudaSuccess && status == cudaStreamCaptureStatusActive ? number : 0;
}

void play(void* captured, Stream stream) {
  ok(cudaSetDevice(stream.device.number));
  ok(cudaGraphLaunch(exec_of(captured), handle_of(stream)));
}

void forget(Device device, void* captured) noexcept {
  if (cudaSetDevice(device.number) != cudaSuccess || cudaGraphExecDestroy(exec_of(captured)))
    cudaGetLastError();
}

}  // namespace

bool is_captured(Stream stream) {
  return under_way.load(std::memory_order_relaxed) > 0 && capture_of(stream) != 0;
}

const CaptureDriver captures{
    .begin = begin, .end = end, .capture_of = capture_of, .play = play, .forget = forget};

}  // namespace garboard::kernels::cuda
