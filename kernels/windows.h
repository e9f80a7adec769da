// What kernels that slide windows along an input are given: convolutions, pools, samplings.
#pragma once

#include <cstdint>

#include "csrc/core/view.h"

namespace garboard::kernels {

/// Dims of space of every window: sizes and numbers of inputs with fewer begin with those of dims
/// of size 1.
inline constexpr int space_dims = 3;

/// Memory of the caller's for the length of a call: a kernel that wants some takes it once, or from
/// the system where nothing can be taken.
struct Workspace {
  void* context = nullptr;
  float* (*take)(void* context, std::int64_t floats) = nullptr;
};

/// out[n, o, t] = bias[o] + sum over c, k of weight[o, c, k] x[n, c, t stride + k dilation -
/// padding] along each dim of space, where c is of o's group and x is 0 outside. All views are
/// contiguous and of one floating dtype, and no number that the formula meets is 2^62 or more.
struct Convolution {
  View x;       // [samples, channels, sizes]
  View weight;  // [out channels, channels / groups, taps]
  View out;     // [samples, out channels, places]
  std::int64_t groups;
  std::int64_t stride[space_dims], padding[space_dims], dilation[space_dims];
  Workspace workspace = {};
};
struct Convolve : Convolution {
  static constexpr const char* name = "convolution";
  View bias;  // [out channels], or without data
};
/// Writes x: what comes to each of its elements from the gradient that is in out. `bias`, of a
/// transposed convolution, is [channels], or without data.
struct ConvolutionInputGradient : Convolution {
  static constexpr const char* name = "convolution backward";
  View bias;
};
/// Writes weight, likewise.
struct ConvolutionWeightGradient : Convolution {
  static constexpr const char* name = "convolution backward";
};

/// Along each dim, place t meets elements t stride - padding + k dilation for k < taps that lie
/// inside; where it adapts, elements [t size / places, (t + 1) size / places rounded up), and the
/// numbers say nothing.
struct PoolWindow {
  std::int64_t taps[space_dims], stride[space_dims], padding[space_dims], dilation[space_dims];
  bool adapts;
};

/// The largest element that a place meets, or NaN where there is one, the last, and its number in
/// the plane. Of numbers but half types.
struct MaxPool {
  static constexpr const char* name = "max_pool";
  View out;      // [planes, places], dense, as all that follows
  View indices;  // likewise, int32 or int64; of floats without data where nobody asks for them
  View x;        // [planes, sizes]
  PoolWindow window;
};
/// The windows of a pool, and the planes that they move on.
struct PooledPlanes {
  std::int64_t sizes[space_dims], places[space_dims];
  PoolWindow window;
};
/// x = 0, but for x[plane, indices[plane, i]], which is the sum of from[plane, i], or the last one.
struct PlaneScatter {
  static constexpr const char* name = "max_pool backward";
  View x;              // [planes, elements], floating
  View from, indices;  // [planes, picked]; indices are inside, int32 or int64
  bool adds;
  const PooledPlanes* pool = nullptr;  // where it is known: each place names an element it meets
};
/// out[plane, i] = x[plane, indices[plane, i]].
struct PlaneGather {
  static constexpr const char* name = "max_pool backward";
  View out, x, indices;
};

/// The sum of what a place meets, divided by the divisor, or, where that is 0, by how many there
/// are, with the zeros of the padding where it counts them.
struct AveragePool {
  static constexpr const char* name = "avg_pool";
  View out, x;  // [planes, places], [planes, sizes], dense, floating or int64, which it cuts off
  PoolWindow window;
  bool counts_padding;
  std::int64_t divisor;
};
/// Writes x from the gradient that is in out.
struct AveragePoolGradient : AveragePool {
  static constexpr const char* name = "avg_pool backward";
};

enum class Sampling : std::uint8_t { nearest, nearest_exact, linear, cubic };

/// Along the middle dim, place i of out is taken from around `scale` * i of x.
struct Resample {
  static constexpr const char* name = "interpolate";
  View out, x;  // [outer, places, inner], [outer, size, inner], dense and floating
  Sampling sampling;
  bool aligns_corners;
  double scale;  // elements of x a place
};
/// Writes x from the gradient that is in out.
struct ResampleGradient : Resample {
  static constexpr const char* name = "interpolate backward";
};

/// What lies beyond the edges of a plane that is sampled at any place.
enum class Beyond : std::uint8_t { zeros, border, reflection };

/// out[n, c, p] = x[n, c] at grid[n, p], where -1 and 1 are the plane's edges, or its outermost
/// elements where it aligns: the nearest element, or a mix of the two or four around it along each
/// dim. All views are dense and of one floating dtype.
struct GridSample {
  static constexpr const char* name = "grid_sample";
  View out;   // [samples, channels, places]
  View x;     // [samples, channels, *sizes], three of them, each at least 1, a plane below 2^31
  View grid;  // [samples, places, dims]: of the last size first
  int dims;   // 2 or 3
  Sampling sampling;  // but nearest_exact; cubic of 2 dims alone
  Beyond beyond;
  bool aligns_corners;
};
/// Writes what has data of d_x and d_grid, like x and grid, from the gradient that is in out.
struct GridSampleGradient : GridSample {
  static constexpr const char* name = "grid_sample backward";
  View d_x, d_grid;
};

}  // namespace garboard::kernels
