// How what one call maps is cut into handles of the driver, each of which can only go as a whole.
#pragma once

#include <cstddef>
#include <cstdint>

#include "csrc/core/rounding.h"

namespace garboard {

/// Of a source: granules, and large handles of many. Both are powers of two.
struct HandleSizes {
  std::size_t granularity_bytes;
  std::size_t large_bytes;  // 0: there are none

  /// Of the handle at `at`, where what one call maps goes on up to `end`: large only where that is
  /// aligned to it and has room for all of it.
  std::size_t bytes_at(std::byte* at, std::byte* end) const noexcept {
    const bool is_large = large_bytes > 0 && rounded_down(at, large_bytes) == at &&
                          static_cast<std::size_t>(end - at) >= large_bytes;
    return is_large ? large_bytes : granularity_bytes;
  }
};

}  // namespace garboard
