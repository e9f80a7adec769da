// An operand of a product of bfloat16 as lines along the depth.
#pragma once

#include <cstdint>

#include "csrc/core/half_types.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/product/matmul.h"

namespace garboard::kernels::GARBOARD_ISA {

/// Strides are in elements.
struct DepthLines {
  const BFloat16* data;
  std::int64_t lines, depth;
  std::int64_t line_stride, depth_stride;

  std::int64_t pairs() const { return divided_up(depth, 2); }
  /// Of what `paired` may want.
  std::int64_t pair_bytes() const { return lines * pairs() * 4; }
  bool are_pairs() const {
    return depth_stride == 1 && depth % 2 == 0 && line_stride % 2 == 0 &&
           reinterpret_cast<std::uintptr_t>(data) % alignof(float) == 0;
  }
  DepthLines part(std::int64_t first, std::int64_t count) const {
    return {data + first * line_stride, count, depth, line_stride, depth_stride};
  }
  DepthLines from(std::int64_t place, std::int64_t some) const {
    return {data + place * depth_stride, lines, some, line_stride, depth_stride};
  }
};

/// Of the left operand.
inline DepthLines rows_along_depth(const Matrix& a) {
  return {reinterpret_cast<const BFloat16*>(a.data), a.rows, a.columns, a.row_stride,
          a.column_stride};
}
/// Of the right one.
inline DepthLines columns_along_depth(const Matrix& b) { return rows_along_depth(turned(b)); }

}  // namespace garboard::kernels::GARBOARD_ISA
