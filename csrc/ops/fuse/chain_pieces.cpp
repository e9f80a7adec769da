#include "csrc/ops/fuse/chain_pieces.h"

#include <algorithm>

namespace garboard {

ChainPieces::ChainPieces(const Dims& sizes, std::int64_t elements) : sizes(sizes) {
  std::int64_t inside = 1;
  dim = sizes.size() - 1;
  while (dim > 0 && inside * sizes[dim] <= elements) inside *= sizes[dim--];
  length = std::clamp<std::int64_t>(elements / inside, 1, sizes[dim]);
  per_line = (sizes[dim] + length - 1) / length;
  count = per_line;
  for (int d = 0; d < dim; ++d) count *= sizes[d];
}

ChainPieces::Piece ChainPieces::operator[](std::int64_t piece) const {
  const std::int64_t first = piece % per_line * length;
  return {piece / per_line, first, std::min(length, sizes[dim] - first)};
}

std::int64_t ChainPieces::piece_of(std::int64_t element) const {
  std::int64_t inside = 1;
  for (int d = dim + 1; d < sizes.size(); ++d) inside *= sizes[d];
  const std::int64_t line = inside * sizes[dim];
  return element / line * per_line + element % line / inside / length;
}

std::int64_t ChainPieces::offset(const View& whole, const Piece& piece) const {
  std::int64_t offset = piece.first * whole.strides[dim], left = piece.outer;
  for (int d = dim - 1; d >= 0; --d) {
    offset += left % sizes[d] * whole.strides[d];
    left /= sizes[d];
  }
  return offset;
}

Dims ChainPieces::part_sizes(const Piece& piece) const {
  Dims part{piece.length};
  for (int d = dim + 1; d < sizes.size(); ++d) part.push_back(sizes[d]);
  return part;
}

View ChainPieces::part(const View& whole, const Piece& piece) const {
  Dims strides;
  for (int d = dim; d < sizes.size(); ++d) strides.push_back(whole.strides[d]);
  const std::int64_t bytes =
      offset(whole, piece) * static_cast<std::int64_t>(item_size(whole.dtype));
  return make_view(whole.as<char>() + bytes, whole.dtype, part_sizes(piece), strides);
}

}  // namespace garboard
