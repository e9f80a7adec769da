// How the elements of a chain are cut into pieces.
#pragma once

#include <cstdint>

#include "csrc/core/view.h"

namespace garboard {

/// A box of elements: `length` places of dim `dim` from `first` on, at one place of the dims before
/// it. How a program is cut into pieces.
struct ChainPieces {
  /// Pieces of about `elements` each.
  ChainPieces(const Dims& sizes, std::int64_t elements);

  struct Piece {
    std::int64_t outer, first, length;
  };
  Piece operator[](std::int64_t piece) const;
  /// The piece that has an element of them all, by its number in their order.
  std::int64_t piece_of(std::int64_t element) const;
  /// The part of a view of all sizes, which may be broadcast.
  View part(const View& whole, const Piece& piece) const;
  std::int64_t offset(const View& whole, const Piece& piece) const;  // in elements
  Dims part_sizes(const Piece& piece) const;

  Dims sizes;
  int dim = 0;
  std::int64_t length = 1;    // of a piece, along `dim`
  std::int64_t per_line = 1;  // pieces at one place of the dims before it
  std::int64_t count = 1;
};

}  // namespace garboard
