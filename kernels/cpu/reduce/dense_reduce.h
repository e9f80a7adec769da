// Brings dense elements down to one value through many lanes, so that g++ vectorises it without
// being allowed to regroup sums: the order is fixed, whatever the instruction set.
#pragma once

#include <cstdint>

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Halves the lanes until one is left. By recursion: a loop over the halves goes through memory.
template <int half, class R, class F>
__attribute__((always_inline)) inline R fold_lanes(R* lanes, F f) {
  for (int l = 0; l < half; ++l) lanes[l] = f(lanes[l], lanes[l + half]);
  if constexpr (half == 1)
    return lanes[0];
  else
    return fold_lanes<half / 2>(lanes, f);
}

/// Adds to `i` how many of the elements from there on it took: all that fill `width` lanes. Lanes
/// begin as f(identity, element): the element alone g++ copies through memory, in pieces that no
/// load of a whole vector can take over.
template <int width, class R, class F, class At>
__attribute__((always_inline)) inline R take_lanes(std::int64_t& i, std::int64_t count, R identity,
                                                   F f, At at) {
  R lanes[width];
  for (int l = 0; l < width; ++l) lanes[l] = f(identity, at(i + l));
  for (i += width; i + width <= count; i += width)
    for (int l = 0; l < width; ++l) lanes[l] = f(lanes[l], at(i + l));
  return fold_lanes<width / 2>(lanes, f);
}

/// All of at(0) ... at(count - 1), `width` at least; the last lanes take some elements once more.
template <int width, class R, class F, class At>
__attribute__((always_inline)) inline R take_overlapping_lanes(std::int64_t count, R identity, F f,
                                                               At at) {
  R lanes[width];
  for (int l = 0; l < width; ++l) lanes[l] = f(identity, at(l));
  for (std::int64_t i = width; i + width <= count; i += width)
    for (int l = 0; l < width; ++l) lanes[l] = f(lanes[l], at(i + l));
  if (count % width)
    for (int l = 0; l < width; ++l) lanes[l] = f(lanes[l], at(count - width + l));
  return fold_lanes<width / 2>(lanes, f);
}

/// f over at(0) ... at(count - 1), from `identity`. `f` and `at` should be inlined always.
template <class R, class F, class At>
R reduce_dense(std::int64_t count, R identity, F f, At at) {
  constexpr int wide = 64, narrow = 8;
  if constexpr (requires { F::is_idempotent; }) {
    if (count >= wide) return take_overlapping_lanes<wide, R>(count, identity, f, at);
    if (count >= wide / 2) return take_overlapping_lanes<wide / 2, R>(count, identity, f, at);
    if (count >= narrow) return take_overlapping_lanes<narrow, R>(count, identity, f, at);
  }
  R result = identity;
  std::int64_t i = 0;
  if (i + wide <= count) result = f(result, take_lanes<wide, R>(i, count, identity, f, at));
  if (i + narrow <= count) result = f(result, take_lanes<narrow, R>(i, count, identity, f, at));
  for (; i < count; ++i) result = f(result, at(i));
  return result;
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
