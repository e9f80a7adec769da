// The memory of a CUDA device, behind the functions of the CUDA library.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "csrc/core/text.h"
#include "csrc/device/cuda_library.h"
#include "csrc/device/cuda_timeline.h"
#include "csrc/memory/sources/memory_source.h"

namespace garboard {

/// Pages behind reserved addresses where the driver has the calls for it, else segments of
/// cudaMalloc; these also where the environment variable GARBOARD_CUDA_MEMORY is `segments`.
class CudaSource final : public MemorySource {
 public:
  /// Raises DeviceError where the device does not answer.
  CudaSource(const CudaLibrary& library, int number);

  std::string name() const override { return text("cuda:", number_); }
  std::size_t capacity_bytes() const noexcept override { return capacity_bytes_; }
  std::size_t granularity_bytes() const noexcept override { return granularity_bytes_; }
  std::size_t large_handle_bytes() const noexcept override { return large_handle_bytes_; }
  std::size_t quantum_bytes() const noexcept override { return 512; }
  std::optional<std::size_t> free_bytes() noexcept override;
  Timeline* timeline() noexcept override { return timeline_ ? &*timeline_ : nullptr; }

  void* reserve(std::size_t bytes) noexcept override;
  void unreserve(void* range, std::size_t bytes) noexcept override;
  bool map_at(void* address, std::size_t bytes) noexcept override {
    return map_handles(address, bytes, large_handle_bytes_);
  }
  bool map_granules_at(void* address, std::size_t bytes) noexcept override {
    return map_handles(address, bytes, 0);
  }
  void unmap_at(void* address, std::size_t bytes) noexcept override;
  void* map(std::size_t bytes) noexcept override;
  void unmap(void* segment, std::size_t bytes) noexcept override;

 private:
  bool map_handles(void* address, std::size_t bytes, std::size_t large_bytes) noexcept;
  bool map_handle(std::byte* address, std::size_t bytes) noexcept;
  std::size_t misalignment(const void* memory) const noexcept;
  void* map_roomily(std::size_t bytes) noexcept;
  void* taken_off(void* segment) noexcept;

  const CudaLibrary& library_;
  const CudaVirtualMemory* virtual_memory_ = nullptr;  // null where the device has none
  int number_;
  std::size_t capacity_bytes_;
  std::size_t granularity_bytes_;
  std::size_t large_handle_bytes_ = 0;
  std::optional<CudaTimeline> timeline_;
  std::mutex mutex_;
  std::map<void*, void*> starts_;  // of segments that do not begin where their memory does
};

}  // namespace garboard
