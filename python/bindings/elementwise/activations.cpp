// What functions in Python, which check and document it, call for each element.
#include "csrc/ops/elementwise/activations.h"

#include "csrc/ops/elementwise/special.h"
#include "python/bindings/call/methods.h"

namespace garboard::python {
namespace {

constexpr Doc part{.summary = "Compute a part of garboard.nn.functional, which documents it."};

constexpr Doc slope_of_digamma{.summary = "Compute garboard.polygamma of order 1."};

constexpr std::array activation_rows{
    bind(
        "_trigamma", "input: Tensor", slope_of_digamma, [](const Tensor& x) { return trigamma(x); },
        Place::functional),
    bind(
        "_hardsigmoid", "input: Tensor", part, [](const Tensor& x) { return hardsigmoid(x); },
        Place::functional),
    bind(
        "_hardswish", "input: Tensor", part, [](const Tensor& x) { return hardswish(x); },
        Place::functional),
    bind(
        "_mish", "input: Tensor", part, [](const Tensor& x) { return mish(x); }, Place::functional),
    bind(
        "_softplus", "input: Tensor", part, [](const Tensor& x) { return softplus(x); },
        Place::functional),
    bind(
        "_elu", "input: Tensor, alpha: Number", part,
        [](const Tensor& x, const Scalar& alpha) { return elu(x, alpha); }, Place::functional),
    bind(
        "_leaky_relu", "input: Tensor, slope: Tensor | Number", part,
        [](const Tensor& x, const Operand& slope) { return leaky_relu(x, slope); },
        Place::functional),
    bind(
        "_hardshrink", "input: Tensor, bound: Number", part,
        [](const Tensor& x, const Scalar& bound) { return hardshrink(x, bound); },
        Place::functional),
    bind(
        "_softshrink", "input: Tensor, way: Number", part,
        [](const Tensor& x, const Scalar& way) { return softshrink(x, way); }, Place::functional),
    bind(
        "_hardtanh", "input: Tensor, low: Number, high: Number", part,
        [](const Tensor& x, const Scalar& low, const Scalar& high) {
          return hardtanh(x, low, high);
        },
        Place::functional),
    bind(
        "_threshold", "input: Tensor, bound: Number, value: Number", part,
        [](const Tensor& x, const Scalar& bound, const Scalar& value) {
          return threshold(x, bound, value);
        },
        Place::functional),
};

}  // namespace

void add_activation_methods() { add_table<activation_rows>(); }

}  // namespace garboard::python
