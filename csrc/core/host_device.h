// Marks a function as usable on the host and on a CUDA device, and inlined into every caller.
#pragma once

#ifdef __CUDACC__
#define GARBOARD_HD __host__ __device__ __forceinline__
#else
#define GARBOARD_HD inline __attribute__((always_inline))
#endif
