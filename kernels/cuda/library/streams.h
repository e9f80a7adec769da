// Streams beside the default one, and points in time on them.
#pragma once

#include "csrc/device/stream_driver.h"

namespace garboard::kernels::cuda {

extern const StreamDriver streams;

}  // namespace garboard::kernels::cuda
