// The gradient for the weight of a convolution of bfloat16, by the processor's tiles:
// docs/design/0054. Places are the depth: out's gradient has zeros between its lines, where copies
// of the input have what no place meets, and a tap lies at one distance in all of a copy.
#pragma once

#include "kernels/cpu/convolution/amx/finite.h"
#include "kernels/cpu/product/amx_tiles.h"
#include "kernels/cpu/taps/planes.h"

#if defined(__AVX512F__) && defined(__linux__)
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/loop/transpose.h"
#include "kernels/cpu/tuning.h"
#include "kernels/cpu/wide/half_conversions.h"
#endif

namespace garboard::kernels::GARBOARD_ISA {
namespace {

#if defined(__AVX512F__) && defined(__linux__)

class AmxWeightGradient {
 public:
  /// An infinity of x would reach taps that do not meet it.
  static bool suits(const ConvolutionWeightGradient& of) {
    const Sizes sizes(of);
    return of.x.dtype == DType::bfloat16 && may_use_tiles() &&
           sizes.rows >= tuning::amx_least_rows && of.x.count > 0 &&
           sizes.rows * sizes.depth() * sizes.samples * product(sizes.places) >=
               tuning::amx_least_products &&
           is_finite(of.x);
  }

  explicit AmxWeightGradient(const ConvolutionWeightGradient& of)
      : of_(of),
        sizes_(of),
        moved_(moved_input<BFloat16>(of, sizes_)),
        axes_{{moved_, 0, Reading::vectors},
              {moved_, 1, Reading::vectors},
              {moved_, 2, Reading::vectors}},
        rows_(divided_up(sizes_.rows, block_side)),
        all_columns_(divided_up(sizes_.channels, block_side)),
        columns_(divided_up(all_columns_,
                            divided_up(all_columns_, std::int64_t{tuning::amx_weight_columns}))),
        blocks_(divided_up(all_columns_, columns_)),
        cut_(axes_, sizes_.samples, moved_.places,
             {copied() / (rows_ + 2 * columns_) / block_side, most_places}, 1),
        planes_(moved_, axes_, cut_),
        channel_(divided_up(planes_.channel() + Planes<BFloat16>::slack, unit) * unit),
        line_((divided_up(planes_.channel(), unit) | 1) * unit) {
    for (std::int64_t k = 0; k < taps(); ++k) {
      taps_.push_back(planes_.tap(k));
      has_odd_ |= planes_.tap(k) % 2 != 0;
    }
    const std::int64_t wanted = smaller(most_parts / (sizes_.groups * blocks_), most_sums / sums());
    parts_ = larger(smaller(wanted, cut_.count()), 1);
  }

  void run() const {
    const Scratch all(parts_ * sums() * item);
    const double cost = static_cast<double>(sizes_.groups * sizes_.rows * sizes_.depth()) *
                        static_cast<double>(sizes_.samples * product(sizes_.places)) *
                        tuning::amx_product_ns;
    for_each_part(parts_ * sizes_.groups * blocks_, 1, cost,
                  [&](std::int64_t begin, std::int64_t end) {
                    const Scratch grads(rows_ * block_side * line_ * half);
                    const Scratch lines(tile_side * channel_ * half);
                    // What nothing is copied to is multiplied by 0.
                    std::memset(lines.data(), 0, static_cast<std::size_t>(tile() * half));
                    const Scratch met(columns_ * 4 * tile() * half);
                    const TileUse tiles;
                    for (std::int64_t i = begin; i < end; ++i)
                      add_part({.group = i / blocks_ % sizes_.groups,
                                .first_column = i % blocks_ * columns_,
                                .part = i / blocks_ / sizes_.groups,
                                .grads = grads.as<BFloat16>(),
                                .lines = lines.as<BFloat16>(),
                                .met = met.as<BFloat16>(),
                                .sums = all.as<float>()});
                  });
    add_up(all.as<float>());
  }

 private:
  static constexpr std::int64_t item = sizeof(float), half = sizeof(BFloat16), unit = 32;
  static constexpr std::int64_t most_places = 1 << 15, sums_of_block = block_side * block_side;
  static constexpr std::int64_t most_parts = tuning::convolution_parts / 2, most_sums = 1 << 21;

