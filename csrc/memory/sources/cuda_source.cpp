#include "csrc/memory/sources/cuda_source.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "csrc/core/bytes.h"
#include "csrc/memory/sources/handles.h"

namespace garboard {
namespace {

// Libraries that share memory between processes, or hand it to a network card, want cudaMalloc's.
bool are_segments_wanted() {
  const char* const wish = std::getenv("GARBOARD_CUDA_MEMORY");
  return wish && std::string_view(wish) == "segments";
}

// From here on it takes longer to map until the device has no more than to ask it first.
constexpr std::size_t worth_asking = 256_MiB;

// A handle costs its calls whatever its size; but one live block keeps all of it.
constexpr std::size_t large_handle = 32_MiB;

}  // namespace

CudaSource::CudaSource(const CudaLibrary& library, int number)
    : library_(library),
      number_(number),
      capacity_bytes_(library.capacity_bytes(number)),
      granularity_bytes_(2_MiB) {
  if (library.events) timeline_.emplace(*library.events);
  if (!library.virtual_memory || are_segments_wanted()) return;
  const std::size_t granularity = library.virtual_memory->granularity(number);
  if (granularity == 0) return;
  virtual_memory_ = library.virtual_memory;
  granularity_bytes_ = std::max(granularity_bytes_, granularity);
  if (granularity_bytes_ < large_handle) large_handle_bytes_ = large_handle;
}

std::optional<std::size_t> CudaSource::free_bytes() noexcept {
  if (!library_.free_bytes) return std::nullopt;
  return library_.free_bytes(number_);
}

void* CudaSource::reserve(std::size_t bytes) noexcept {
  return virtual_memory_ ? virtual_memory_->reserve(number_, bytes, granularity_bytes_) : nullptr;
}

void CudaSource::unreserve(void* range, std::size_t bytes) noexcept {
  virtual_memory_->unreserve(number_, range, bytes);
}

// A handle at a time, for memory can be taken away only as it was mapped. The device is let in
// last, for all of it at once; what fails half-way is undone, or the addresses would be lost.
bool CudaSource::map_handles(void* address, std::size_t bytes, std::size_t large_bytes) noexcept {
  if (bytes >= worth_asking)
    if (const std::size_t free = free_bytes().value_or(0); free > 0 && free < bytes) return false;
  const HandleSizes sizes{granularity_bytes_, large_bytes};
  auto* const start = static_cast<std::byte*>(address);
  std::byte* const end = start + bytes;
  std::byte* at = start;
  while (at < end) {
    const std::size_t next = sizes.bytes_at(at, end);
    if (!map_handle(at, next)) break;
    at += next;
  }
  if (at == end && virtual_memory_->set_access(number_, address, bytes)) return true;
  if (at > start) virtual_memory_->unmap(number_, address, static_cast<std::size_t>(at - start));
  return false;
}

// The mapping keeps the memory; the handle itself has not to be kept.
bool CudaSource::map_handle(std::byte* address, std::size_t bytes) noexcept {
  const std::uint64_t memory = virtual_memory_->create(number_, bytes);
  if (memory == 0) return false;
  const bool is_mapped = virtual_memory_->map(number_, address, bytes, memory);
  virtual_memory_->release(number_, memory);
  return is_mapped;
}

void CudaSource::unmap_at(void* address, std::size_t bytes) noexcept {
  virtual_memory_->unmap(number_, address, bytes);
}

void* CudaSource::map(std::size_t bytes) noexcept {
  void* const memory = library_.allocate(number_, bytes);
  if (!memory || misalignment(memory) == 0) return memory;
  library_.release(number_, memory);
  return map_roomily(bytes);
}

void CudaSource::unmap(void* segment, std::size_t) noexcept {
  library_.release(number_, taken_off(segment));
}

std::size_t CudaSource::misalignment(const void* memory) const noexcept {
  return reinterpret_cast<std::uintptr_t>(memory) % granularity_bytes_;
}

// cudaMalloc promises 256 bytes, though it gives large requests whole pages.
void* CudaSource::map_roomily(std::size_t bytes) noexcept {
  auto* const memory =
      static_cast<std::byte*>(library_.allocate(number_, bytes + granularity_bytes_));
  if (!memory) return nullptr;
  std::byte* const segment = memory + granularity_bytes_ - misalignment(memory);
  const std::lock_guard guard(mutex_);
  starts_[segment] = memory;
  return segment;
}

// Where the memory around `segment` begins.
void* CudaSource::taken_off(void* segment) noexcept {
  const std::lock_guard guard(mutex_);
  const auto found = starts_.extract(segment);
  return found ? found.mapped() : segment;
}

}  // namespace garboard
