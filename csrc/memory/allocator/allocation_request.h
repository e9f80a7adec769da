// What one request knows while memory is looked for.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <vector>

#include "csrc/device/device.h"
#include "csrc/memory/record/memory_stats.h"
#include "csrc/memory/record/out_of_memory_report.h"

namespace garboard {

struct AllocationRequest {
  std::size_t bytes;
  Stream stream;
  bool is_nested = false;                // made by what another request of this thread has called
  MissStep step = MissStep::search;      // what is being tried for it
  bool needs_segment = false;            // the source has no range for it
  std::size_t refused_bytes = SIZE_MAX;  // what the source has last refused
  std::size_t largest_free = 0;          // block, when the first rung has failed
  bool has_collected = false;            // garbage, at least once
  std::size_t garbage_bytes = 0;         // freed by collecting it
  std::vector<RungFacts> tried = {};

  using Clock = std::chrono::steady_clock;
  /// Where there is no memory for it, the report lacks a line.
  void note(std::string_view name, std::size_t freed_bytes, Clock::duration took) noexcept try {
    tried.push_back({name, freed_bytes, std::chrono::duration<double, std::milli>(took).count()});
  } catch (const std::bad_alloc&) {
  }
};

}  // namespace garboard
