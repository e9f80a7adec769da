// Memory for the length of a kernel, from the system's heap, and who keeps count of it.
#pragma once

#include <cstddef>

namespace garboard {

/// Who is told of scratch. Without `declare` nobody is.
class ScratchKeeper {
 public:
  struct Ways {
    /// Before so many bytes are taken, on whatever thread. Throws OutOfMemoryError to refuse them.
    void (*take)(std::size_t bytes);
    void (*give_back)(std::size_t bytes) noexcept;
  };
  /// Once for all; `ways` has no end.
  static void declare(const Ways& ways) noexcept;
};

/// Pieces below a page come and go too often to be told of, and come to nothing.
inline constexpr std::size_t least_told_scratch = 4096;

/// A piece, and how much of it the keeper knows.
struct ScratchPiece {
  void* address = nullptr;
  std::size_t told_bytes = 0;
};

/// Aligned to a line, uninitialised. Throws std::bad_alloc, and what the keeper throws.
ScratchPiece take_scratch(std::size_t bytes);
/// On the thread that has taken it.
void give_back(ScratchPiece piece) noexcept;

}  // namespace garboard
