// Starting a kernel, as a function. Where nvcc is not the compiler, tests/support/cuda_shim.h gives
// this function and the words of CUDA, and runs the blocks on the CPU.
#pragma once

#include <type_traits>

#include "kernels/cuda/launch/launch_plan.h"
#include "kernels/cuda/launch/runtime.h"

#ifdef __CUDACC__
namespace garboard::kernels::cuda {

/// Starts `kernel` on `grid`, unless it is empty. Raises DeviceError.
template <class... Formal>
void launch(void (*kernel)(Formal...), const Grid& grid,
            const std::type_identity_t<Formal>&... arguments) {
  const void* places[] = {&arguments...};
  start(reinterpret_cast<const void*>(kernel), grid, const_cast<void**>(places));
}

}  // namespace garboard::kernels::cuda
#endif
