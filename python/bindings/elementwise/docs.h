// What users read about the elementwise functions: sentences that the families share, and those
// functions that are in no family. See python/bindings/elementwise/elementwise.cpp.
#pragma once

#include "python/bindings/call/doc.h"

namespace garboard::python::docs {

inline constexpr Arg out{"out",
                         "Where to write, instead of into a new tensor: of the result's shape and "
                         "on its device."};
inline constexpr Arg first_operand{"input", "Tensor of any shape, or a number."};
inline constexpr const char* second_operand =
    "Tensor whose sizes broadcast with `input`'s (from the last dim on they are equal, 1, or "
    "missing), or a number; not both are numbers.";
inline constexpr const char* in_place_operand =
    "Tensor that broadcasts to `input`'s shape, or a number.";

inline constexpr const char* itself = "The tensor itself, not a new handle.";
inline constexpr const char* spoils_others =
    "Backward through another op whose graph kept the old elements raises VersionError.";

// Lines of "Raises", to be put together; those in the middle bring their line break.
inline constexpr const char* broadcast_fails =
    "ShapeError: The sizes do not broadcast, or `out` has others than the result.";
inline constexpr const char* in_place_broadcast_fails =
    "ShapeError: The sizes do not broadcast to `input`'s, or `input` meets an element twice, as "
    "what `expand` returns.";
inline constexpr const char* number_does_not_fit = "a number lies beyond the integer dtype";
inline constexpr const char* above_out =
    "the result's category (bool, integer, floating) is above that of `out`";
inline constexpr const char* above_input =
    "the result's category (bool, integer, floating) is above that of `input`";
inline constexpr const char* device_error = "\nDeviceError: The tensors are on several devices.";
inline constexpr const char* out_gradient =
    "\nGradientError: Grad mode is on, `out` is given, and a tensor requires grad.";
inline constexpr const char* out_requires_grad =
    "\nGradientError: Grad mode is on, and `out` requires grad.";
inline constexpr const char* in_place_gradient =
    "\nGradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view of "
    "one.";

inline constexpr Arg alpha{"alpha", "What `other` is multiplied with first; it is promoted too."};
inline constexpr const char* scaled_raises =
    "ShapeError: The sizes do not broadcast, or `out` has others than the result.\n"
    "DTypeError: The result's category (bool, integer, floating) is above that of `out`.\n"
    "DeviceError: The tensors are on several devices.\n"
    "GradientError: Grad mode is on, `out` is given, and a tensor requires grad.\n"
    "TypeError: Both operands are numbers.";
inline constexpr const char* scaled_in_place_raises =
    "ShapeError: The sizes do not broadcast to `input`'s, or `input` meets an element "
    "twice, as what `expand` returns.\n"
    "DTypeError: The result's category (bool, integer, floating) is above that of `input`.\n"
    "DeviceError: The tensors are on several devices.\n"
    "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view of one.";
inline constexpr const char* scaled_returns =
    "A new tensor of the broadcast shape and the promoted dtype; or `out`. The graph keeps no "
    "tensor.";

inline constexpr Doc add{
    .summary = "Add `other` to `input`.",
    .details =
        "input + alpha * other. Integers wrap; of two bools it is or, unless `alpha` is "
        "given.",
    .args = {first_operand, {"other", second_operand}, alpha, out},
    .returns = scaled_returns,
    .raises = scaled_raises,
    .example =
        ">>> gb.add(gb.tensor([1, 2]), gb.tensor([10, 20]))\n"
        "tensor([11, 22])\n"
        ">>> gb.add(gb.tensor([1, 2]), 1, alpha=0.5)\n"
        "tensor([1.5000, 2.5000])",
};
inline constexpr Doc add_{
    .summary = "Add `other` to `input`, in place.",
    .details =
        "input += alpha * other. Backward through another op whose graph kept the old "
        "elements raises VersionError.",
    .args = {{"other", in_place_operand}, alpha},
    .returns = itself,
    .raises = scaled_in_place_raises,
    .example =
        ">>> x = gb.tensor([1.0, 2.0])\n"
        ">>> gb.add_(x, 1) is x\n"
        "True\n"
        ">>> x\n"
        "tensor([2., 3.])",
};
inline constexpr Doc sub{
    .summary = "Subtract `other` from `input`.",
    .details = "input - alpha * other. Integers wrap; bools have no difference.",
    .args = {first_operand, {"other", second_operand}, alpha, out},
    .returns = scaled_returns,
    .raises =
        "ShapeError: The sizes do not broadcast, or `out` has others than the result.\n"
        "DTypeError: The dtype is bool; or the result's category (bool, integer, floating) is "
        "above that of `out`.\n"
        "DeviceError: The tensors are on several devices.\n"
        "GradientError: Grad mode is on, `out` is given, and a tensor requires grad.\n"
        "TypeError: Both operands are numbers.",
    .example =
        ">>> gb.sub(gb.tensor([11, 22]), gb.tensor([1, 2]))\n"
        "tensor([10, 20])",
};
inline constexpr Doc sub_{
    .summary = "Subtract `other` from `input`, in place.",
    .details =
        "input -= alpha * other. Backward through another op whose graph kept the old "
        "elements raises VersionError.",
    .args = {{"other", in_place_operand}, alpha},
    .returns = itself,
    .raises = scaled_in_place_raises,
    .example =
        ">>> gb.sub_(gb.tensor([1.0, 2.0]), 1)\n"
        "tensor([0., 1.])",
};
inline constexpr Doc gelu{
    .summary = "Multiply `input` by the share of the normal distribution below it.",
    .details =
        "gelu(x) = x * P(Z <= x) for a standard normal Z, within 5 ULP (Hendrycks and "
        "Gimpel, arXiv:1606.08415). With 'tanh' it is x / 2 * (1 + tanh(sqrt(2 / pi) * (x + "
        "0.044715 * x^3))).",
    .args = {{"input", "Tensor of any shape; integers and bools are taken as float32."},
             {"approximate", "'none' or 'tanh'."}},
    .returns =
        "A new tensor of `input`'s shape and dtype, float32 for integers and bools. Until "
        "backward the graph keeps `input`.",
    .raises = "ValueError: `approximate` is neither 'none' nor 'tanh'.",
    .example =
        ">>> gb.gelu(gb.tensor([-1.0, 0.0, 2.0]))\n"
        "tensor([-0.1587, 0.0000, 1.9545])",
};
inline constexpr Doc where{
    .summary = "Choose from `input` where `condition` is true, else from `other`.",
    .details = "Of `condition` alone, the coordinates where it is true, as of `nonzero`.",
    .args = {{"condition", "Tensor; what is not zero is true. The sizes of all three broadcast."},
             {"input", "Tensor or number."},
             {"other", "Tensor or number; its dtype is promoted with `input`'s."}},
    .returns =
        "A new tensor of the broadcast shape and the promoted dtype; until backward the graph "
        "keeps "
        "`condition`. Of `condition` alone, a tuple of int64 tensors, one a dim.",
    .raises =
        "ShapeError: The sizes do not broadcast.\n"
        "DTypeError: A number does not fit into the integer dtype.\n"
        "DeviceError: The tensors are on several devices.",
    .example =
        ">>> x = gb.tensor([-1, 2])\n"
        ">>> gb.where(x > 0, x, 0)\n"
        "tensor([0, 2])",
};
inline constexpr Doc where_method{
    .summary = "Keep the elements where `condition` is true, and take `other`'s elsewhere.",
    .args = {{"condition", "Tensor; what is not zero is true. The sizes of all three broadcast."},
             {"other", "Tensor or number; its dtype is promoted with `input`'s."}},
    .returns =
        "A new tensor of the broadcast shape and the promoted dtype; until backward the graph "
        "keeps `condition`.",
    .raises =
        "ShapeError: The sizes do not broadcast.\n"
        "DTypeError: A number does not fit into the integer dtype.\n"
        "DeviceError: The tensors are on several devices.",
    .example =
        ">>> gb.tensor([-1, 2]).where(gb.tensor([False, True]), 0)\n"
        "tensor([0, 2])",
};
inline constexpr Doc lerp{
    .summary = "Move `input` towards `end` by `weight`.",
    .details = "lerp(x, y, w) = x + w * (y - x), and exactly y where w is 1.",
    .args = {{"input", "Tensor of any shape; integers and bools are taken as float32."},
             {"end", "Tensor whose sizes broadcast with `input`'s."},
             {"weight", "Tensor that broadcasts too, or a number: 0 gives `input`, 1 `end`."},
             out},
    .returns =
        "A new tensor of the broadcast shape and the promoted dtype; or `out`. Until backward the "
        "graph keeps all three.",
    .raises =
        "ShapeError: The sizes do not broadcast, or `out` has others than the result.\n"
        "DTypeError: The result's category (bool, integer, floating) is above that of `out`.\n"
        "DeviceError: The tensors are on several devices.\n"
        "GradientError: Grad mode is on, `out` is given, and a tensor requires grad.",
    .example =
        ">>> gb.lerp(gb.tensor([0.0, 10.0]), gb.tensor([4.0, 20.0]), 0.5)\n"
        "tensor([ 2., 15.])",
};
inline constexpr Doc lerp_{
    .summary = "Move `input` towards `end` by `weight`, in place.",
    .details = spoils_others,
    .args = {{"end", "Tensor that broadcasts to `input`'s shape."},
             {"weight",
              "Tensor that broadcasts too, or a number: 0 leaves `input`, 1 gives "
              "`end`."}},
    .returns = itself,
    .raises = scaled_in_place_raises,
    .example =
        ">>> gb.lerp_(gb.tensor([0.0, 10.0]), gb.tensor([4.0, 20.0]), 0.5)\n"
        "tensor([ 2., 15.])",
};
inline constexpr const char* clamp_details =
    "clamp(x) = min(max(x, min), max), so `max` where the bounds are crossed. NaN stays. An "
    "element on a bound has a gradient of 0; it shares it with a bound that is a tensor.";
inline constexpr Arg minimum{"min", "The lower bound: a tensor that broadcasts, or a number."};
inline constexpr Arg maximum{"max", "The upper bound, likewise. At least one of the two is given."};
inline constexpr Doc clamp{
    .summary = "Move what lies outside [`min`, `max`] to the nearer bound.",
    .details = clamp_details,
    .args = {{"input", "Tensor of any shape and of any dtype but bool."}, minimum, maximum, out},
    .returns =
        "A new tensor of the broadcast shape and the promoted dtype; or `out`. The gradient goes "
        "to what gave the element; until backward the graph keeps `input` and the bounds.",
    .raises =
        "ShapeError: The sizes do not broadcast, or `out` has others than the result.\n"
        "DTypeError: All are bool, a bound does not fit into the integer dtype, or the result's "
        "category (bool, integer, floating) is above that of `out`.\n"
        "DeviceError: The tensors are on several devices.\n"
        "GradientError: Grad mode is on, `out` is given, and a tensor requires grad.\n"
        "TypeError: Neither bound is given.",
    .example =
        ">>> gb.clamp(gb.tensor([-2, 1, 5]), 0, 3)\n"
        "tensor([0, 1, 3])",
};
inline constexpr Doc clamp_{
    .summary = "Move what lies outside [`min`, `max`] to the nearer bound, in place.",
    .details = clamp_details,
    .args = {minimum, maximum},
    .returns = itself,
    .raises = scaled_in_place_raises,
    .example =
        ">>> gb.clamp_(gb.tensor([-2, 1, 5]), max=3)\n"
        "tensor([-2, 1, 3])",
};

inline constexpr Arg one_minimum{"min", "The bound: a tensor that broadcasts, or a number."};
inline constexpr Arg one_maximum{"max", "The bound: a tensor that broadcasts, or a number."};
inline constexpr const char* bounded_raises =
    "ShapeError: The sizes do not broadcast, or `out` has others than the result.\n"
    "DTypeError: All are bool, the bound does not fit into the integer dtype, or the result's "
    "category (bool, integer, floating) is above that of `out`.\n"
    "DeviceError: The tensors are on several devices.\n"
    "GradientError: Grad mode is on, `out` is given, and a tensor requires grad.";
inline constexpr const char* bounded_returns =
    "A new tensor of the broadcast shape and the promoted dtype; or `out`. Until backward the "
    "graph keeps `input` and the bound.";
inline constexpr Arg bounded_input{"input", "Tensor of any shape and of any dtype but bool."};
inline constexpr Doc clamp_min{
    .summary = "Raise what is below `min` to it.",
    .args = {bounded_input, one_minimum, out},
    .returns = bounded_returns,
    .raises = bounded_raises,
    .example =
        ">>> gb.clamp_min(gb.tensor([-2, 1]), 0)\n"
        "tensor([0, 1])",
};
inline constexpr Doc clamp_min_{
    .summary = "Raise what is below `min` to it, in place.",
    .args = {one_minimum},
    .returns = itself,
    .raises = scaled_in_place_raises,
    .example =
        ">>> gb.clamp_min_(gb.tensor([-2, 1]), 0)\n"
        "tensor([0, 1])",
};
inline constexpr Doc clamp_max{
    .summary = "Lower what is above `max` to it.",
    .args = {bounded_input, one_maximum, out},
    .returns = bounded_returns,
    .raises = bounded_raises,
    .example =
        ">>> gb.clamp_max(gb.tensor([-2, 1]), 0)\n"
        "tensor([-2,  0])",
};
inline constexpr Doc clamp_max_{
    .summary = "Lower what is above `max` to it, in place.",
    .args = {one_maximum},
    .returns = itself,
    .raises = scaled_in_place_raises,
    .example =
        ">>> gb.clamp_max_(gb.tensor([-2, 1]), 0)\n"
        "tensor([-2,  0])",
};

}  // namespace garboard::python::docs
