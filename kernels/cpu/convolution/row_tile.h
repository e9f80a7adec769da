// A tile of a convolution, computed in registers: vectors of out channels at some places of a line,
// whose elements are read one by one. Lanes are never lost to the ends of lines, and taps that meet
// nothing but padding are passed over.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/transpose.h"
#include "kernels/cpu/product/plus_product.h"
#include "kernels/cpu/wide/wide_vector.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// A tile has `vectors` of out channels, as many places as there are registers for, or down to half
/// as many.
constexpr int most_row_places(int vectors) { return (has_many_registers ? 28 : 12) / vectors; }
constexpr int least_row_places(int vectors) { return (most_row_places(vectors) + 1) / 2; }
/// Four vectors for lines so short that two would be too few sums.
constexpr int few_vectors = 2, many_vectors = 4;

/// A tap as the places of a tile meet it.
struct MetTap {
  std::int64_t tap, offset;        // from a place
  bool passes_first, passes_last;  // of the places: it meets nothing there
};

template <class T>
struct RowTile {
  const T* factors;  // of each channel of each tap, a line of all vectors
  std::int64_t channels, channel_step;
  const MetTap *first, *last;
  const T* met;  // at the first place
  T* out;
  std::int64_t out_stride, rows, places;  // those that are kept
  const T* bias;                          // an element a row, or null
  bool accumulate;
  std::int64_t twin_met, twin_out;  // of twins: where the other tile's lie behind this one's
};

template <class T, bool of_pairs, int vectors, int places, int begin, int end>
__attribute__((always_inline)) inline void add_tap(
    typename WideVector<T>::Type (&sum)[places][vectors], const T* factors, const T* met,
    std::int64_t channels, std::int64_t channel_step) {
  using V = typename WideVector<T>::Type;
#pragma GCC unroll 1
  for (; channels > 0; --channels) {
    V factor[vectors];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v)
      factor[v] = WideVector<T>::load(factors + v * WideVector<T>::lanes);
#pragma GCC unroll 14
    for (int j = begin; j < end; ++j)
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v)
        sum[j][v] = plus_product<of_pairs>(sum[j][v], met[j], factor[v]);
    met += channel_step;
    factors += vectors * WideVector<T>::lanes;
  }
}

/// to[j * rows + i] = from[i * columns + j], where both are whole numbers of vectors.
template <class T, std::int64_t rows, std::int64_t columns>
void turn_squares(T* to, const T* from) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr std::int64_t side = square_side<Bits>;
  for (std::int64_t i = 0; i < rows; i += larger(side, 1))
    for (std::int64_t j = 0; j < columns; j += larger(side, 1))
      if constexpr (side > 0)
        transpose_square<side>(reinterpret_cast<Bits*>(to + j * rows + i), rows,
                               reinterpret_cast<const Bits*>(from + i * columns + j), columns);
      else
        to[j * rows + i] = from[i * columns + j];
}

/// A row's places.
template <class T>
__attribute__((always_inline)) inline void keep_places(T* out, const T* sums, std::int64_t count,
                                                       T bias, bool accumulate) {
#ifdef __AVX512F__
  if constexpr (sizeof(T) == 4) {
    const auto mask = static_cast<__mmask16>((1u << count) - 1);
    const __m512 to = accumulate ? _mm512_maskz_loadu_ps(mask, out) : _mm512_set1_ps(bias);
    _mm512_mask_storeu_ps(out, mask, _mm512_add_ps(_mm512_loadu_ps(sums), to));
    return;
  }
#endif
  if (accumulate)
    for (std::int64_t j = 0; j < count; ++j) out[j] += sums[j];
  else
    for (std::int64_t j = 0; j < count; ++j) out[j] = sums[j] + bias;
}

/// Calls `add` with the first place that a tap meets and the one behind the last, as constants.
template <int places, class Add>
__attribute__((always_inline)) inline void add_met(const MetTap& tap, Add&& add) {
  if (tap.passes_first)
    add.template operator()<1, places>();
  else if (tap.passes_last)
    add.template operator()<0, places - 1>();
  else
    add.template operator()<0, places>();
}

/// Brings sums of some rows, side by side, to where the places lie side by side.
template <class T, int vectors, int places>
__attribute__((always_inline)) inline void keep_rows(
    const RowTile<T>& t, T* out, const T* bias, std::int64_t rows,
    const typename WideVector<T>::Type (&sum)[places][vectors]) {
  using V = typename WideVector<T>::Type;
  constexpr std::int64_t lanes = WideVector<T>::lanes, line = vectors * lanes;
  constexpr std::int64_t high = divided_up(std::int64_t{places}, lanes) * lanes;
  alignas(64) T sums[high * line], turned[line * high];
#pragma GCC unroll 16
  for (int j = 0; j < high; ++j)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v)
      WideVector<T>::store(sums + j * line + v * lanes, j < places ? sum[j][v] : V{});
  turn_squares<T, high, line>(turned, sums);
  for (std::int64_t i = 0; i < rows; ++i)
    keep_places(out + i * t.out_stride, turned + i * high, t.places, bias ? bias[i] : T(0),
                t.accumulate);
}

