// Walks a reduction over views of any strides. The inner loops over dense elements come as plain
// function pointers, so that the walk is compiled once.
#pragma once

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/tuning.h"

namespace garboard::kernels::GARBOARD_ISA {

inline constexpr std::int64_t block_elements = tuning::reduce_block;
inline constexpr std::int64_t rows_at_once = 64;  // of a column, before their result is accumulated
inline constexpr std::int64_t max_columns = 1024;
inline constexpr int max_accumulator_bytes = 32;

/// The inner loops of a reduction.
struct ReduceLoops {
  double element_ns;  // about, in the caches
  int accumulator_bytes;
  void (*start)(void* accumulators, std::int64_t count);
  /// Takes `rows` rows of `count` elements into as many accumulators.
  void (*take_rows)(void* accumulators, const void* x, std::int64_t rows, std::int64_t row_stride,
                    std::int64_t count);
  /// Takes `rows` rows into as many accumulators as there are columns, at most max_columns.
  void (*take_columns)(void* accumulators, const void* x, std::int64_t rows,
                       std::int64_t row_stride, std::int64_t columns);
  void (*merge)(void* into, const void* accumulators, std::int64_t count);
  /// Writes accumulators as they are, `stride` of them apart: what finish() makes results of.
  void (*keep)(void* out, std::int64_t stride, const void* accumulators, std::int64_t count);
  void (*finish)(void* out, std::int64_t stride, const void* accumulators, std::int64_t count);
};

/// `out` has x's sizes, with stride 0 along the reduced dims. What becomes one result is met in an
/// order that the sizes and strides alone decide.
void reduce(const ReduceLoops& loops, const View& out, const View& x);

/// `x`, which is contiguous, into one result, by parts as `reduce_all` has them.
void reduce_parts(const ReduceLoops& loops, const View& out, const View& x);

namespace {

/// Those of ReduceLoops that are the same whatever an accumulator keeps. `Kept` adds others of its
/// kind, and has a result().
template <class KeptBy, class Result>
struct Accumulators {
  using Out = Result;
  using Kept = KeptBy;

  static void start(void* accumulators, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) static_cast<Kept*>(accumulators)[i] = Kept{};
  }
  static void merge_one(Kept& into, const Kept* parts, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) into.add(parts[i]);
  }
  static void merge(void* into, const void* accumulators, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      static_cast<Kept*>(into)[i].add(static_cast<const Kept*>(accumulators)[i]);
  }
  static void keep(void* out, std::int64_t stride, const void* accumulators, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      static_cast<Kept*>(out)[i * stride] = static_cast<const Kept*>(accumulators)[i];
  }
  static void finish(void* out, std::int64_t stride, const void* accumulators, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      static_cast<Out*>(out)[i * stride] =
          static_cast<Out>(static_cast<const Kept*>(accumulators)[i].result());
  }
};

/// ReduceLoops::take_rows of `Loops`, which takes a row.
template <class Loops>
void take_rows(void* accumulators, const void* x, std::int64_t rows, std::int64_t row_stride,
               std::int64_t count) {
  for (std::int64_t r = 0; r < rows; ++r)
    Loops::take_row(static_cast<typename Loops::Kept*>(accumulators) + r,
                    static_cast<const char*>(x) + r * row_stride * Loops::item, count);
}

inline constexpr std::int64_t part_elements =
    tuning::reduce_part;  // what one thread takes at a time

/// `count` elements into one result: `take(kept, first, n)` takes `n` of them, on any thread. Many
/// by parts of a fixed size, whose results meet in order: threads share the work and the sum does
/// not tell how many there were. An element takes about `element_ns`, all are read from `bytes`.
template <class Loops, class Take>
typename Loops::Out reduce_all(std::int64_t count, double element_ns, std::int64_t bytes,
                               Take take) {
  using Kept = typename Loops::Kept;
  Kept kept;
  if (count <= part_elements) {
    take(&kept, 0, count);
    return static_cast<typename Loops::Out>(kept.result());
  }
  const std::int64_t parts = divided_up(count, part_elements);
  const Scratch scratch(parts * static_cast<std::int64_t>(sizeof(Kept)));
  Kept* const partial = scratch.as<Kept>();
  const double ns = predicted_ns(static_cast<double>(count) * element_ns, bytes);
  for_each_part(parts, 1, ns, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t start = i * part_elements;
      Loops::start(partial + i, 1);
      take(partial + i, start, smaller(count - start, part_elements));
    }
  });
  Loops::merge_one(kept, partial, parts);
  return static_cast<typename Loops::Out>(kept.result());
}

/// Whether all of `out` is one element.
bool is_single(const View& out) {
  std::int64_t any = 0;
  for (int d = 0, n = out.sizes.size(); d < n; ++d) any |= out.strides.data()[d];
  return any == 0;
}

/// By `Loops`, which has the functions of ReduceLoops, the accumulator Kept and the result Out.
template <class Loops>
void reduce_by(const View& out, const View& x) {
  const bool is_planned = x.count != 1 && !(x.contiguous && is_single(out));
  if (is_planned) return reduce(Loops::loops, out, x);
  if (x.count > part_elements) return reduce_parts(Loops::loops, out, x);
  typename Loops::Kept kept;
  Loops::take_row(&kept, x.as<const char>(), x.count);
  *out.as<typename Loops::Out>() = static_cast<typename Loops::Out>(kept.result());
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
