// Reductions. Blocks of up to 1,024 elements are reduced in lanes of the result's type; the blocks'
// results meet in an accumulator that keeps more digits: double for float, and for double a sum
// with its rounding error. The order is fixed by the sizes and strides alone.
#include "kernels/functors/reduce.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/rows_in_float.h"
#include "kernels/cpu/reduce/dense_reduce.h"
#include "kernels/cpu/reduce/half_sums.h"
#include "kernels/cpu/reduce/reduce_walk.h"
#include "kernels/cpu/reduce/truth_loops.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

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

template <class R>
struct Accumulator<functors::SumOfSquares, R> : Accumulator<functors::SumOf, R> {
  using Accumulator<functors::SumOf, R>::add;
  void add(const Accumulator& other) { Accumulator<functors::SumOf, R>::add(other); }
};

template <class R>
struct Accumulator<functors::SumOf, Complex<R>> {
  Accumulator<functors::SumOf, R> real, imaginary;
  void add(Complex<R> x) {
    real.add(x.real);
    imaginary.add(x.imaginary);
  }
  void add(const Accumulator& other) {
    real.add(other.real);
    imaginary.add(other.imaginary);
  }
  Complex<R> result() const { return {real.result(), imaginary.result()}; }
};

/// Elements of T into results of `Out`.
template <class F, class T, class Out>
struct LoopsOf : Accumulators<Accumulator<F, typename F::template Result<T>>, Out> {
  using R = typename F::template Result<T>;
  using Base = Accumulators<Accumulator<F, R>, Out>;
  using typename Base::Kept;
  using Item = functors::InMemory<T>;
  static constexpr int item = sizeof(T);

  template <class At>
  __attribute__((always_inline)) static R reduced_block(std::int64_t count, At at) {
    return reduce_dense<R>(count, F::template identity<R>, F{}, at);
  }

  static void take_row(void* accumulator, const void* x, std::int64_t count) {
    auto& kept = *static_cast<Kept*>(accumulator);
    // A sum keeps its digits by blocks; an extremum has none to lose, and folds its lanes less
    // often.
    constexpr bool is_cut = !requires { F::is_idempotent; }
    || functors::Half<T>;
    constexpr std::int64_t block_of = is_cut ? block_elements : 16 * block_elements;
    functors::Widened<Item> memory[functors::Half<T> ? block_elements : 1];
    for (std::int64_t done = 0; done < count; done += block_of) {
      const std::int64_t n = smaller(count - done, block_of);
      const Item* const block = static_cast<const Item*>(x) + done;
      if constexpr (sums_halves && std::is_same_v<T, Float16> &&
                    std::is_same_v<F, functors::SumOf>) {
        kept.add(sum_of_halves(block, n));
      } else if constexpr (std::is_same_v<T, BFloat16>) {  // g++ makes vectors of that
        kept.add(reduced_block(
            n, [block](std::int64_t i) __attribute__((always_inline)) {
              return functors::taken_by<F, R>(static_cast<float>(block[i]));
            }));
      } else {
        const auto* const wide = wide_row(block, memory, n);
        kept.add(reduced_block(
            n, [wide](std::int64_t i) __attribute__((always_inline)) {
              return functors::taken_by<F, R>(functors::loaded<functors::Widened<T>>(wide[i]));
            }));
      }
    }
  }

