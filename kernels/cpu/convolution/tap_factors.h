// The factors of a convolution's taps, and how tiles want them: a line of rows for each tap of each
// channel.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/cpu/convolution/direct_tile.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/transpose.h"
#include "kernels/cpu/taps/moved.h"
#include "kernels/cpu/tuning.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Where a factor stands: for a row of a group at row * row_step + channel * channel_step + that of
/// the tap.
template <class T>
struct TapFactors {
  const T* data;
  std::int64_t group_step, row_step, channel_step;
  std::vector<std::int64_t> taps;

  std::int64_t count() const { return static_cast<std::int64_t>(taps.size()); }
  bool are_adjacent() const { return taps.front() == 0 && taps.back() == count() - 1; }
  bool is_dense() const { return channel_step == count() && are_adjacent(); }
  /// `rows` from `row` on: a line for each tap of each channel, with zeros behind the rows.
  void pack(T* to, std::int64_t group, std::int64_t row, std::int64_t rows,
            std::int64_t channels) const {
    const T* from = data + group * group_step + row * row_step;
    if (is_dense())
      return pack_lines(to, strip_line, from, row_step, rows, channels * channel_step);
    if (sizeof(T) == 4 && has_panels() && count() > 1 && are_adjacent()) {
      for (std::int64_t c = 0; c < channels; ++c, from += channel_step) {
        for (std::int64_t i = 0; i < rows; ++i)
          __builtin_prefetch(from + 2 * channel_step + i * row_step);
        pack_lines(to, strip_line, from, row_step, rows, count());
        to += count() * strip_line;
      }
      return;
    }
    if (rows < strip_line) fill(to, channels * count() * strip_line, T(0));
    for (std::int64_t c = 0; c < channels; ++c, from += channel_step)
      if (are_adjacent()) {
        transpose(reinterpret_cast<Bits*>(to), strip_line, reinterpret_cast<const Bits*>(from),
                  row_step, rows, count());
        to += count() * strip_line;
      } else {
        for (const std::int64_t tap : taps) {
          for (std::int64_t i = 0; i < rows; ++i) to[i] = from[tap + i * row_step];
          to += strip_line;
        }
      }
  }
  /// Likewise, a tap after the other, with zeros behind the rows to a line of `line`.
  void pack_by_taps(T* to, std::int64_t line, std::int64_t group, std::int64_t row,
                    std::int64_t rows, std::int64_t first_channel, std::int64_t channels) const {
    const T* const from = data + group * group_step + row * row_step + first_channel * channel_step;
    constexpr std::int64_t side = square_side<Bits>;
    std::int64_t packed = 0;
    if constexpr (side > 0) {
      for (; is_dense() && packed + side <= rows; packed += side)
        pack_square(to + packed, line, from + packed * row_step, channels);
      if (packed == 0 && count() > 1 && are_adjacent()) {
        for (std::int64_t c = 0; c < channels; ++c)
          transpose(reinterpret_cast<Bits*>(to + c * line), channels * line,
                    reinterpret_cast<const Bits*>(from + c * channel_step), row_step, rows,
                    count());
        packed = rows;
      }
    }
    for (std::int64_t k = 0; k < count(); ++k)
      for (std::int64_t c = 0; c < channels; ++c, to += line) {
        const T* const factor = from + c * channel_step + taps[static_cast<std::size_t>(k)];
        for (std::int64_t i = packed; i < rows; ++i) to[i] = factor[i * row_step];
        fill(to + rows, line - rows, T(0));
      }
  }

 private:
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

  /// Some rows of dense factors, turned around.
  void pack_square(T* to, std::int64_t line, const T* from, std::int64_t channels) const {
    constexpr std::int64_t side = square_side<Bits>;
    const std::int64_t depth = channels * count();
    Bits square[side * side];
    for (std::int64_t j = 0, c = 0, k = 0; j < depth; j += side) {
      const std::int64_t some = smaller(side, depth - j);
      for (std::int64_t i = 0; i < side; ++i)
        __builtin_prefetch(from + i * row_step + j + tuning::rows_ahead);
      transpose(square, side, reinterpret_cast<const Bits*>(from + j), row_step, side, some);
      for (std::int64_t i = 0; i < some; ++i) {
        __builtin_memcpy(to + (k * channels + c) * line, square + i * side, sizeof(T) * side);
        if (++k == count()) {
          k = 0;
          ++c;
        }
      }
    }
  }
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
