// Memory of the host that stays where it is: CUDA devices copy from it and to it while the program
// goes on.
#pragma once

#include <optional>
#include <string>

#include "csrc/core/bytes.h"
#include "csrc/core/host_memory.h"
#include "csrc/device/cuda_library.h"
#include "csrc/device/cuda_timeline.h"
#include "csrc/memory/sources/memory_source.h"

namespace garboard {

/// Whole segments of pinned pages. What it gives belongs to the host, so blocks are asked for on
/// the CPU's stream; a copy that is only queued is noted with `used_on`, and then its block comes
/// back when the copy is done, on whichever device.
class PinnedSource final : public MemorySource {
 public:
  /// `library` has `allocate_pinned` and `release_pinned`.
  explicit PinnedSource(const CudaLibrary& library) : library_(library) {
    if (library.events) timeline_.emplace(*library.events);
  }

  std::string name() const override { return "pinned"; }
  std::size_t capacity_bytes() const noexcept override { return capacity_bytes_; }
  /// Of a page: more is not promised.
  std::size_t granularity_bytes() const noexcept override { return 4_KiB; }
  std::size_t quantum_bytes() const noexcept override { return 64; }
  bool is_on_host() const noexcept override { return true; }
  Timeline* timeline() noexcept override { return timeline_ ? &*timeline_ : nullptr; }
  void* map(std::size_t bytes) noexcept override { return library_.allocate_pinned(bytes); }
  void unmap(void* segment, std::size_t) noexcept override { library_.release_pinned(segment); }

 private:
  const CudaLibrary& library_;
  const std::size_t capacity_bytes_ = host_memory_bytes();
  std::optional<CudaTimeline> timeline_;
};

}  // namespace garboard
