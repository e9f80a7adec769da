// Attention of float32 on tensor cores: what attention.cu hands on.
#pragma once

#include <algorithm>

#include "csrc/core/host_device.h"
#include "csrc/device/device.h"
#include "kernels/sequences.h"

namespace garboard::kernels::cuda {

inline constexpr int float_tile_rows = 64;  // that a block has

/// Parts of what is not finite are no numbers. What a warp has found is then in doubt, and another
/// kernel computes the tile again: here is a word for each warp, which is 0 where all is well.
struct Doubts {
  std::uint32_t* words;  // null: all is in doubt

  static constexpr int of_tile = 4;

  GARBOARD_HD bool has(std::int64_t tile) const {
    if (!words) return true;
    const std::uint32_t* const mine = words + tile * of_tile;
    return (mine[0] | mine[1] | mine[2] | mine[3]) != 0;
  }
};

/// Whether the kernels below take the call: the device has the words of warp.h, and no row of q, k
/// or v has more than 128 numbers.
bool takes_floats(const Attention& of, Stream stream);

/// Calls `run` with a width as wide as the call's rows.
template <class Run>
void visit_float_widths(const Attention& of, const Run& run) {
  const std::int64_t widest = std::max(of.q.sizes[3], of.v.sizes[3]);
  if (widest <= 32)
    run.template operator()<32>();
  else if (widest <= 64)
    run.template operator()<64>();
  else
    run.template operator()<128>();
}

/// As the kernels they are parts of, but for tiles in doubt, which are to be computed again: of
/// rows of the result, [batch, heads, tiles], or of those of d_k, likewise.
void attend_floats(const Attention& of, const Doubts& doubts, Stream stream);

struct GradientDoubts {
  Doubts rows, columns;
};
/// `deltas`, [batch, heads, rows], takes the products of rows of the result and of its gradient.
void find_gradients_of_floats(const AttentionGradient& of, float* deltas,
                              const GradientDoubts& doubts, Stream stream);

}  // namespace garboard::kernels::cuda
