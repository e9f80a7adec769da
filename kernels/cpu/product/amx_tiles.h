// The processor's own tiles (AMX), of bfloat16: registers of 16 rows by 64 bytes, and what
// multiplies two of them.
#pragma once

#include <cstdint>

#if defined(__AVX512F__) && defined(__linux__)
#include <asm/prctl.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace garboard::kernels::GARBOARD_ISA {
namespace {

#if defined(__AVX512F__) && defined(__linux__)

/// A tile has 16 rows of as many floats, or pairs of bfloat16 along the depth; a block of a result
/// two by two of them, one of an operand two: that fills all eight.
constexpr std::int64_t tile_side = 16, tile_floats = tile_side * tile_side,
                       block_side = 2 * tile_side;
constexpr std::int64_t tile_depth = 2 * tile_side, block_floats = 2 * tile_floats;
constexpr std::int64_t tile_row_bytes = tile_side * std::int64_t{sizeof(float)};
constexpr std::int64_t tile_bytes = tile_side * tile_row_bytes, block_bytes = 2 * tile_bytes;

/// Whether there are tiles, and the system lets the process use them: what it keeps of a thread's
/// has to be asked for, once.
inline bool may_use_tiles() noexcept {
  static const bool may = [] {
    if (!__builtin_cpu_supports("amx-tile") || !__builtin_cpu_supports("amx-bf16")) return false;
#ifdef ARCH_REQ_XCOMP_PERM
    constexpr long request = ARCH_REQ_XCOMP_PERM;
#else
    constexpr long request = 0x1023;
#endif
    constexpr long tile_data = 18;
    return syscall(SYS_arch_prctl, request, tile_data) == 0;
  }();
  return may;
}

/// Tiles of full size, for as long as it lives. On one thread.
class TileUse {
 public:
  TileUse() { configure(); }
  TileUse(const TileUse&) = delete;
  TileUse& operator=(const TileUse&) = delete;
  ~TileUse() { release(); }

 private:
  struct alignas(64) Configuration {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t bytes[16] = {};  // of a row
    std::uint8_t rows[16] = {};
  };

  [[gnu::target("amx-tile")]] static void configure() {
    Configuration full;
    for (int tile = 0; tile < 8; ++tile) {
      full.bytes[tile] = std::uint16_t{tile_row_bytes};
      full.rows[tile] = std::uint8_t{tile_side};
    }
    asm volatile("ldtilecfg %0" : : "m"(full));  // g++'s own tells of 8 bytes that are read
  }
  [[gnu::target("amx-tile")]] static void release() { _tile_release(); }
};

/// A block of a result in floats, and what it is the product of: tiles of a and of b, one after the
/// other along the depth. Distances are in bytes.
struct TileBlock {
  const char* a = nullptr;
  std::int64_t a_row = tile_row_bytes, a_step = block_bytes, a_below = tile_bytes;
  const char* b = nullptr;
  std::int64_t b_row = tile_row_bytes, b_step = block_bytes, b_right = tile_bytes;
  const std::int64_t* b_places = nullptr;  // of each step from b, where they have no one distance
  std::int64_t steps = 0;
  float* sums = nullptr;  // [block_side, block_side], at a line of the cache
};

/// Sums become a b, or have it added, for so many rows and columns of tiles.
template <int rows, int columns>
[[gnu::target("amx-tile,amx-bf16")]] void multiply_block(TileBlock& of, bool accumulate) {
  constexpr std::int64_t line = block_side * std::int64_t{sizeof(float)};
  float *const above = of.sums, *const below = of.sums + tile_side * block_side;
  if (accumulate) {
    _tile_loadd(0, above, line);
    if constexpr (columns > 1) _tile_loadd(1, above + tile_side, line);
    if constexpr (rows > 1) _tile_loadd(2, below, line);
    if constexpr (rows > 1 && columns > 1) _tile_loadd(3, below + tile_side, line);
  } else {
    _tile_zero(0);
    if constexpr (columns > 1) _tile_zero(1);
    if constexpr (rows > 1) _tile_zero(2);
    if constexpr (rows > 1 && columns > 1) _tile_zero(3);
  }
  const char *a = of.a, *b = of.b;
  for (std::int64_t k = 0; k < of.steps; ++k, a += of.a_step) {
    if (of.b_places) b = of.b + of.b_places[k];
    _tile_loadd(4, a, of.a_row);
    _tile_loadd(6, b, of.b_row);
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (columns > 1) {
      _tile_loadd(7, b + of.b_right, of.b_row);
      _tile_dpbf16ps(1, 4, 7);
    }
    if constexpr (rows > 1) {
      _tile_loadd(5, a + of.a_below, of.a_row);
      _tile_dpbf16ps(2, 5, 6);
      if constexpr (columns > 1) _tile_dpbf16ps(3, 5, 7);
    }
    b += of.b_step;
  }
  _tile_stored(0, above, line);
  if constexpr (columns > 1) _tile_stored(1, above + tile_side, line);
  if constexpr (rows > 1) _tile_stored(2, below, line);
  if constexpr (rows > 1 && columns > 1) _tile_stored(3, below + tile_side, line);
}

inline void multiply_block(TileBlock& of, std::int64_t rows, std::int64_t columns,
                           bool accumulate) {
  if (rows > tile_side && columns > tile_side) return multiply_block<2, 2>(of, accumulate);
  if (rows > tile_side) return multiply_block<2, 1>(of, accumulate);
  columns > tile_side ? multiply_block<1, 2>(of, accumulate) : multiply_block<1, 1>(of, accumulate);
}

#else

inline bool may_use_tiles() noexcept { return false; }

#endif

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
