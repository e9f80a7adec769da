// Pools whose windows have no gaps, over planes that 32 bits count: no division is left to a
// kernel.
#pragma once

#include <algorithm>

#include "kernels/cuda/launch/divider.h"
#include "kernels/windows.h"

namespace garboard::kernels::cuda {

struct NearDim {
  Divider size, places, stride;
  std::int32_t taps, padding;

  /// Places that may meet element `at` begin here: those before it end before.
  GARBOARD_HD std::int32_t last_place(std::int32_t at) const {
    const auto last = static_cast<std::int32_t>(stride.quotient(at + padding));
    const auto all = static_cast<std::int32_t>(places.divisor());
    return last < all ? last : all - 1;
  }
  GARBOARD_HD std::int32_t first_place(std::int32_t at) const {
    const std::int32_t behind = at + padding - taps;  // what begins there ends before `at`
    return behind < 0 ? 0 : static_cast<std::int32_t>(stride.quotient(behind)) + 1;
  }
  /// The first element that a place meets, and behind the last.
  GARBOARD_HD std::int32_t first(std::int32_t place) const {
    return place * static_cast<std::int32_t>(stride.divisor()) - padding;
  }
  GARBOARD_HD std::int32_t begin(std::int32_t place) const {
    return first(place) < 0 ? 0 : first(place);
  }
  GARBOARD_HD std::int32_t end(std::int32_t place) const {
    const auto all = static_cast<std::int32_t>(size.divisor());
    const std::int32_t behind = first(place) + taps;
    return behind < all ? behind : all;
  }
};

/// A place or an element: its plane, and where in it.
struct NearSpot {
  std::uint32_t plane;
  std::int32_t at[space_dims];
};

struct NearPlanes {
  NearDim dim[space_dims];
  bool stand_apart = true;  // no two windows meet

  /// Whether pools over `planes` planes are such.
  static bool suit(const PooledPlanes& pool, std::int64_t planes) {
    constexpr std::int64_t most = std::int64_t{1} << 28;
    std::int64_t elements = planes, places = planes;
    bool are_near = !pool.window.adapts && planes <= most;
    for (int d = 0; d < space_dims && are_near; ++d) {
      elements *= pool.sizes[d];
      places *= pool.places[d];
      are_near = std::max({elements, places, pool.window.taps[d], pool.window.stride[d],
                           pool.window.padding[d]}) <= most &&
                 std::min(elements, places) > 0 &&
                 (pool.window.dilation[d] == 1 || pool.window.taps[d] == 1);
    }
    return are_near;
  }

  explicit NearPlanes(const PooledPlanes& pool) {
    const auto divider = [](std::int64_t by) { return Divider(static_cast<std::uint32_t>(by)); };
    for (int d = 0; d < space_dims; ++d) {
      const auto taps = static_cast<std::int32_t>(pool.window.taps[d]);
      dim[d] = {divider(pool.sizes[d]), divider(pool.places[d]), divider(pool.window.stride[d]),
                taps, static_cast<std::int32_t>(pool.window.padding[d])};
      stand_apart &= taps <= pool.window.stride[d];
    }
  }

  GARBOARD_HD static NearSpot spot(std::uint32_t i, const Divider& outer, const Divider& middle,
                                   const Divider& inner) {
    const std::uint32_t line = inner.quotient(i), sheet = middle.quotient(line);
    const std::uint32_t plane = outer.quotient(sheet);
    return {plane,
            {static_cast<std::int32_t>(sheet - plane * outer.divisor()),
             static_cast<std::int32_t>(line - sheet * middle.divisor()),
             static_cast<std::int32_t>(i - line * inner.divisor())}};
  }
  GARBOARD_HD NearSpot place(std::uint32_t i) const {
    return spot(i, dim[0].places, dim[1].places, dim[2].places);
  }
  GARBOARD_HD NearSpot element(std::uint32_t i) const {
    return spot(i, dim[0].size, dim[1].size, dim[2].size);
  }
  /// The number of an element in its plane, or of a place.
  GARBOARD_HD std::int32_t element_at(std::int32_t i, std::int32_t j, std::int32_t k) const {
    return (i * static_cast<std::int32_t>(dim[1].size.divisor()) + j) *
               static_cast<std::int32_t>(dim[2].size.divisor()) +
           k;
  }
  GARBOARD_HD std::int32_t place_at(std::int32_t i, std::int32_t j, std::int32_t k) const {
    return (i * static_cast<std::int32_t>(dim[1].places.divisor()) + j) *
               static_cast<std::int32_t>(dim[2].places.divisor()) +
           k;
  }
  GARBOARD_HD std::uint32_t elements() const {
    return dim[0].size.divisor() * dim[1].size.divisor() * dim[2].size.divisor();
  }
  GARBOARD_HD std::uint32_t places() const {
    return dim[0].places.divisor() * dim[1].places.divisor() * dim[2].places.divisor();
  }
};

}  // namespace garboard::kernels::cuda
