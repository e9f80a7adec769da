// Small blocks kept by the thread that freed them, so that a hit asks neither the system nor a
// lock.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace garboard::pool {

/// What is larger comes from, and returns to, the system at once.
inline constexpr std::size_t largest_bytes = 640;  // a graph node fits

namespace detail {

inline constexpr std::size_t grain_bytes = 64;
inline constexpr int most_kept = 1024;

struct Free {
  Free* next;
};
struct FreeList {
  Free* first;
  int room;  // for how many more; 0 until the thread's end is watched, and again once it has come
};
struct FreeLists {
  FreeList of_class[largest_bytes / grain_bytes];
};
// Initial-exec: the default model of a shared library costs a call an access.
extern constinit thread_local FreeLists free_lists [[gnu::tls_model("initial-exec")]];

constexpr std::size_t class_of(std::size_t bytes) { return (bytes - 1) / grain_bytes; }
void* take_from_system(std::size_t bytes);
void give_slowly(void* block, std::size_t bytes) noexcept;

}  // namespace detail

/// A block of at least `bytes`, aligned to 64. Throws std::bad_alloc.
inline void* take(std::size_t bytes) {
  if (bytes <= largest_bytes) {
    detail::FreeList& list = detail::free_lists.of_class[detail::class_of(bytes)];
    if (detail::Free* const block = list.first) {
      list.first = block->next;
      ++list.room;
      return block;
    }
  }
  return detail::take_from_system(bytes);
}

/// Returns what `take(bytes)` gave, on any thread.
inline void give(void* block, std::size_t bytes) noexcept {
  if (bytes <= largest_bytes) {
    detail::FreeList& list = detail::free_lists.of_class[detail::class_of(bytes)];
    if (list.room > 0) {
      list.first = new (block) detail::Free{list.first};
      --list.room;
      return;
    }
  }
  detail::give_slowly(block, bytes);
}

/// Gives the calling thread's kept blocks back to the system.
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
