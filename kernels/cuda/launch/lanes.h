// The threads of a block cut into groups of `lanes`, each for one result.
#pragma once

#include "kernels/cuda/launch/launch.h"

namespace garboard::kernels::cuda {

/// Which lane of which result a thread is.
struct Seat {
  int lane, lane_step;  // threads from one lane of a result to the next
  std::uint32_t result;

  GARBOARD_HD Seat(int thread, std::uint32_t group, int lanes, bool is_across) {
    const int results = threads / lanes;
    lane = is_across ? thread / results : thread % lanes;
    lane_step = is_across ? results : 1;
    result = group * results + (is_across ? thread % results : thread / lanes);
  }
};

/// What the lanes of a result have come to, merged by a tree: each of them is told. All threads of
/// the block take part, also those that have no result. `shared` may be used again at once.
template <class Partial>
__device__ Partial meet(Partial* shared, const Partial& mine, const Seat& seat, int lanes) {
  const int t = static_cast<int>(threadIdx.x);
  shared[t] = mine;
  __syncthreads();
  for (int half = lanes / 2; half > 0; half /= 2) {
    if (seat.lane < half) shared[t].merge(shared[t + half * seat.lane_step]);
    __syncthreads();
  }
  const Partial all = shared[t - seat.lane * seat.lane_step];
  __syncthreads();
  return all;
}

/// Likewise, each is told what the lanes up to it have come to: an earlier one merges a later one.
template <class Partial>
__device__ Partial scan_lanes(Partial* shared, Partial mine, const Seat& seat, int lanes) {
  const int t = static_cast<int>(threadIdx.x);
  for (int step = 1; step < lanes; step *= 2) {
    shared[t] = mine;
    __syncthreads();
    if (seat.lane >= step) {
      Partial both = shared[t - step * seat.lane_step];
      both.merge(mine);
      mine = both;
    }
    __syncthreads();
  }
  return mine;
}

}  // namespace garboard::kernels::cuda
