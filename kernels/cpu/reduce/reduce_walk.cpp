#include "kernels/cpu/reduce/reduce_walk.h"

#include <cstring>

#include "kernels/cpu/loop/loop.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr std::int64_t lone_row = 1 << 16;
constexpr std::int64_t long_columns = 1 << 22;  // elements in all
constexpr std::int64_t long_fold = 1 << 14;     // likewise

/// Rows shorter than that are turned into columns, many at a time: each by itself costs some 10 ns.
std::int64_t short_row(int item) { return item < 8 ? 44 : 24; }

/// The dims that stay and those that go, each list walked by itself. Operand 0 is x: the larger one
/// decides the order of the walk. Operand 1 is out.
struct ReducePlans {
  const ReduceLoops& loops;
  LoopPlan kept, reduced;
};

bool prepare(ReducePlans& r, const View& out, const View& x) {
  r.kept.operands = r.reduced.operands = 2;
  r.kept.operand[0] = r.reduced.operand[0] = operand_of(x);
  r.kept.operand[1] = r.reduced.operand[1] = operand_of(out);
  bool has_results = true;
  for (int d = 0, n = x.sizes.size(); d < n; ++d) {
    const LoopDim dim{x.sizes.data()[d], {x.strides.data()[d], out.strides.data()[d]}};
    const bool is_kept = dim.strides[1] != 0;
    has_results &= !is_kept || dim.size > 0;
    (is_kept ? r.kept : r.reduced).insert(dim);
  }
  r.kept.coalesce();
  r.reduced.coalesce();
  return has_results;
}

/// A dense row into one accumulator.
void take_row(const ReduceLoops& loops, void* accumulator, const char* x, std::int64_t count,
              int item) {
  for (const auto [first, last] : Pieces<>(count))
    loops.take_rows(accumulator, x + first * item, 1, 0, last - first);
}

/// Rows of elements, one under the other, each into an accumulator of its own.
void reduce_dense_rows(const ReducePlans& r) {
  constexpr std::int64_t most_at_once = 64;
  const LoopDim& down = r.kept.inner();
  const int item = r.kept.operand[0].item, result_item = r.kept.operand[1].item;
  const std::int64_t count = r.reduced.inner().size;
  const std::int64_t at_once = count < lone_row ? most_at_once : 1;
  alignas(64) char accumulators[most_at_once * max_accumulator_bytes];
  Pace pace;
  for_each_place(r.kept, 1, [&](char* const* data) {
    for (std::int64_t i = 0; i < down.size; i += at_once) {
      const std::int64_t n = smaller(down.size - i, at_once);
      const char* const rows = data[0] + i * down.strides[0] * item;
      pace.advance(n * count);
      r.loops.start(accumulators, n);
      if (n > 1)
        r.loops.take_rows(accumulators, rows, n, down.strides[0], count);
      else
        take_row(r.loops, accumulators, rows, count, item);
      r.loops.finish(data[1] + i * down.strides[1] * result_item, down.strides[1], accumulators, n);
    }
  });
}

/// Rows of elements go into one accumulator.
void reduce_rows(const ReducePlans& r) {
  const LoopDim& inner = r.reduced.inner();
  if (r.kept.dims > 0 && r.reduced.dims == 1 && inner.strides[0] == 1) return reduce_dense_rows(r);
  const int item = r.kept.operand[0].item;
  alignas(64) char buffer[block_elements * largest_item];
  Pace pace;
  for_each_place(r.kept, 0, [&](char* const* place) {
    alignas(16) char accumulator[max_accumulator_bytes];
    r.loops.start(accumulator, 1);
    for_each_place(r.reduced, 1, place, [&](char* const* data) {
      if (inner.strides[0] == 1) {
        pace.advance(inner.size);
        return take_row(r.loops, accumulator, data[0], inner.size, item);
      }
      for (std::int64_t i = 0; i < inner.size; i += block_elements) {
        const std::int64_t n = smaller(inner.size - i, block_elements);
        pace.advance(n);
        gather(item, buffer, data[0] + i * inner.strides[0] * item, {1, n, 0, inner.strides[0]});
        r.loops.take_rows(accumulator, buffer, 1, 0, n);
      }
    });
    r.loops.finish(place[1], 1, accumulator, 1);
  });
}

