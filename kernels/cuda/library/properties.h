// What the driver says of a device.
#pragma once

#include "csrc/device/cuda_library.h"

namespace garboard::kernels::cuda {

/// Asked once a device. Raises DeviceError.
const CudaProperties& properties_of(int device);

}  // namespace garboard::kernels::cuda
