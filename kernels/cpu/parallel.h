// Splits a kernel's work among the worker threads, where it gains from that.
#pragma once

#include <cstdint>

#include "csrc/core/outer_lock.h"
#include "csrc/core/thread_pool.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

inline constexpr std::int64_t second_cache_bytes = std::int64_t{2} << 20;  // a core's, about

/// What one thread needs for work that takes `ns` in the caches: operands that do not fit into the
/// second one, `bytes` in all, take the time of the memory.
inline double predicted_ns(double ns, std::int64_t bytes) {
  constexpr double byte_ns = 0.035;
  const double in_memory = static_cast<double>(bytes) * byte_ns;
  return bytes > second_cache_bytes && ns < in_memory ? in_memory : ns;
}

/// Runs work of `cost_ns` in all, which gives up the outer lock where that is worth it: calls
/// `run(first, last)` for parts of [0, count), `grain` long but for the last one, if work of
/// `cost_ns` in all is worth it; else once for all. Only for work of which every part gives the
/// same results wherever it is cut.
template <class Run>
void for_each_part(std::int64_t count, std::int64_t grain, double cost_ns, Run run) {
  constexpr std::int64_t most_parts = 4096;
  const OuterLock::Away away(cost_ns);
  if (count <= grain || !is_worth_splitting(cost_ns)) return run(std::int64_t{0}, count);
  if (count / grain >= most_parts) grain = count / most_parts + 1;
  struct Work {
    Run& run;
    std::int64_t count, grain;
  } work{run, count, grain};
  run_chunks({(count + grain - 1) / grain,
              [](void* context, std::int64_t chunk) {
                const auto& [run, count, grain] = *static_cast<Work*>(context);
                const std::int64_t first = chunk * grain;
                run(first, first + grain < count ? first + grain : count);
              },
              &work});
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
