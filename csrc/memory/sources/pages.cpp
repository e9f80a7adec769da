#include "csrc/memory/sources/pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace garboard {

// More than is needed, then the two ends off again: mmap knows no alignment.
void* map_pages(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t mapped_bytes = bytes + alignment;
  void* const mapped = mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const start = static_cast<std::byte*>(mapped);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(mapped) & (alignment - 1);
  std::byte* const pages = start + before;
  if (before > 0) munmap(start, before);
  munmap(pages + bytes, alignment - before);
  return pages;
}

void drop_pages(void* pages, std::size_t bytes) noexcept { madvise(pages, bytes, MADV_DONTNEED); }

void unmap_pages(void* pages, std::size_t bytes) noexcept { munmap(pages, bytes); }

}  // namespace garboard
