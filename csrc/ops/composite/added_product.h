// beta * input + alpha * product, where beta 0 passes over what is in the input, NaN too.
#pragma once

#include <cmath>

#include "csrc/ops/composite/products.h"
#include "csrc/ops/op/promotion.h"

namespace garboard::composite {

struct Factors {
  Scalar beta, alpha;

  bool is_plain() const { return beta.is(1) && alpha.is(1); }
};

/// The factors as numbers of the product's dtype: whole floats are integers, as 2.0 is.
inline Factors checked_factors(const char* op, const Tensor& input, const Tensor& product,
                               const Factors& factors) {
  if (input.dtype() != product.dtype())
    throw DTypeError(text(op, ": input of dtype ", name_of(input.dtype()), ", a product of ",
                          name_of(product.dtype()), "; they must be equal, convert with to()"));
  if (product.dtype() == DType::boolean)
    throw DTypeError(text(op, ": dtype bool; numbers are needed, convert with to()"));
  const auto fitting = [&](const Scalar& factor) {
    if (factor.is_whole() || factor.category <= category_of(product.dtype())) return factor;
    const bool takes_real = has_gradient(product.dtype());
    // Beyond 2^53 a float stands for other integers, too.
    if (!takes_real && factor.is_within(-0x1p53, 0x1p53) && factor.real == std::trunc(factor.real))
      return Scalar::of(static_cast<std::int64_t>(factor.real));
    throw DTypeError(text(op, ": beta or alpha is no ", takes_real ? "real number" : "integer",
                          ", and the dtype is ", name_of(product.dtype()), "; one is needed"));
  };
  return {fitting(factors.beta), fitting(factors.alpha)};
}

/// Raises ShapeError unless `input` broadcasts to the sizes of the product, which do not grow.
inline void check_fits_product(const char* op, const Tensor& input, const Dims& sizes) {
  bool fits = input.ndim() <= sizes.size();
  for (int i = 1; fits && i <= input.ndim(); ++i) {
    const std::int64_t own = input.size(input.ndim() - i);
    fits = own == 1 || own == sizes[sizes.size() - i];
  }
  if (!fits)
    throw ShapeError(text(op, ": input of sizes ", input.sizes(), ", a product of sizes ", sizes,
                          "; the first must broadcast to the second"));
}

inline Tensor scaled(const Tensor& x, const Scalar& factor) {
  return factor.is(1) ? x : x * factor;
}

inline Tensor added(const char* op, const Tensor& input, const Tensor& product,
                    const Factors& given) {
  const Factors factors = checked_factors(op, input, product, given);
  check_fits_product(op, input, product.sizes());
  const Tensor right = scaled(product, factors.alpha);
  return factors.beta.is(0) ? right : right + scaled(input, factors.beta);  // lies as the product
}

inline void check_sizes_in_place(const char* op, const Tensor& self, const Dims& product) {
  if (self.sizes() != product)
    throw ShapeError(text(op, ": input of sizes ", self.sizes(), ", a product of sizes ", product,
                          "; in place they must be equal"));
}

/// The same, written over `self`, whose sizes are the product's.
inline void add_in_place(const char* op, const Tensor& self, const Tensor& product,
                         const Factors& given) {
  const Factors factors = checked_factors(op, self, product, given);
  check_sizes_in_place(op, self, product.sizes());
  check_writable(op, self);
  const Tensor right = scaled(product, factors.alpha);
  if (factors.beta.is(0)) return copy_(self, right);
  if (!factors.beta.is(1)) mul.apply_in_place(self, factors.beta);
  add.apply_in_place(self, right);
}

/// A product added to `input`, rounded once: half types are multiplied and added in float32.
template <Tensor (*product)(const char*, const Tensor&, const Tensor&)>
Tensor added_product(const char* op, const Tensor& input, const Tensor& a, const Tensor& b,
                     const Factors& factors) {
  const DType own = input.dtype();
  if (!is_half(own) || a.dtype() != own || b.dtype() != own)
    return added(op, input, product(op, a, b), factors);
  const auto wide = [](const Tensor& x) { return to(x, DType::float32); };
  return to(added(op, wide(input), product(op, wide(a), wide(b)), factors), own);
}

/// As `linear` does, in one pass, where a row is added to a plain product.
inline Tensor addmm(const char* op, const Tensor& input, const Tensor& a, const Tensor& b,
                    const Factors& factors) {
  check_dims(op, a, 2, b, 2);
  const bool is_linear = factors.is_plain() && input.ndim() == 1 && a.dtype() == input.dtype() &&
                         b.dtype() == a.dtype() && a.device() == input.device() &&
                         b.device() == a.device() && a.size(1) == b.size(0) &&
                         input.count() == b.size(1) && is_floating(a.dtype());
  if (is_linear) return linear(a, transpose(b, 0, 1), input);
  return added_product<&product>(op, input, a, b, factors);
}

/// A product of two vectors added to `input`, of dtypes that meet as those of a sum do; bools are
/// taken for sets, whose product is what both have.
inline Tensor addr(const char* op, const Tensor& input, const Tensor& a, const Tensor& b,
                   const Factors& factors) {
  const Operand first(input), second(a), third(b);
  const DType dtype = result_dtype({&first, &second, &third});
  const auto met = [dtype](const Tensor& x) { return to(x, dtype); };
  if (dtype != DType::boolean)
    return added_product<&outer>(op, met(input), met(a), met(b), factors);
  const Tensor product = outer(op, a, b);
  check_fits_product(op, input, product.sizes());
  const auto taken = [op](const Tensor& x, const Scalar& factor) {
    if (!factor.is_whole())
      throw DTypeError(text(op,
                            ": beta or alpha is no integer, and the dtype is bool; one is "
                            "needed"));
    return bitwise_and(x, Scalar::of(!factor.is(0)));
  };
  return bitwise_or(taken(product, factors.alpha), taken(input, factors.beta));
}

/// The same, written over `self`.
inline void addr_(const char* op, const Tensor& self, const Tensor& a, const Tensor& b,
                  const Factors& factors) {
  const DType own = self.dtype();
  if (a.dtype() == own && b.dtype() == own && own != DType::boolean)
    return add_in_place(op, self, outer(op, a, b), factors);
  const Tensor sum = addr(op, self, a, b, factors);
  if (category_of(sum.dtype()) > category_of(own))
    throw DTypeError(text(op, ": a sum of dtype ", name_of(sum.dtype()), " into a tensor of ",
                          name_of(own), "; one that holds it is needed, convert with to()"));
  check_sizes_in_place(op, self, sum.sizes());
  copy_(self, sum);
}

}  // namespace garboard::composite
