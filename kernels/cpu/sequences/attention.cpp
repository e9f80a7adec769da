// Attention in blocks of rows and columns: scores are never all there, and memory grows with the
// length alone. The maximum and the sum of a row are found on the way (Milakov and Gimelshein,
// arXiv:1805.02867); backward computes scores again from the logarithm of that sum (Dao et al.,
// "FlashAttention", arXiv:2205.14135). Blocks depend on sizes alone, and so do the bits.
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/nn/exponential_sum.h"
#include "kernels/cpu/product/matmul.h"
#include "kernels/functors/philox.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr std::int64_t block_rows = 128, block_columns = 256;

template <class T>
constexpr T lowest_score = -__builtin_huge_val();

/// One head of one sequence of a view of four dims, as a matrix.
template <class T>
struct Head {
  T* data;
  std::int64_t stride;

  Head(const View& of, std::int64_t batch, std::int64_t head)
      : data(of.as<T>() + batch * of.strides.data()[0] + head * of.strides.data()[1]),
        stride(of.strides.data()[2]) {}
  T* row(std::int64_t i) const { return data + i * stride; }
};

template <class T>
Matrix matrix(const T* data, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
              std::int64_t column_stride = 1) {
  return {reinterpret_cast<char*>(const_cast<T*>(data)),
          sizeof(T),
          rows,
          columns,
          row_stride,
          column_stride};
}

template <class T>
constexpr DType dtype_of = sizeof(T) == sizeof(float) ? DType::float32 : DType::float64;

struct AttentionShape {
  std::int64_t batch, heads, rows, columns, depth, values, shared;

  explicit AttentionShape(const Attention& of)
      : batch(of.q.sizes.data()[0]),
        heads(of.q.sizes.data()[1]),
        rows(of.q.sizes.data()[2]),
        columns(of.k.sizes.data()[2]),
        depth(of.q.sizes.data()[3]),
        values(of.v.sizes.data()[3]),
        shared(heads / of.k.sizes.data()[1]) {}

  double cost_ns(double products) const {
    return static_cast<double>(batch * heads * rows) * static_cast<double>(columns) *
           (1 + products * 0.02 * static_cast<double>(depth + values));
  }
};

/// Scores of some rows and columns of a head.
template <class T>
class Scores {
 public:
  struct Range {
    std::int64_t first, count;
  };

  Scores(const Attention& of, const AttentionShape& shape, std::int64_t batch, std::int64_t head)
      : of_(of),
        shape_(shape),
        batch_(batch),
        head_(head),
        q_(of.q, batch, head),
        k_(of.k, batch, head / shape.shared) {}

  /// Behind the last column that rows up to `last` see.
  std::int64_t end_of_columns(std::int64_t last) const {
    return of_.is_causal ? smaller(last, shape_.columns) : shape_.columns;
  }

  /// Writes rows of block_columns: scale q k^T + mask, and -inf where a row does not see.
  void compute(T* to, Range rows, Range columns) const {
    multiply(dtype_of<T>, matrix(to, rows.count, columns.count, block_columns),
             matrix(q_.row(rows.first), rows.count, shape_.depth, q_.stride),
             matrix(k_.row(columns.first), shape_.depth, columns.count, 1, k_.stride), false);
    const T scale = static_cast<T>(of_.scale);
    for (std::int64_t i = 0; i < rows.count; ++i, to += block_columns) {
      for (std::int64_t j = 0; j < columns.count; ++j) to[j] *= scale;
      if (of_.mask.data) add_mask(to, rows.first + i, columns);
      if (!of_.is_causal) continue;
      const std::int64_t seen = rows.first + i + 1 - columns.first;
      for (std::int64_t j = larger(seen, 0); j < columns.count; ++j) to[j] = lowest_score<T>;
    }
  }

