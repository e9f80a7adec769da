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
#pragma GCC unroll 1  // peeled, the lanes would go through memory
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
#pragma GCC unroll 1
  for (std::int64_t i = width; i + width <= count; i += width)
    for (int l = 0; l < width; ++l) lanes[l] = f(lanes[l], at(i + l));
  if (count % width)
    for (int l = 0; l < width; ++l) lanes[l] = f(lanes[l], at(count - width + l));
  return fold_lanes<width / 2>(lanes, f);
}

constexpr int dense_lanes = 64, fewer_lanes = 8;

/// `result` and at(0) ... at(count - 1), fewer than fill the lanes.
template <class R, class F, class At>
__attribute__((always_inline)) inline R reduce_rest(R result, std::int64_t count, R identity, F f,
                                                    At at, std::int64_t i = 0) {
  if (i + fewer_lanes <= count)
    result = f(result, take_lanes<fewer_lanes, R>(i, count, identity, f, at));
  for (; i < count; ++i) result = f(result, at(i));
  return result;
}

/// f over at(0) ... at(count - 1), from `identity`. `f` and `at` should be inlined always.
template <class R, class F, class At>
R reduce_dense(std::int64_t count, R identity, F f, At at) {
  if constexpr (requires { F::is_idempotent; }) {
    if (count >= dense_lanes) return take_overlapping_lanes<dense_lanes, R>(count, identity, f, at);
    if (count >= dense_lanes / 2)
      return take_overlapping_lanes<dense_lanes / 2, R>(count, identity, f, at);
    if (count >= fewer_lanes) return take_overlapping_lanes<fewer_lanes, R>(count, identity, f, at);
  }
  R result = identity;
  std::int64_t i = 0;
  if (i + dense_lanes <= count)
    result = f(result, take_lanes<dense_lanes, R>(i, count, identity, f, at));
  return reduce_rest(result, count, identity, f, at, i);
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
