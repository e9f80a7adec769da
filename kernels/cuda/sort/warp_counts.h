// Counting by digits in a warp, in the order of its threads. Where nvcc is not the compiler,
// tests/support/warp_shim.h gives this.
#pragma once

#include <cstdint>

#include "kernels/cuda/launch/launch.h"

#ifdef __CUDACC__
namespace garboard::kernels::cuda {

/// Adds one to the warp's count of each thread's `digit`, of 8 bits, and returns what the count was
/// with the threads before in the warp. All 32 take part; no other thread knows the counts.
__device__ __forceinline__ std::uint32_t counted(std::uint16_t* counts, std::uint32_t digit) {
  std::uint32_t alike = ~0u;  // threads of the same digit, one a bit
#pragma unroll
  for (int bit = 0; bit < 8; ++bit) {  // the instruction that compares whole words is slower
    const bool is_set = (digit >> bit & 1) != 0;
    const std::uint32_t set = __ballot_sync(~0u, is_set);
    alike &= is_set ? set : ~set;
  }
  const std::uint32_t before = counts[digit];
  const auto earlier = static_cast<std::uint32_t>(__popc(alike & ((1u << threadIdx.x % 32) - 1)));
  __syncwarp();  // all have read
  if (earlier == 0) counts[digit] = static_cast<std::uint16_t>(before + __popc(alike));
  __syncwarp();
  return before + earlier;
}

}  // namespace garboard::kernels::cuda
#endif
