// Attention in blocks of rows and columns: scores are never all there, and memory grows with the
// length alone. The maximum and the sum of a row are found on the way (Milakov and Gimelshein,
// arXiv:1805.02867); backward computes scores again from the logarithm of that sum (Dao et al.,
// "FlashAttention", arXiv:2205.14135). Blocks depend on sizes alone, and so do the bits. Of half
// types, all sums are in float, and so is what a product takes of them but where bfloat16 has
// tiles.
#include <algorithm>

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/nn/exponential_sum.h"
#include "kernels/cpu/product/amx_tiles.h"
#include "kernels/cpu/product/matmul.h"
#include "kernels/cpu/tuning.h"
#include "kernels/cpu/wide/half_conversions.h"
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

/// What scores and sums are in.
template <class T>
using ScoreOf = functors::Widened<T>;

/// Rows of sums that become T: of T itself where they belong, else in `room`.
template <class T>
struct SummedRows {
  ScoreOf<T>* data;
  std::int64_t stride;

  SummedRows(T* belongs, std::int64_t belongs_stride, [[maybe_unused]] const Scratch& room,
             [[maybe_unused]] std::int64_t width) {
    if constexpr (functors::Half<T>) {
      data = room.as<float>();
      stride = width;
    } else {
      data = belongs;
      stride = belongs_stride;
    }
  }
  ScoreOf<T>* row(std::int64_t i) const { return data + i * stride; }
  void clear(std::int64_t rows, std::int64_t width) const {
    for (std::int64_t i = 0; i < rows; ++i) std::fill_n(row(i), width, ScoreOf<T>(0));
  }
  /// To where they belong.
  void store(T* to, std::int64_t to_stride, std::int64_t rows, std::int64_t width) const {
    if constexpr (functors::Half<T>)
      for (std::int64_t i = 0; i < rows; ++i) narrow(to + i * to_stride, row(i), width);
  }
};

/// What of some rows a product takes: sums as they are or, for tiles, a copy of T in `room`.
template <class T>
Matrix as_operand(const ScoreOf<T>* sums, std::int64_t rows, std::int64_t columns,
                  std::int64_t stride, [[maybe_unused]] const Scratch& room) {
  if constexpr (std::is_same_v<T, BFloat16>)
    if (rows >= tuning::amx_least_side && may_use_tiles()) {
      for (std::int64_t i = 0; i < rows; ++i)
        narrow(room.as<T>() + i * stride, sums + i * stride, columns);
      return matrix(room.as<T>(), rows, columns, stride);
    }
  return matrix(sums, rows, columns, stride);
}

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

struct Range {
  std::int64_t first, count;
};

/// Scores of some rows of a head. Rows of q are scaled beforehand, in `room`, but for halves, which
/// that would round: their scores are scaled.
template <class T>
class Scores {
 public:
  using Sum = ScoreOf<T>;

  Scores(const Attention& of, const AttentionShape& shape, std::int64_t batch, std::int64_t head,
         Range rows, const Scratch& room)
      : of_(of),
        shape_(shape),
        batch_(batch),
        head_(head),
        rows_(rows),
        k_(of.k, batch, head / shape.shared) {
    const Head<T> q(of.q, batch, head);
    q_ = matrix(q.row(rows.first), rows.count, shape.depth, q.stride);
    if constexpr (scales_q) {
      T* const to = room.as<T>();
      for (std::int64_t i = 0; i < rows.count; ++i)
        for (std::int64_t j = 0; j < shape.depth; ++j)
          to[i * shape.depth + j] = q.row(rows.first + i)[j] * static_cast<T>(of.scale);
      q_ = matrix(to, rows.count, shape.depth, shape.depth);
    }
  }
  static std::int64_t room_bytes(const AttentionShape& shape) {
    return scales_q ? block_rows * shape.depth * std::int64_t{sizeof(T)} : 0;
  }

  /// Behind the last column that rows up to `last` see.
  std::int64_t end_of_columns(std::int64_t last) const {
    return of_.is_causal ? smaller(last, shape_.columns) : shape_.columns;
  }