  /// Calls `keep(j, is_kept)` for the columns of a row.
  template <class Keep>
  void for_each_kept(std::int64_t row, Range columns, Keep keep) const {
    const std::uint64_t in_row = static_cast<std::uint64_t>(divided_up(shape_.columns, 4));
    const std::uint64_t before = (static_cast<std::uint64_t>(batch_ * shape_.heads + head_) *
                                      static_cast<std::uint64_t>(shape_.rows) +
                                  static_cast<std::uint64_t>(row)) *
                                 in_row;
    const double limit = of_.keep * 4294967296.0;
    for (std::int64_t j = 0; j < columns.count; j += 4) {
      const auto counter =
          of_.numbers.offset + before + static_cast<std::uint64_t>(columns.first + j) / 4;
      const auto four = functors::philox(counter, 0, of_.numbers.seed);
      for (int k = 0; k < 4 && j + k < columns.count; ++k)
        keep(j + k, static_cast<double>(four.word[k]) < limit);
    }
  }
  bool drops() const { return of_.keep < 1; }

 private:
  void add_mask(T* to, std::int64_t row, Range columns) const {
    const std::int64_t* const strides = of_.mask.strides.data();
    const std::int64_t by = strides[3];
    const std::int64_t at =
        batch_ * strides[0] + head_ * strides[1] + row * strides[2] + columns.first * by;
    if (of_.mask.dtype == DType::boolean) {
      const auto* const mask = of_.mask.as<std::uint8_t>() + at;
      for (std::int64_t j = 0; j < columns.count; ++j)
        to[j] = mask[j * by] != 0 ? to[j] : lowest_score<T>;
    } else {
      const T* const mask = of_.mask.as<T>() + at;
      for (std::int64_t j = 0; j < columns.count; ++j) to[j] += mask[j * by];
    }
  }

  const Attention& of_;
  const AttentionShape& shape_;
  std::int64_t batch_, head_;
  Head<T> q_, k_;
};

/// Some rows of a head, from the first column they see to the last.
template <class T>
void attend_rows(const Attention& of, const AttentionShape& shape, std::int64_t batch,
                 std::int64_t head, std::int64_t first, T* scores) {
  using Range = typename Scores<T>::Range;
  const Scores<T> scores_of(of, shape, batch, head);
  const Head<T> v(of.v, batch, head / shape.shared), out(of.out, batch, head);
  const Range rows{first, smaller(shape.rows - first, block_rows)};
  T maximum[block_rows];
  double sum[block_rows];
  for (std::int64_t i = 0; i < rows.count; ++i) {
    maximum[i] = lowest_score<T>;
    sum[i] = 0;
    for (std::int64_t j = 0; j < shape.values; ++j) out.row(first + i)[j] = 0;
  }
  const std::int64_t end = scores_of.end_of_columns(first + rows.count);
  for (std::int64_t k = 0; k < end; k += block_columns) {
    interruption_point();
    const Range columns{k, smaller(end - k, block_columns)};
    scores_of.compute(scores, rows, columns);
    for (std::int64_t i = 0; i < rows.count; ++i) {
      T* const row = scores + i * block_columns;
      const T found = maximum_of(row, columns.count);
      const T top = found > maximum[i] || found != found ? found : maximum[i];
      if (top == lowest_score<T>) {
        for (std::int64_t j = 0; j < columns.count; ++j) row[j] = 0;
        continue;
      }
      if (top != maximum[i]) {
        const T factor = functors::exp(maximum[i] - top);
        sum[i] *= factor;
        for (std::int64_t j = 0; j < shape.values; ++j) out.row(first + i)[j] *= factor;
        maximum[i] = top;
      }
      sum[i] += exponentials(row, row, columns.count, top);
      if (scores_of.drops())
        scores_of.for_each_kept(first + i, columns, [&](std::int64_t j, bool is_kept) {
          if (!is_kept) row[j] = 0;
        });
    }
    multiply(dtype_of<T>, matrix(out.row(first), rows.count, shape.values, out.stride),
             matrix(scores, rows.count, columns.count, block_columns),
             matrix(v.row(k), columns.count, shape.values, v.stride), true);
  }
  T* const log_sums = of.log_sums.as<T>() + (batch * shape.heads + head) * shape.rows + first;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const bool sees = maximum[i] != lowest_score<T>;
    log_sums[i] = sees ? maximum[i] + functors::log(static_cast<T>(sum[i])) : lowest_score<T>;
    const T factor = sees ? static_cast<T>(1 / (sum[i] * of.keep)) : T(0);
    for (std::int64_t j = 0; j < shape.values; ++j) out.row(first + i)[j] *= factor;
  }
}

