// addcmul and addcdiv: a tensor plus a multiple of a product or a quotient, the steps of
// optimizers.
#pragma once

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/fuse/expression.h"
#include "csrc/ops/op/destination.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/promotion.h"
#include "csrc/ops/op/record.h"
#include "kernels/run.h"

namespace garboard::composite {

/// value * a * b, or value * a / b.
struct ScaledProduct {
  const Tensor &a, &b;
  Scalar value;
  bool divides;

  const char* op() const { return divides ? "addcdiv" : "addcmul"; }
};

namespace detail {

/// Whether one walk does it: nothing is to be converted, broadcast or recorded.
inline bool is_one_walk(const Tensor& input, const ScaledProduct& of) {
  const DType dtype = input.dtype();
  if ((dtype != DType::float32 && dtype != DType::float64) || !input.device().is_cpu() ||
      !input.is_contiguous() || of.value.category == Category::complex ||
      must_record({input, of.a, of.b}))
    return false;
  for (const Tensor* other : {&of.a, &of.b}) {
    if (other->dtype() != dtype || other->device() != input.device() || !other->is_contiguous() ||
        !have_same_sizes(*other, input))
      return false;
    // What is written over may be what is read, and else lies elsewhere.
    if (other->storage() == input.storage() && other->data() != input.data()) return false;
  }
  return true;
}

inline void walk(const Tensor& out, const Tensor& input, const ScaledProduct& of) {
  kernels::run(kernels::AddProduct{out.flat_view(), input.flat_view(), of.a.flat_view(),
                                   of.b.flat_view(), of.value.to<double>(), of.divides},
               out.device());
}

/// a * b or a / b. Raises DTypeError for a product where all are bool, a quotient of integers.
inline Expression product_for(const Tensor& input, const ScaledProduct& of) {
  broadcast_sizes(of.op(), input.sizes(), broadcast_sizes(of.op(), of.a.sizes(), of.b.sizes()));
  const DType dtype = promote(of.a.dtype(), of.b.dtype());
  if (of.divides && !has_gradient(dtype))
    throw DTypeError(text(of.op(), ": dtypes ", name_of(of.a.dtype()), " and ",
                          name_of(of.b.dtype()), " to divide; a floating one is needed, use to()"));
  if (!of.divides && promote(input.dtype(), dtype) == DType::boolean)
    throw DTypeError(
        text(of.op(), ": dtype bool; one with a sum, such as uint8, is needed, use to()"));
  return of.divides ? garboard::of<div>(of.a, of.b) : garboard::of<mul>(of.a, of.b);
}

}  // namespace detail

/// input + value * a * b; half types are computed in float32 and rounded once.
inline Tensor plus_product(const Tensor& input, const ScaledProduct& of) {
  if (detail::is_one_walk(input, of)) {
    const Tensor out = result_of(of.op(), input.sizes(), input.dtype(), input.device());
    detail::walk(out, input, of);
    return out;
  }
  const DType dtype = promote(input.dtype(), promote(of.a.dtype(), of.b.dtype()));
  if (widened(dtype) == dtype)
    return garboard::of<add_scaled>(input, detail::product_for(input, of), of.value).made();
  const auto wide = [&](const Tensor& x) { return to(x, widened(dtype)); };
  const Tensor first = wide(input), a = wide(of.a), b = wide(of.b);
  const Tensor product = detail::product_for(first, {a, b, of.value, of.divides}).made();
  return to(add_scaled(first, product, of.value), dtype);
}

/// The same, written over `input`.
inline void add_product(const Tensor& input, const ScaledProduct& of) {
  if (!detail::is_one_walk(input, of))
    return add_scaled.into(input, input, detail::product_for(input, of).made(), of.value);
  check_writable(of.op(), input);
  write_into(input, [&] { detail::walk(input, input, of); });
  finish_in_place(input, {}, Keep::nothing);
}

}  // namespace garboard::composite