  /// Writes rows of block_columns: scale q k^T + mask, and -inf where a row does not see.
  void compute(Sum* to, Range columns) const {
    multiply(dtype_of<T>, matrix(to, rows_.count, columns.count, block_columns), q_,
             matrix(k_.row(columns.first), shape_.depth, columns.count, 1, k_.stride), false);
    for (std::int64_t i = 0; i < rows_.count; ++i, to += block_columns) {
      if constexpr (!scales_q)
        for (std::int64_t j = 0; j < columns.count; ++j) to[j] *= static_cast<Sum>(of_.scale);
      if (of_.mask.data) add_mask(to, rows_.first + i, columns);
      if (!of_.is_causal) continue;
      const std::int64_t seen = rows_.first + i + 1 - columns.first;
      for (std::int64_t j = larger(seen, 0); j < columns.count; ++j) to[j] = lowest_score<Sum>;
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
  static constexpr bool scales_q = !functors::Half<T>;

  void add_mask(Sum* to, std::int64_t row, Range columns) const {
    const std::int64_t* const strides = of_.mask.strides.data();
    const std::int64_t by = strides[3];
    const std::int64_t at =
        batch_ * strides[0] + head_ * strides[1] + row * strides[2] + columns.first * by;
    if (of_.mask.dtype == DType::boolean) {
      const auto* const mask = of_.mask.as<std::uint8_t>() + at;
      for (std::int64_t j = 0; j < columns.count; ++j)
        to[j] = mask[j * by] != 0 ? to[j] : lowest_score<Sum>;
    } else {
      const T* const mask = of_.mask.as<T>() + at;
      for (std::int64_t j = 0; j < columns.count; ++j) to[j] += static_cast<Sum>(mask[j * by]);
    }
  }

  const Attention& of_;
  const AttentionShape& shape_;
  std::int64_t batch_, head_;
  Range rows_;
  Head<T> k_;
  Matrix q_;
};

/// Memory of a thread.
template <class T>
struct AttentionRoom {
  static constexpr std::int64_t item = functors::Half<T> ? sizeof(T) : 0,
                                sum_item = sizeof(ScoreOf<T>);

  Scratch scaled, scores, shares, sums;

  explicit AttentionRoom(const AttentionShape& shape)
      : scaled(Scores<T>::room_bytes(shape)),
        scores(block_rows * block_columns * sum_item),
        shares(block_rows * block_columns * item),
        sums(functors::Half<T> ? block_rows * shape.values * sum_item : 0) {}
};

/// Some rows of a head, from the first column they see to the last.
template <class T>
void attend_rows(const Attention& of, const AttentionShape& shape, std::int64_t batch,
                 std::int64_t head, std::int64_t first, const AttentionRoom<T>& room) {
  using Sum = ScoreOf<T>;
  const Range rows{first, smaller(shape.rows - first, block_rows)};
  const Scores<T> scores_of(of, shape, batch, head, rows, room.scaled);
  const Head<T> v(of.v, batch, head / shape.shared), out(of.out, batch, head);
  const SummedRows<T> totals(out.row(first), out.stride, room.sums, shape.values);
  Sum* const scores = room.scores.template as<Sum>();
  Sum maximum[block_rows];
  double sum[block_rows];
  for (std::int64_t i = 0; i < rows.count; ++i) {
    maximum[i] = lowest_score<Sum>;
    sum[i] = 0;
  }
  totals.clear(rows.count, shape.values);
  const std::int64_t end = scores_of.end_of_columns(first + rows.count);
  for (std::int64_t k = 0; k < end; k += block_columns) {
    interruption_point();
    const Range columns{k, smaller(end - k, block_columns)};
    scores_of.compute(scores, columns);
    for (std::int64_t i = 0; i < rows.count; ++i) {
      Sum* const row = scores + i * block_columns;
      const Sum found = maximum_of(row, columns.count);
      const Sum top = found > maximum[i] || found != found ? found : maximum[i];
      if (top == lowest_score<Sum>) {
        for (std::int64_t j = 0; j < columns.count; ++j) row[j] = 0;
        continue;
      }
      if (top != maximum[i]) {
        const Sum factor = functors::exp(maximum[i] - top);
        sum[i] *= factor;
        for (std::int64_t j = 0; j < shape.values; ++j) totals.row(i)[j] *= factor;
        maximum[i] = top;
      }
      sum[i] += exponentials(row, row, columns.count, top);
      if (scores_of.drops())
        scores_of.for_each_kept(first + i, columns, [&](std::int64_t j, bool is_kept) {
          if (!is_kept) row[j] = 0;
        });
    }
    multiply(dtype_of<T>, matrix(totals.data, rows.count, shape.values, totals.stride),
             as_operand<T>(scores, rows.count, columns.count, block_columns, room.shares),
             matrix(v.row(k), columns.count, shape.values, v.stride), true);
  }
  Sum* const log_sums = of.log_sums.as<Sum>() + (batch * shape.heads + head) * shape.rows + first;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const bool sees = maximum[i] != lowest_score<Sum>;
    log_sums[i] = sees ? maximum[i] + functors::log(static_cast<Sum>(sum[i])) : lowest_score<Sum>;
    const Sum factor = sees ? static_cast<Sum>(1 / (sum[i] * of.keep)) : Sum(0);
    for (std::int64_t j = 0; j < shape.values; ++j) totals.row(i)[j] *= factor;
  }
  totals.store(out.row(first), out.stride, rows.count, shape.values);
}

template <class T>
void attend(const Attention& of) {
  const AttentionShape shape(of);
  const std::int64_t blocks = divided_up(shape.rows, block_rows);
  for_each_part(shape.batch * shape.heads * blocks, 1, shape.cost_ns(1),
                [&](std::int64_t begin, std::int64_t end) {
                  const AttentionRoom<T> room(shape);
                  for (std::int64_t i = begin; i < end; ++i) {
                    const std::int64_t head = i / blocks;
                    attend_rows(of, shape, head / shape.heads, head % shape.heads,
                                i % blocks * block_rows, room);
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
        scaled_(Scores<T>::room_bytes(shape)),
        scores_(block_rows * block_columns * sum_item),
        slopes_(block_rows * block_columns * sum_item),
        deltas_(block_rows * sum_item),
        operands_{Scratch(block_rows * block_columns * half_item),
                  Scratch(block_rows * block_columns * half_item)},
        of_q_(is_half ? block_rows * shape.depth * sum_item : 0),
        of_k_(is_half ? shape.columns * shape.depth * sum_item : 0),
        of_v_(is_half ? shape.columns * shape.values * sum_item : 0) {}

  void run(std::int64_t batch, std::int64_t shared_head) const {
    const Head<T> d_k(of_.d_k, batch, shared_head), d_v(of_.d_v, batch, shared_head);
    const SummedRows<T> k_sums(d_k.data, d_k.stride, of_k_, shape_.depth);
    const SummedRows<T> v_sums(d_v.data, d_v.stride, of_v_, shape_.values);
    k_sums.clear(shape_.columns, shape_.depth);
    v_sums.clear(shape_.columns, shape_.values);
    for (std::int64_t n = 0; n < shape_.shared; ++n)
      for (std::int64_t first = 0; first < shape_.rows; first += block_rows)
        run_rows(batch, shared_head * shape_.shared + n, first, k_sums, v_sums);
    k_sums.store(d_k.data, d_k.stride, shape_.columns, shape_.depth);
    v_sums.store(d_v.data, d_v.stride, shape_.columns, shape_.values);
  }

 private:
  using Sum = ScoreOf<T>;
  static constexpr bool is_half = functors::Half<T>;
  static constexpr std::int64_t sum_item = sizeof(Sum), half_item = is_half ? sizeof(T) : 0;

  void run_rows(std::int64_t batch, std::int64_t head, std::int64_t first, const SummedRows<T>& d_k,
                const SummedRows<T>& d_v) const {
    const Attention& forward = of_.of;
    const std::int64_t shared_head = head / shape_.shared;
    const Range rows{first, smaller(shape_.rows - first, block_rows)};
    const Scores<T> scores_of(forward, shape_, batch, head, rows, scaled_);
    const Head<T> q(forward.q, batch, head), k(forward.k, batch, shared_head);
    const Head<T> v(forward.v, batch, shared_head), out(forward.out, batch, head);
    const Head<T> d_q(of_.d_q, batch, head), d_out(of_.d_out, batch, head);
    const SummedRows<T> q_sums(d_q.row(first), d_q.stride, of_q_, shape_.depth);
    const Sum* const log_sums =
        forward.log_sums.as<Sum>() + (batch * shape_.heads + head) * shape_.rows + first;
    Sum* const deltas = deltas_.as<Sum>();
    for (std::int64_t i = 0; i < rows.count; ++i) {
      const T *a = out.row(first + i), *b = d_out.row(first + i);
      deltas[i] = static_cast<Sum>(sum_dense<Sum>(
          shape_.values, [ a, b ](std::int64_t j) __attribute__((always_inline)) {
            return functors::widened(a[j]) * functors::widened(b[j]);
          }));
    }
    q_sums.clear(rows.count, shape_.depth);
    Sum *const scores = scores_.as<Sum>(), *const slopes = slopes_.as<Sum>();
    const Matrix d_rows = matrix(d_out.row(first), rows.count, shape_.values, d_out.stride);
    const std::int64_t end = scores_of.end_of_columns(first + rows.count);
    for (std::int64_t c = 0; c < end; c += block_columns) {
      interruption_point();
      const Range columns{c, smaller(end - c, block_columns)};
      scores_of.compute(scores, columns);
      multiply(dtype_of<T>, matrix(slopes, rows.count, columns.count, block_columns), d_rows,
               matrix(v.row(c), shape_.values, columns.count, 1, v.stride), false);
      for (std::int64_t i = 0; i < rows.count; ++i)
        find_slopes(scores_of, first + i, columns, log_sums[i], deltas[i],
                    scores + i * block_columns, slopes + i * block_columns);
      const Matrix shares =
          as_operand<T>(scores, rows.count, columns.count, block_columns, operands_[0]);
      const Matrix sloping =
          as_operand<T>(slopes, rows.count, columns.count, block_columns, operands_[1]);
      multiply(dtype_of<T>, matrix(d_v.row(c), columns.count, shape_.values, d_v.stride),
               turned(shares), d_rows, true);
      multiply(dtype_of<T>, matrix(q_sums.data, rows.count, shape_.depth, q_sums.stride), sloping,
               matrix(k.row(c), columns.count, shape_.depth, k.stride), true);
      multiply(dtype_of<T>, matrix(d_k.row(c), columns.count, shape_.depth, d_k.stride),
               turned(sloping), matrix(q.row(first), rows.count, shape_.depth, q.stride), true);
    }
    q_sums.store(d_q.row(first), d_q.stride, rows.count, shape_.depth);
  }

  /// Makes of a row of scores what was kept of softmax, and of its gradients those of the products.
  void find_slopes(const Scores<T>& scores_of, std::int64_t row, Range columns, Sum log_sum,
                   Sum delta, Sum* score, Sum* slope) const {
    const Sum scale = static_cast<Sum>(of_.of.scale);
    if (log_sum == lowest_score<Sum>) {  // the row sees nothing
      for (std::int64_t j = 0; j < columns.count; ++j) score[j] = slope[j] = 0;
      return;
    }
    if (!scores_of.drops()) {
      exponentials(score, score, columns.count, log_sum);
      for (std::int64_t j = 0; j < columns.count; ++j)
        slope[j] = score[j] * (slope[j] - delta) * scale;
      return;
    }
    const Sum larger_by = static_cast<Sum>(1 / of_.of.keep);
    exponentials(score, score, columns.count, log_sum);
    scores_of.for_each_kept(row, columns, [&](std::int64_t j, bool is_kept) {
      const Sum factor = is_kept ? larger_by : Sum(0);
      slope[j] = score[j] * (factor * slope[j] - delta) * scale;
      score[j] *= factor;
    });
  }

  const AttentionGradient& of_;
  const AttentionShape& shape_;
  Scratch scaled_, scores_, slopes_, deltas_, operands_[2];
  Scratch of_q_, of_k_, of_v_;  // of halves, the sums of their gradients
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
  visit_floating(of.q.dtype, [&]<class T>(Type<T>) { attend<T>(of); });
}
template <>
void kernel(const AttentionGradient& of, Stream) {
  visit_floating(of.of.q.dtype, [&]<class T>(Type<T>) { attend_backward<T>(of); });
}
template <>
bool kernel(const AttentionOfHalves&, Stream) {
  return true;
}

}  // namespace garboard::kernels::GARBOARD_ISA
