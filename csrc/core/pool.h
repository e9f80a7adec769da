// Small blocks kept by the thread that freed them, so that a hit asks neither the system nor a
// lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace garboard::pool {

/// What is larger comes from, and returns to, the system at once.
inline constexpr std::size_t largest_bytes = 640;  // a scope fits

namespace detail {

// Fine where most blocks are: of records that a program keeps by the million.
inline constexpr std::size_t fine_grain_bytes = 16, coarse_grain_bytes = 64;
inline constexpr std::size_t largest_fine_bytes = 448;  // a graph node fits
inline constexpr int fine_classes = largest_fine_bytes / fine_grain_bytes;
inline constexpr int class_count =
    fine_classes + int{(largest_bytes - largest_fine_bytes) / coarse_grain_bytes};
inline constexpr int most_kept = 1024;

struct Free {
  Free* next;
};
struct FreeLists {
  Free* first[class_count];
  /// For how many more; 0 until the thread's end is watched, and again once it has come.
  std::int16_t room[class_count];
};
// Initial-exec: the default model of a shared library costs a call an access.
extern constinit thread_local FreeLists free_lists [[gnu::tls_model("initial-exec")]];

constexpr std::size_t class_of(std::size_t bytes) {
  return bytes <= largest_fine_bytes
             ? (bytes - 1) / fine_grain_bytes
             : fine_classes + (bytes - largest_fine_bytes - 1) / coarse_grain_bytes;
}
constexpr std::size_t bytes_of(std::size_t size_class) {
  return size_class < fine_classes
             ? (size_class + 1) * fine_grain_bytes
             : largest_fine_bytes + (size_class + 1 - fine_classes) * coarse_grain_bytes;
}
void* take_slowly(std::size_t bytes);
void give_slowly(void* block, std::size_t bytes) noexcept;

}  // namespace detail

/// A block of at least `bytes`, more than 0: aligned to 64 where they are a multiple of 64, else to
/// 16. Throws std::bad_alloc.
inline void* take(std::size_t bytes) {
  if (bytes <= largest_bytes) {
    const std::size_t size_class = detail::class_of(bytes);
    if (detail::Free* const block = detail::free_lists.first[size_class]) {
      detail::free_lists.first[size_class] = block->next;
      ++detail::free_lists.room[size_class];
      return block;
    }
  }
  return detail::take_slowly(bytes);
}

/// Returns what `take(bytes)` gave, on any thread.
inline void give(void* block, std::size_t bytes) noexcept {
  if (bytes <= largest_bytes) {
    const std::size_t size_class = detail::class_of(bytes);
    if (detail::free_lists.room[size_class] > 0) {
      detail::free_lists.first[size_class] =
          new (block) detail::Free{detail::free_lists.first[size_class]};
      --detail::free_lists.room[size_class];
      return;
    }
  }
  detail::give_slowly(block, bytes);
}

/// Gives the calling thread's kept blocks back, and memory that no block lies in to the system.
void trim() noexcept;

/// For containers of few elements.
template <class T>
struct Allocator {
  using value_type = T;

  Allocator() = default;
  template <class U>
  Allocator(Allocator<U>) noexcept {}
  T* allocate(std::size_t count) { return static_cast<T*>(take(count * sizeof(T))); }
  void deallocate(T* at, std::size_t count) noexcept { give(at, count * sizeof(T)); }
  friend bool operator==(Allocator, Allocator) { return true; }
};
template <class T>
using Vector = std::vector<T, Allocator<T>>;

}  // namespace garboard::pool
