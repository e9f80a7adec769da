// Reductions. Blocks of up to 1,024 elements are reduced in lanes of the result's type; the blocks'
// results meet in an accumulator that keeps more digits: double for float, and for double a sum
// with its rounding error. The order is fixed by the sizes and strides alone.
#include "kernels/functors/reduce.h"
#include "kernels/cpu/dense_reduce.h"
#include "kernels/cpu/loop.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/parts.h"
#include "kernels/cpu/plan.h"
#include "kernels/cpu/scratch.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr std::int64_t block_elements = 1024;
constexpr std::int64_t rows_at_once = 64;  // rows that are summed before their sums are accumulated
constexpr std::int64_t max_columns = 1024;
constexpr std::int64_t short_row = 32;
constexpr std::int64_t part_elements = 1 << 16;  // what one thread takes at a time
constexpr double element_ns = 0.04;  // in the second cache: another core would fetch it from there

/// Where the results of blocks meet.
template <class F, class R>
struct Accumulator {
  R value = F::template identity<R>;
  void add(R x) { value = F{}(value, x); }
  void add(const Accumulator& other) { add(other.value); }
  R result() const { return value; }
};

template <>
struct Accumulator<functors::SumOf, float> {
  double value = 0;
  void add(float x) { value += x; }
  void add(const Accumulator& other) { value += other.value; }
  float result() const { return static_cast<float>(value); }
};

/// A sum and what rounding took from it (Knuth's two-sum).
template <>
struct Accumulator<functors::SumOf, double> {
  double value = 0, lost = 0;
  void add(double x) {
    const double sum = value + x;
    const double added = sum - value;
    lost += (value - (sum - added)) + (x - added);
    value = sum;
  }
  void add(const Accumulator& other) {
    add(other.value);
    lost += other.lost;
  }
  double result() const {  // past infinity nothing sensible was lost
    return functors::abs(value) < functors::infinity<double> ? value + lost : value;
  }
};

/// The inner loops of a functor over dense elements, behind plain pointers: the walk is compiled
/// once.
struct Loops {
  int accumulator_bytes;
  void (*start)(void* accumulators, std::int64_t count);
  /// Takes `count` elements into one accumulator.
  void (*take_row)(void* accumulator, const void* x, std::int64_t count);
  /// Takes `rows` rows into as many accumulators as there are columns, at most max_columns.
  void (*take_columns)(void* accumulators, const void* x, std::int64_t rows,
                       std::int64_t row_stride, std::int64_t columns);
  void (*merge)(void* into, const void* accumulators, std::int64_t count);
  void (*finish)(void* out, std::int64_t stride, const void* accumulators, std::int64_t count);
};

template <class F, class T>
struct LoopsOf {
  using R = typename F::template Result<T>;
  using Kept = Accumulator<F, R>;
  static constexpr int item = sizeof(T);

  static void start(void* accumulators, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) static_cast<Kept*>(accumulators)[i] = Kept{};
  }

  static void take_row(void* accumulator, const void* x, std::int64_t count) {
    auto& kept = *static_cast<Kept*>(accumulator);
    for (std::int64_t done = 0; done < count; done += block_elements) {
      const T* block = static_cast<const T*>(x) + done;
      kept.add(reduce_dense<R>(
          smaller(count - done, block_elements), F::template identity<R>,
          F{}, [block](std::int64_t i) __attribute__((always_inline)) {
            return functors::counted_as<R>(block[i]);
          }));
    }
  }

  static void take_columns(void* accumulators, const void* x, std::int64_t rows,
                           std::int64_t row_stride, std::int64_t columns) {
    const auto* from = static_cast<const T*>(x);
    const auto read = [](T value) { return functors::counted_as<R>(value); };
    alignas(64) R sums[max_columns];
    while (rows > 0) {
      const std::int64_t n = smaller(rows, rows_at_once);
      for (std::int64_t c = 0; c < columns; ++c) sums[c] = read(from[c]);
      std::int64_t r = 1;
      for (; r + 4 <= n; r += 4) {
        const T* first = from + r * row_stride;
        const T* second = first + row_stride;
        const T* third = second + row_stride;
        const T* fourth = third + row_stride;
        for (std::int64_t c = 0; c < columns; ++c)
          sums[c] = F{}(sums[c], F{}(F{}(read(first[c]), read(second[c])),
                                     F{}(read(third[c]), read(fourth[c]))));
      }
      for (; r < n; ++r)
        for (std::int64_t c = 0; c < columns; ++c)
          sums[c] = F{}(sums[c], read(from[r * row_stride + c]));
      for (std::int64_t c = 0; c < columns; ++c) static_cast<Kept*>(accumulators)[c].add(sums[c]);
      rows -= n;
      from += n * row_stride;
    }
  }

  static void merge_one(Kept& into, const Kept* parts, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) into.add(parts[i]);
  }

  static void merge(void* into, const void* accumulators, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      static_cast<Kept*>(into)[i].add(static_cast<const Kept*>(accumulators)[i]);
  }

  static void finish(void* out, std::int64_t stride, const void* accumulators, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      static_cast<R*>(out)[i * stride] = static_cast<const Kept*>(accumulators)[i].result();
  }

  static constexpr Loops loops{sizeof(Kept), start, take_row, take_columns, merge, finish};
};

