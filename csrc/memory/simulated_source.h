// A device that does not exist: as large, as coarse and as unreliable as a test wants it.
#pragma once

#include <mutex>
#include <set>

#include "csrc/core/bytes.h"
#include "csrc/memory/memory_source.h"

namespace garboard {

/// Its memory can be read and written, and costs nothing before it is touched. Thread-safe.
class SimulatedSource final : public MemorySource {
 public:
  struct Device {
    std::size_t capacity_bytes;
    std::size_t granularity_bytes = 2_MiB;
    std::size_t quantum_bytes = 512;
    std::string name = "simulated";
  };
  explicit SimulatedSource(Device device) : device_(std::move(device)) {}

  std::string name() const override { return device_.name; }
  std::size_t capacity_bytes() const noexcept override { return device_.capacity_bytes; }
  std::size_t granularity_bytes() const noexcept override { return device_.granularity_bytes; }
  std::size_t quantum_bytes() const noexcept override { return device_.quantum_bytes; }
  bool is_on_host() const noexcept override { return true; }
  /// Null also where the capacity would be passed, and where failing was asked for.
  void* map(std::size_t bytes) noexcept override;
  void unmap(void* segment, std::size_t bytes) noexcept override;

  /// Lets one call of `map` fail; 1 is the next.
  void fail_map(std::size_t number);
  /// Somebody else takes so much of the device, and gives back what was taken before.
  void take_elsewhere(std::size_t bytes);

  std::size_t mapped_bytes() const;
  std::size_t map_count() const;  // failed ones too
  std::size_t unmap_count() const;

 private:
  Device device_;
  mutable std::mutex lock_;
  std::set<std::size_t> failing_;  // by map_count_
  std::size_t elsewhere_bytes_ = 0;
  std::size_t mapped_bytes_ = 0;
  std::size_t map_count_ = 0;
  std::size_t unmap_count_ = 0;
};

}  // namespace garboard
