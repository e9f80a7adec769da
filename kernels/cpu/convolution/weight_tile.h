// A tile of the gradient for a convolution's weight, computed in registers: the taps of some lines
// by two vectors of out channels, summed over places.
#pragma once

#include <cstdint>
#include <utility>

#include "kernels/cpu/product/plus_product.h"
#include "kernels/cpu/wide/wide_vector.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// So many taps that lie side by side are a line; of more, each is one.
constexpr int most_line_taps = 7;

/// How many lines a tile has: as many as there are registers for.
constexpr int tile_lines(int taps) {
  constexpr int many[] = {8, 6, 3, 3, 2, 2, 2}, few[] = {6, 3, 2, 1, 1, 1, 1};
  return has_many_registers ? many[taps - 1] : few[taps - 1];
}
constexpr int most_tile_lines = 8;
constexpr int most_weight_vectors = 2;
/// Of out channels: two, but where seven sums of each would be one register too many.
constexpr int tile_vectors(int taps) { return has_many_registers || taps < 7 ? 2 : 1; }

/// Places that follow each other by one step.
struct RunOfPlaces {
  std::int64_t met, place, count;  // the first one: where its copies and its gradients lie
};

template <class T>
struct WeightTile {
  const T* met[most_tile_lines];  // of each line
  std::int64_t step;              // from place to place
  const T* grads[2];              // a vector of out channels a place
  const RunOfPlaces *first, *last;
  T* sums;  // [lines * taps, row]
  std::int64_t sums_row, lines;
  bool accumulate;
};

template <class T, bool of_pairs, int taps, int vectors>
void sum_tile(const WeightTile<T>& t) {
  using V = typename WideVector<T>::Type;
  constexpr int lines = tile_lines(taps);
  V sum[lines * taps][vectors];
#pragma GCC unroll 14
  for (int i = 0; i < lines * taps; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) sum[i][v] = V{};
  for (const RunOfPlaces* run = t.first; run < t.last; ++run) {
    const T* met[lines];
#pragma GCC unroll 8
    for (int l = 0; l < lines; ++l) met[l] = t.met[l] + run->met;
    const T* grads[vectors];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) grads[v] = t.grads[v] + run->place * WideVector<T>::lanes;
    std::int64_t at = 0;
#pragma GCC unroll 1
    for (std::int64_t left = run->count; left > 0; --left, at += t.step) {
      V y[vectors];
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        y[v] = WideVector<T>::load(grads[v]);
        grads[v] += WideVector<T>::lanes;
      }
#pragma GCC unroll 8
      for (int l = 0; l < lines; ++l)
#pragma GCC unroll 7
        for (int k = 0; k < taps; ++k)
#pragma GCC unroll 2
          for (int v = 0; v < vectors; ++v)
            sum[l * taps + k][v] =
                plus_product<of_pairs>(sum[l * taps + k][v], met[l][at + k], y[v]);
    }
  }
  T* to = t.sums;
  const std::int64_t row = t.sums_row, kept = t.lines * taps;
  const bool accumulate = t.accumulate;
#pragma GCC unroll 14
  for (int i = 0; i < lines * taps; ++i, to += row) {
    if (i >= kept) return;
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      T* const at = to + v * WideVector<T>::lanes;
      WideVector<T>::store(at, accumulate ? WideVector<T>::load(at) + sum[i][v] : sum[i][v]);
    }
  }
}

/// [taps - 1][vectors - 1]
template <class T, bool of_pairs>
struct WeightTiles {
  using Function = void (*)(const WeightTile<T>&);

  Function of[most_line_taps][most_weight_vectors];

  template <int... taps>
  static constexpr WeightTiles make(std::integer_sequence<int, taps...>) {
    WeightTiles tiles{};
    ((tiles.of[taps][0] = sum_tile<T, of_pairs, taps + 1, 1>,
      tiles.of[taps][1] = sum_tile<T, of_pairs, taps + 1, tile_vectors(taps + 1)>),
     ...);
    return tiles;
  }
};

template <class T, bool of_pairs>
constexpr WeightTiles<T, of_pairs> weight_tiles =
    WeightTiles<T, of_pairs>::make(std::make_integer_sequence<int, most_line_taps>{});

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