/// The dims that stay and those that go, each list walked by itself. Operand 0 is x: the larger one
/// decides the order of the walk. Operand 1 is out.
struct Reduction {
  const Loops& loops;
  Plan kept, reduced;
};

bool prepare(Reduction& r, const View& out, const View& x) {
  r.kept.operands = r.reduced.operands = 2;
  r.kept.operand[0] = r.reduced.operand[0] = operand_of(x);
  r.kept.operand[1] = r.reduced.operand[1] = operand_of(out);
  bool has_results = true;
  for (int d = 0, n = x.sizes.size(); d < n; ++d) {
    const Dim dim{x.sizes.data()[d], {x.strides.data()[d], out.strides.data()[d]}};
    const bool is_kept = dim.strides[1] != 0;
    has_results &= !is_kept || dim.size > 0;
    (is_kept ? r.kept : r.reduced).insert(dim);
  }
  r.kept.coalesce();
  r.reduced.coalesce();
  return has_results;
}

/// Rows of elements go into one accumulator.
void reduce_rows(const Reduction& r) {
  const Dim& inner = r.reduced.inner();
  const int item = r.kept.operand[0].item;
  alignas(64) char buffer[block_elements * 8];
  for_each_place(r.kept, 0, [&](char* const* place) {
    alignas(16) char accumulator[16];
    r.loops.start(accumulator, 1);
    for_each_place(r.reduced, 1, place, [&](char* const* data) {
      if (inner.strides[0] == 1) return r.loops.take_row(accumulator, data[0], inner.size);
      for (std::int64_t i = 0; i < inner.size; i += block_elements) {
        const std::int64_t n = smaller(inner.size - i, block_elements);
        gather(item, buffer, data[0] + i * inner.strides[0] * item, {1, n, 0, inner.strides[0]});
        r.loops.take_row(accumulator, buffer, n);
      }
    });
    r.loops.finish(place[1], 1, accumulator, 1);
  });
}

/// Columns of elements, side by side, go into as many accumulators.
void reduce_columns(const Reduction& r) {
  const Dim& across = r.kept.inner();
  const Dim& down = r.reduced.inner();
  const int item = r.kept.operand[0].item;
  // Few columns that lie row after row: several rows count as one, or the loops would be too short.
  std::int64_t fold = 1;
  if (across.strides[0] == 1 && down.strides[0] == across.size && across.size < 64)
    fold = smaller(down.size, 256 / across.size);
  const std::int64_t columns = smaller(across.size, max_columns);
  const std::int64_t gathered_rows = block_elements / columns < 1 ? 1 : block_elements / columns;
  alignas(64) char accumulators[max_columns * 16];
  alignas(64) char buffer[block_elements * 8];
  const auto take = [&](const char* x, std::int64_t rows, std::int64_t n) {
    if (across.strides[0] == 1) {
      r.loops.take_columns(accumulators, x, rows / fold, down.strides[0] * fold, n * fold);
      const std::int64_t taken = rows - rows % fold;
      x += taken * down.strides[0] * item;
      return r.loops.take_columns(accumulators, x, rows - taken, down.strides[0], n);
    }
    for (std::int64_t i = 0; i < rows; i += gathered_rows) {
      const std::int64_t some = smaller(rows - i, gathered_rows);
      gather(item, buffer, x + i * down.strides[0] * item,
             {some, n, down.strides[0], across.strides[0]});
      r.loops.take_columns(accumulators, buffer, some, n, n);
    }
  };
  for_each_place(r.kept, 1, [&](char* const* data) {
    for (std::int64_t c = 0; c < across.size; c += columns) {
      const std::int64_t n = smaller(across.size - c, columns);
      char* at[] = {data[0] + c * across.strides[0] * item,
                    data[1] + c * across.strides[1] * r.kept.operand[1].item};
      r.loops.start(accumulators, n * fold);
      for_each_place(r.reduced, 1, at, [&](char* const* block) { take(block[0], down.size, n); });
      for (std::int64_t f = 1; f < fold; ++f)
        r.loops.merge(accumulators, accumulators + f * n * r.loops.accumulator_bytes, n);
      r.loops.finish(at[1], across.strides[1], accumulators, n);
    }
  });
}

