// Linked into libgarboard.so where libgarboard_cuda.so is built beside it.
#include "csrc/device/cuda_library.h"

namespace garboard {

bool is_built_with_cuda() { return true; }

}  // namespace garboard
