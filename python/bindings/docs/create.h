// What users read about tensors from nothing and from Python's data, and what fills them:
// python/bindings/methods_create.cpp. Chance stands in random.h.
#pragma once

#include "python/bindings/docs/doc.h"
#include "python/bindings/docs/random.h"

namespace garboard::python::docs {

inline constexpr Arg likewise{"input", "Tensor whose sizes, dtype and device are taken."};
inline constexpr Arg own_dtype{"dtype", "Another dtype than `input`'s."};
inline constexpr Arg own_device{"device", "Another device than `input`'s."};
inline constexpr const char* like_returns = "A new dense tensor of `input`'s sizes.";
inline constexpr const char* size_error =
    "ShapeError: A size is negative.\n"
    "DeviceError: The device cannot be used.\n"
    "GradientError: A gradient is asked for, and the dtype is no floating one.";
inline constexpr const char* like_error =
    "DeviceError: The device cannot be used.\n"
    "GradientError: A gradient is asked for, and the dtype is no floating one.";

inline constexpr Doc tensor{
    .summary = "Copy a number, nested lists, an array or a tensor into a new tensor.",
    .args =
        {{"data",
          "A number, lists or tuples nested as deep as there are dims, an array of one of "
          "garboard's dtypes, lists of such arrays of one size, or a tensor, whose history does "
          "not come along."},
         {"dtype",
          "The dtype; else that of an array or tensor, of arrays the one they promote to, and of "
          "numbers the least of bool, int64 and float32 that holds their kind."},
         device,
         requires_grad},
    .returns = "A new dense tensor with memory of its own.",
    .raises =
        "ShapeError: Lists of one depth differ in length, or arrays in sizes.\n"
        "DTypeError: A number does not fit into the integer dtype, or no dtype is the array's.\n"
        "TypeError: An element is no number.\n"
        "DisposedError: A tensor in `data` is disposed.\n"
        "DeviceError: The device cannot be used.\n"
        "GradientError: A gradient is asked for, and the dtype is no floating one.",
    .example =
        ">>> gb.tensor([[1, 2], [3, 4]])\n"
        "tensor([[1, 2],\n"
        "        [3, 4]])\n"
        ">>> gb.tensor([1, 2.5]).dtype\n"
        "garboard.float32",
};
inline constexpr Doc as_tensor{
    .summary = "Make a tensor of `data`, sharing its memory where that is possible.",
    .details =
        "An array or a tensor is shared, unless a dtype or device is given that it does not have. "
        "What is shared is kept alive by the storage; writes are seen by both.",
    .args = {{"data", "What `tensor` takes."},
             {"dtype", "The dtype, if another is wanted."},
             {"device", "The device, if another is wanted."}},
    .returns = "A tensor over the same memory, or a copy.",
    .raises =
        "ShapeError: Lists of one depth differ in length, or arrays in sizes.\n"
        "DTypeError: A number does not fit into the integer dtype, or no dtype is the array's.\n"
        "TypeError: An element is no number.\n"
        "DisposedError: A tensor in `data` is disposed.\n"
        "DeviceError: The device cannot be used.",
    .example =
        ">>> import numpy\n"
        ">>> array = numpy.zeros(2)\n"
        ">>> gb.as_tensor(array).fill_(1) is None, array\n"
        "(False, array([1., 1.]))",
};
inline constexpr Doc from_numpy{
    .summary = "Share the memory of a NumPy array.",
    .details =
        "The storage keeps the array alive; writes are seen by both. The bytes count as foreign: "
        "no limit holds them.",
    .args = {{"ndarray", "An array of one of garboard's dtypes, with any strides."}},
    .returns = "A tensor of the array's shape, strides and dtype.",
    .raises =
        "DTypeError: No dtype is the array's.\n"
        "TypeError: It is no array.",
    .example =
        ">>> import numpy\n"
        ">>> array = numpy.zeros(2)\n"
        ">>> x = gb.from_numpy(array)\n"
        ">>> array[0] = 1\n"
        ">>> x\n"
        "tensor([1., 0.], dtype=garboard.float64)",
};
inline constexpr Doc zeros{
    .summary = "Make a tensor of zeros.",
    .args = {size, dtype, device, requires_grad},
    .returns = "A new dense tensor.",
    .raises = size_error,
    .example =
        ">>> gb.zeros(2, 3)\n"
        "tensor([[0., 0., 0.],\n"
        "        [0., 0., 0.]])",
};
inline constexpr Doc ones{
    .summary = "Make a tensor of ones.",
    .args = {size, dtype, device, requires_grad},
    .returns = "A new dense tensor.",
    .raises = size_error,
    .example =
        ">>> gb.ones(3, dtype=gb.int64)\n"
        "tensor([1, 1, 1])",
};
inline constexpr Doc empty{
    .summary = "Make a tensor without setting its elements.",
    .details = "They are whatever the memory held.",
    .args = {size, dtype, device, requires_grad},
    .returns = "A new dense tensor.",
    .raises = size_error,
    .example =
        ">>> gb.empty(2, 3).shape\n"
        "(2, 3)",
};
inline constexpr Doc full{
    .summary = "Make a tensor of one value.",
    .args = {{"size", "Sizes, or the one size."},
             {"fill_value", "What every element is."},
             {"dtype", "The dtype; else bool, int64 or float32, by the kind of `fill_value`."},
             device,
             requires_grad},
    .returns = "A new dense tensor.",
    .raises =
        "ShapeError: A size is negative.\n"
        "DTypeError: `fill_value` does not fit into the integer dtype.\n"
        "DeviceError: The device cannot be used.\n"
        "GradientError: A gradient is asked for, and the dtype is no floating one.",
    .example =
        ">>> gb.full((2, 2), 7)\n"
        "tensor([[7, 7],\n"
        "        [7, 7]])",
};
inline constexpr Doc zeros_like{
    .summary = "Make zeros in the sizes and dtype of `input`.",
    .args = {likewise, own_dtype, own_device, requires_grad},
    .returns = like_returns,
    .raises = like_error,
    .example =
        ">>> gb.zeros_like(gb.tensor([1, 2]))\n"
        "tensor([0, 0])",
};
inline constexpr Doc ones_like{
    .summary = "Make ones in the sizes and dtype of `input`.",
    .args = {likewise, own_dtype, own_device, requires_grad},
    .returns = like_returns,
    .raises = like_error,
    .example =
        ">>> gb.ones_like(gb.tensor([1, 2]))\n"
        "tensor([1, 1])",
};
inline constexpr Doc empty_like{
    .summary = "Make a tensor in the sizes and dtype of `input`, its elements not set.",
    .args = {likewise, own_dtype, own_device, requires_grad},
    .returns = like_returns,
    .raises = like_error,
    .example =
        ">>> gb.empty_like(gb.tensor([1, 2])).dtype\n"
        "garboard.int64",
};
inline constexpr Doc full_like{
    .summary = "Make a tensor of one value in the sizes and dtype of `input`.",
    .args = {likewise,
             {"fill_value", "What every element is; cut off towards zero for an integer dtype."},
             own_dtype,
             own_device,
             requires_grad},
    .returns = like_returns,
    .raises =
        "DTypeError: `fill_value` does not fit into the integer dtype.\n"
        "DeviceError: The device cannot be used.\n"
        "GradientError: A gradient is asked for, and the dtype is no floating one.",
    .example =
        ">>> gb.full_like(gb.tensor([1, 2]), 7)\n"
        "tensor([7, 7])",
};
inline constexpr Doc arange{
    .summary = "Count from `start`, or from 0, up to but without `end`.",
    .details =
        "Element i is start + i * step. In an integer dtype `start` and `step` are cut off towards "
        "zero, and the count is that of the numbers as given.",
    .args = {{"start", "The first number; 0 where it is left out."},
             {"end", "Where to stop, finite."},
             {"step", "Not 0, and leading from `start` to `end`."},
             {"dtype", "The dtype; else int64, or float32 where a float is given."},
             device,
             requires_grad},
    .returns = "A new tensor of one dim.",
    .raises =
        "ShapeError: `step` is 0 or leads away from `end`, or a number is not finite.\n"
        "DeviceError: The device cannot be used.\n"
        "GradientError: A gradient is asked for, and the dtype is no floating one.",
    .example =
        ">>> gb.arange(3)\n"
        "tensor([0, 1, 2])\n"
        ">>> gb.arange(0, 1, 0.25)\n"
        "tensor([0.0000, 0.2500, 0.5000, 0.7500])",
};
inline constexpr Doc eye{
    .summary = "Make ones on the diagonal of `n` by `m` zeros.",
    .args = {{"n", "How many rows."},
             {"m", "How many columns; `n` where it is left out."},
             dtype,
             device,
             requires_grad},
    .returns = "A new matrix.",
    .raises = size_error,
    .example =
        ">>> gb.eye(2, 3)\n"
        "tensor([[1., 0., 0.],\n"
        "        [0., 1., 0.]])",
};
inline constexpr const char* filling_error =
    "ShapeError: `input` meets an element twice, as what `expand` returns.\n"
    "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view of one.";
inline constexpr Doc fill_{
    .summary = "Write `value` everywhere.",
    .details = "What was there before gets no gradient.",
    .args = {{"value", "A number; cut off towards zero for an integer dtype."}},
    .returns = "The tensor itself, not a new handle.",
    .raises =
        "DTypeError: `value` does not fit into the integer dtype.\n"
        "ShapeError: `input` meets an element twice, as what `expand` returns.\n"
        "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view of "
        "one.",
    .example =
        ">>> gb.fill_(gb.zeros(2), 7)\n"
        "tensor([7., 7.])",
};
inline constexpr Doc zero_{
    .summary = "Write 0 everywhere.",
    .details = "What was there before gets no gradient.",
    .returns = "The tensor itself, not a new handle.",
    .raises = filling_error,
    .example =
        ">>> gb.zero_(gb.ones(2))\n"
        "tensor([0., 0.])",
};

}  // namespace garboard::python::docs
