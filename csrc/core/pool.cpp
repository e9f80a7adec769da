#include "csrc/core/pool.h"

namespace garboard::pool {
namespace detail {

constinit thread_local FreeLists free_lists [[gnu::tls_model("initial-exec")]] = {};

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool keeps_blocks = false;  // or the sanitizer could not see a use after the end
#else
constexpr bool keeps_blocks = true;
#endif

enum class Watch : char { not_yet, watching, over };
constinit thread_local Watch watch [[gnu::tls_model("initial-exec")]] = Watch::not_yet;

void to_system(void* block) noexcept { ::operator delete (block, std::align_val_t{grain_bytes}); }

struct AtThreadEnd {
  ~AtThreadEnd() {
    trim();
    for (FreeList& list : free_lists.of_class) list.room = 0;
    watch = Watch::over;
  }
};

}  // namespace

void* take_from_system(std::size_t bytes) {
  const std::size_t rounded = bytes > largest_bytes ? bytes : (class_of(bytes) + 1) * grain_bytes;
  return ::operator new (rounded, std::align_val_t{grain_bytes});
}

// A full list, a large block, or a thread that frees for the first time: then its lists open.
void give_slowly(void* block, std::size_t bytes) noexcept {
  if (keeps_blocks && watch == Watch::not_yet && bytes <= largest_bytes) {
    thread_local AtThreadEnd at_end;
    (void)at_end;
    watch = Watch::watching;
    for (FreeList& list : free_lists.of_class) list.room += most_kept;
    return give(block, bytes);
  }
  to_system(block);
}

}  // namespace detail

void trim() noexcept {
  for (detail::FreeList& list : detail::free_lists.of_class) {
    while (detail::Free* const block = list.first) {
      list.first = block->next;
      ++list.room;
      detail::to_system(block);
    }
  }
}

}  // namespace garboard::pool
