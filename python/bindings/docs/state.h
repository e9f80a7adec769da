// What users read about what a tensor is and says of itself; its gradient, its data:
// python/bindings/methods_state.cpp.
#pragma once

#include "python/bindings/docs/doc.h"

namespace garboard::python::docs {

inline constexpr Arg dim_to_ask{"dim",
                                "Which, in [-ndim, ndim); all of them where it is left out."};

inline constexpr Doc size{
    .summary = "Tell the sizes, or one of them.",
    .args = {dim_to_ask},
    .returns = "A tuple of integers, or one of them, in elements.",
    .raises = "IndexOutOfRangeError: `dim` lies outside.",
    .example =
        ">>> x = gb.zeros(2, 3)\n"
        ">>> gb.size(x), gb.size(x, -1)\n"
        "((2, 3), 3)",
};
inline constexpr Doc stride{
    .summary = "Tell how far apart neighbours along each dim stand, or along one.",
    .args = {dim_to_ask},
    .returns = "A tuple of integers, or one of them, in elements.",
    .raises = "IndexOutOfRangeError: `dim` lies outside.",
    .example =
        ">>> x = gb.zeros(2, 3)\n"
        ">>> gb.stride(x), gb.stride(x.T)\n"
        "((3, 1), (1, 3))",
};
inline constexpr Doc dim{
    .summary = "Count the dims.",
    .returns = "An integer, 0 to 8; `ndim` is the same.",
    .example =
        ">>> gb.dim(gb.zeros(2, 3))\n"
        "2",
};
inline constexpr Doc numel{
    .summary = "Count the elements.",
    .args = {{"input", "Tensor of any shape and dtype."}},
    .returns = "An integer, the product of the sizes.",
    .example =
        ">>> gb.numel(gb.zeros(2, 3))\n"
        "6",
};
inline constexpr Doc element_size{
    .summary = "Tell how many bytes an element takes.",
    .returns = "An integer; `itemsize` is the same.",
    .example =
        ">>> gb.element_size(gb.zeros(2))\n"
        "4",
};
inline constexpr Doc storage_offset{
    .summary = "Tell where the first element stands in the storage.",
    .returns = "An integer, in elements.",
    .example =
        ">>> gb.storage_offset(gb.zeros(2, 3)[1])\n"
        "3",
};
inline constexpr Doc data_ptr{
    .summary = "Tell the address of the first element.",
    .details = "It is good while the storage lives.",
    .returns = "An integer, in bytes, on the tensor's device.",
    .example =
        ">>> x = gb.zeros(4)\n"
        ">>> gb.data_ptr(x[1]) - gb.data_ptr(x)\n"
        "4",
};
inline constexpr Doc is_contiguous{
    .summary = "Tell whether the elements lie densely, in row-major order.",
    .returns = "A bool.",
    .example =
        ">>> x = gb.zeros(2, 3)\n"
        ">>> gb.is_contiguous(x), gb.is_contiguous(x.T)\n"
        "(True, False)",
};
inline constexpr Doc is_floating_point{
    .summary = "Tell whether the dtype is float32 or float64.",
    .args = {{"input", "Tensor of any shape and dtype."}},
    .returns = "A bool.",
    .example =
        ">>> gb.is_floating_point(gb.zeros(2)), gb.is_floating_point(gb.arange(2))\n"
        "(True, False)",
};
inline constexpr Doc item{
    .summary = "Return the only element as a Python number.",
    .details = "It waits for the device. The number keeps nothing alive.",
    .returns = "A bool, int or float, by the dtype.",
    .raises = "ShapeError: There is not exactly one element.",
    .example =
        ">>> gb.item(gb.tensor([[2.5]]))\n"
        "2.5",
};
inline constexpr Doc tolist{
    .summary = "Return the elements as nested lists of Python numbers.",
    .returns = "As many lists deep as there are dims; of a tensor of no dims the number.",
    .raises = "OutOfMemoryError: Python has no memory for as many lists and numbers.",
    .example =
        ">>> gb.tolist(gb.tensor([[1, 2], [3, 4]]))\n"
        "[[1, 2], [3, 4]]",
};
inline constexpr Doc numpy{
    .summary = "Return a NumPy array over the same memory.",
    .details =
        "Writes are seen by both. The memory stays valid while the array lives, also where the "
        "tensor is disposed.",
    .returns = "An array of the tensor's shape, strides and dtype.",
    .raises =
        "GradientError: The tensor requires grad; take `detach()` first.\n"
        "DeviceError: The tensor is not on the CPU.",
    .example =
        ">>> x = gb.zeros(2)\n"
        ">>> array = gb.numpy(x)\n"
        ">>> x.fill_(1) is x, array\n"
        "(True, array([1., 1.], dtype=float32))",
};
inline constexpr Doc requires_grad_{
    .summary = "Ask, or no longer ask, for a gradient.",
    .args = {{"requires_grad", "Whether ops on this leaf are recorded from now on."}},
    .returns = "The tensor itself, not a new handle.",
    .raises =
        "GradientError: The dtype is no floating one; or False was asked of what recorded ops "
        "computed, of which `detach()` is a leaf.",
    .example =
        ">>> x = gb.requires_grad_(gb.zeros(2))\n"
        ">>> x.requires_grad\n"
        "True",
};
inline constexpr Doc backward{
    .summary = "Add this tensor's gradient to `.grad` of every leaf it was computed from.",
    .details =
        "What the graph kept is freed on the way, node by node, unless it is retained. The "
        "gradients live outside every scope, as long as their leaves.",
    .args = {{"gradient", "Where to start: of the tensor's sizes; 1 for one element."},
             {"retain_graph", "True keeps the graph for another pass; `create_graph` by default."},
             {"create_graph", "True records the pass itself, so that it can be differentiated."}},
    .raises =
        "GradientError: Nothing was recorded, an earlier pass freed the graph, or there is more "
        "than one element and no gradient.\n"
        "ShapeError: The gradient has other sizes.\n"
        "DeviceError: The gradient is on another device.\n"
        "VersionError: A kept tensor was written in place since.",
    .example =
        ">>> x = gb.tensor([1.0, 2.0], requires_grad=True)\n"
        ">>> (x * x).sum().backward()\n"
        ">>> x.grad\n"
        "tensor([2., 4.])",
};
inline constexpr Doc register_hook{
    .summary = "Call a function with each gradient of this tensor.",
    .args = {{"hook",
              "Called with the gradient before it goes on; a tensor it returns takes its place."}},
    .returns = "A handle, whose `remove()` takes the hook off again.",
    .raises = "GradientError: The tensor does not require grad.",
    .example =
        ">>> x = gb.ones(2, requires_grad=True)\n"
        ">>> handle = gb.register_hook(x, lambda gradient: gradient * 10)\n"
        ">>> x.sum().backward()\n"
        ">>> x.grad\n"
        "tensor([10., 10.])",
};
inline constexpr Doc mark_optimizer_owned{
    .summary = "Book this alias as an optimizer's, outside every scope.",
};

}  // namespace garboard::python::docs
