// A device that does not exist: as large, as coarse, as slow and as unreliable as a test wants it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "csrc/core/bytes.h"
#include "csrc/device/simulated_timeline.h"
#include "csrc/memory/sources/fault_plan.h"
#include "csrc/memory/sources/granule_marks.h"
#include "csrc/memory/sources/memory_source.h"

namespace garboard {

/// Keeps account of every granule, and says when it is misused. Addresses are used again as soon as
/// they can be, lowest first. Thread-safe.
class SimulatedSource final : public MemorySource {
 public:
  /// What calls take on the device's own clock.
  struct Latencies {
    std::uint64_t create_ns = 0;
    std::uint64_t map_ns = 0;
    std::uint64_t set_access_ns = 0;
    std::uint64_t unmap_ns = 0;
  };
  struct Facts {
    std::size_t capacity_bytes;
    std::size_t granularity_bytes = 2_MiB;
    std::size_t large_handle_bytes = 0;  // more than a granule; 0: it has none
    std::size_t quantum_bytes = 512;
    std::string name = "simulated";
    bool has_ranges = true;    // else it gives whole segments only, as cudaMalloc does
    bool is_backed = true;     // its memory can be read and written; else there are addresses only
    bool is_filled = false;    // backed memory: new 0xCD, and 0xDD once it is unmapped
    bool has_streams = false;  // whose work is done when `streams()` is told so
    Latencies latencies = {};
  };
  explicit SimulatedSource(Facts facts)
      : facts_(std::move(facts)), capacity_bytes_(facts_.capacity_bytes) {}
  /// Whatever has not been given back goes.
  ~SimulatedSource() override;

  std::string name() const override { return facts_.name; }
  std::size_t capacity_bytes() const noexcept override { return capacity_bytes_; }
  std::size_t granularity_bytes() const noexcept override { return facts_.granularity_bytes; }
  std::size_t large_handle_bytes() const noexcept override { return facts_.large_handle_bytes; }
  std::size_t quantum_bytes() const noexcept override { return facts_.quantum_bytes; }
  std::optional<std::size_t> free_bytes() noexcept override;
  bool is_on_host() const noexcept override { return facts_.is_backed; }

  Timeline* timeline() noexcept override { return facts_.has_streams ? &streams_ : nullptr; }

  void* reserve(std::size_t bytes) noexcept override;
  void unreserve(void* range, std::size_t bytes) noexcept override;
  /// These three fail where the capacity would be passed, and where failing was asked for.
  bool map_at(void* address, std::size_t bytes) noexcept override;
  bool map_granules_at(void* address, std::size_t bytes) noexcept override;
  void* map(std::size_t bytes) noexcept override;
  /// These two let all streams do their work first.
  void unmap_at(void* address, std::size_t bytes) noexcept override;
  void unmap(void* segment, std::size_t bytes) noexcept override;

  /// Gives them work, and lets them do it.
  SimulatedTimeline& streams() noexcept { return streams_; }

  /// Lets one call that maps fail; 1 is the next.
  void fail_map(std::size_t number);
  /// Changes the plan by which calls fail: see FaultPlan. Its calls are numbered from the first.
  template <class Change>
  void plan(Change change) {
    const std::lock_guard guard(lock_);
    change(faults_);
  }
  /// Somebody else takes so much of the device, and gives back what was taken before.
  void take_elsewhere(std::size_t bytes);
  /// What is mapped stays, even if it is more.
  void set_capacity(std::size_t bytes) { capacity_bytes_ = bytes; }

  std::size_t mapped_bytes() const;
  std::size_t peak_mapped_bytes() const;
  std::size_t range_count() const;
  std::size_t handle_count() const;  // that were made for all that was mapped, ever
  std::size_t map_count() const;     // failed ones too
  std::size_t unmap_count() const;
  /// What all calls together have taken.
  std::uint64_t clock_ns() const;
  /// The first call that no real device would have survived, or nothing: mapping what is mapped,
  /// unmapping what is not, or a part of a handle, giving back what was not given or what is still
  /// mapped.
  std::string misuse() const;

 private:
  struct Range {
    std::size_t bytes;
    bool is_segment;       // of `map`
    GranuleMarks handles;  // by number; 0: the granule is not mapped
  };
  using Ranges = std::map<std::byte*, Range>;

  std::byte* add_range(std::size_t bytes, bool is_segment);
  void end_range(std::byte* start, std::size_t bytes, bool is_segment);
  std::byte* free_addresses(std::size_t bytes) const;
  bool map_granules(std::byte* address, std::size_t bytes, std::size_t large_bytes);
  void unmap_granules(std::byte* address, std::size_t bytes);
  bool mark(std::byte* address, std::size_t bytes, bool is_mapped, std::size_t large_bytes = 0);
  bool would_cut(const Range& range, std::size_t granule) const;
  void note_misuse(const char* what, const void* address);

  const Facts facts_;
  std::atomic<std::size_t> capacity_bytes_;
  SimulatedTimeline streams_;
  mutable std::mutex lock_;
  FaultPlan faults_;
  Ranges ranges_;
  std::size_t elsewhere_bytes_ = 0;
  std::size_t mapped_bytes_ = 0;
  std::size_t peak_mapped_bytes_ = 0;
  std::size_t unmap_count_ = 0;
  std::uint32_t handle_count_ = 0;
  std::uint64_t clock_ns_ = 0;
  std::string misuse_;
};

}  // namespace garboard
