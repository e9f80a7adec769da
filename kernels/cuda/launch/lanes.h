// The threads of a block cut into groups of `lanes`, each for one result.
#pragma once

#include <cstdint>
#include <type_traits>

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

inline constexpr int warp_threads = 32;

/// `value` in words that the threads of a warp can hand to each other.
template <class T>
struct InWords {
  using Word = std::conditional_t<
      sizeof(T) % 8 == 0, unsigned long long,
      std::conditional_t<sizeof(T) % 4 == 0, std::uint32_t,
                         std::conditional_t<sizeof(T) % 2 == 0, std::uint16_t, std::uint8_t>>>;

  Word word[sizeof(T) / sizeof(Word)];
};

/// What the thread of the warp has whose number differs in the bits of `difference`. All threads of
/// the block take part.
template <class T>
__device__ T of_other_lane(const T& mine, int difference) {
  auto words = __builtin_bit_cast(InWords<T>, mine);
  for (auto& word : words.word)
    word = static_cast<typename InWords<T>::Word>(
        __shfl_xor_sync(~0u, word + 0u, difference));  // nothing narrower than 32 bits
  return __builtin_bit_cast(T, words);
}

/// What the thread of that number has, of the same warp.
template <class T>
__device__ T of_lane(const T& mine, int thread) {
  auto words = __builtin_bit_cast(InWords<T>, mine);
  for (auto& word : words.word)
    word =
        static_cast<typename InWords<T>::Word>(__shfl_sync(~0u, word + 0u, thread % warp_threads));
  return __builtin_bit_cast(T, words);
}

/// What the thread `lanes` before in the warp has; of the first ones, anything.
template <class T>
__device__ T of_earlier_lane(const T& mine, int lanes) {
  auto words = __builtin_bit_cast(InWords<T>, mine);
  for (auto& word : words.word)
    word = static_cast<typename InWords<T>::Word>(__shfl_up_sync(~0u, word + 0u, lanes));
  return __builtin_bit_cast(T, words);
}

/// What `lanes` neighbouring threads have come to, a power of 2 up to a warp: each is told, the
/// bits the same.
template <class Partial>
__device__ Partial meet_in_warp(const Partial& mine, int lane, int lanes) {
  Partial all = mine;
  for (int step = 1; step < lanes; step *= 2) {
    const Partial other = of_other_lane(all, step);
    const bool is_later = (lane & step) != 0;
    Partial first = all, second = other;
    if (is_later) first = other;
    if (is_later) second = all;
    first.merge(second);
    all = first;
  }
  return all;
}

/// What the lanes of a result have come to, neighbouring threads, merged in an order that `lanes`
/// decides: each of them is told. All threads of the block take part, also those that have no
/// result. `shared` has an element for each warp, and may be used again at once.
template <class Partial>
__device__ Partial meet_along(Partial* shared, const Partial& mine, int lane, int lanes) {
  const int in_warp = lanes < warp_threads ? lanes : warp_threads, warps = lanes / warp_threads;
  Partial all = meet_in_warp(mine, lane, in_warp);
  if (warps <= 1) return all;
  const int t = static_cast<int>(threadIdx.x), first = (t - lane) / warp_threads;
  if (t % warp_threads == 0) shared[t / warp_threads] = all;
  __syncthreads();
  all = shared[first];
  for (int warp = 1; warp < warps; ++warp) all.merge(shared[first + warp]);
  __syncthreads();
  return all;
}

/// The same of lanes that may lie apart; `shared` has an element for each thread.
template <class Partial>
__device__ Partial meet(Partial* shared, const Partial& mine, const Seat& seat, int lanes) {
  if (seat.lane_step == 1) return meet_along(shared, mine, seat.lane, lanes);
  if (lanes == 1) return mine;
  const int t = static_cast<int>(threadIdx.x);
  shared[t] = mine;
  __syncthreads();
  int left = lanes;
  for (; left > 8; left /= 2) {
    if (seat.lane < left / 2) shared[t].merge(shared[t + left / 2 * seat.lane_step]);
    __syncthreads();
  }
  const int first = t - seat.lane * seat.lane_step;
  Partial all = shared[first];
  for (int lane = 1; lane < left; ++lane) all.merge(shared[first + lane * seat.lane_step]);
  __syncthreads();
  return all;
}

/// Likewise, each is told what the lanes up to it have come to: an earlier one merges a later one.
template <class Partial>
__device__ Partial scan_lanes(Partial* shared, Partial mine, const Seat& seat, int lanes) {
  const int t = static_cast<int>(threadIdx.x);
  if (seat.lane_step == 1) {
    const int in_warp = lanes < warp_threads ? lanes : warp_threads, warps = lanes / warp_threads;
    for (int step = 1; step < in_warp; step *= 2) {
      Partial both = of_earlier_lane(mine, step);
      if (seat.lane % in_warp < step) continue;
      both.merge(mine);
      mine = both;
    }
    if (warps <= 1) return mine;
    if (t % warp_threads == warp_threads - 1) shared[t / warp_threads] = mine;
    __syncthreads();
    const int first = (t - seat.lane) / warp_threads, warp = t / warp_threads;
    if (warp > first) {
      Partial before = shared[first];
      for (int earlier = first + 1; earlier < warp; ++earlier) before.merge(shared[earlier]);
      before.merge(mine);
      mine = before;
    }
    __syncthreads();
    return mine;
  }
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
