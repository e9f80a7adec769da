#include "kernels/cuda/launch/status.h"

#include "csrc/core/error.h"
#include "csrc/core/text.h"

namespace garboard::kernels::cuda {

void ok(cudaError_t status, std::source_location at) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // or the next call, which did nothing wrong, would report it again
  const std::string message = text("cuda: ", cudaGetErrorString(status), " (",
                                   cudaGetErrorName(status), ") in ", at.function_name());
  if (status == cudaErrorMemoryAllocation) throw OutOfMemoryError(message, message);
  throw DeviceError(message);
}

}  // namespace garboard::kernels::cuda