  static void take_columns(void* accumulators, const void* x, std::int64_t rows,
                           std::int64_t row_stride, std::int64_t columns) {
    const auto* from = static_cast<const Item*>(x);
    constexpr bool is_widened = std::is_same_v<T, Float16>;  // g++ makes vectors of all else
    using Read = std::conditional_t<is_widened, float, Item>;
    alignas(64) Read memory[4][is_widened ? max_columns : 1];
    const auto row = [&](std::int64_t r, int k) -> const Read* {
      const Item* const items = from + r * row_stride;
      if constexpr (is_widened)
        return wide_row(items, memory[k], columns);
      else
        return items;
    };
    const auto read = [](Read value) {
      if constexpr (is_widened)
        return functors::taken_by<F, R>(value);
      else
        return functors::taken_by<F, R>(functors::loaded<T>(value));
    };
    alignas(64) R sums[max_columns];
    while (rows > 0) {
      const std::int64_t n = smaller(rows, rows_at_once);
      const Read* const top = row(0, 0);
      for (std::int64_t c = 0; c < columns; ++c) sums[c] = read(top[c]);
      std::int64_t r = 1;
      for (; r + 4 <= n; r += 4) {
        const Read *const first = row(r, 0), *const second = row(r + 1, 1),
                          *const third = row(r + 2, 2), *const fourth = row(r + 3, 3);
        for (std::int64_t c = 0; c < columns; ++c)
          sums[c] = F{}(sums[c], F{}(F{}(read(first[c]), read(second[c])),
                                     F{}(read(third[c]), read(fourth[c]))));
      }
      for (; r < n; ++r) {
        const Read* const one = row(r, 0);
        for (std::int64_t c = 0; c < columns; ++c) sums[c] = F{}(sums[c], read(one[c]));
      }
      for (std::int64_t c = 0; c < columns; ++c) static_cast<Kept*>(accumulators)[c].add(sums[c]);
      rows -= n;
      from += n * row_stride;
    }
  }

  static constexpr ReduceLoops loops{.element_ns = tuning::reduced_ns,
                                     .accumulator_bytes = sizeof(Kept),
                                     .start = Base::start,
                                     .take_rows = take_rows<LoopsOf>,
                                     .take_columns = take_columns,
                                     .merge = Base::merge,
                                     .keep = Base::keep,
                                     .finish = Base::finish};
};

/// By rows of whole blocks: the accumulator meets what it would of a row of all.
template <class Loops>
void reduce_brought(const BroughtSum& of) {
  constexpr std::int64_t most = tuning::brought_row;
  *of.out.as<typename Loops::Out>() =
      reduce_all<Loops>(of.count, Loops::loops.element_ns + of.ns, of.bytes,
                        [&](typename Loops::Kept* kept, std::int64_t first, std::int64_t n) {
                          const Scratch row(smaller(n, most), Loops::item);
                          for (const std::int64_t end = first + n; first < end; first += most) {
                            const std::int64_t some = smaller(end - first, most);
                            of.bring(of.context, first, some, row.data());
                            Loops::take_row(kept, row.data(), some);
                          }
                        });
}

template <class F>
void reduce(const View& out, const View& x, Stream) {
  visit_dtype(x.dtype, [&]<class T>(Type<T>) {
    if constexpr (requires { typename F::template Result<T>; }) {
      using R = typename F::template Result<T>;
      if constexpr (std::is_same_v<R, bool>) {
        reduce_by<TruthLoops<F, T>>(out, x);
      } else {
        if constexpr (functors::Half<T>)
          if (out.dtype == x.dtype) return reduce_by<LoopsOf<F, T, T>>(out, x);
        reduce_by<LoopsOf<F, T, R>>(out, x);
      }
    } else {
      __builtin_trap();
    }
  });
}

}  // namespace

template <>
void kernel(const BroughtSum& of, Stream) {
  visit_dtype(of.dtype, [&]<class T>(Type<T>) {
    using R = typename functors::SumOf::template Result<T>;
    if constexpr (functors::Half<T>)
      if (of.out.dtype == of.dtype) return reduce_brought<LoopsOf<functors::SumOf, T, T>>(of);
    reduce_brought<LoopsOf<functors::SumOf, T, R>>(of);
  });
}

void fill_reduce(Table& table) noexcept {
  for_each_type(functors::ReduceFunctors{},
                [&]<class F> { table.reduce[index_in<F, functors::ReduceFunctors>] = reduce<F>; });
}

}  // namespace garboard::kernels::GARBOARD_ISA
