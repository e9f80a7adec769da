// What one request knows while CachingAllocator looks for memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "csrc/memory/caching_allocator.h"
#include "csrc/memory/out_of_memory_report.h"

namespace garboard {

struct CachingAllocator::Request {
  std::size_t bytes;
  Stream stream;
  bool is_nested;                        // made by what another request of this thread has called
  MissStep step = MissStep::search;      // what is being tried for it
  bool needs_segment = false;            // the source has no range for it
  std::size_t refused_bytes = SIZE_MAX;  // what the source has last refused
  std::size_t largest_free = 0;          // block, when the first rung has failed
  bool has_collected = false;            // garbage, at least once
  std::size_t garbage_bytes = 0;         // freed by collecting it
  std::vector<RungFacts> tried = {};

  void note(std::string_view name, std::size_t freed_bytes,
            std::chrono::steady_clock::duration took) {
    tried.push_back({name, freed_bytes, std::chrono::duration<double, std::milli>(took).count()});
  }
};

}  // namespace garboard
