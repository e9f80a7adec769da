// Softmax on the way: what rows of scores have come to, in the registers of the threads that share
// them.
#pragma once

#include <cmath>

#include "kernels/cuda/launch/warp.h"
#include "kernels/cuda/sequences/attention_shape.h"

namespace garboard::kernels::cuda {

/// The maximum of a thread's rows so far, and its part of their sums.
template <int own>
struct RunningSums {
  float top[own * 2], sum[own * 2];

  __device__ __forceinline__ RunningSums() {
#pragma unroll
    for (int r = 0; r < own * 2; ++r) top[r] = lowest_score<float>, sum[r] = 0;
  }

  /// Makes shares of scores, as yet undivided; sums so far are brought to the new maximum.
  template <int others, int wide>
  __device__ __forceinline__ void take(float (&scores)[own][others][4], float (&sums)[own][wide][4],
                                       float unit) {
    float before[own * 2];
    bool has_risen = false;
#pragma unroll
    for (int r = 0; r < own * 2; ++r) {
      before[r] = top[r];
#pragma unroll
      for (int n = 0; n < others; ++n)
#pragma unroll
        for (int i = 0; i < 2; ++i) top[r] = fmaxf(top[r], scores[r / 2][n][r % 2 * 2 + i]);
      top[r] = fmaxf(top[r], exchanged(top[r], 1));
      top[r] = fmaxf(top[r], exchanged(top[r], 2));
      has_risen |= top[r] > before[r];
    }
    float base[own * 2];  // finite where the row sees nothing: -inf - -inf is NaN
#pragma unroll
    for (int r = 0; r < own * 2; ++r) base[r] = top[r] == lowest_score<float> ? 0 : top[r] * unit;
    if (has_risen) {
#pragma unroll
      for (int r = 0; r < own * 2; ++r) {
        const float factor = power_of_2(before[r] * unit - base[r]);
        sum[r] *= factor;
#pragma unroll
        for (int n = 0; n < wide; ++n)
#pragma unroll
          for (int i = 0; i < 2; ++i) sums[r / 2][n][r % 2 * 2 + i] *= factor;
      }
    }
#pragma unroll
    for (int r = 0; r < own * 2; ++r) {
      float part = 0;
#pragma unroll
      for (int n = 0; n < others; ++n)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          float& score = scores[r / 2][n][r % 2 * 2 + i];
          score = power_of_2(score * unit - base[r]);
          part += score;
        }
      sum[r] += part;
    }
  }

  /// All of the sum of row r.
  __device__ __forceinline__ float whole(int r) const {
    const float half = sum[r] + exchanged(sum[r], 1);
    return half + exchanged(half, 2);
  }
};

}  // namespace garboard::kernels::cuda
