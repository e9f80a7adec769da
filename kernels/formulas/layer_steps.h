// The steps of a recurrent layer over sequences of several lengths, the longest first.
#pragma once

#include <cstdint>

namespace garboard::kernels {
// Internal, like all that is compiled once per instruction set: see kernels/cpu/README.md.
namespace {

/// Where some sequences stand at a step: `count` of them, from `row` on, of which the first
/// `before` were in the step that comes before it in the layer, from `before_row` on.
struct LayerStep {
  std::int64_t row, count, before_row, before;
};

/// Sequences [first, last) of those that `batch_sizes` counts for each step.
struct LayerSteps {
  const std::int64_t* batch_sizes;
  std::int64_t steps, first, last;

  /// Calls `visit(step)` for the steps that they take part in, in the order of the layer or
  /// against it.
  template <class Visit>
  void for_each(bool is_reversed, bool is_backward, Visit visit) const {
    std::int64_t row = 0;
    const bool goes_down = is_reversed != is_backward;
    if (goes_down)
      for (std::int64_t t = 0; t < steps; ++t) row += batch_sizes[t];
    for (std::int64_t n = 0; n < steps; ++n) {
      const std::int64_t t = goes_down ? steps - 1 - n : n;
      if (goes_down) row -= batch_sizes[t];
      const std::int64_t count = least(batch_sizes[t], last) - first;
      // The step that comes before this one in the layer.
      const std::int64_t earlier = is_reversed ? t + 1 : t - 1;
      const bool is_there = earlier >= 0 && earlier < steps;
      const std::int64_t met = is_there ? least(batch_sizes[earlier], last) - first : 0;
      const std::int64_t before_row = is_reversed ? row + batch_sizes[t]
                                      : is_there  ? row - batch_sizes[earlier]
                                                  : 0;
      if (count > 0)
        visit(LayerStep{row + first, count, before_row + first, met > 0 ? least(met, count) : 0});
      if (!goes_down) row += batch_sizes[t];
    }
  }

 private:
  static std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
};

}  // namespace
}  // namespace garboard::kernels
