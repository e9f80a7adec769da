// The walks of a pool, a plane at a time and a line of places for each tap: the innermost loop runs
// along the line, over elements that lie as far apart as the places.
#pragma once

#include <algorithm>

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/formulas/pool_dim.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

class PoolShape {
 public:
  std::int64_t planes, size = 1, places = 1;
  PoolDim dim[space_dims];

  PoolShape(const View& out, const View& x, const PoolWindow& window)
      : planes(x.sizes.data()[0]),
        known_(window.adapts && planes > 0 ? sum_of_places(out) : 0, sizeof(Met)) {
    for (int d = 0; d < space_dims; ++d) {
      dim[d] = PoolDim::of(window, d, x.sizes.data()[d + 1], out.sizes.data()[d + 1]);
      size *= dim[d].size;
      places *= dim[d].places;
    }
    Met* next = known_.as<Met>();
    for (int d = 0; next && d < space_dims; ++d)
      for (std::int64_t place = 0; place < dim[d].places; ++place) *next++ = look(d, place);
  }

  /// Calls `visit(first)` for each line that a line of places meets: `first` is the number in the
  /// plane of the line's first element.
  template <class Visit>
  void for_each_line(std::int64_t z, std::int64_t y, Pace& pace, Visit visit) const {
    const PoolDim &deep = dim[0], &high = dim[1], &wide = dim[2];
    const std::int64_t taps = wide.adapts ? 1 : smaller(wide.taps, wide.size);
    const Met in_z = met(0, z), in_y = met(1, y);
    for (std::int64_t i = 0; i < in_z.count; ++i)
      for (std::int64_t j = 0; j < in_y.count; ++j) {
        pace.advance(wide.size + wide.places * taps);
        visit(((in_z.at + i * deep.step()) * high.size + in_y.at + j * high.step()) * wide.size);
      }
  }

  /// Calls `visit(begin, end, at)` for each tap of a line: places [begin, end) meet elements at,
  /// at + stride, ... of it. Not for what adapts.
  template <class Visit>
  void for_each_tap(Pace& pace, Visit visit) const {
    const PoolDim& wide = dim[2];
    // The last place meets the first taps, the first place the last ones.
    const std::int64_t from = wide.first_tap(wide.places - 1), to = wide.last_tap(0);
    for (std::int64_t k = from; k < to; ++k) {
      const std::int64_t offset = k * wide.dilation - wide.padding;
      const std::int64_t begin = smaller(larger(divided_up(-offset, wide.stride), 0), wide.places);
      const std::int64_t end =
          smaller(larger(divided_up(wide.size - offset, wide.stride), begin), wide.places);
      if (begin >= end) continue;
      pace.advance(end - begin);
      visit(begin, end, begin * wide.stride + offset);
    }
  }

  /// Whether the one place meets all of a plane.
  bool is_one_place() const {
    return places == 1 && std::ranges::all_of(dim, [](const PoolDim& one) {
             return one.first(0) == 0 && one.step() == 1 && one.last_tap(0) == one.size;
           });
  }
  /// Whether along a line windows are looked at one by one: they are long, and many or far apart.
  bool has_long_windows() const {
    const PoolDim& wide = dim[2];
    constexpr std::int64_t many = 16;
    return wide.adapts ||
           (wide.dilation == 1 && wide.taps >= many && (wide.stride > 2 || wide.places < many));
  }
  /// Calls `visit(place, at, count)` for each place of a line, which meets elements [at, at +
  /// count) of it.
  template <class Visit>
  void for_each_window(Visit visit) const {
    for (std::int64_t i = 0; i < dim[2].places; ++i) {
      const Met it = met(2, i);
      visit(i, it.at, it.count);
    }
  }

  template <class Run>
  void for_each_plane(double element_ns, Run run) const {
    double met = element_ns;
    for (const PoolDim& one : dim)
      met *= one.adapts ? static_cast<double>(one.size + one.places)
                        : static_cast<double>(one.places) *
                              static_cast<double>(smaller(one.taps, one.size));
    const std::int64_t grain = (1 << 14) / (places + size) + 1;
    for_each_part(planes, grain, met * static_cast<double>(planes),
                  [&](std::int64_t first, std::int64_t last) {
                    Pace pace;
                    for (std::int64_t plane = first; plane < last; ++plane) {
                      pace.advance(size + places);
                      run(plane, pace);
                    }
                  });
  }

 private:
  /// What a place meets along a dim: `count` elements from `at` on, each a step behind the last.
  struct Met {
    std::int64_t at, count;
  };

  static std::int64_t sum_of_places(const View& out) {
    std::int64_t sum = 0;
    for (int d = 0; d < space_dims; ++d) sum += out.sizes.data()[d + 1];
    return sum;
  }
  Met look(int d, std::int64_t place) const {
    const std::int64_t first = dim[d].first_tap(place);
    return {dim[d].first(place) + first * dim[d].step(), larger(dim[d].last_tap(place) - first, 0)};
  }
  Met met(int d, std::int64_t place) const {
    if (!dim[d].adapts) return look(d, place);
    for (int before = 0; before < d; ++before) place += dim[before].places;
    return known_.as<Met>()[place];
  }

  Scratch known_;  // of all places, dim by dim, where windows adapt: that takes divisions
};

/// Calls `run(Type<T>, Type<I>)`.
template <class T, class Run>
void visit_indices(Type<T> type, DType indices, Run run) {
  indices == DType::int32 ? run(type, Type<std::int32_t>{}) : run(type, Type<std::int64_t>{});
}
}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
