// The memory of a CUDA device: cudaMalloc, behind the functions of the CUDA library.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "csrc/core/bytes.h"
#include "csrc/core/text.h"
#include "csrc/device/cuda_library.h"
#include "csrc/memory/memory_source.h"

namespace garboard {

class CudaSource final : public MemorySource {
 public:
  /// Raises DeviceError where the device does not answer.
  CudaSource(const CudaLibrary& library, int number)
      : library_(library), number_(number), capacity_bytes_(library.capacity_bytes(number)) {}

  std::string name() const override { return text("cuda:", number_); }
  std::size_t capacity_bytes() const noexcept override { return capacity_bytes_; }
  std::size_t granularity_bytes() const noexcept override { return 2_MiB; }
  std::size_t quantum_bytes() const noexcept override { return 512; }

  void* map(std::size_t bytes) noexcept override {
    void* const memory = library_.allocate(number_, bytes);
    if (!memory || misalignment(memory) == 0) return memory;
    library_.release(number_, memory);
    return map_roomily(bytes);
  }

  void unmap(void* segment, std::size_t) noexcept override {
    library_.release(number_, taken_off(segment));
  }

 private:
  std::size_t misalignment(const void* memory) const noexcept {
    return reinterpret_cast<std::uintptr_t>(memory) % granularity_bytes();
  }

  // cudaMalloc promises 256 bytes, though it gives large requests whole pages.
  void* map_roomily(std::size_t bytes) noexcept {
    auto* const memory =
        static_cast<std::byte*>(library_.allocate(number_, bytes + granularity_bytes()));
    if (!memory) return nullptr;
    std::byte* const segment = memory + granularity_bytes() - misalignment(memory);
    const std::lock_guard guard(mutex_);
    starts_[segment] = memory;
    return segment;
  }

  /// Where the memory around `segment` begins.
  void* taken_off(void* segment) noexcept {
    const std::lock_guard guard(mutex_);
    const auto found = starts_.extract(segment);
    return found ? found.mapped() : segment;
  }

  const CudaLibrary& library_;
  int number_;
  std::size_t capacity_bytes_;
  std::mutex mutex_;
  std::map<void*, void*> starts_;  // of segments that do not begin where their memory does
};

}  // namespace garboard
