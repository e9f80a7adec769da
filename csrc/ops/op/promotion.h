// Which dtype and which sizes an op of several operands works in: PyTorch's rules.
#pragma once

#include <initializer_list>

#include "csrc/ops/op/operand.h"

namespace garboard {

/// The dtype operands meet in. A tensor with dims outranks one without, and that a number: the
/// lower rank counts only where its category is higher.
DType result_dtype(std::initializer_list<const Operand*> operands);

/// The sizes `a` and `b` broadcast to. Raises ShapeError, naming the op and the dim.
Dims broadcast_sizes(const char* op, const Dims& a, const Dims& b);

/// `view` seen in larger `sizes`: stride 0 along what is broadcast.
View broadcast_view(const View& view, const Dims& sizes);

/// Raises DeviceError unless every tensor is on one device, which is returned.
Device common_device(const char* op, std::initializer_list<const Operand*> operands);

/// A view of one element over a number on the stack, converted to `dtype`.
class ScalarView {
 public:
  ScalarView(Scalar scalar, DType dtype) {
    view_.dtype = dtype;
    view_.data = place_;
    visit_dtype(dtype, [&]<class T>(Type<T>) { *reinterpret_cast<T*>(place_) = scalar.to<T>(); });
  }
  ScalarView(const ScalarView&) = delete;
  ScalarView& operator=(const ScalarView&) = delete;

  const View& view() const { return view_; }

 private:
  alignas(8) unsigned char place_[16];
  View view_;
};

}  // namespace garboard
