// Splits a kernel's work among the worker threads, where it gains from that, and into pieces
// between which it can be interrupted.
#pragma once

#include <cstdint>

#include "csrc/core/interruption.h"
#include "csrc/core/machine.h"
#include "csrc/core/outer_lock.h"
#include "csrc/core/thread_pool.h"
#include "kernels/cpu/tuning.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// What one thread needs for work that takes `ns` in the caches: operands that do not fit into the
/// second one, `bytes` in all, take the time of the memory.
inline double predicted_ns(double ns, std::int64_t bytes) {
  const Machine& it = machine();
  const double in_memory = static_cast<double>(bytes) * it.memory_byte_ns;
  return bytes > it.second_cache_bytes && ns < in_memory ? in_memory : ns;
}

/// Runs work of `cost_ns` in all, which gives up the outer lock where that is worth it: calls
/// `run(first, last)` for parts of [0, count), `grain` long but for the last one, if work of
/// `cost_ns` in all is worth it; else for pieces of many such parts, once for all where it is
/// short. Only for work of which every part gives the same results wherever it is cut. Where
/// `grain` takes longer than the machine's `piece_ns`, `run` has interruption points of its own.
template <class Run>
void for_each_part(std::int64_t count, std::int64_t grain, double cost_ns, Run run) {
  const OuterLock::Away away(cost_ns);
  const double piece_ns = machine().piece_ns;  // twenty times as long in memory not touched before
  const bool is_long = cost_ns > 2 * piece_ns;
  const auto pieces = static_cast<std::int64_t>(is_long && count > grain ? cost_ns / piece_ns : 1);
  const bool is_split = count > grain && is_worth_splitting(cost_ns);
  if (!is_split && pieces == 1) return run(std::int64_t{0}, count);
  constexpr std::int64_t least_cut = 4096, most_cut = (std::int64_t{1} << 20) - 1;
  const std::int64_t cut = pieces < least_cut ? least_cut : pieces < most_cut ? pieces : most_cut;
  if (!is_split)
    grain *= count / pieces / grain + 1;
  else if (count / grain >= cut)
    grain = count / cut + 1;
  struct Work {
    Run& run;
    std::int64_t count, grain;
    bool is_long;
  } work{run, count, grain, is_long};
  const Chunks chunks{(count + grain - 1) / grain,
                      [](void* context, std::int64_t chunk) {
                        const auto& [run, count, grain, is_long] = *static_cast<Work*>(context);
                        if (is_long) interruption_point();
                        const std::int64_t first = chunk * grain;
                        run(first, first + grain < count ? first + grain : count);
                      },
                      &work};
  is_split ? run_chunks(chunks) : run_alone(chunks);
}

/// An interruption point once in many steps of a loop whose steps are too short for one each.
class Pace {
 public:
  /// Called with the elements that a step took.
  void advance(std::int64_t elements) {
    left_ -= elements;
    if (left_ < 0) [[unlikely]] {
      left_ = between;
      interruption_point();
    }
  }

 private:
  static constexpr std::int64_t between = std::int64_t{1} << 20;  // elements

  std::int64_t left_ = between;
};

/// A row, or what else comes without an end of its own, is cut from here on; elements.
inline constexpr std::int64_t long_row = std::int64_t{1} << 22;

/// `count` elements, or things that take as long as `elements` of them each, by pieces of
/// `long_row` elements with interruption points between them:
/// `for (const auto [first, last] : Pieces<is_long>(count))`. Where not `is_long`, all at once, and
/// nothing is asked.
template <bool is_long = true>
class Pieces {
 public:
  struct Piece {
    std::int64_t first, last;
  };
  struct Iterator {
    std::int64_t first, count, step;

    Piece operator*() const {
      return {first, is_long && count - first > step ? first + step : count};
    }
    bool operator!=(const Iterator& end) const { return first < end.first; }
    Iterator& operator++() {
      first = is_long ? first + step : count;
      if (is_long && first < count) interruption_point();
      return *this;
    }
  };

  explicit Pieces(std::int64_t count, std::int64_t elements = 1)
      : count_(count), step_(elements < long_row ? long_row / elements : 1) {}
  Iterator begin() const { return {0, count_, step_}; }
  Iterator end() const { return {count_, count_, step_}; }

 private:
  std::int64_t count_, step_;
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
