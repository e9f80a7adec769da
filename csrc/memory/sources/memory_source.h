// Where bytes come from: the only thing that tells the allocator of one device from another's.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "csrc/device/timeline.h"

namespace garboard {

/// Gives memory in whole segments, and, where it can, by pages behind a range of addresses. Slow
/// calls are welcome: the allocator makes them seldom and without its lock, so those that map and
/// unmap may run on several threads at once. Outlives its allocator.
class MemorySource {
 public:
  virtual ~MemorySource() = default;

  // What is asked of a source below is known to it: it does not have to ask the device.

  /// As in messages: `cpu`, `cuda:0`.
  virtual std::string name() const = 0;
  /// What the device holds in all, whoever uses it.
  virtual std::size_t capacity_bytes() const noexcept = 0;
  /// Everything that is mapped is a multiple of it, and aligned to it; a power of two.
  virtual std::size_t granularity_bytes() const noexcept = 0;
  /// Of one `map_at`, each chunk of so many bytes that is aligned to as many can be taken away only
  /// as a whole; a power of two, more than the granularity, or 0: any granule can go alone.
  virtual std::size_t large_handle_bytes() const noexcept { return 0; }
  /// Blocks are multiples of it, and aligned to it; a power of two, at least 64.
  virtual std::size_t quantum_bytes() const noexcept = 0;

  /// What the device could still give, whoever has the rest; nothing where it does not say. Asks
  /// the device: for when a request has failed.
  virtual std::optional<std::size_t> free_bytes() noexcept { return std::nullopt; }
  /// Whether the CPU can read and write it.
  virtual bool is_on_host() const noexcept { return false; }

  /// The device's streams; null where work is done when the call that asks for it returns.
  virtual Timeline* timeline() noexcept { return nullptr; }

  /// Addresses for `map_at`, without memory. Null where the source gives whole segments only, and
  /// where so many addresses are not to be had.
  virtual void* reserve(std::size_t /*bytes*/) noexcept { return nullptr; }
  /// Takes back exactly what one `reserve(bytes)` gave, all of it unmapped.
  virtual void unreserve(void* /*range*/, std::size_t /*bytes*/) noexcept {}
  /// Puts memory, uninitialised, behind addresses of one range: all of them, or none and false.
  virtual bool map_at(void* /*address*/, std::size_t /*bytes*/) noexcept { return false; }
  /// The same without large handles: slower, where the source has some.
  virtual bool map_granules_at(void* address, std::size_t bytes) noexcept {
    return map_at(address, bytes);
  }
  /// Takes the memory away again: of one such call, of several that touch, or of a part that cuts
  /// no large handle. Work on the device that was queued before may still use it: it is the source
  /// that waits for it.
  virtual void unmap_at(void* /*address*/, std::size_t /*bytes*/) noexcept {}

  /// A segment of uninitialised bytes, or null where there is none: failing is no exception here.
  /// `bytes` is a multiple of the granularity, and not 0.
  virtual void* map(std::size_t bytes) noexcept = 0;
  /// Takes back exactly what one `map(bytes)` gave. Waits as `unmap_at` does.
  virtual void unmap(void* segment, std::size_t bytes) noexcept = 0;
};

}  // namespace garboard
