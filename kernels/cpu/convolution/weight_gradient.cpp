// The gradient for a convolution's weight: the sum over all places of out's gradient times what the
// taps met there. Pieces are added up in several parts, which are added in order, so that the bits
// do not depend on threads.
#include "kernels/cpu/convolution/depthwise.h"
#include "kernels/cpu/convolution/moved.h"
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/product/matmul.h"
#include "kernels/cpu/product/packed_product.h"
#include "kernels/cpu/tuning.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr std::int64_t block = 1024, piece_elements = 1 << 17;
constexpr std::int64_t most_parts = tuning::convolution_parts, most_sums = 1 << 21;

template <class T>
class WeightGradient {
 public:
  explicit WeightGradient(const ConvolutionWeightGradient& of)
      : of_(of),
        sizes_(of),
        moved_(moved_input<T>(of, sizes_)),
        cut_(sizes_.samples, product(sizes_.places),
             piece_elements / smaller(larger(depth_, sizes_.rows) + 1, block)) {}

  void run() const {
    const std::int64_t blocks = sizes_.groups * divided_up(sizes_.rows, block) * depth_blocks_;
    const std::int64_t wanted = smaller(most_parts / blocks, most_sums / of_.weight.count);
    const std::int64_t parts = larger(smaller(wanted, cut_.count()), 1);
    const Scratch sums(parts > 1 ? parts * of_.weight.count * item : 0);
    T* const total = parts > 1 ? sums.as<T>() : of_.weight.as<T>();
    for_each_part(
        parts * blocks, 1,
        cost_ns<T>(sizes_.groups * sizes_.rows, depth_, sizes_.samples, product(sizes_.places)),
        [&](std::int64_t begin, std::int64_t end) {
          const Scratch copies((smaller(depth_, block) + 1) * stride_ * item);
          const std::int64_t most_rows = divided_up(smaller(sizes_.rows, block), 32) * 32;
          const Scratch factors(most_rows * stride_ * 2 * item);
          for (std::int64_t i = begin; i < end; ++i)
            add_part({i / blocks, parts}, i % blocks, total, copies.as<T>(), factors.as<T>());
        });
    if (parts > 1) add_up(total, parts);
  }

 private:
  static constexpr auto item = static_cast<std::int64_t>(sizeof(T));
  static constexpr bool is_float = sizeof(T) == sizeof(float);

  struct Part {
    std::int64_t number, count;
  };

  /// A block of the result over the pieces of a part.
  void add_part(const Part& part, std::int64_t number, T* total, T* copies, T* factors) const {
    const std::int64_t k = number % depth_blocks_ * block, count = smaller(depth_ - k, block);
    number /= depth_blocks_;
    const std::int64_t group = number % sizes_.groups, first_row = number / sizes_.groups * block;
    const std::int64_t rows = smaller(sizes_.rows - first_row, block);
    const std::int64_t row = group * sizes_.rows + first_row, places = product(sizes_.places);
    Moved<T> moved = moved_;
    moved.data += group * sizes_.channels * moved.channel_stride();
    T* const target = total + part.number * of_.weight.count + row * depth_ + k;
    const std::int64_t first = cut_.count() * part.number / part.count;
    const std::int64_t last = cut_.count() * (part.number + 1) / part.count;
    if (first == last)
      for (std::int64_t i = 0; i < rows; ++i) fill(target + i * depth_, count, T(0));
    for (std::int64_t i = first; i < last; ++i) {
      interruption_point();
      const Piece piece = cut_[i];
      const std::int64_t columns = piece.columns();
      for (std::int64_t j = 0; j < count; ++j) moved.copy(copies + j * stride_, k + j, piece);
      const T* left =
          of_.out.as<T>() + piece.sample * sizes_.out_stride() + row * places + piece.first;
      std::int64_t left_stride = places;
      if (piece.samples > 1) {  // of which all places are here
        for (std::int64_t r = 0; r < rows; ++r)
          for (std::int64_t s = 0; s < piece.samples; ++s)
            copy_dense(factors + r * columns + s * places,
                       left + s * sizes_.out_stride() + r * places, places);
        left = factors;
        left_stride = columns;
      }
      if (is_float && has_panels()) {
        auto* const panels = reinterpret_cast<float*>(factors + rows * columns);
        pack_columns(panels, {reinterpret_cast<const float*>(left), 1, left_stride}, columns, rows);
        multiply_panels({.a = reinterpret_cast<const float*>(copies),
                         .a_row = stride_,
                         .a_step = 1,
                         .a_strip = 0,
                         .panels = panels,
                         .rows = {count},
                         .columns = rows,
                         .depth = columns,
                         .out = reinterpret_cast<float*>(target),
                         .out_stride = depth_,
                         .is_turned = true,
                         .accumulate = i > first});
      } else {
        multiply(is_float ? DType::float32 : DType::float64, matrix(target, rows, count, depth_, 1),
                 matrix(left, rows, columns, left_stride, 1),
                 matrix(copies, columns, count, 1, stride_), i > first);
      }
    }
  }

  void add_up(const T* total, std::int64_t parts) const {
    const std::int64_t all = of_.weight.count;
    for_each_part(all, 1 << 12, static_cast<double>(all * parts) * 0.2,
                  [&](std::int64_t begin, std::int64_t end) {
                    T* const to = of_.weight.as<T>();
                    for (std::int64_t i = begin; i < end; ++i) to[i] = total[i];
                    for (std::int64_t part = 1; part < parts; ++part)
                      for (std::int64_t i = begin; i < end; ++i) to[i] += total[part * all + i];
                  });
  }

  static Matrix matrix(const T* data, std::int64_t rows, std::int64_t columns,
                       std::int64_t row_stride, std::int64_t column_stride) {
    return {reinterpret_cast<char*>(const_cast<T*>(data)),
            item,
            rows,
            columns,
            row_stride,
            column_stride};
  }

  const ConvolutionWeightGradient& of_;
  Sizes sizes_;
  std::int64_t depth_ = sizes_.depth(), depth_blocks_ = divided_up(depth_, block);
  Moved<T> moved_;
  Cut cut_;
  /// From row to row of what was copied: never a number at which 14 rows share lines of the cache.
  std::int64_t stride_ = divided_up(cut_.most_columns(), 64) * 64 + 16;
};

}  // namespace

template <>
void kernel(const ConvolutionWeightGradient& of, Stream) {
  if (is_depthwise(of)) return depthwise_weight_gradient(of);
  of.x.dtype == DType::float32 ? WeightGradient<float>(of).run() : WeightGradient<double>(of).run();
}

}  // namespace garboard::kernels::GARBOARD_ISA
