// What the 32 threads of a warp do together with matrices. Devices of compute capability 8.0 know
// these words; where nvcc is not the compiler, tests/support/warp_shim.h gives them.
//
// A fragment is a thread's part of a matrix, two halves in 32 bits. With t = thread % 4 and
// g = thread % 32 / 4 it holds, of
//     a, 16 x 16:     (g, 2t..), (g + 8, 2t..), (g, 2t + 8..), (g + 8, 2t + 8..)
//     b, 16 x 8:      (2t.., g), (2t + 8.., g)
//     sums, 16 x 8:   (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1), in float32
// Of numbers of TF32, which have 32 bits each, of
//     a, 16 x 8:      (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4)
//     b, 8 x 8:       (t, g), (t + 4, g)
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "csrc/core/half_types.h"
#include "kernels/cuda/launch/launch.h"

#ifdef __CUDACC__
namespace garboard::kernels::cuda {

/// The shared memory that the grid has asked for; all 16 bytes of a chunk are in one place.
__device__ __forceinline__ std::byte* shared_bytes() {
  extern __shared__ __align__(128) std::byte bytes_of_the_block[];
  return bytes_of_the_block;
}

__device__ __forceinline__ std::uint32_t shared_address(const void* data) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(data));
}

/// Begins to copy 16 bytes, or to clear them; both addresses are multiples of 16.
__device__ __forceinline__ void copy_chunk(void* to, const void* from, bool is_there) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
               "l"(__cvta_generic_to_global(from)), "r"(is_there ? 16 : 0)
               : "memory");
}
/// What a thread has begun to copy up to here is one group.
__device__ __forceinline__ void end_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits until of the thread's groups only the last `left` may be unfinished.
template <int left>
__device__ __forceinline__ void await_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
}

/// Four matrices of 8 x 8, whose rows of 16 bytes the threads name in their order: of matrix i,
/// to[i] is (g, 2t..).
__device__ __forceinline__ void load_matrices(std::uint32_t (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row)));
}
/// Likewise, but to[i] is (2t.., g).
__device__ __forceinline__ void load_transposed(std::uint32_t (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row)));
}

template <class T>
__device__ __forceinline__ void multiply_add_one(float (&sums)[4], const std::uint32_t (&a)[4],
                                                 const std::uint32_t (&b)[2]) {
  if constexpr (std::is_same_v<T, Float16>)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
/// sums[m][first + n] += a[m] b[n].
template <class T, int own, int all, int others>
__device__ __forceinline__ void multiply_add(float (&sums)[own][all][4], int first,
                                             const std::uint32_t (&a)[own][4],
                                             const std::uint32_t (&b)[others][2]) {
#pragma unroll
  for (int n = 0; n < others; ++n)
#pragma unroll
    for (int m = 0; m < own; ++m) multiply_add_one<T>(sums[m][first + n], a[m], b[n]);
}

/// A float32 as the sum of two numbers of TF32, of which the hardware reads the upper 19 bits: to
/// the nearest, what is left is exact, and loses at most its last bit.
struct TwoParts {
  std::uint32_t large, small;
};
__device__ __forceinline__ TwoParts parts_of(float x) {
  const std::uint32_t large = (__float_as_uint(x) + 0x1000) & 0xffffe000;
  return {large, __float_as_uint(x - __uint_as_float(large))};
}

__device__ __forceinline__ void multiply_add_tf32(float (&sums)[4], std::uint32_t a0,
                                                  std::uint32_t a1, std::uint32_t a2,
                                                  std::uint32_t a3, std::uint32_t b0,
                                                  std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
/// sums[n] += the sum over the steps of a[step] b[step][n], but for the products of two small
/// parts; the small ones come first. Each addition may be cut off, not rounded.
template <int steps, int others>
__device__ __forceinline__ void multiply_add_parts(float (&sums)[others][4],
                                                   const TwoParts (&a)[steps][4],
                                                   const TwoParts (&b)[steps][others][2]) {
#pragma unroll
  for (int step = 0; step < steps; ++step)
#pragma unroll
    for (int n = 0; n < others; ++n)
      multiply_add_tf32(sums[n], a[step][0].small, a[step][1].small, a[step][2].small,
                        a[step][3].small, b[step][n][0].large, b[step][n][1].large);
#pragma unroll
  for (int step = 0; step < steps; ++step)
#pragma unroll
    for (int n = 0; n < others; ++n)
      multiply_add_tf32(sums[n], a[step][0].large, a[step][1].large, a[step][2].large,
                        a[step][3].large, b[step][n][0].small, b[step][n][1].small);
#pragma unroll
  for (int step = 0; step < steps; ++step)
#pragma unroll
    for (int n = 0; n < others; ++n)
      multiply_add_tf32(sums[n], a[step][0].large, a[step][1].large, a[step][2].large,
                        a[step][3].large, b[step][n][0].large, b[step][n][1].large);
}

/// Two numbers rounded to T, the first in the lower bits.
template <class T>
__device__ __forceinline__ std::uint32_t rounded_pair(float first, float second) {
  std::uint32_t pair;
  if constexpr (std::is_same_v<T, Float16>)
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  else
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}

/// What the thread gives whose number differs from the caller's in the bits of `mask`.
__device__ __forceinline__ float exchanged(float mine, int mask) {
  return __shfl_xor_sync(~0u, mine, mask);
}

/// 2^x, within 2 ULP; what is below 2^-126 is 0.
__device__ __forceinline__ float power_of_2(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

}  // namespace garboard::kernels::cuda
#endif