  struct Part {
    std::int64_t group, first_column, part;
    BFloat16 *grads, *lines, *met;
    float* sums;  // of all parts: [parts, groups, columns, rows, taps] of blocks
  };

  static std::int64_t copied() { return larger(machine().second_cache_bytes / 2, 1 << 18) / half; }
  std::int64_t taps() const { return product(moved_.taps); }
  std::int64_t sums() const {
    return sizes_.groups * all_columns_ * rows_ * taps() * sums_of_block;
  }
  /// Of a copy of 16 channels, with places or with the next ones at even numbers.
  std::int64_t tile() const { return tile_side * channel_; }

  void add_part(const Part& part) const {
    const std::int64_t boxes = cut_.count();
    const std::int64_t columns = smaller(columns_, all_columns_ - part.first_column);
    float* const sums =
        part.sums + part.part * this->sums() +
        (part.group * all_columns_ + part.first_column) * rows_ * taps() * sums_of_block;
    const std::int64_t first = boxes * part.part / parts_;
    for (std::int64_t i = first; i < boxes * (part.part + 1) / parts_; ++i) {
      interruption_point();
      const Box box = cut_[i];
      const std::int64_t depth =
          planes_.place(box.samples - 1, box.count[0] - 1, box.count[1] - 1, box.count[2] - 1) + 1;
      copy_grads(part, box);
      for (std::int64_t c = 0; c < 2 * columns; ++c) copy_met(part, box, c);
      multiply(part, sums, columns, divided_up(depth, tile_depth), i > first);
    }
  }

  /// A line for each row, with 0 between the places.
  void copy_grads(const Part& part, const Box& box) const {
    const std::int64_t channel = product(sizes_.places);
    const std::int64_t first =
        (box.first[0] * moved_.places[1] + box.first[1]) * moved_.places[2] + box.first[2];
    for (std::int64_t row = 0; row < rows_ * block_side; ++row) {
      BFloat16* const to = part.grads + row * line_;
      std::memset(to, 0, static_cast<std::size_t>(line_ * half));
      if (row >= sizes_.rows) continue;
      for (std::int64_t s = 0; s < box.samples; ++s) {
        const BFloat16* from = of_.out.as<BFloat16>() + (box.sample + s) * sizes_.out_stride() +
                               (part.group * sizes_.rows + row) * channel + first;
        for (std::int64_t z = 0; z < box.count[0]; ++z)
          for (std::int64_t y = 0; y < box.count[1]; ++y, from += box.count[2])
            copy_halves(to + planes_.place(s, z, y, 0), from, box.count[2]);
      }
    }
  }
  static void copy_halves(BFloat16* to, const BFloat16* from, std::int64_t count) {
    for (std::int64_t i = 0; i < count; i += unit) {
      const std::int64_t left = count - i;
      const auto mask = static_cast<__mmask32>(left >= unit ? ~0u : (1u << left) - 1);
      _mm512_mask_storeu_epi16(to + i, mask, _mm512_maskz_loadu_epi16(mask, from + i));
    }
  }

  /// 16 channels side by side, for two places each time.
  void copy_met(const Part& part, const Box& box, std::int64_t columns) const {
    const std::int64_t first = part.first_column * block_side + columns * tile_side;
    const std::int64_t some = smaller(sizes_.channels - first, tile_side);
    if (some <= 0) return;
    BFloat16* const to = part.met + columns * 2 * tile();
    if (some < tile_side)
      std::memset(part.lines, 0, static_cast<std::size_t>(tile_side * channel_ * half));
    const BFloat16* const from = moved_.data + box.sample * moved_.sample_stride +
                                 (part.group * sizes_.channels + first) * moved_.channel_stride();
    for (std::int64_t c = 0; c < some; ++c) {
      planes_.copy(part.lines + c * channel_, from + c * moved_.channel_stride(), box);
    }
    turn(to, part.lines);
    if (has_odd_) turn(to + tile(), part.lines + 1);
  }
  /// Words of 16 lines side by side.
  void turn(BFloat16* to, const BFloat16* lines) const {
    for (std::int64_t at = 0; at + unit < channel_; at += unit, to += block_elements / 2) {
      __m512 words[tile_side];
      for (std::int64_t c = 0; c < tile_side; ++c)
        words[c] = _mm512_loadu_ps(reinterpret_cast<const float*>(lines + c * channel_ + at));
      transpose_lanes(words);
      for (std::int64_t i = 0; i < tile_side; ++i)
        _mm512_storeu_ps(reinterpret_cast<float*>(to + i * tile_depth), words[i]);
    }
  }