template <class T, bool of_pairs, int vectors, int places>
void sum_rows(const RowTile<T>& t) {
  using V = typename WideVector<T>::Type;
  constexpr std::int64_t line = vectors * WideVector<T>::lanes;
  V sum[places][vectors];
#pragma GCC unroll 14
  for (int j = 0; j < places; ++j)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) sum[j][v] = V{};
  for (const MetTap* tap = t.first; tap < t.last; ++tap) {
    const T* const factors = t.factors + tap->tap * t.channels * line;
    const T* const met = t.met + tap->offset;
    add_met<places>(
        *tap, [&]<int begin, int end>() __attribute__((always_inline)) {
          add_tap<T, of_pairs, vectors, places, begin, end>(sum, factors, met, t.channels,
                                                            t.channel_step);
        });
  }
  keep_rows<T>(t, t.out, t.bias, t.rows, sum);
}

/// Two tiles whose places meet the same taps, as those of two samples do: each factor, which comes
/// from the second cache, is read once for both. Half of a line's vectors at a time.
template <class T, bool of_pairs, int places>
void sum_twin_rows(const RowTile<T>& t) {
  using V = typename WideVector<T>::Type;
  constexpr int vectors = many_vectors / 2;
  constexpr std::int64_t lanes = WideVector<T>::lanes, line = many_vectors * lanes;
  for (std::int64_t row = 0; row < smaller(t.rows, line); row += vectors * lanes) {
    V sum[2][places][vectors];
#pragma GCC unroll 14
    for (int j = 0; j < 2 * places; ++j)
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) sum[j / places][j % places][v] = V{};
    for (const MetTap* tap = t.first; tap < t.last; ++tap) {
      const T* factors = t.factors + tap->tap * t.channels * line + row;
      const T* met = t.met + tap->offset;
      add_met<places>(
          *tap, [&]<int begin, int end>() __attribute__((always_inline)) {
#pragma GCC unroll 1
            for (std::int64_t c = 0; c < t.channels; ++c) {
              V factor[vectors];
#pragma GCC unroll 2
              for (int v = 0; v < vectors; ++v)
                factor[v] = WideVector<T>::load(factors + v * lanes);
#pragma GCC unroll 2
              for (int twin = 0; twin < 2; ++twin)
#pragma GCC unroll 7
                for (int j = begin; j < end; ++j)
#pragma GCC unroll 2
                  for (int v = 0; v < vectors; ++v)
                    sum[twin][j][v] = plus_product<of_pairs>(sum[twin][j][v],
                                                             met[twin * t.twin_met + j], factor[v]);
              met += t.channel_step;
              factors += line;
            }
          });
    }
    const std::int64_t rows = smaller(t.rows - row, vectors * lanes);
    T* const out = t.out + row * t.out_stride;
    const T* const bias = t.bias ? t.bias + row : nullptr;
    keep_rows<T>(t, out, bias, rows, sum[0]);
    keep_rows<T>(t, out + t.twin_out, bias, rows, sum[1]);
  }
}

/// [places - least_row_places]
template <class T, bool of_pairs, int vectors>
struct RowTiles {
  using Function = void (*)(const RowTile<T>&);
  static constexpr int least = least_row_places(vectors), most = most_row_places(vectors);

  Function of[most - least + 1];

  template <int... more>
  static constexpr RowTiles make(std::integer_sequence<int, more...>) {
    return {{sum_rows<T, of_pairs, vectors, least + more>...}};
  }
};

template <class T, bool of_pairs, int vectors>
constexpr RowTiles<T, of_pairs, vectors> row_tiles = RowTiles<T, of_pairs, vectors>::make(
    std::make_integer_sequence<int, RowTiles<T, of_pairs, vectors>::most -
                                        RowTiles<T, of_pairs, vectors>::least + 1>{});

/// [places - least_row_places]
template <class T, bool of_pairs>
struct TwinRowTiles {
  static constexpr int least = least_row_places(many_vectors);

  typename RowTiles<T, of_pairs, many_vectors>::Function
      of[most_row_places(many_vectors) - least + 1];

  template <int... more>
  static constexpr TwinRowTiles make(std::integer_sequence<int, more...>) {
    return {{sum_twin_rows<T, of_pairs, least + more>...}};
  }
};

template <class T, bool of_pairs>
constexpr TwinRowTiles<T, of_pairs> twin_row_tiles = TwinRowTiles<T, of_pairs>::make(
    std::make_integer_sequence<int, most_row_places(many_vectors) - least_row_places(many_vectors) +
                                        1>{});

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
