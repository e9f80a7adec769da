// Captures of CUDA streams, and graphs made of them.
#pragma once

#include "csrc/device/stream_driver.h"

namespace garboard::kernels::cuda {

extern const CaptureDriver captures;

}  // namespace garboard::kernels::cuda
