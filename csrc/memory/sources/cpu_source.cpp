#include "csrc/memory/sources/cpu_source.h"

#include <sys/mman.h>

#include "csrc/core/host_memory.h"
#include "csrc/memory/sources/pages.h"

namespace garboard {

CpuSource::CpuSource() : capacity_bytes_(host_memory_bytes()) {}

void* CpuSource::map(std::size_t bytes) noexcept {
  void* const segment = map_pages(bytes, granularity_bytes());
  // A fault each 2 MiB instead of each 4 KiB. Where it is not to be had, small pages do as well.
  if (segment) madvise(segment, bytes, MADV_HUGEPAGE);
  return segment;
}

// Whole huge pages, or the system would have to cut them.
void CpuSource::unmap_at(void* address, std::size_t bytes) noexcept { drop_pages(address, bytes); }

void CpuSource::unmap(void* segment, std::size_t bytes) noexcept { unmap_pages(segment, bytes); }

}  // namespace garboard
