// What the kernels of attention ask of a call: where elements are, what is seen, what is dropped.
#pragma once

#include "kernels/cuda/launch/played.h"
#include "kernels/cuda/sequences/tile.h"
#include "kernels/functors/element.h"
#include "kernels/functors/philox.h"
#include "kernels/functors/scalar_math.h"
#include "kernels/sequences.h"

namespace garboard::kernels::cuda {

template <class T>
inline constexpr T lowest_score = -functors::infinity<T>;

/// A view of four dims, [batch, heads, length, dense rows].
template <class T>
struct Sequences {
  T* data;
  std::int64_t batch, head, row;  // strides

  explicit Sequences(const View& of)
      : data(of.as<T>()), batch(of.strides[0]), head(of.strides[1]), row(of.strides[2]) {}
  /// The tile that begins at row `first` of `rows`.
  GARBOARD_HD TileRows<T> tile(std::int64_t b, std::int64_t h, std::int64_t first,
                               std::int64_t rows) const {
    return {data + b * batch + h * head + first * row, row, rows - first};
  }
};

/// What is seen of the scores.
template <class T>
struct Mask {
  using Score = functors::Widened<T>;

  const T* added;            // null where `seen` stands, or nothing
  const std::uint8_t* seen;  // null where `added` stands, or nothing
  std::int64_t strides[4];

  explicit Mask(const View& of)
      : added(of.dtype == DType::boolean ? nullptr : of.as<T>()),
        seen(of.dtype == DType::boolean ? of.as<std::uint8_t>() : nullptr),
        strides{} {
    for (int d = 0; d < 4 && of.data; ++d) strides[d] = of.strides[d];
  }
  GARBOARD_HD Score masked(Score score, std::int64_t batch, std::int64_t head, std::int64_t row,
                           std::int64_t column) const {
    const std::int64_t at =
        batch * strides[0] + head * strides[1] + row * strides[2] + column * strides[3];
    if (added) return score + functors::widened(added[at]);
    return seen && seen[at] == 0 ? lowest_score<Score> : score;
  }
};

/// All that the kernels ask of a call.
template <class T>
struct AttentionShape {
  using Score = functors::Widened<T>;

  std::int64_t heads, shared_heads, rows, columns, depth, values;
  Sequences<const T> q, k, v;
  Mask<T> mask;
  Score scale;
  bool is_causal;
  double keep;
  RandomStream numbers;

  explicit AttentionShape(const Attention& of)
      : heads(of.q.sizes[1]),
        shared_heads(of.k.sizes[1]),
        rows(of.q.sizes[2]),
        columns(of.k.sizes[2]),
        depth(of.q.sizes[3]),
        values(of.v.sizes[3]),
        q(of.q),
        k(of.k),
        v(of.v),
        mask(of.mask),
        scale(static_cast<Score>(of.scale)),
        is_causal(of.is_causal),
        keep(of.keep),
        numbers(of.numbers) {}

  GARBOARD_HD std::int64_t shared_head(std::int64_t head) const {
    return head / (heads / shared_heads);
  }
  /// The score of a row and a column, of the product of the two.
  GARBOARD_HD Score score(Score product, std::int64_t batch, std::int64_t head, std::int64_t row,
                          std::int64_t column) const {
    if (row >= rows || column >= columns || (is_causal && column > row)) return lowest_score<Score>;
    return mask.masked(product * scale, batch, head, row, column);
  }
  /// Behind the last column that rows before `end` see.
  GARBOARD_HD std::int64_t end_of_columns(std::int64_t end) const {
    return is_causal && end < columns ? end : columns;
  }

  /// The random numbers of columns [4 quad, 4 quad + 4) of a row.
  GARBOARD_HD functors::FourWords words(std::int64_t batch, std::int64_t head, std::int64_t row,
                                        std::int64_t quad) const {
    const auto in_row = static_cast<std::uint64_t>((columns + 3) / 4);
    const auto before = static_cast<std::uint64_t>((batch * heads + head) * rows + row);
    const RandomStream now = played(numbers);
    const auto counter = now.offset + before * in_row + static_cast<std::uint64_t>(quad);
    return functors::philox(counter, 0, now.seed);
  }
  GARBOARD_HD bool keeps(std::uint32_t word) const {
    return static_cast<double>(word) < keep * 4294967296.0;
  }
  /// What dropout does to the share of a row and a column. Not inlined: it is rarely asked for, and
  /// the loops around it are unrolled.
  __device__ [[gnu::noinline]] Score factor(std::int64_t batch, std::int64_t head, std::int64_t row,
                                            std::int64_t column) const {
    const auto four = words(batch, head, row, column / 4);
    return keeps(four.word[column % 4]) ? static_cast<Score>(1 / keep) : Score(0);
  }
};

}  // namespace garboard::kernels::cuda
