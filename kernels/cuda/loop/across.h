// What lies across: a view whose neighbours in memory are neighbours along another dim than the
// innermost of a nest. Read in the nest's order it brings a line of memory for each element.
#pragma once

#include "kernels/cuda/launch/offsets.h"

namespace garboard::kernels::cuda {
namespace {

constexpr std::int64_t least_side = 16, least_turned = 1 << 15;  // elements

/// The dim along which operand `k` of a nest has its neighbours, where it lies across; or -1.
inline int dim_across(const NestPart& nest, int k) {
  if (nest.dims < 2 || nest.count() < least_turned) return -1;
  const LoopDim& inner = nest.inner();
  if (inner.strides[0] != 1 || inner.size < least_side) return -1;
  if (size_of(inner.strides[k]) < 2) return -1;
  for (int d = 0; d < nest.dims - 1; ++d)
    if (nest.dim[d].strides[k] == 1 && nest.dim[d].size >= least_side) return d;
  return -1;
}

/// Of a tile that a block walks: what lies across is read line by line there, too, for the lines
/// stay in the block's cache.
constexpr std::int64_t tile_side = 32;

/// The nest as parts whose elements follow each other by square tiles along dim `across` and the
/// innermost, and what is left of both dims in the nest's own order.
inline std::vector<NestPart> by_tiles(const NestPart& nest, int across) {
  const int inner = nest.dims - 1;
  if (across < 0 || nest.dims + 2 > max_dims) return {nest};
  std::vector<NestPart> parts;
  NestPart rest = nest;
  // What lies from `from` on along a dim of a part.
  const auto behind = [&](const NestPart& of, int d, std::int64_t from) {
    NestPart part = of;
    part.dim[d].size -= from;
    for (int k = 0; k < part.operands; ++k) part.start[k] += from * part.dim[d].strides[k];
    return part;
  };
  for (const int d : {across, inner}) {
    const std::int64_t whole = rest.dim[d].size / tile_side * tile_side;
    if (whole < rest.dim[d].size) parts.push_back(behind(rest, d, whole));
    rest.dim[d].size = whole;
  }
  for (const int d : {across, inner}) {
    LoopDim& tiles = rest.dim[d];
    rest.dim[rest.dims] = tiles;
    rest.dim[rest.dims++].size = tile_side;
    tiles.size /= tile_side;
    for (int k = 0; k < rest.operands; ++k) tiles.strides[k] *= tile_side;
  }
  if (rest.count() > 0) parts.push_back(rest);
  return parts;
}

}  // namespace
}  // namespace garboard::kernels::cuda
