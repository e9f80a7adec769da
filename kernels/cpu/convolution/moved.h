// What the taps of a window meet as it moves: a matrix with a row for each channel and tap and a
// column for each place, of which a piece of bounded size is written at a time.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/cpu/loop/plan.h"
#include "kernels/windows.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace garboard::kernels::GARBOARD_ISA {
namespace {

inline std::int64_t product(const std::int64_t (&of)[space_dims]) { return of[0] * of[1] * of[2]; }

/// Some places of some samples: part of one, or several whole.
struct Piece {
  std::int64_t sample, samples, first, last;

  std::int64_t places() const { return last - first; }
  std::int64_t columns() const { return samples * places(); }
};

/// All places of all samples in pieces of at most about `most` columns. Depends on sizes alone.
class Cut {
 public:
  static constexpr std::int64_t unit = 32;

  Cut(std::int64_t samples, std::int64_t places, std::int64_t most)
      : samples_(samples), places_(places) {
    constexpr std::int64_t own_piece = 128;  // a sample's; from here on results need not be moved
    most = larger(most, unit) / unit * unit;
    const std::int64_t parts = larger(divided_up(places, most), 1);
    places_each_ = larger(divided_up(places, parts), 1);
    if (parts > 1) places_each_ = divided_up(places_each_, unit) * unit;
    parts_ = divided_up(places, places_each_);
    samples_each_ =
        places_each_ >= own_piece ? 1 : larger(smaller(most / places_each_, samples), 1);
  }

  std::int64_t count() const { return divided_up(samples_, samples_each_) * parts_; }
  std::int64_t most_columns() const { return samples_each_ * places_each_; }
  Piece operator[](std::int64_t i) const {
    const std::int64_t sample = i / parts_ * samples_each_, first = i % parts_ * places_each_;
    return {sample, smaller(samples_each_, samples_ - sample), first,
            smaller(first + places_each_, places_)};
  }

 private:
  std::int64_t samples_, places_, samples_each_, places_each_, parts_;
};

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
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
}

/// Along each dim, tap k at place i meets element i * step + start + k * tap_step, or 0 outside.
template <class T>
struct Moved {
  const T* data;  // of the first channel
  std::int64_t sample_stride;
  std::int64_t sizes[space_dims], places[space_dims], taps[space_dims];
  std::int64_t step[space_dims], start[space_dims], tap_step[space_dims];

  std::int64_t channel_stride() const { return product(sizes); }

  /// Whether the matrix is what is there: a row a channel.
  bool is_plain() const {
    bool is = true;
    for (int d = 0; d < space_dims; ++d)
      is &= taps[d] == 1 && step[d] == 1 && start[d] == 0 && places[d] == sizes[d];
    return is;
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

  /// Row `row` of a piece: a column for each place.
  void copy(T* to, std::int64_t row, const Piece& piece) const {
    const std::int64_t tap = row % product(taps);
    const T* channel = data + row / product(taps) * channel_stride();
    const std::int64_t k[space_dims] = {tap / taps[2] / taps[1], tap / taps[2] % taps[1],
                                        tap % taps[2]};
    std::int64_t offset[space_dims];
    for (int d = 0; d < space_dims; ++d) offset[d] = start[d] + k[d] * tap_step[d];
    const std::int64_t width = places[2];
    const std::int64_t end = inside(divided_up(sizes[2] - offset[2], step[2]), 0, width);
    const std::int64_t begin = inside(divided_up(-offset[2], step[2]), 0, end);
    channel += piece.sample * sample_stride;
    for (std::int64_t i = 0; i < piece.samples; ++i, channel += sample_stride) {
      std::int64_t w = piece.first % width, line = piece.first / width;
      for (std::int64_t left = piece.places(); left > 0; ++line, w = 0) {
        const std::int64_t count = smaller(width - w, left);
        const std::int64_t y = line % places[1] * step[1] + offset[1];
        const std::int64_t z = line / places[1] * step[0] + offset[0];
        if (z < 0 || z >= sizes[0] || y < 0 || y >= sizes[1]) {
          fill(to, count, T(0));
        } else {
          const T* const from = channel + (z * sizes[1] + y) * sizes[2];
          const std::int64_t first = inside(begin, w, w + count),
                             last = inside(end, first, w + count);
          fill(to, first - w, T(0));
          copy_inside(to + (first - w), from, first, last, offset[2]);
          fill(to + (last - w), w + count - last, T(0));
        }
        to += count;
        left -= count;
      }
    }
  }

 private:
  static std::int64_t inside(std::int64_t x, std::int64_t low, std::int64_t high) {
    return larger(smaller(x, high), low);
  }
  void copy_inside(T* to, const T* from, std::int64_t begin, std::int64_t end,
                   std::int64_t offset) const {
    if (begin >= end) return;
    from += begin * step[2] + offset;
    if (step[2] == 1) return copy_dense(to, from, end - begin);
    const std::int64_t by = step[2];
    for (std::int64_t i = 0; i < end - begin; ++i) to[i] = from[i * by];
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

/// What `rows` of a product, `depth` of them moved rows, take.
template <class T>
double cost_ns(std::int64_t rows, std::int64_t depth, std::int64_t samples, std::int64_t places) {
  const double copied = static_cast<double>(samples * places) * static_cast<double>(depth + 1);
  return copied * (0.1 + static_cast<double>(rows) * 0.005 * sizeof(T));
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
