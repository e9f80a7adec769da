// Products of bfloat16 by pairs: two neighbours along the depth in the place of a float, the second
// of them 0 at the end of an odd depth.
#pragma once

#include <cstdint>

#include "csrc/core/half_types.h"
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/rows.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/product/depth_lines.h"
#include "kernels/cpu/product/matmul.h"
#include "kernels/cpu/product/packed_product.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Two lines side by side as one of pairs; `second` may be null.
inline void interleave(std::uint32_t* to, const BFloat16* first, const BFloat16* second,
                       std::int64_t count) {
  if (second)
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = first[i].bits | static_cast<std::uint32_t>(second[i].bits) << 16;
  else
    for (std::int64_t i = 0; i < count; ++i) to[i] = first[i].bits;
}

/// The pairs where they lie, or a copy in `memory`: a row for each line.
inline FloatMatrix paired(const DepthLines& of, void* memory) {
  const std::int64_t pairs = of.pairs();
  if (of.are_pairs()) return {reinterpret_cast<const float*>(of.data), of.line_stride / 2, 1};
  const auto* const made = static_cast<const float*>(memory);
  Pace pace;
  if (of.line_stride == 1 && of.depth_stride != 1) {  // lines side by side, as they stay
    for (std::int64_t p = 0; p < pairs; ++p) {
      pace.advance(of.lines);
      const BFloat16* const first = of.data + 2 * p * of.depth_stride;
      interleave(static_cast<std::uint32_t*>(memory) + p * of.lines, first,
                 2 * p + 1 < of.depth ? first + of.depth_stride : nullptr, of.lines);
    }
    return {made, 1, of.lines};
  }
  auto* to = static_cast<BFloat16*>(memory);
  for (std::int64_t l = 0; l < of.lines; ++l, to += 2 * pairs) {
    pace.advance(of.depth);
    gather_row(sizeof(BFloat16), to, of.data + l * of.line_stride, of.depth, of.depth_stride);
    if (of.depth % 2 != 0) to[of.depth] = BFloat16(0);
  }
  return {made, pairs, 1};
}

/// `total`, which is dense, is the product of two matrices of bfloat16, or has it added.
inline void multiply_pairs(const Matrix& total, const Matrix& a, const Matrix& b, bool accumulate,
                           const float* bias) {
  const DepthLines rows = rows_along_depth(a), columns = columns_along_depth(b);
  const Scratch left(rows.are_pairs() ? 0 : rows.pair_bytes());
  const Scratch right(columns.are_pairs() ? 0 : columns.pair_bytes());
  multiply_packed({.rows = total.rows,
                   .columns = total.columns,
                   .depth = rows.pairs(),
                   .a = paired(rows, left.data()),
                   .b = paired(columns, right.data()).turned(),
                   .out = reinterpret_cast<float*>(total.data),
                   .out_stride = total.row_stride,
                   .bias = bias,
                   .accumulate = accumulate,
                   .of_pairs = true});
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