/// Columns of elements that lie side by side or are brought there, and how they are taken.
class Columns {
 public:
  explicit Columns(const ReducePlans& r)
      : loops_(r.loops),
        across_(r.kept.inner()),
        down_(r.reduced.inner()),
        item_(r.kept.operand[0].item) {
    // Few that lie row after row: several rows count as one, or the loops would be too short. Each
    // of these is merged in the end, which has to be worth it.
    const std::int64_t wide = down_.size * across_.size < long_fold ? 64 : 256;
    if (across_.strides[0] == 1 && down_.strides[0] == across_.size && across_.size < 64)
      fold_ = smaller(down_.size, divided_up(wide, across_.size));
  }

  /// Short rows are turned into columns whole.
  std::int64_t at_once() const {
    const bool are_turned = across_.strides[0] != 1 && down_.strides[0] == 1;
    const std::int64_t most = !are_turned || down_.size >= short_row(item_) ? max_columns
                              : down_.size > 16                             ? block_elements / 32
                                                                            : block_elements / 16;
    return smaller(across_.size, most);
  }

  /// `accumulators` have room for max_columns.
  void start(char* accumulators, std::int64_t n) const { loops_.start(accumulators, n * fold_); }
  void take(char* accumulators, const char* x, std::int64_t rows, std::int64_t n) const {
    // Cut so that every block of rows is the one that it would be in a whole.
    const std::int64_t unit = rows_at_once * (across_.strides[0] == 1 ? fold_ : gathered_rows());
    const std::int64_t some = divided_up(long_columns, n * unit) * unit;
    for (std::int64_t i = 0; i < rows; i += some) {
      if (i > 0) interruption_point();
      take_some(accumulators, x + i * down_.strides[0] * item_, smaller(rows - i, some), n);
    }
  }
  /// Leaves what all rows come to in the first n.
  void end(char* accumulators, std::int64_t n) const {
    for (std::int64_t f = 1; f < fold_; ++f)
      loops_.merge(accumulators, accumulators + f * n * loops_.accumulator_bytes, n);
  }

 private:
  std::int64_t gathered_rows() const { return larger(block_elements / at_once(), 1); }

  void take_some(char* accumulators, const char* x, std::int64_t rows, std::int64_t n) const {
    if (across_.strides[0] == 1) {
      loops_.take_columns(accumulators, x, rows / fold_, down_.strides[0] * fold_, n * fold_);
      const std::int64_t taken = rows - rows % fold_;
      x += taken * down_.strides[0] * item_;
      return loops_.take_columns(accumulators, x, rows - taken, down_.strides[0], n);
    }
    alignas(64) char buffer[block_elements * largest_item];
    for (std::int64_t i = 0; i < rows; i += gathered_rows()) {
      const std::int64_t some = smaller(rows - i, gathered_rows());
      gather(item_, buffer, x + i * down_.strides[0] * item_,
             {some, n, down_.strides[0], across_.strides[0]});
      loops_.take_columns(accumulators, buffer, some, n, n);
    }
  }

  const ReduceLoops& loops_;
  const LoopDim& across_;
  const LoopDim& down_;
  int item_;
  std::int64_t fold_ = 1;
};

/// Columns of elements, side by side, go into as many accumulators.
void reduce_columns(const ReducePlans& r) {
  const Columns columns(r);
  const LoopDim& across = r.kept.inner();
  const int item = r.kept.operand[0].item;
  alignas(64) char accumulators[max_columns * max_accumulator_bytes];
  Pace pace;
  for_each_place(r.kept, 1, [&](char* const* data) {
    for (std::int64_t c = 0; c < across.size; c += columns.at_once()) {
      const std::int64_t n = smaller(across.size - c, columns.at_once());
      char* at[] = {data[0] + c * across.strides[0] * item,
                    data[1] + c * across.strides[1] * r.kept.operand[1].item};
      columns.start(accumulators, n);
      for_each_place(r.reduced, 1, at, [&](char* const* block) {
        pace.advance(n * r.reduced.inner().size);
        columns.take(accumulators, block[0], r.reduced.inner().size, n);
      });
      columns.end(accumulators, n);
      r.loops.finish(at[1], across.strides[1], accumulators, n);
    }
  });
}

bool is_by_rows(const ReducePlans& r) {
  const LoopDim& inner = r.reduced.inner();
  if (r.kept.dims == 0) return true;
  const bool is_along_memory = size_of(inner.strides[0]) < size_of(r.kept.inner().strides[0]);
  const bool is_worth_a_loop =
      inner.size >= short_row(r.kept.operand[0].item) || r.kept.inner().size < 8;
  return inner.size > 1 && is_along_memory && is_worth_a_loop;
}

void reduce_part(const ReducePlans& r) { is_by_rows(r) ? reduce_rows(r) : reduce_columns(r); }