template <class T>
void attend(const Attention& of) {
  const AttentionShape shape(of);
  const std::int64_t blocks = divided_up(shape.rows, block_rows);
  for_each_part(shape.batch * shape.heads * blocks, 1, shape.cost_ns(1),
                [&](std::int64_t begin, std::int64_t end) {
                  const Scratch scores(block_rows * block_columns * std::int64_t{sizeof(T)});
                  for (std::int64_t i = begin; i < end; ++i) {
                    const std::int64_t head = i / blocks;
                    attend_rows(of, shape, head / shape.heads, head % shape.heads,
                                i % blocks * block_rows, scores.as<T>());
                  }
                });
}

/// The gradients that a head of k and v takes part in: of those, and of the heads of q that share
/// it.
template <class T>
class HeadGradient {
 public:
  HeadGradient(const AttentionGradient& of, const AttentionShape& shape)
      : of_(of),
        shape_(shape),
        scores_(block_rows * block_columns * std::int64_t{sizeof(T)}),
        slopes_(block_rows * block_columns * std::int64_t{sizeof(T)}),
        deltas_(block_rows * std::int64_t{sizeof(T)}) {}

  void run(std::int64_t batch, std::int64_t shared_head) const {
    const Head<T> d_k(of_.d_k, batch, shared_head), d_v(of_.d_v, batch, shared_head);
    for (std::int64_t j = 0; j < shape_.columns; ++j) {
      for (std::int64_t d = 0; d < shape_.depth; ++d) d_k.row(j)[d] = 0;
      for (std::int64_t d = 0; d < shape_.values; ++d) d_v.row(j)[d] = 0;
    }
    for (std::int64_t n = 0; n < shape_.shared; ++n)
      for (std::int64_t first = 0; first < shape_.rows; first += block_rows)
        run_rows(batch, shared_head * shape_.shared + n, first);
  }

 private:
  using Range = typename Scores<T>::Range;

