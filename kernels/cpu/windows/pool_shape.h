// The walks of a pool, a plane at a time and a line of places for each tap: the innermost loop runs
// along the line, over elements that lie as far apart as the places.
#pragma once

#include <algorithm>

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/formulas/pool_dim.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

struct PoolShape {
  std::int64_t planes, size = 1, places = 1;
  PoolDim dim[space_dims];

  PoolShape(const View& out, const View& x, const PoolWindow& window) : planes(x.sizes.data()[0]) {
    for (int d = 0; d < space_dims; ++d) {
      dim[d] = PoolDim::of(window, d, x.sizes.data()[d + 1], out.sizes.data()[d + 1]);
      size *= dim[d].size;
      places *= dim[d].places;
    }
  }

  /// Calls `visit(first)` for each line that a line of places meets: `first` is the number in the
  /// plane of the line's first element.
  template <class Visit>
  void for_each_line(std::int64_t z, std::int64_t y, Pace& pace, Visit visit) const {
    const PoolDim &deep = dim[0], &high = dim[1], &wide = dim[2];
    const std::int64_t taps = wide.adapts ? 1 : smaller(wide.taps, wide.size);
    const std::int64_t from_z = deep.first(z), from_y = high.first(y);
    for (std::int64_t i = deep.first_tap(z); i < deep.last_tap(z); ++i)
      for (std::int64_t j = high.first_tap(y); j < high.last_tap(y); ++j) {
        pace.advance(wide.size + wide.places * taps);
        visit(((from_z + i * deep.step()) * high.size + from_y + j * high.step()) * wide.size);
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
    const PoolDim& wide = dim[2];
    for (std::int64_t i = 0; i < wide.places; ++i) {
      const std::int64_t first = wide.first_tap(i);
      visit(i, wide.first(i) + first, larger(wide.last_tap(i) - first, 0));
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
};

/// Calls `run(Type<T>, Type<I>)`.
template <class T, class Run>
void visit_indices(Type<T> type, DType indices, Run run) {
  indices == DType::int32 ? run(type, Type<std::int32_t>{}) : run(type, Type<std::int64_t>{});
}
}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
