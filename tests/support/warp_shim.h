// The words of kernels/cuda/launch/warp.h, and of sort/warp_counts.h, on the CPU: fragments are
// where the PTX manual says they are ("Matrix fragments for mma.m16n8k16", "... m16n8k8",
// "ldmatrix"), and copies arrive when they are waited for.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "csrc/core/half_types.h"
#include "tests/support/fibers.h"

#define __launch_bounds__(...)
#define __forceinline__ inline

namespace garboard::shim {

inline constexpr int warp_size = 32;

/// Has the threads of a warp meet; the last to come does `work` with what each of them gives.
void meet_in_warp(void* mine, const std::function<void(void* const* all)>& work);

/// Copies a thread has begun, in groups, the last of which is not ended.
using Copies = std::vector<std::vector<std::function<void()>>>;
Copies& copies_of_thread();

template <class T>
T half_of(std::uint32_t pair, int which) {
  T half;
  half.bits = static_cast<std::uint16_t>(pair >> 16 * which);
  return half;
}

}  // namespace garboard::shim

namespace garboard::kernels::cuda {

inline std::byte* shared_bytes() { return shim::ThreadBlock::current().shared_bytes(); }

inline void copy_chunk(void* to, const void* from, bool is_there) {
  if ((reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) % 16 != 0)
    throw std::logic_error("copy_chunk: addresses that are no multiples of 16");
  shim::copies_of_thread().back().push_back([=] {
    if (is_there)
      std::memcpy(to, from, 16);
    else
      std::memset(to, 0, 16);
  });
}
inline void end_copies() { shim::copies_of_thread().emplace_back(); }
template <int left>
void await_copies() {
  auto& groups = shim::copies_of_thread();
  const std::size_t kept = left + 1;  // with the one that is not ended
  while (groups.size() > kept) {
    for (const auto& copy : groups.front()) copy();
    groups.erase(groups.begin());
  }
}

namespace detail {

struct MatrixRow {
  std::uint32_t* to;
  const std::uint16_t* row;
};
inline void load_matrices(std::uint32_t (&to)[4], const void* row, bool is_transposed) {
  MatrixRow mine{to, static_cast<const std::uint16_t*>(row)};
  shim::meet_in_warp(&mine, [is_transposed](void* const* all) {
    const auto of = [all](int lane) { return static_cast<const MatrixRow*>(all[lane]); };
    const auto element = [&](int matrix, int r, int c) -> std::uint32_t {
      return of(8 * matrix + r)->row[c];
    };
    for (int lane = 0; lane < shim::warp_size; ++lane)
      for (int i = 0; i < 4; ++i) {
        const int g = lane / 4, t = lane % 4 * 2;
        const auto one = is_transposed ? element(i, t, g) : element(i, g, t);
        const auto other = is_transposed ? element(i, t + 1, g) : element(i, g, t + 1);
        of(lane)->to[i] = one | other << 16;
      }
  });
}

}  // namespace detail

inline void load_matrices(std::uint32_t (&to)[4], const void* row) {
  detail::load_matrices(to, row, false);
}
inline void load_transposed(std::uint32_t (&to)[4], const void* row) {
  detail::load_matrices(to, row, true);
}

template <class T, int own, int all, int others>
void multiply_add(float (&sums)[own][all][4], int first, const std::uint32_t (&a)[own][4],
                  const std::uint32_t (&b)[others][2]) {
  struct Fragments {
    float (*sums)[all][4];
    const std::uint32_t (*a)[4];
    const std::uint32_t (*b)[2];
  } mine{sums, a, b};
  shim::meet_in_warp(&mine, [first](void* const* lanes) {
    const auto of = [lanes](int lane) { return static_cast<const Fragments*>(lanes[lane]); };
    float rows[own * 16][16], columns[others * 8][16];
    for (int lane = 0; lane < shim::warp_size; ++lane)
      for (int half = 0; half < 2; ++half) {
        const int g = lane / 4, k = lane % 4 * 2 + half;
        for (int m = 0; m < own; ++m)
          for (int i = 0; i < 4; ++i)
            rows[m * 16 + g + i % 2 * 8][k + i / 2 * 8] =
                static_cast<float>(shim::half_of<T>(of(lane)->a[m][i], half));
        for (int n = 0; n < others; ++n)
          for (int i = 0; i < 2; ++i)
            columns[n * 8 + g][k + i * 8] =
                static_cast<float>(shim::half_of<T>(of(lane)->b[n][i], half));
      }
    for (int lane = 0; lane < shim::warp_size; ++lane)
      for (int m = 0; m < own; ++m)
        for (int n = 0; n < others; ++n)
          for (int i = 0; i < 4; ++i) {
            const float* const row = rows[m * 16 + lane / 4 + i / 2 * 8];
            const float* const column = columns[n * 8 + lane % 4 * 2 + i % 2];
            float sum = 0;
            for (int k = 0; k < 16; ++k) sum += row[k] * column[k];
            of(lane)->sums[m][first + n][i] += sum;
          }
  });
}

struct TwoParts {
  std::uint32_t large, small;
};
inline TwoParts parts_of(float x) {
  const std::uint32_t large = (std::bit_cast<std::uint32_t>(x) + 0x1000) & 0xffffe000;
  return {large, std::bit_cast<std::uint32_t>(x - std::bit_cast<float>(large))};
}

namespace detail {

/// As hardware reads a number of TF32: the lower bits are cut off.
inline double cut_to_tf32(std::uint32_t bits) {
  return static_cast<double>(std::bit_cast<float>(bits & 0xffffe000));
}
/// As it adds: what a float32 does not hold is cut off.
inline float cut_to_float(double sum) {
  const auto rounded = static_cast<float>(sum);
  const bool is_beyond = std::abs(static_cast<double>(rounded)) > std::abs(sum);
  return is_beyond && std::isfinite(rounded) ? std::nextafterf(rounded, 0) : rounded;
}

}  // namespace detail

template <int steps, int others>
void multiply_add_parts(float (&sums)[others][4], const TwoParts (&a)[steps][4],
                        const TwoParts (&b)[steps][others][2]) {
  struct Fragments {
    float (*sums)[4];
    const TwoParts (*a)[4];
    const TwoParts (*b)[others][2];
  } mine{sums, a, b};
  shim::meet_in_warp(&mine, [](void* const* lanes) {
    const auto of = [lanes](int lane) { return static_cast<const Fragments*>(lanes[lane]); };
    double rows[steps][2][16][8], columns[steps][2][others * 8][8];
    for (int lane = 0; lane < shim::warp_size; ++lane)
      for (int step = 0; step < steps; ++step) {
        const int g = lane / 4, t = lane % 4;
        for (int i = 0; i < 4; ++i) {
          const TwoParts& one = of(lane)->a[step][i];
          rows[step][0][g + i % 2 * 8][t + i / 2 * 4] = detail::cut_to_tf32(one.large);
          rows[step][1][g + i % 2 * 8][t + i / 2 * 4] = detail::cut_to_tf32(one.small);
        }
        for (int n = 0; n < others; ++n)
          for (int i = 0; i < 2; ++i) {
            const TwoParts& one = of(lane)->b[step][n][i];
            columns[step][0][n * 8 + g][t + i * 4] = detail::cut_to_tf32(one.large);
            columns[step][1][n * 8 + g][t + i * 4] = detail::cut_to_tf32(one.small);
          }
      }
    constexpr int pairs[3][2] = {{1, 0}, {0, 1}, {0, 0}};  // which part of either
    for (int lane = 0; lane < shim::warp_size; ++lane)
      for (int n = 0; n < others; ++n)
        for (int i = 0; i < 4; ++i)
          for (const auto& pair : pairs)
            for (int step = 0; step < steps; ++step) {
              const double* const row = rows[step][pair[0]][lane / 4 + i / 2 * 8];
              const double* const column = columns[step][pair[1]][n * 8 + lane % 4 * 2 + i % 2];
              double sum = static_cast<double>(of(lane)->sums[n][i]);
              for (int k = 0; k < 8; ++k) sum += row[k] * column[k];
              of(lane)->sums[n][i] = detail::cut_to_float(sum);
            }
  });
}

template <class T>
std::uint32_t rounded_pair(float first, float second) {
  return T(first).bits | static_cast<std::uint32_t>(T(second).bits) << 16;
}

inline float exchanged(float mine, int mask) {
  struct Exchange {
    float mine, theirs;
  } exchange{mine, 0};
  shim::meet_in_warp(&exchange, [mask](void* const* all) {
    for (int lane = 0; lane < shim::warp_size; ++lane)
      static_cast<Exchange*>(all[lane])->theirs = static_cast<Exchange*>(all[lane ^ mask])->mine;
  });
  return exchange.theirs;
}

inline std::uint32_t counted(std::uint16_t* counts, std::uint32_t digit) {
  struct Vote {
    std::uint16_t* count;
    std::uint32_t before;
  } vote{counts + digit, 0};
  shim::meet_in_warp(&vote, [](void* const* all) {
    for (int lane = 0; lane < shim::warp_size; ++lane)
      static_cast<Vote*>(all[lane])->before = (*static_cast<Vote*>(all[lane])->count)++;
  });
  return vote.before;
}

inline float power_of_2(float x) {
  const float power = std::exp2(x);
  return power < 0x1p-126f ? 0 : power;
}

}  // namespace garboard::kernels::cuda