  void run_rows(std::int64_t batch, std::int64_t head, std::int64_t first) const {
    const Attention& forward = of_.of;
    const std::int64_t shared_head = head / shape_.shared;
    const Scores<T> scores_of(forward, shape_, batch, head);
    const Head<T> q(forward.q, batch, head), k(forward.k, batch, shared_head);
    const Head<T> v(forward.v, batch, shared_head), out(forward.out, batch, head);
    const Head<T> d_q(of_.d_q, batch, head), d_k(of_.d_k, batch, shared_head);
    const Head<T> d_v(of_.d_v, batch, shared_head), d_out(of_.d_out, batch, head);
    const Range rows{first, smaller(shape_.rows - first, block_rows)};
    const T* const log_sums =
        forward.log_sums.as<T>() + (batch * shape_.heads + head) * shape_.rows + first;
    T* const deltas = deltas_.as<T>();
    for (std::int64_t i = 0; i < rows.count; ++i) {
      const T *a = out.row(first + i), *b = d_out.row(first + i);
      deltas[i] = static_cast<T>(sum_dense<T>(
          shape_.values,
          [ a, b ](std::int64_t j) __attribute__((always_inline)) { return a[j] * b[j]; }));
      for (std::int64_t d = 0; d < shape_.depth; ++d) d_q.row(first + i)[d] = 0;
    }
    T *const scores = scores_.as<T>(), *const slopes = slopes_.as<T>();
    const std::int64_t end = scores_of.end_of_columns(first + rows.count);
    for (std::int64_t c = 0; c < end; c += block_columns) {
      interruption_point();
      const Range columns{c, smaller(end - c, block_columns)};
      scores_of.compute(scores, rows, columns);
      multiply(dtype_of<T>, matrix(slopes, rows.count, columns.count, block_columns),
               matrix(d_out.row(first), rows.count, shape_.values, d_out.stride),
               matrix(v.row(c), shape_.values, columns.count, 1, v.stride), false);
      for (std::int64_t i = 0; i < rows.count; ++i)
        find_slopes(scores_of, first + i, columns, log_sums[i], deltas[i],
                    scores + i * block_columns, slopes + i * block_columns);
      multiply(dtype_of<T>, matrix(d_v.row(c), columns.count, shape_.values, d_v.stride),
               matrix(scores, columns.count, rows.count, 1, block_columns),
               matrix(d_out.row(first), rows.count, shape_.values, d_out.stride), true);
      multiply(dtype_of<T>, matrix(d_q.row(first), rows.count, shape_.depth, d_q.stride),
               matrix(slopes, rows.count, columns.count, block_columns),
               matrix(k.row(c), columns.count, shape_.depth, k.stride), true);
      multiply(dtype_of<T>, matrix(d_k.row(c), columns.count, shape_.depth, d_k.stride),
               matrix(slopes, columns.count, rows.count, 1, block_columns),
               matrix(q.row(first), rows.count, shape_.depth, q.stride), true);
    }
  }

  /// Makes of a row of scores what was kept of softmax, and of its gradients those of the products.
  void find_slopes(const Scores<T>& scores_of, std::int64_t row, Range columns, T log_sum, T delta,
                   T* score, T* slope) const {
    const T scale = static_cast<T>(of_.of.scale);
    if (log_sum == lowest_score<T>) {  // the row sees nothing
      for (std::int64_t j = 0; j < columns.count; ++j) score[j] = slope[j] = 0;
      return;
    }
    if (!scores_of.drops()) {
      for (std::int64_t j = 0; j < columns.count; ++j) {
        const T share = functors::exp(score[j] - log_sum);
        score[j] = share;
        slope[j] = share * (slope[j] - delta) * scale;
      }
      return;
    }
    const T larger_by = static_cast<T>(1 / of_.of.keep);
    for (std::int64_t j = 0; j < columns.count; ++j) score[j] = functors::exp(score[j] - log_sum);
    scores_of.for_each_kept(row, columns, [&](std::int64_t j, bool is_kept) {
      const T factor = is_kept ? larger_by : T(0);
      slope[j] = score[j] * (factor * slope[j] - delta) * scale;
      score[j] *= factor;
    });
  }

  const AttentionGradient& of_;
  const AttentionShape& shape_;
  Scratch scores_, slopes_, deltas_;
};

template <class T>
void attend_backward(const AttentionGradient& of) {
  const AttentionShape shape(of.of);
  const std::int64_t heads = shape.heads / shape.shared;
  for_each_part(shape.batch * heads, 1, shape.cost_ns(2.5),
                [&](std::int64_t begin, std::int64_t end) {
                  const HeadGradient<T> gradient(of, shape);
                  for (std::int64_t i = begin; i < end; ++i) gradient.run(i / heads, i % heads);
                });
}

}  // namespace

template <>
void kernel(const Attention& of, Stream) {
  of.q.dtype == DType::float32 ? attend<float>(of) : attend<double>(of);
}
template <>
void kernel(const AttentionGradient& of, Stream) {
  of.of.q.dtype == DType::float32 ? attend_backward<float>(of) : attend_backward<double>(of);
}
template <>
bool kernel(const AttentionOfHalves&, Stream) {
  return false;
}

}  // namespace garboard::kernels::GARBOARD_ISA
