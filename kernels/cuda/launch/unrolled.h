// What is said to nvcc of loops in kernels, and nothing to another compiler.
#pragma once

// The body stands in the code as often as it runs, so that an array it indexes stays in registers;
// or it stands there once.
#ifdef __CUDA_ARCH__
#define GARBOARD_UNROLLED _Pragma("unroll")
#define GARBOARD_NOT_UNROLLED _Pragma("unroll 1")
#else
#define GARBOARD_UNROLLED
#define GARBOARD_NOT_UNROLLED
#endif
