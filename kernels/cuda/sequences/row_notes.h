// What the gradients of attention on tensor cores ask of a row, found once for both kernels.
#pragma once

#include "kernels/cuda/sequences/half_scores.h"

namespace garboard::kernels::cuda {

/// What the gradients ask of a row: the logarithm, to the base 2, of the sum of its shares, and
/// what their slopes have in common. A row that sees nothing, or is not there, has an infinite sum.
struct alignas(8) RowNote {
  float log_sum, delta;
};
inline constexpr int note_padding = 128;  // that many rows are noted, or a multiple

inline constexpr int note_lanes = 8;  // threads of a row

/// `deltas` may be null; it takes those of rows that are there.
template <class T, bool is_plain>
__global__ void note_rows(RowNote* notes, float* deltas, const float* log_sums,
                          Sequences<const T> out, Sequences<const T> d_out, std::int64_t heads,
                          std::int64_t rows, std::int64_t noted_rows, std::int64_t values) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / note_lanes;
  const int lane = static_cast<int>(threadIdx.x) % note_lanes;
  const std::int64_t row = i % noted_rows, head = i / noted_rows;
  float sum = 0;
  if (row < rows) {
    const T* const one = out.tile(head / heads, head % heads, row, rows).data;
    const T* const other = d_out.tile(head / heads, head % heads, row, rows).data;
    constexpr int pack = sizeof(Chunk) / sizeof(T);
    for (std::int64_t k = lane * pack; k < values; k += note_lanes * pack) {
      alignas(16) T a[pack], b[pack];
      if constexpr (is_plain) {
        *reinterpret_cast<Chunk*>(a) = *reinterpret_cast<const Chunk*>(one + k);
        *reinterpret_cast<Chunk*>(b) = *reinterpret_cast<const Chunk*>(other + k);
      } else {
        for (int j = 0; j < pack; ++j) {
          a[j] = k + j < values ? one[k + j] : T(0);
          b[j] = k + j < values ? other[k + j] : T(0);
        }
      }
      for (int j = 0; j < pack; ++j) sum += functors::widened(a[j]) * functors::widened(b[j]);
    }
  }
  for (int step = note_lanes / 2; step > 0; step /= 2) sum += exchanged(sum, step);
  if (lane > 0) return;
  if (deltas && row < rows) deltas[head * rows + row] = sum;
  const float log_sum = row < rows ? log_sums[head * rows + row] : lowest_score<float>;
  const bool sees = log_sum != lowest_score<float>;
  notes[i] = {sees ? log_sum * powers_of_2_in_e : functors::infinity<float>, sees ? sum : 0.0f};
}

/// What both kernels are given.
template <class T>
struct GradientCall {
  AttentionShape<T> shape;
  Sequences<const T> d_out;
  const RowNote* notes;
  std::int64_t noted_rows;

  __device__ __forceinline__ const RowNote* notes_of(const HeadTile& at) const {
    return notes + (std::int64_t{at.batch} * shape.heads + at.head) * noted_rows;
  }
};

/// The share of a score that is seen, and the slope of one: what softmax passes on.
struct ScoreSlope {
  float share, slope;

  __device__ __forceinline__ ScoreSlope(float score, float unit, const RowNote& row, float d_share)
      : share(power_of_2(score * unit - row.log_sum)), slope(share * (d_share - row.delta)) {}
};

}  // namespace garboard::kernels::cuda
