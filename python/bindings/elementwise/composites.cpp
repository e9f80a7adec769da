// Elementwise functions made of others.
#include "csrc/ops/composite/compare.h"
#include "csrc/ops/composite/elementwise.h"
#include "csrc/ops/composite/scaled_product.h"
#include "csrc/ops/op/promotion.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/elementwise/docs.h"
#include "python/bindings/elementwise/forms.h"

namespace garboard::python {

namespace docs {

constexpr Arg any_shape{"input", "Tensor of any shape."};
constexpr Arg factor{"tensor1", "Tensor whose sizes broadcast with the others'."};
constexpr Arg other_factor{"tensor2", "Likewise."};
constexpr Arg value{"value", "What the product or quotient is multiplied with."};
constexpr const char* product_returns =
    "A new tensor of the broadcast shape and the promoted dtype. Until backward the graph keeps "
    "`tensor1` and `tensor2`.";
constexpr const char* product_error =
    "ShapeError: The sizes do not broadcast.\n"
    "DTypeError: All are bool, or what is divided has no floating dtype.\n"
    "DeviceError: The tensors are on several devices.";
constexpr const char* product_in_place_error =
    "ShapeError: The sizes do not broadcast to `input`'s, or `input` meets an element twice.\n"
    "DTypeError: The result's category (bool, integer, floating) is above that of `input`; or, as "
    "for a new tensor, all are bool, or what is divided has no floating dtype.\n"
    "DeviceError: The tensors are on several devices.\n"
    "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view of one.";

constexpr Doc addcmul{
    .summary = "Add a product, times a number, to `input`.",
    .details = "input + value * tensor1 * tensor2.",
    .args = {any_shape, factor, other_factor, value},
    .returns = product_returns,
    .raises = product_error,
    .example =
        ">>> gb.addcmul(gb.tensor([1.0]), gb.tensor([2.0]), gb.tensor([3.0]), value=0.5)\n"
        "tensor([4.])",
};
constexpr Doc addcdiv{
    .summary = "Add a quotient, times a number, to `input`.",
    .details = "input + value * tensor1 / tensor2, of which one is of a floating dtype.",
    .args = {any_shape, factor, other_factor, value},
    .returns = product_returns,
    .raises = product_error,
    .example =
        ">>> gb.addcdiv(gb.tensor([1.0]), gb.tensor([3.0]), gb.tensor([2.0]), value=2)\n"
        "tensor([4.])",
};
constexpr Doc addcmul_{
    .summary = "Add a product, times a number, to this tensor.",
    .details = "input += value * tensor1 * tensor2.",
    .args = {factor, other_factor, value},
    .returns = itself,
    .raises = product_in_place_error,
    .example =
        ">>> gb.ones(1).addcmul_(gb.tensor([2.0]), gb.tensor([3.0]), value=0.5)\n"
        "tensor([4.])",
};
constexpr Doc addcdiv_{
    .summary = "Add a quotient, times a number, to this tensor.",
    .details = "input += value * tensor1 / tensor2.",
    .args = {factor, other_factor, value},
    .returns = itself,
    .raises = product_in_place_error,
    .example =
        ">>> gb.ones(1).addcdiv_(gb.tensor([3.0]), gb.tensor([2.0]), value=2)\n"
        "tensor([4.])",
};
constexpr Doc nan_to_num{
    .summary = "Replace NaN and the infinities by numbers.",
    .args = {any_shape,
             {"nan", "What NaN becomes; 0 where it is left out."},
             {"posinf", "What infinity becomes; the largest number of the dtype if left out."},
             {"neginf", "What minus infinity becomes; the smallest number if left out."}},
    .returns =
        "A new tensor of `input`'s shape and dtype. Until backward the graph keeps bools of its "
        "shape.",
    .example =
        ">>> gb.nan_to_num(gb.tensor([float('nan'), 1.0, float('inf')]), posinf=7.0)\n"
        "tensor([0., 1., 7.])",
};
constexpr Doc nan_to_num_{
    .summary = "Replace NaN and the infinities by numbers, in place.",
    .args = {{"nan", "What NaN becomes; 0 where it is left out."},
             {"posinf", "What infinity becomes; the largest number of the dtype if left out."},
             {"neginf", "What minus infinity becomes; the smallest number if left out."}},
    .returns = itself,
    .raises =
        "ShapeError: `input` meets an element twice, as what `expand` returns.\n"
        "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view of "
        "one.",
    .example =
        ">>> gb.nan_to_num_(gb.tensor([float('nan'), 1.0]))\n"
        "tensor([0., 1.])",
};
constexpr Doc isclose{
    .summary = "Test where two tensors are nearly equal.",
    .details =
        "|input - other| <= atol + rtol * |other|, in float64; infinities of one sign are close.",
    .args = {any_shape,
             {"other", "Tensor whose sizes broadcast with `input`'s."},
             {"rtol", "How far apart they may be, as a share of `other`'s."},
             {"atol", "How far apart they may be besides."},
             {"equal_nan", "True takes NaN for equal to NaN."}},
    .returns = "A new bool tensor of the broadcast shape. No gradient passes.",
    .raises =
        "ShapeError: The sizes do not broadcast, or a tolerance is negative.\n"
        "DeviceError: The tensors are on several devices.",
    .example =
        ">>> gb.isclose(gb.tensor([1.0, 2.0]), gb.tensor([1.0, 2.1]))\n"
        "tensor([ True, False])",
};
constexpr Doc equal{
    .summary = "Tell whether two tensors have the same sizes and elements.",
    .args = {any_shape,
             {"other", "Tensor on the same device; its dtype is promoted with `input`'s."}},
    .returns = "A bool. NaN equals nothing.",
    .raises = "DeviceError: The tensors are on two devices.",
    .example =
        ">>> gb.equal(gb.arange(3), gb.tensor([0, 1, 2]))\n"
        "True",
};
constexpr Doc allclose{
    .summary = "Tell whether |input - other| <= atol + rtol * |other| everywhere.",
    .args = {any_shape,
             {"other", "Tensor whose sizes broadcast with `input`'s."},
             {"rtol", "How far apart elements may be, as a share of `other`'s."},
             {"atol", "How far apart they may be besides."},
             {"equal_nan", "True takes NaN for equal to NaN."}},
    .returns = "A bool. Infinities of one sign are close.",
    .raises =
        "ShapeError: The sizes do not broadcast, or a tolerance is negative.\n"
        "DeviceError: The tensors are on two devices.",
    .example =
        ">>> gb.allclose(gb.tensor([1.0, 2.0]), gb.tensor([1.0, 2.00001]))\n"
        "True",
};

}  // namespace docs

namespace {

constexpr const char* nearly =
    "input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, "
    "equal_nan: bool = False";

constexpr const char* with_product =
    "input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1";

template <bool divides>
constexpr auto with_scaled =
    [](const Tensor& input, const Tensor& a, const Tensor& b, Scalar value) {
      return composite::plus_product(input, {a, b, value, divides});
    };
template <bool divides>
constexpr auto with_scaled_in_place =
    [](const Tensor& input, const Tensor& a, const Tensor& b, Scalar value) {
      composite::add_product(input, {a, b, value, divides});
      return Itself();
    };

constexpr std::array composite_rows{
    bind("addcmul", with_product, docs::addcmul, with_scaled<false>).with_out(),
    bind("addcdiv", with_product, docs::addcdiv, with_scaled<true>).with_out(),
    bind("addcmul_", with_product, docs::addcmul_, with_scaled_in_place<false>, Place::method),
    bind("addcdiv_", with_product, docs::addcdiv_, with_scaled_in_place<true>, Place::method),
    bind("nan_to_num",
         "input: Tensor, nan: Number | None = None, posinf: Number | None = None, neginf: Number | "
         "None = None",
         docs::nan_to_num, fn<composite::nan_to_num>)
        .with_out(),
    bind("nan_to_num_",
         "input: Tensor, nan: Number | None = None, posinf: Number | None = None, "
         "neginf: Number | None = None",
         docs::nan_to_num_, fn<&MadeForms<&composite::nan_to_num>::in_place>, Place::method),
    bind("isclose", nearly, docs::isclose, fn<composite::isclose>),
    bind("allclose", nearly, docs::allclose, fn<composite::allclose>),
    bind("equal", "input: Tensor, other: Tensor", docs::equal, fn<composite::equal>),
};

}  // namespace

void add_composite_methods() { add_table<composite_rows>(); }

}  // namespace garboard::python
