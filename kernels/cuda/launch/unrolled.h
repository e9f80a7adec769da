// What is said to nvcc of loops in kernels; nothing to another compiler.
#pragma once

/// The body stands in the code as often as it runs: an array that it indexes stays in registers.
#ifdef __CUDA_ARCH__
#define GARBOARD_UNROLLED _Pragma("unroll")
#else
#define GARBOARD_UNROLLED
#endif
