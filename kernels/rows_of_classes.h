// Where the rows of logits lie that a loss is made of.
#pragma once

#include <cstdint>

#include "csrc/core/view.h"
#include "kernels/functors/element.h"

namespace garboard::kernels {

/// In elements; logits without groups are one.
struct RowsOfClasses {
  std::int64_t rows, classes, inside, group_stride, row_stride, class_stride;

  explicit RowsOfClasses(const View& x)
      : classes(x.sizes.data()[1]), class_stride(classes > 1 ? x.strides.data()[1] : 1) {
    const bool has_groups = x.sizes.size() == 3;
    inside = x.sizes.data()[has_groups ? 2 : 0];
    rows = has_groups ? x.sizes.data()[0] * inside : inside;
    row_stride = x.strides.data()[has_groups ? 2 : 0];
    group_stride = has_groups ? x.strides.data()[0] : 0;
  }
  GARBOARD_HD std::int64_t start_of(std::int64_t row) const {
    if (rows == inside) return row * row_stride;
    return row / inside * group_stride + row % inside * row_stride;
  }
};

}  // namespace garboard::kernels
