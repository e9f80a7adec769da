// What the taps of a window meet as it moves.
#pragma once

#include <cstdint>

#include "kernels/cpu/loop/copy_bytes.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/wide/wide_vector.h"
#include "kernels/windows.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace garboard::kernels::GARBOARD_ISA {
namespace {

inline std::int64_t product(const std::int64_t (&of)[space_dims]) { return of[0] * of[1] * of[2]; }

inline std::int64_t common_divisor(std::int64_t a, std::int64_t b) {
  while (b != 0) {
    const std::int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

template <class T>
void fill(T* to, std::int64_t count, T value) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = value;
}

/// For lines too short for a call of memcpy to pay.
template <class T>
void copy_dense(T* to, const T* from, std::int64_t count) {
#ifdef __AVX512F__
  if constexpr (sizeof(T) == 4) {
    for (std::int64_t i = 0; i < count; i += 16) {
      const std::int64_t left = count - i;
      const auto mask = static_cast<__mmask16>(left >= 16 ? 0xffff : (1u << left) - 1);
      _mm512_mask_storeu_epi32(to + i, mask, _mm512_maskz_loadu_epi32(mask, from + i));
    }
    return;
  }
#endif
  copy_bytes(to, from, count * static_cast<std::int64_t>(sizeof(T)));
}

/// to[i] = from[i * by].
template <class T>
void copy_comb(T* to, const T* from, std::int64_t by, std::int64_t count) {
  std::int64_t i = 0;
#ifdef __AVX512F__
  if constexpr (sizeof(T) == 4) {
    const __m512i every_second = _mm512_slli_epi32(
        _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), 1);
    for (; by == 2 && i < count; i += 16) {
      const std::int64_t left = count - i;
      const auto kept = static_cast<__mmask16>(left >= 16 ? 0xffff : (1u << left) - 1);
      const auto met = left >= 16 ? 0x7fffffffu : (1u << (2 * left - 1)) - 1;
      const __m512i low = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(met), from + 2 * i);
      const __m512i high =
          _mm512_maskz_loadu_epi32(static_cast<__mmask16>(met >> 16), from + 2 * i + 16);
      _mm512_mask_storeu_epi32(to + i, kept, _mm512_permutex2var_epi32(low, every_second, high));
    }
  }
#endif
  if constexpr (sizeof(T) >= 4) {
    using V = WideVector<T>;
    for (; by == 2 && i + V::lanes <= count; i += V::lanes)
      V::store(to + i, V::load(from + i * by, by));
    if (by == 2 && i < count && i > 0) {  // some once more
      i = count - V::lanes;
      return V::store(to + i, V::load(from + i * by, by));
    }
  }
  for (; i < count; ++i) to[i] = from[i * by];
}

/// Along each dim, tap k at place i meets element i * step + start + k * tap_step, or 0 outside.
template <class T>
struct Moved {
  const T* data;  // of the first channel
  std::int64_t sample_stride;
  std::int64_t sizes[space_dims], places[space_dims], taps[space_dims];
  std::int64_t step[space_dims], start[space_dims], tap_step[space_dims];

  std::int64_t channel_stride() const { return product(sizes); }
  std::int64_t element(int d, std::int64_t place, std::int64_t tap) const {
    return place * step[d] + start[d] + tap * tap_step[d];
  }
  bool is_inside(int d, std::int64_t place, std::int64_t tap) const {
    const std::int64_t met = element(d, place, tap);
    return met >= 0 && met < sizes[d];
  }
  std::int64_t places_inside(int d, std::int64_t tap) const {
    const std::int64_t begin = element(d, 0, tap);
    const std::int64_t first = begin < 0 ? divided_up(-begin, step[d]) : 0;
    const std::int64_t last = begin < sizes[d] ? divided_up(sizes[d] - begin, step[d]) : 0;
    return larger(smaller(last, places[d]) - first, 0);
  }

  /// Makes one long line of lines that follow each other.
  void merge_lines() {
    const auto is_still = [this](int d) { return taps[d] == 1 && step[d] == 1 && start[d] == 0; };
    for (int d = 1; d >= 0; --d) {
      if (!is_still(2) || places[2] != sizes[2] || !is_still(d)) return;
      sizes[2] *= sizes[d];
      places[2] *= places[d];
      sizes[d] = places[d] = 1;
    }
  }
};

/// The sizes of a convolution; rows and channels are those of one group.
struct Sizes {
  std::int64_t samples, groups, rows, channels;
  std::int64_t sizes[space_dims], places[space_dims], taps[space_dims];

  explicit Sizes(const Convolution& of)
      : samples(of.x.sizes.data()[0]),
        groups(of.groups),
        rows(of.weight.sizes.data()[0] / of.groups),
        channels(of.weight.sizes.data()[1]) {
    for (int d = 0; d < space_dims; ++d) {
      sizes[d] = of.x.sizes.data()[d + 2];
      places[d] = of.out.sizes.data()[d + 2];
      taps[d] = of.weight.sizes.data()[d + 2];
    }
  }

  std::int64_t depth() const { return channels * product(taps); }
  std::int64_t input_stride() const { return groups * channels * product(sizes); }
  std::int64_t out_stride() const { return groups * rows * product(places); }
};

template <class T>
Moved<T> moved_input(const Convolution& of, const Sizes& sizes) {
  Moved<T> moved{of.x.as<T>(), sizes.input_stride(), {}, {}, {}, {}, {}, {}};
  for (int d = 0; d < space_dims; ++d) {
    moved.sizes[d] = sizes.sizes[d];
    moved.places[d] = sizes.places[d];
    moved.taps[d] = sizes.taps[d];
    moved.step[d] = of.stride[d];
    moved.start[d] = -of.padding[d];
    moved.tap_step[d] = of.dilation[d];
  }
  moved.merge_lines();
  return moved;
}

/// What `rows` of a product of `depth`, which takes a copy of each element, take.
template <class T>
double cost_ns(std::int64_t rows, std::int64_t depth, std::int64_t samples, std::int64_t places) {
  const double met = static_cast<double>(samples * places) * static_cast<double>(depth + 1);
  return met * (0.02 + static_cast<double>(rows) * 0.004 * sizeof(T));
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