/// Few results of many elements: threads share what each is made of, and what the parts come to is
/// merged in order. The parts are those of the reduced dim that gives most of them without cutting
/// rows short, by sizes alone.
void reduce_to_few(const ReducePlans& r, std::int64_t results, std::int64_t count, double ns) {
  int longest = 0;
  const auto parts_of = [&](int d) {
    const LoopDim& dim = r.reduced.dim[d];
    return dim.strides[0] == 1 ? dim.size / block_elements : dim.size;
  };
  for (int d = 1; d < r.reduced.dims; ++d)
    if (parts_of(d) > parts_of(longest)) longest = d;
  const std::int64_t bytes = r.loops.accumulator_bytes, length = r.reduced.dim[longest].size;
  const std::int64_t wanted = smaller(divided_up(count, part_elements), tuning::reduce_parts);
  std::int64_t each = divided_up(length, smaller(wanted, length));
  if (each > block_elements) each = divided_up(each, block_elements) * block_elements;
  const std::int64_t parts = divided_up(length, each);
  const Scratch scratch(parts * results * bytes);
  ReduceLoops keeping = r.loops;
  keeping.finish = keeping.keep;
  LoopPlan kept = r.kept;  // its results stand one after the other, in the order of the loops
  kept.operand[1] = {nullptr, static_cast<int>(bytes)};
  for (std::int64_t d = kept.dims - 1, step = 1; d >= 0; step *= kept.dim[d--].size)
    kept.dim[d].strides[1] = step;
  for_each_part(parts, 1, ns, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      ReducePlans part{keeping, kept,
                       r.reduced.part(i * each, smaller(length, (i + 1) * each), longest)};
      part.kept.operand[0].data = part.reduced.operand[0].data;
      part.kept.operand[1].data = scratch.data() + i * results * bytes;
      reduce_part(part);
    }
  });
  char* const all = scratch.data();
  for (std::int64_t i = 1; i < parts; ++i) r.loops.merge(all, all + i * results * bytes, results);
  const char* at = all;
  for_each_place(r.kept, 0, [&](char* const* data) {
    r.loops.finish(data[1], 1, at, 1);
    at += bytes;
  });
}

}  // namespace

void reduce(const ReduceLoops& loops, const View& out, const View& x) {
  ReducePlans r{loops, {}, {}};
  if (!prepare(r, out, x)) return;
  if (x.count == 0) {
    alignas(16) char accumulator[max_accumulator_bytes];
    loops.start(accumulator, 1);
    return for_each_place(r.kept, 0,
                          [&](char* const* data) { loops.finish(data[1], 1, accumulator, 1); });
  }
  r.reduced.pad(1);
  const std::int64_t results = r.kept.count();
  const double ns = predicted_ns(static_cast<double>(x.count) * loops.element_ns,
                                 x.count * static_cast<std::int64_t>(item_size(x.dtype)));
  const std::int64_t few = is_by_rows(r) ? tuning::few_rows : tuning::few_columns;
  if (results <= few && x.count >= 4 * part_elements) return reduce_to_few(r, results, x.count, ns);
  if (r.kept.dims == 0)
    return for_each_part(1, 1, ns, [&](std::int64_t, std::int64_t) { reduce_part(r); });
  // Threads get whole results, and of columns side by side enough to fill lines and lanes.
  const std::int64_t outer = r.kept.dim[0].size;
  const std::int64_t unit = r.kept.dims == 1 && !is_by_rows(r) ? 128 : 1;
  for_each_part(outer, divided_up(part_elements / (x.count / outer) + 1, unit) * unit, ns,
                [&](std::int64_t first, std::int64_t last) {
                  reduce_part({loops, r.kept.part(first, last), r.reduced});
                });
}

void reduce_parts(const ReduceLoops& loops, const View& out, const View& x) {
  const std::int64_t parts = divided_up(x.count, part_elements), bytes = loops.accumulator_bytes;
  const std::int64_t item = item_size(x.dtype);
  const Scratch scratch((parts + 1) * bytes);
  char *const kept = scratch.data(), *const partial = kept + bytes;
  const double ns = predicted_ns(static_cast<double>(x.count) * loops.element_ns, x.count * item);
  for_each_part(parts, 1, ns, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t start = i * part_elements;
      loops.start(partial + i * bytes, 1);
      loops.take_rows(partial + i * bytes, x.as<const char>() + start * item, 1, 0,
                      smaller(x.count - start, part_elements));
    }
  });
  loops.start(kept, 1);
  for (std::int64_t i = 0; i < parts; ++i) loops.merge(kept, partial + i * bytes, 1);
  loops.finish(out.data, 0, kept, 1);
}

}  // namespace garboard::kernels::GARBOARD_ISA
