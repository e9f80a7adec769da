// What users read about copies and conversions: python/bindings/methods_shape.cpp.
#pragma once

#include "python/bindings/docs/doc.h"

namespace garboard::python::docs {

inline constexpr Arg any_shape{"input", "Tensor of any shape and dtype."};
inline constexpr const char* converted_returns =
    "A copy, or a new handle on the same tensor where nothing changes. The graph keeps no tensor.";
inline constexpr const char* unusable_device =
    "DeviceError: The device does not exist or cannot be used; `gb.cuda.why_unavailable()` says "
    "why.";

inline constexpr Doc contiguous{
    .summary = "Lay the elements out densely, in row-major order.",
    .returns =
        "A copy, or a new handle on the same tensor where it lies so. The graph keeps no tensor.",
    .example =
        ">>> x = gb.zeros(2, 3).T\n"
        ">>> x.stride(), gb.contiguous(x).stride()\n"
        "((1, 3), (2, 1))",
};
inline constexpr Doc clone{
    .summary = "Copy the elements into a new tensor.",
    .details = "The gradient passes through; `x.detach().clone()` cuts it off.",
    .args = {any_shape},
    .returns = "A dense tensor of its own storage. The graph keeps no tensor.",
    .example =
        ">>> x = gb.zeros(2)\n"
        ">>> y = gb.clone(x)\n"
        ">>> y.fill_(1), x\n"
        "(tensor([1., 1.]), tensor([0., 0.]))",
};
inline constexpr Doc detach{
    .summary = "Share the storage without the history.",
    .details = "What is written in place into one is seen in the other.",
    .args = {any_shape},
    .returns = "A new tensor over the same storage, which asks for no gradient.",
    .example =
        ">>> x = gb.ones(2, requires_grad=True)\n"
        ">>> gb.detach(x).requires_grad\n"
        "False",
};
inline constexpr Doc alias{
    .summary = "Make another handle on the same tensor.",
    .details = "Each ends on its own; the tensor goes with the last. Both have one gradient.",
    .returns = "A new handle, born in the open scope.",
    .example =
        ">>> x = gb.ones(2)\n"
        ">>> y = gb.alias(x)\n"
        ">>> x.dispose()\n"
        ">>> y\n"
        "tensor([1., 1.])",
};
inline constexpr Doc copy_{
    .summary = "Write the elements of `src` into this tensor.",
    .details =
        "They are converted, as C++ converts, brought to its device and broadcast. The gradient "
        "goes to `src`.",
    .args = {{"src", "Tensor that broadcasts to `input`'s shape."}},
    .returns = "The tensor itself, not a new handle.",
    .raises =
        "ShapeError: `src` does not broadcast, or `input` meets an element twice, as what `expand` "
        "returns.\n"
        "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view of "
        "one.",
    .example =
        ">>> gb.copy_(gb.zeros(2, 2), gb.tensor([1, 2]))\n"
        "tensor([[1., 2.],\n"
        "        [1., 2.]])",
};
inline constexpr Doc to{
    .summary = "Convert to a dtype, a device, or those of another tensor.",
    .details =
        "`x.to(dtype)`, `x.to(device)`, `x.to(device, dtype)` or `x.to(tensor)`. On their way into "
        "an "
        "integer dtype floats are cut off towards zero and integers wrap; a float beyond the dtype "
        "gives no number in particular. To bool, what is not zero is true.",
    .args = {{"device", "A device, or its name: \"cuda:0\"."},
             {"dtype", "The dtype."},
             {"other", "Tensor whose device and dtype are taken."},
             {"copy", "True copies even where nothing changes."}},
    .returns = converted_returns,
    .raises = unusable_device,
    .example =
        ">>> gb.to(gb.tensor([1.5, -1.5]), gb.int64)\n"
        "tensor([ 1, -1])",
};
inline constexpr Doc type_as{
    .summary = "Convert to the dtype of `other`.",
    .args = {{"other", "Tensor whose dtype is taken; its device is not."}},
    .returns = converted_returns,
    .example =
        ">>> gb.type_as(gb.tensor([1, 2]), gb.zeros(1))\n"
        "tensor([1., 2.])",
};
inline constexpr Doc float_type{
    .summary = "Convert to float32.",
    .returns = converted_returns,
    .example =
        ">>> gb.float(gb.tensor([1, 2]))\n"
        "tensor([1., 2.])",
};
inline constexpr Doc double_type{
    .summary = "Convert to float64.",
    .returns = converted_returns,
    .example =
        ">>> gb.double(gb.tensor([1, 2]))\n"
        "tensor([1., 2.], dtype=garboard.float64)",
};
inline constexpr Doc long_type{
    .summary = "Convert to int64, cutting off towards zero, as `to` does.",
    .returns = converted_returns,
    .example =
        ">>> gb.long(gb.tensor([1.5, -1.5]))\n"
        "tensor([ 1, -1])",
};
inline constexpr Doc int_type{
    .summary = "Convert to int32, cutting off towards zero, as `to` does.",
    .returns = converted_returns,
    .example =
        ">>> gb.int(gb.tensor([1.5, -1.5]))\n"
        "tensor([ 1, -1], dtype=garboard.int32)",
};
inline constexpr Doc byte{
    .summary = "Convert to uint8, cutting off towards zero, as `to` does.",
    .returns = converted_returns,
    .example =
        ">>> gb.byte(gb.tensor([1, 257]))\n"
        "tensor([1, 1], dtype=garboard.uint8)",
};
inline constexpr Doc bool_type{
    .summary = "Convert to bool: true where not zero.",
    .returns = converted_returns,
    .example =
        ">>> gb.bool(gb.tensor([0.0, 0.5]))\n"
        "tensor([False, True])",
};
inline constexpr Doc cpu{
    .summary = "Copy to the CPU.",
    .returns = converted_returns,
    .example =
        ">>> gb.cpu(gb.ones(2)).device\n"
        "device(type='cpu')",
};
inline constexpr Doc cuda{
    .summary = "Copy to a CUDA device.",
    .args = {{"device", "Its number, or the device; 0 where it is left out."}},
    .returns = converted_returns,
    .raises = unusable_device,
    .example =
        ">>> if gb.cuda.is_available():\n"
        "...     assert gb.ones(2).cuda().is_cuda",
};

}  // namespace garboard::python::docs
