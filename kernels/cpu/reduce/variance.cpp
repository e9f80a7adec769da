// The mean squared distance from the mean, in one pass over memory: blocks that stay in the caches
// are read twice, for their mean and for the distances from it, and meet as Chan, Golub and LeVeque
// say ("Algorithms for computing the sample variance", 1983), in double.
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/rows_in_float.h"
#include "kernels/cpu/reduce/dense_reduce.h"
#include "kernels/cpu/reduce/reduce_walk.h"
#include "kernels/functors/reduce.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Some elements: how many, their mean, and the sum of the squared distances from it.
struct Moments {
  double count = 0, mean = 0, squares = 0;

  /// `count` elements whose distances from `shift` add up to `sum`, and squared to `squares`.
  static Moments about(double shift, double count, double sum, double squares) {
    const double rest = sum / count;
    return {count, shift + rest, squares - sum * rest};
  }
  void add(const Moments& other) {
    const double total = count + other.count;
    const double share = total > 0 ? other.count / total : 0;
    const double distance = other.mean - mean;
    mean = count > 0 ? mean + distance * share : other.mean;
    squares += other.squares + distance * distance * (count * share);
    count = total;
  }
  double result() const { return squares / count; }
};
static_assert(sizeof(Moments) <= max_accumulator_bytes);

/// The sums of x - shift and of its square, in lanes, so that g++ vectorises both.
template <class T>
Moments about(T shift, const T* x, std::int64_t count) {
  constexpr int width = 32;
  T sums[width] = {}, squares[width] = {};
  std::int64_t i = 0;
  for (; i + width <= count; i += width) {
    for (int l = 0; l < width; ++l) {
      const T distance = x[i + l] - shift;
      sums[l] += distance;
      squares[l] += distance * distance;
    }
  }
  for (int l = 0; i + l < count; ++l) {
    const T distance = x[i + l] - shift;
    sums[l] += distance;
    squares[l] += distance * distance;
  }
  const functors::SumOf plus;
  const double sum = fold_lanes<width / 2>(sums, plus);
  return Moments::about(shift, static_cast<double>(count), sum,
                        fold_lanes<width / 2>(squares, plus));
}

/// Elements of T into results of `Out`.
template <class T, class Out = T>
struct MomentsOf : Accumulators<Moments, Out> {
  using Base = Accumulators<Moments, Out>;
  using Wide = functors::Widened<T>;
  static constexpr int item = sizeof(T);

  static void take_row(void* accumulator, const void* x, std::int64_t count) {
    Wide memory[functors::Half<T> ? block_elements : 1];
    for (std::int64_t done = 0; done < count; done += block_elements) {
      const std::int64_t n = smaller(count - done, block_elements);
      const Wide* const block = wide_row(static_cast<const T*>(x) + done, memory, n);
      const Wide sum = reduce_dense<Wide>(
          n, Wide(0), functors::SumOf{}, [block](std::int64_t i) __attribute__((always_inline)) {
            return block[i];
          });
      static_cast<Moments*>(accumulator)->add(about<Wide>(sum / static_cast<Wide>(n), block, n));
    }
  }

  static void take_columns(void* accumulators, const void* x, std::int64_t rows,
                           std::int64_t row_stride, std::int64_t columns) {
    const auto* from = static_cast<const T*>(x);
    alignas(64) Wide shifts[max_columns], sums[max_columns], squares[max_columns];
    while (rows > 0) {
      const std::int64_t n = smaller(rows, rows_at_once);
      const Wide share = Wide(1) / static_cast<Wide>(n);
      for (std::int64_t c = 0; c < columns; ++c) shifts[c] = functors::widened(from[c]);
      for (std::int64_t r = 1; r < n; ++r)
        for (std::int64_t c = 0; c < columns; ++c)
          shifts[c] += functors::widened(from[r * row_stride + c]);
      for (std::int64_t c = 0; c < columns; ++c) {
        shifts[c] *= share;
        sums[c] = squares[c] = 0;
      }
      for (std::int64_t r = 0; r < n; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) {
          const Wide distance = functors::widened(from[r * row_stride + c]) - shifts[c];
          sums[c] += distance;
          squares[c] += distance * distance;
        }
      }
      for (std::int64_t c = 0; c < columns; ++c)
        static_cast<Moments*>(accumulators)[c].add(
            Moments::about(shifts[c], static_cast<double>(n), sums[c], squares[c]));
      rows -= n;
      from += n * row_stride;
    }
  }

  static constexpr ReduceLoops loops{.element_ns = tuning::moments_ns,
                                     .accumulator_bytes = sizeof(Moments),
                                     .start = Base::start,
                                     .take_rows = take_rows<MomentsOf>,
                                     .take_columns = take_columns,
                                     .merge = Base::merge,
                                     .keep = Base::keep,
                                     .finish = Base::finish};
};

}  // namespace

template <>
void kernel(const Variance& of, Stream) {
  visit_floating(of.x.dtype, [&]<class T>(Type<T>) {
    if constexpr (functors::Half<T>)
      if (of.out.dtype == DType::float32) return reduce_by<MomentsOf<T, float>>(of.out, of.x);
    reduce_by<MomentsOf<T>>(of.out, of.x);
  });
}

}  // namespace garboard::kernels::GARBOARD_ISA