  void multiply(const Part& part, float* sums, std::int64_t columns, std::int64_t steps,
                bool accumulate) const {
    TileBlock block;
    block.a_row = line_ * half;
    block.a_step = tile_row_bytes;
    block.a_below = tile_side * block.a_row;
    block.b_step = tile_bytes;
    block.b_right = 2 * tile() * half;
    block.steps = steps;
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t first = (part.first_column + c) * block_side;
      const std::int64_t some = smaller(sizes_.channels - first, block_side);
      const BFloat16* const met = part.met + c * 4 * tile();
      for (std::int64_t row = 0; row < rows_; ++row) {
        block.a = reinterpret_cast<const char*>(part.grads + row * block_side * line_);
        for (const std::int64_t tap : taps_) {
          block.b = reinterpret_cast<const char*>(met + (tap % 2 != 0 ? tile() : 0) +
                                                  tap / 2 * tile_depth);
          block.sums = sums;
          multiply_block(block, smaller(sizes_.rows - row * block_side, block_side), some,
                         accumulate);
          sums += sums_of_block;
        }
      }
    }
  }

  /// The parts in order, rounded, and taps of a channel side by side.
  void add_up(float* sums) const {
    const std::int64_t lines = sizes_.groups * all_columns_ * rows_;
    for_each_part(lines, 1, static_cast<double>(this->sums() * (parts_ + 3)) * 0.2,
                  [&](std::int64_t begin, std::int64_t end) {
                    const std::int64_t elements = taps() * sums_of_block;
                    const Scratch rounded(taps() * block_side * half);
                    for (std::int64_t i = begin; i < end; ++i) {
                      float* const total = sums + i * elements;
                      for (std::int64_t part = 1; part < parts_; ++part)
                        for (std::int64_t j = 0; j < elements; ++j)
                          total[j] += total[part * this->sums() + j];
                      store(total, rounded.as<BFloat16>(), i);
                    }
                  });
  }
  void store(const float* sums, BFloat16* rounded, std::int64_t block) const {
    const std::int64_t group = block / (all_columns_ * rows_);
    const std::int64_t channel = block / rows_ % all_columns_ * block_side;
    const std::int64_t row = block % rows_ * block_side;
    const std::int64_t channels = smaller(sizes_.channels - channel, block_side);
    for (std::int64_t r = 0; r < smaller(sizes_.rows - row, block_side); ++r) {
      for (std::int64_t k = 0; k < taps(); ++k)
        narrow(rounded + k * block_side, sums + k * sums_of_block + r * block_side, block_side);
      BFloat16* const to = of_.weight.as<BFloat16>() +
                           (group * sizes_.rows + row + r) * sizes_.depth() + channel * taps();
      transpose(reinterpret_cast<std::uint16_t*>(to), taps(),
                reinterpret_cast<const std::uint16_t*>(rounded), block_side, taps(), channels);
    }
  }

  static constexpr std::int64_t block_elements = block_bytes / half;

  const ConvolutionWeightGradient& of_;
  Sizes sizes_;
  Moved<BFloat16> moved_;
  Axis axes_[space_dims];
  std::int64_t rows_, all_columns_, columns_, blocks_;  // blocks of rows, of channels; of a part
  Cut cut_;
  Planes<BFloat16> planes_;
  std::int64_t channel_, line_;  // elements of a copied channel, of a row of gradients
  std::vector<std::int64_t> taps_;
  bool has_odd_ = false;
  std::int64_t parts_;
};

#else

class AmxWeightGradient {
 public:
  static bool suits(const ConvolutionWeightGradient&) { return false; }
  explicit AmxWeightGradient(const ConvolutionWeightGradient&) {}
  void run() const {}
};

#endif

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
