// Marks functions that run on a GPU, too: GARBOARD_HD what is inlined into every caller,
// GARBOARD_HD_CALLED what is too long for that. Either is a translation unit's own, as what is
// compiled for other instruction sets must be.
#pragma once

#ifdef __CUDACC__
#define GARBOARD_HD __host__ __device__ __forceinline__
#define GARBOARD_HD_CALLED static inline __host__ __device__ __noinline__
#else
#define GARBOARD_HD inline __attribute__((always_inline))
#define GARBOARD_HD_CALLED static inline __attribute__((noinline))
#endif
