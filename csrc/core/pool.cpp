#include "csrc/core/pool.h"

#include "csrc/core/slabs.h"

namespace garboard::pool {
namespace detail {

constinit thread_local FreeLists free_lists [[gnu::tls_model("initial-exec")]] = {};

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool keeps_blocks = false;  // or the sanitizer could not see a use after the end
#else
constexpr bool keeps_blocks = true;
#endif

constexpr int taken_at_once = 64;
constexpr int given_at_once = most_kept / 2;

enum class Watch : char { not_yet, watching, over };
constinit thread_local Watch watch [[gnu::tls_model("initial-exec")]] = Watch::not_yet;

struct AtThreadEnd {
  ~AtThreadEnd() {
    trim();
    for (std::int16_t& room : free_lists.room) room = 0;
    watch = Watch::over;
  }
};

/// FreeLists open once the thread's end is watched. False when it has come.
bool opens_lists() {
  if (watch == Watch::not_yet) {
    thread_local AtThreadEnd at_end;
    (void)at_end;
    watch = Watch::watching;
    for (std::int16_t& room : free_lists.room) room = static_cast<std::int16_t>(room + most_kept);
  }
  return watch == Watch::watching;
}

std::align_val_t alignment_of(std::size_t bytes) {
  return std::align_val_t{bytes % coarse_grain_bytes ? fine_grain_bytes : coarse_grain_bytes};
}

/// Takes the first `count` off a list, as a chain.
Free* off_list(std::size_t size_class, int count) noexcept {
  Free* const chain = free_lists.first[size_class];
  Free* last = chain;
  for (int i = 1; i < count; ++i) last = last->next;
  free_lists.first[size_class] = last->next;
  free_lists.room[size_class] = static_cast<std::int16_t>(free_lists.room[size_class] + count);
  last->next = nullptr;
  return chain;
}

}  // namespace

void* take_slowly(std::size_t bytes) {
  if (bytes > largest_bytes) return ::operator new (bytes, std::align_val_t{coarse_grain_bytes});
  const std::size_t size_class = class_of(bytes);
  if (!keeps_blocks)
    return ::operator new(bytes_of(size_class), alignment_of(bytes_of(size_class)));
  if (!opens_lists()) return slabs.take(size_class, 1);
  Free* const block = slabs.take(size_class, taken_at_once);
  int more = 0;
  for (Free* at = block->next; at; at = at->next) ++more;
  free_lists.first[size_class] = block->next;
  free_lists.room[size_class] = static_cast<std::int16_t>(free_lists.room[size_class] - more);
  return block;
}

void give_slowly(void* block, std::size_t bytes) noexcept {
  if (bytes > largest_bytes) return ::operator delete (block, std::align_val_t{coarse_grain_bytes});
  const std::size_t size_class = class_of(bytes);
  if (!keeps_blocks)  // sized: the sanitizer compares
    return ::operator delete(block, bytes_of(size_class), alignment_of(bytes_of(size_class)));
  if (!opens_lists()) return slabs.give(::new (block) Free{nullptr});
  if (free_lists.room[size_class] == 0) slabs.give(off_list(size_class, given_at_once));
  give(block, bytes);
}

}  // namespace detail

void trim() noexcept {
  using namespace detail;
  for (std::size_t size_class = 0; size_class < class_count; ++size_class) {
    int count = 0;
    for (const Free* at = free_lists.first[size_class]; at; at = at->next) ++count;
    if (count > 0) slabs.give(off_list(size_class, count));
  }
  slabs.trim();
}

}  // namespace garboard::pool
