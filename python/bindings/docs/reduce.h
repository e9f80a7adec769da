// What users read about reductions: python/bindings/methods_reduce.cpp.
#pragma once

#include "python/bindings/docs/doc.h"

namespace garboard::python::docs {

inline constexpr Arg any_tensor{"input", "Tensor of any shape and dtype."};
inline constexpr Arg floating_tensor{"input", "Tensor of any shape and of a floating dtype."};
inline constexpr Arg reduced_dims{
    "dim",
    "The dims to reduce, each in [-ndim, ndim); None and an empty sequence stand for all of them."};
inline constexpr Arg keepdim{"keepdim", "True leaves the reduced dims in the result, with size 1."};
inline constexpr Arg summed_dtype{
    "dtype", "What `input` is converted to first, and the dtype of the result."};
inline constexpr const char* dims_error =
    "IndexOutOfRangeError: A dim lies outside.\n"
    "ShapeError: A dim is named twice.";
inline constexpr const char* choosing_error =
    "IndexOutOfRangeError: A dim lies outside.\n"
    "ShapeError: A dim is named twice, or there are no elements to choose from.";

inline constexpr Doc sum{
    .summary = "Add the elements along `dim`, or all of them.",
    .details =
        "As accurate as a pairwise sum, and the same with any number of threads. The sum of no "
        "elements is 0.",
    .args = {any_tensor, reduced_dims, keepdim, summed_dtype},
    .returns =
        "A new tensor without the reduced dims, of `input`'s floating dtype, int64 for integers "
        "and bools. The graph keeps no tensor.",
    .raises = dims_error,
    .example =
        ">>> x = gb.tensor([[1, 2], [3, 4]])\n"
        ">>> gb.sum(x)\n"
        "tensor(10)\n"
        ">>> gb.sum(x, 0)\n"
        "tensor([4, 6])",
};
inline constexpr Doc prod{
    .summary = "Multiply the elements along `dim`, or all of them.",
    .details = "The product of no elements is 1. The gradient is exact where there are zeros too.",
    .args = {any_tensor, reduced_dims, keepdim, summed_dtype},
    .returns =
        "A new tensor without the reduced dims, of `input`'s floating dtype, int64 for integers "
        "and bools. Until backward the graph keeps `input` and the result.",
    .raises = dims_error,
    .example =
        ">>> x = gb.tensor([[1, 2], [3, 4]])\n"
        ">>> gb.prod(x, 1)\n"
        "tensor([ 2, 12])",
};
inline constexpr Doc mean{
    .summary = "Average the elements along `dim`, or all of them.",
    .details = "The sum divided by the count: NaN of no elements.",
    .args = {{"input", "Tensor of any shape, of a floating dtype unless `dtype` is given."},
             reduced_dims,
             keepdim,
             {"dtype", "The floating dtype that `input` is converted to first, and the result's."}},
    .returns = "A new tensor without the reduced dims. The graph keeps no tensor.",
    .raises =
        "IndexOutOfRangeError: A dim lies outside.\n"
        "ShapeError: A dim is named twice.\n"
        "DTypeError: The dtype is no floating one.",
    .example =
        ">>> x = gb.tensor([[1.0, 2.0], [3.0, 4.0]])\n"
        ">>> gb.mean(x, 0)\n"
        "tensor([2., 3.])",
};
inline constexpr Arg correction{
    "correction", "What is taken from the count before it divides: 1 for a sample, 0 for all."};
inline constexpr const char* spreading_error =
    "IndexOutOfRangeError: A dim lies outside.\n"
    "ShapeError: A dim is named twice.\n"
    "DTypeError: `input` is not of a floating dtype.";
inline constexpr Doc var{
    .summary = "Compute the variance along `dim`, or of all elements.",
    .details =
        "var(x) = sum((x - mean(x))^2) / max(0, count - correction): NaN or inf where that divides "
        "by 0.",
    .args = {floating_tensor, reduced_dims, correction, keepdim},
    .returns =
        "A new tensor without the reduced dims, of `input`'s dtype. Until backward the graph keeps "
        "`input`.",
    .raises = spreading_error,
    .example =
        ">>> x = gb.tensor([1.0, 2.0, 3.0, 4.0])\n"
        ">>> gb.var(x)\n"
        "tensor(1.6667)\n"
        ">>> gb.var(x, correction=0)\n"
        "tensor(1.2500)",
};
inline constexpr Doc std{
    .summary = "Compute the standard deviation along `dim`, or of all elements.",
    .details =
        "The square root of `var`. Where it is 0, the gradient is 0, though the slope is infinite.",
    .args = {floating_tensor, reduced_dims, correction, keepdim},
    .returns =
        "A new tensor without the reduced dims, of `input`'s dtype. Until backward the graph keeps "
        "`input` and the result.",
    .raises = spreading_error,
    .example =
        ">>> x = gb.tensor([1.0, 2.0, 3.0, 4.0])\n"
        ">>> gb.std(x)\n"
        "tensor(1.2910)",
};
inline constexpr Doc cumsum{
    .summary = "Add up the elements along `dim`, keeping each sum on the way.",
    .details = "cumsum(x)_i = x_0 + ... + x_i.",
    .args = {any_tensor, {"dim", "Along which dim, in [-ndim, ndim)."}, summed_dtype},
    .returns =
        "A new tensor of `input`'s shape and floating dtype, int64 for integers and bools. The "
        "graph keeps no tensor.",
    .raises = "IndexOutOfRangeError: `dim` lies outside.",
    .example =
        ">>> x = gb.tensor([1, 2, 3])\n"
        ">>> gb.cumsum(x, 0)\n"
        "tensor([1, 3, 6])",
};
inline constexpr const char* extremum_details =
    "NaN where there is one. Equal elements share the gradient equally.";
inline constexpr const char* extremum_returns =
    "A new tensor without the reduced dims, of `input`'s dtype. Until backward the graph keeps "
    "`input` and the result.";
inline constexpr Doc amax{
    .summary = "Take the largest element along `dim`, or of all.",
    .details = extremum_details,
    .args = {any_tensor, reduced_dims, keepdim},
    .returns = extremum_returns,
    .raises = choosing_error,
    .example =
        ">>> x = gb.tensor([[1, 2], [3, 0]])\n"
        ">>> gb.amax(x, 0)\n"
        "tensor([3, 2])",
};
inline constexpr Doc amin{
    .summary = "Take the smallest element along `dim`, or of all.",
    .details = extremum_details,
    .args = {any_tensor, reduced_dims, keepdim},
    .returns = extremum_returns,
    .raises = choosing_error,
    .example =
        ">>> x = gb.tensor([[1, 2], [3, 0]])\n"
        ">>> gb.amin(x, 0)\n"
        "tensor([1, 0])",
};
inline constexpr Doc all{
    .summary = "Test whether every element along `dim` is true, or every one there is.",
    .details = "What is not zero is true, NaN too. Of no elements it is true.",
    .args = {any_tensor, reduced_dims, keepdim},
    .returns = "A new bool tensor without the reduced dims. No gradient passes.",
    .raises = dims_error,
    .example =
        ">>> x = gb.tensor([[1, 0], [1, 1]])\n"
        ">>> gb.all(x, 0)\n"
        "tensor([ True, False])",
};
inline constexpr Doc any{
    .summary = "Test whether an element along `dim` is true, or any there is.",
    .details = "What is not zero is true, NaN too. Of no elements it is false.",
    .args = {any_tensor, reduced_dims, keepdim},
    .returns = "A new bool tensor without the reduced dims. No gradient passes.",
    .raises = dims_error,
    .example =
        ">>> x = gb.tensor([[1, 0], [0, 0]])\n"
        ">>> gb.any(x, 0)\n"
        "tensor([ True, False])",
};
inline constexpr Arg extremum_dim{"dim", "The one dim to reduce, in [-ndim, ndim); None for all."};
inline constexpr Arg compared{
    "other", "Tensor to compare with, element by element, with broadcasting and promotion."};
inline constexpr Arg extremum_keepdim{"keepdim",
                                      "True leaves the reduced dims in the results, with size 1."};
inline constexpr const char* extremum_of_all_or_one =
    "Along a dim a named tuple `(values, indices)` of new tensors, the indices int64, the first "
    "where several are equal, which alone gets the gradient; until backward the graph keeps the "
    "indices. Else a new tensor, as of `amax` and `amin`, or of `maximum` and `minimum`.";
inline constexpr const char* extremum_error =
    "IndexOutOfRangeError: The dim lies outside.\n"
    "ShapeError: There are no elements to choose from, or two tensors do not broadcast.\n"
    "TypeError: `dim` is a sequence, which `amax` and `amin` take.";
inline constexpr Doc max{
    .summary =
        "Take the largest element, along a dim with its place, or the larger of two tensors.",
    .details = "NaN where there is one.",
    .args = {any_tensor, extremum_dim, extremum_keepdim, compared},
    .returns = extremum_of_all_or_one,
    .raises = extremum_error,
    .example =
        ">>> x = gb.tensor([[1, 5], [3, 2]])\n"
        ">>> gb.max(x)\n"
        "tensor(5)\n"
        ">>> values, indices = gb.max(x, 1)\n"
        ">>> values.tolist(), indices.tolist()\n"
        "([5, 3], [1, 0])\n"
        ">>> gb.max(x, gb.tensor(3))\n"
        "tensor([[3, 5],\n"
        "        [3, 3]])",
};
inline constexpr Doc min{
    .summary =
        "Take the smallest element, along a dim with its place, or the smaller of two tensors.",
    .details = "NaN where there is one.",
    .args = {any_tensor, extremum_dim, extremum_keepdim, compared},
    .returns = extremum_of_all_or_one,
    .raises = extremum_error,
    .example =
        ">>> x = gb.tensor([[1, 5], [3, 2]])\n"
        ">>> gb.min(x)\n"
        "tensor(1)\n"
        ">>> values, indices = gb.min(x, 1)\n"
        ">>> values.tolist(), indices.tolist()\n"
        "([1, 2], [0, 1])",
};
inline constexpr Arg placing_dim{
    "dim", "Along which dim, in [-ndim, ndim); None counts through the flattened tensor."};
inline constexpr Arg placing_keepdim{
    "keepdim", "True leaves the reduced dim, without `dim` each of them, with size 1."};
inline constexpr const char* placing_returns = "A new int64 tensor of places. No gradient passes.";
inline constexpr const char* placing_error =
    "IndexOutOfRangeError: `dim` lies outside.\n"
    "ShapeError: There are no elements to choose from.";
inline constexpr Doc argmax{
    .summary = "Find where the first largest element stands along `dim`, or among all.",
    .details = "NaN is larger than every number.",
    .args = {any_tensor, placing_dim, placing_keepdim},
    .returns = placing_returns,
    .raises = placing_error,
    .example =
        ">>> x = gb.tensor([[1, 5], [3, 2]])\n"
        ">>> gb.argmax(x, 1)\n"
        "tensor([1, 0])",
};
inline constexpr Doc argmin{
    .summary = "Find where the first smallest element stands along `dim`, or among all.",
    .details = "NaN is smaller than every number.",
    .args = {any_tensor, placing_dim, placing_keepdim},
    .returns = placing_returns,
    .raises = placing_error,
    .example =
        ">>> x = gb.tensor([[1, 5], [3, 2]])\n"
        ">>> gb.argmin(x, 1)\n"
        "tensor([0, 1])",
};

}  // namespace garboard::python::docs
