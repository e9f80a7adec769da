// What ran, when, inside of what, and what it allocated and freed, while somebody asks.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "csrc/device/device.h"
#include "csrc/lifetime/site.h"

namespace garboard {

struct StorageRecord;

/// One recording for the process. An op asks `is_on`, one branch while nobody records; the rest is
/// out of its way. Memory is seen by the marks that the registry compares births and ends with.
class OpProfile {
 public:
  struct Event {
    std::string name;
    std::string detail;  // what the caller knows more: shapes, stack
    std::int64_t begin_ns = 0, end_ns = 0;
    std::int32_t parent = -1;  // an index; -1 for none
    std::uint32_t thread = 0;
    /// Bytes while it was the innermost op of its thread: the CPU's, and all CUDA devices'.
    std::array<std::int64_t, 2> allocated{}, freed{};
  };
  struct MemoryEvent {
    std::int64_t at_ns = 0;
    std::int64_t bytes = 0;  // negative when freed
    std::uint64_t serial = 0;
    Site site = unknown_site;
    Device device;
  };
  struct Result {
    std::vector<Event> events;  // in the order of their beginnings
    std::vector<MemoryEvent> memory;
    std::int64_t begin_ns = 0, end_ns = 0;
  };

  /// Begins to record; false if somebody does already.
  static bool start(bool records_memory);
  /// Ends it and hands out what was recorded; what still runs ends now.
  static Result stop();
  static bool is_on() noexcept { return is_on_.load(std::memory_order_relaxed); }

  /// While it exists, what happens on this thread is an event inside the one around it.
  class Op {
   public:
    explicit Op(std::string_view name, std::string detail = {});
    ~Op();
    Op(const Op&) = delete;
    Op& operator=(const Op&) = delete;

   private:
    std::int32_t index_ = -1;
    std::int32_t outer_ = -1;
    std::uint64_t recording_ = 0;
  };
  /// The same, at next to no cost while nobody records.
  class MaybeOp {
   public:
    explicit MaybeOp(std::string_view name, std::string_view suffix = {}) {
      if (is_on()) [[unlikely]]
        op_.emplace(std::string(name).append(suffix));
    }

   private:
    std::optional<Op> op_;
  };

  /// The registry's: a storage came, or goes.
  static void note(const StorageRecord& storage, bool is_born) noexcept;

 private:
  static inline constinit std::atomic<bool> is_on_{false};
};

}  // namespace garboard
