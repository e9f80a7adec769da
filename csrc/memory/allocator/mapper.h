// The calls of a source that bring memory and take it away: counted, timed, told to the sanitizer.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "csrc/memory/heap/poison.h"
#include "csrc/memory/heap/segment.h"
#include "csrc/memory/record/memory_stats.h"
#include "csrc/memory/sources/memory_source.h"

namespace garboard {

/// Calls of one kind, those that fail too. Thread-safe.
class SourceCalls {
 public:
  /// Makes `call`, and returns what it does.
  template <class Call>
  auto timed(Call call) noexcept {
    const Stopwatch stopwatch(*this);
    return call();
  }
  std::uint64_t count() const noexcept { return count_.load(std::memory_order_relaxed); }
  std::uint64_t time_us() const noexcept { return ns_.load(std::memory_order_relaxed) / 1000; }

 private:
  using Clock = std::chrono::steady_clock;

  class Stopwatch {
   public:
    explicit Stopwatch(SourceCalls& calls) noexcept : calls_(calls) {}
    ~Stopwatch() {
      const std::chrono::nanoseconds took = Clock::now() - began_;
      calls_.ns_.fetch_add(static_cast<std::uint64_t>(took.count()), std::memory_order_relaxed);
      calls_.count_.fetch_add(1, std::memory_order_relaxed);
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

   private:
    SourceCalls& calls_;
    const Clock::time_point began_ = Clock::now();
  };

  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> ns_{0};
};

/// Thread-safe, and called without a lock: the source may wait.
class Mapper {
 public:
  /// `source` outlives it.
  explicit Mapper(MemorySource& source) noexcept : source_(source) {}

  MemorySource& source() const noexcept { return source_; }

  /// Puts memory behind a piece of a range, without large handles where `by_granules`. False where
  /// the source refuses.
  bool map(const Block& piece, bool by_granules = false) noexcept {
    const auto call = by_granules ? &MemorySource::map_granules_at : &MemorySource::map_at;
    if (!maps_.timed([&] { return (source_.*call)(piece.address, piece.bytes); })) return false;
    hide(piece.address, piece.bytes);
    return true;
  }
  void unmap(const Block& piece) noexcept {
    show(piece.address, piece.bytes);
    unmaps_.timed([&] { source_.unmap_at(piece.address, piece.bytes); });
  }
  /// Gives a segment its memory. False where the source refuses.
  bool map(Segment& segment) noexcept {
    segment.address =
        static_cast<std::byte*>(maps_.timed([&] { return source_.map(segment.bytes); }));
    if (segment.address) hide(segment.address, segment.bytes);
    return segment.address;
  }
  void unmap(const Segment& segment) noexcept {
    show(segment.address, segment.bytes);
    unmaps_.timed([&] { source_.unmap(segment.address, segment.bytes); });
  }

  /// From now on the program must not touch these bytes; and it may again.
  void hide(const std::byte* address, std::size_t bytes) const noexcept {
    if (poisons_memory && source_.is_on_host()) poison(address, bytes);
  }
  void show(const std::byte* address, std::size_t bytes) const noexcept {
    if (poisons_memory && source_.is_on_host()) unpoison(address, bytes);
  }

  void fill_in(MemoryStats& stats) const noexcept {
    stats.map_count = maps_.count();
    stats.map_time_us = maps_.time_us();
    stats.unmap_count = unmaps_.count();
    stats.unmap_time_us = unmaps_.time_us();
  }

 private:
  MemorySource& source_;
  SourceCalls maps_;
  SourceCalls unmaps_;
};

}  // namespace garboard
