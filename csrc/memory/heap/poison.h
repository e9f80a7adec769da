// Tells the address sanitizer which bytes are handed out: it cannot see into a cache. Without the
// sanitizer nothing is done.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace garboard {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool poisons_memory = true;
#else
inline constexpr bool poisons_memory = false;
#endif

/// From now on an access ends the program.
inline void poison([[maybe_unused]] const void* address, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_poison_memory_region(address, bytes);
#endif
}

inline void unpoison([[maybe_unused]] const void* address, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(address, bytes);
#endif
}

}  // namespace garboard
