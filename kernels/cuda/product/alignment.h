// What of an address a library chooses its kernels by.
#pragma once

#include <algorithm>
#include <cstdint>

namespace garboard::kernels::cuda {

/// The largest power of two that divides the address, at most `most`.
inline std::int64_t alignment_of(const void* data, std::uintptr_t most) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  return static_cast<std::int64_t>(std::min<std::uintptr_t>(address & (~address + 1), most));
}

}  // namespace garboard::kernels::cuda
