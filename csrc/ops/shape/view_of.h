// How a view is made: sizes and strides over its input's storage, and the rule that brings a
// gradient back.
#pragma once

#include "csrc/ops/op/record.h"
#include "csrc/ops/shape/views.h"

namespace garboard {

/// A view in autograd's sense: it remembers its base, so that writing into it reaches the base.
/// `fill` writes its sizes and strides, and returns its offset, in elements of `dtype`. `make_rule`
/// is asked for the gradient's rule where the view is recorded.
template <class Fill, class MakeRule>
Tensor view_of(const char* name, const Tensor& input, DType dtype, const Fill& fill,
               const MakeRule& make_rule) {
  Dims sizes, strides;
  const std::int64_t offset = fill(sizes, strides);
  Tensor result = Tensor::over(input.storage(), dtype, sizes, strides, offset);
  TensorBody& body = *result.body();
  body.is_unwatched = input.body()->is_unwatched;
  body.base = input.body()->base ? input.body()->base : input.share();
  if (is_grad_enabled() && input.requires_grad()) [[unlikely]]
    record(name, result, {input}, Keep::nothing, make_rule());
  body.base_history = body.base->history;
  return result;
}

template <class Fill, class MakeRule>
Tensor view_of(const char* name, const Tensor& input, const Fill& fill, const MakeRule& make_rule) {
  return view_of(name, input, input.dtype(), fill, make_rule);
}

/// With sizes and strides that are there already.
template <class MakeRule>
Tensor view_of(const char* name, const Tensor& input, const Dims& sizes, const Dims& strides,
               std::int64_t offset, const MakeRule& make_rule) {
  const auto fill = [&](Dims& to_sizes, Dims& to_strides) {
    to_sizes = sizes;
    to_strides = strides;
    return offset;
  };
  return view_of(name, input, fill, make_rule);
}

/// The rule of a view that only shapes its base anew.
inline auto back_to(const Dims& sizes) {
  return [sizes](const Backward& at) -> Grads { return reshape(at.grad, sizes); };
}

/// The stride of every `step`-th element. One beyond all memory can only be that of a single
/// element, and means nothing: the old one stays.
inline std::int64_t stepped(std::int64_t stride, std::int64_t step) {
  std::int64_t wide, bytes;
  const bool is_beyond = __builtin_mul_overflow(stride, step, &wide) ||
                         __builtin_mul_overflow(wide, std::int64_t{largest_item}, &bytes);
  return is_beyond ? stride : wide;
}

}  // namespace garboard
