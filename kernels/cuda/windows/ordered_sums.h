// Sums at places that tensors name: several entries may name one place, and floats are added in
// the order of the entries all the same, so the bits are those of a plain loop.
#pragma once

#include "kernels/cuda/launch/launch.h"

namespace garboard::kernels::cuda {

/// `width` numbers of each thread of a block, and the place that they go to; below 0, none.
template <class T, int width>
struct Entries {
  std::int64_t place[threads];
  T value[width][threads];
};

/// Adds the entries of a block's threads to what is at their places: `target(k)` is where the k-th
/// numbers are added up. The first thread with a place does it for all that have the same. All
/// threads of the block take part, each with its own entry in `shared`.
template <class T, int width, class Target>
__device__ void add_in_order(const Entries<T, width>& shared, Target target) {
  const int t = static_cast<int>(threadIdx.x);
  __syncthreads();
  const std::int64_t place = shared.place[t];
  bool is_first = place >= 0;
  for (int u = 0; is_first && u < t; ++u) is_first = shared.place[u] != place;
  if (is_first) {
    T sum[width];
    for (int k = 0; k < width; ++k) sum[k] = target(k) ? target(k)[place] : T(0);
    for (int u = t; u < threads; ++u)
      if (shared.place[u] == place)
        for (int k = 0; k < width; ++k) sum[k] += shared.value[k][u];
    for (int k = 0; k < width; ++k)
      if (T* const to = target(k)) to[place] = sum[k];
  }
  __syncthreads();
}

}  // namespace garboard::kernels::cuda