void reduce(const Loops& loops, const View& out, const View& x) {
  Reduction r{loops, {}, {}};
  if (!prepare(r, out, x)) return;
  if (x.count == 0) {
    alignas(16) char accumulator[16];
    loops.start(accumulator, 1);
    return for_each_place(r.kept, 0,
                          [&](char* const* data) { loops.finish(data[1], 1, accumulator, 1); });
  }
  r.reduced.pad(1);
  const Dim& inner = r.reduced.inner();
  // Short rows are turned into columns, many at a time: each row by itself costs some 20 ns.
  const bool is_along_memory =
      r.kept.dims > 0 && size_of(inner.strides[0]) < size_of(r.kept.inner().strides[0]);
  const bool is_worth_a_loop =
      inner.size >= short_row || (r.kept.dims > 0 && r.kept.inner().size < 8);
  const bool by_rows = r.kept.dims == 0 || (inner.size > 1 && is_along_memory && is_worth_a_loop);
  const auto reduce_part = [&](const Reduction& part) {
    by_rows ? reduce_rows(part) : reduce_columns(part);
  };
  if (r.kept.dims == 0) return reduce_part(r);
  // Threads get whole results, and of columns side by side enough to fill lines and lanes.
  const std::int64_t results = r.kept.dim[0].size, inside = x.count / results;
  const std::int64_t unit = r.kept.dims == 1 && !by_rows ? 128 : 1;
  for_each_part(results, divided_up(part_elements / inside + 1, unit) * unit,
                static_cast<double>(x.count) * element_ns,
                [&](std::int64_t first, std::int64_t last) {
                  reduce_part({loops, r.kept.part(first, last), r.reduced});
                });
}

/// All of `x` into one result. Long ones by parts of a fixed size, whose results meet in order:
/// threads share the work and the sum does not tell how many there were.
template <class Loops>
typename Loops::R reduce_all(const void* x, std::int64_t count) {
  using Kept = typename Loops::Kept;
  Kept kept;
  if (count <= part_elements) {
    Loops::take_row(&kept, x, count);
    return kept.result();
  }
  const std::int64_t parts = divided_up(count, part_elements);
  const Scratch scratch(parts * static_cast<std::int64_t>(sizeof(Kept)));
  Kept* const partial = scratch.as<Kept>();
  for_each_part(parts, 1, static_cast<double>(count) * element_ns,
                [&](std::int64_t first, std::int64_t last) {
                  for (std::int64_t i = first; i < last; ++i) {
                    const std::int64_t start = i * part_elements;
                    Loops::start(partial + i, 1);
                    Loops::take_row(partial + i, static_cast<const char*>(x) + start * Loops::item,
                                    smaller(count - start, part_elements));
                  }
                });
  Loops::merge_one(kept, partial, parts);
  return kept.result();
}

/// Whether all of `out` is one element.
bool is_single(const View& out) {
  std::int64_t any = 0;
  for (int d = 0, n = out.sizes.size(); d < n; ++d) any |= out.strides.data()[d];
  return any == 0;
}

template <class F>
void reduce(const View& out, const View& x, Stream) {
  visit_dtype(x.dtype, [&]<class T>(Type<T>) {
    using Loops = LoopsOf<F, T>;
    if (x.count == 1 || (x.contiguous && is_single(out))) {  // nothing to plan
      *out.as<typename Loops::R>() = reduce_all<Loops>(x.data, x.count);
      return;
    }
    reduce(Loops::loops, out, x);
  });
}

}  // namespace

void fill_reduce(Table& table) noexcept {
  for_each_type(functors::ReduceFunctors{},
                [&]<class F> { table.reduce[index_in<F, functors::ReduceFunctors>] = reduce<F>; });
}

}  // namespace garboard::kernels::GARBOARD_ISA
