// Where bytes come from: the only thing that tells the allocator of one device from another's.
#pragma once

#include <cstddef>
#include <string>

namespace garboard {

/// Gives memory in segments. Slow calls are welcome: the allocator makes them seldom and without
/// its lock, so `map` and `unmap` may run on several threads at once. Outlives its allocator.
class MemorySource {
 public:
  virtual ~MemorySource() = default;

  // What is asked of a source below is known to it: it does not have to ask the device.

  /// As in messages: `cpu`, `cuda:0`.
  virtual std::string name() const = 0;
  /// What the device holds in all, whoever uses it.
  virtual std::size_t capacity_bytes() const noexcept = 0;
  /// Segments are multiples of it, and aligned to it; a power of two.
  virtual std::size_t granularity_bytes() const noexcept = 0;
  /// Blocks are multiples of it, and aligned to it; a power of two, at least 64.
  virtual std::size_t quantum_bytes() const noexcept = 0;

  /// Whether the CPU can read and write it.
  virtual bool is_on_host() const noexcept { return false; }

  /// A segment of uninitialised bytes, or null where there is none: failing is no exception here.
  /// `bytes` is a multiple of the granularity, and not 0.
  virtual void* map(std::size_t bytes) noexcept = 0;
  /// Takes back exactly what one `map(bytes)` gave. Work on the device that was queued before may
  /// still use the segment: it is the source that waits for it.
  virtual void unmap(void* segment, std::size_t bytes) noexcept = 0;
};

}  // namespace garboard
