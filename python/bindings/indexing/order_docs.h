// What the ops that put elements in order say of themselves.
#pragma once

#include "python/bindings/call/doc.h"

namespace garboard::python::docs {

inline constexpr Arg ordered_input{"input", "Tensor of any shape and dtype."};
inline constexpr Arg ordered_dim{"dim", "Along which dim, in [-ndim, ndim)."};
inline constexpr Arg is_descending{"descending", "True puts the largest first."};
inline constexpr Arg is_stable{
    "stable", "Equal elements keep their order in either case; taken for PyTorch's."};
inline constexpr Arg kept_dim{"keepdim",
                              "True leaves the reduced dim in the results, with size 1."};
inline constexpr const char* values_and_indices =
    "A named tuple `(values, indices)` of new tensors, the indices int64. Until backward the graph "
    "keeps the indices.";
inline constexpr const char* outside_dim = "IndexOutOfRangeError: `dim` lies outside.";
inline constexpr const char* outside_or_empty =
    "IndexOutOfRangeError: `dim` lies outside.\n"
    "ShapeError: There are no elements along `dim`.";

inline constexpr Doc sort{
    .summary = "Sort the elements along `dim`.",
    .details = "NaN comes after every number; equal elements keep their order.",
    .args = {ordered_input, ordered_dim, is_descending, is_stable},
    .returns = values_and_indices,
    .raises = outside_dim,
    .example =
        ">>> values, indices = gb.sort(gb.tensor([3, 1, 2]))\n"
        ">>> values.tolist(), indices.tolist()\n"
        "([1, 2, 3], [1, 2, 0])",
};
inline constexpr Doc argsort{
    .summary = "Find the order that sorts the elements along `dim`.",
    .details = "NaN comes after every number; equal elements keep their order.",
    .args = {ordered_input, ordered_dim, is_descending, is_stable},
    .returns = "A new int64 tensor of `input`'s shape. No gradient passes.",
    .raises = outside_dim,
    .example =
        ">>> gb.argsort(gb.tensor([3, 1, 2]))\n"
        "tensor([1, 2, 0])",
};
inline constexpr Doc msort{
    .summary = "Sort the elements along the first dim.",
    .details = "NaN comes after every number.",
    .args = {ordered_input},
    .returns =
        "A new tensor of `input`'s shape and dtype. Until backward the graph keeps the order.",
    .example =
        ">>> gb.msort(gb.tensor([3, 1, 2]))\n"
        "tensor([1, 2, 3])",
};
inline constexpr Doc topk{
    .summary = "Take the `k` largest elements along `dim`, or the smallest.",
    .details = "NaN is larger than every number; of equal elements the first is taken.",
    .args = {ordered_input,
             {"k", "How many, in [0, size of `dim`]."},
             ordered_dim,
             {"largest", "False takes the smallest."},
             {"sorted", "They are sorted in either case; taken for PyTorch's."}},
    .returns = values_and_indices,
    .raises =
        "IndexOutOfRangeError: `dim` lies outside.\n"
        "ShapeError: There are not `k` elements along `dim`.",
    .example =
        ">>> values, indices = gb.topk(gb.tensor([3, 1, 2]), 2)\n"
        ">>> values.tolist(), indices.tolist()\n"
        "([3, 2], [0, 2])",
};
inline constexpr Doc kthvalue{
    .summary = "Take the `k`-th smallest element along `dim`.",
    .details = "NaN is larger than every number.",
    .args = {ordered_input, {"k", "Counted from 1."}, ordered_dim, kept_dim},
    .returns = values_and_indices,
    .raises =
        "IndexOutOfRangeError: `dim` lies outside.\n"
        "ShapeError: There are not `k` elements along `dim`.",
    .example =
        ">>> gb.kthvalue(gb.tensor([3, 1, 2]), 2).values\n"
        "tensor(2)",
};
inline constexpr Arg median_dim{"dim",
                                "Along which dim, in [-ndim, ndim); left out: of all elements."};
inline constexpr const char* median_returns =
    "Along a dim a named tuple `(values, indices)` of new tensors, the indices int64; of all "
    "elements a tensor without dims. Until backward the graph keeps the indices.";
inline constexpr Doc median{
    .summary = "Take the element in the middle, the lower of two.",
    .details =
        "NaN where there is one. The gradient goes to the one element; of all elements, in even "
        "shares to those that equal it.",
    .args = {ordered_input, median_dim, kept_dim},
    .returns = median_returns,
    .raises = outside_or_empty,
    .example =
        ">>> gb.median(gb.tensor([4, 1, 3, 2]))\n"
        "tensor(2)",
};
inline constexpr Doc nanmedian{
    .summary = "Take the number in the middle, the lower of two, as if NaN were not there.",
    .args = {ordered_input, median_dim, kept_dim},
    .returns = median_returns,
    .raises = outside_or_empty,
    .example =
        ">>> gb.nanmedian(gb.tensor([1.0, float('nan'), 3.0]))\n"
        "tensor(1.)",
};
inline constexpr Doc mode{
    .summary = "Take the most frequent element along `dim`, the least of several.",
    .args = {ordered_input, ordered_dim, kept_dim},
    .returns =
        "A named tuple `(values, indices)` of new tensors, the indices int64, of where it stands "
        "last. Until backward the graph keeps the indices.",
    .raises = outside_or_empty,
    .example =
        ">>> gb.mode(gb.tensor([2, 1, 2, 3])).values\n"
        "tensor(2)",
};
inline constexpr Doc cummax{
    .summary = "Take the largest element so far along `dim`, and where it last stood.",
    .details = "NaN is larger than every number.",
    .args = {ordered_input, ordered_dim},
    .returns = values_and_indices,
    .raises = outside_dim,
    .example =
        ">>> gb.cummax(gb.tensor([1, 3, 2]), 0).values\n"
        "tensor([1, 3, 3])",
};
inline constexpr Doc cummin{
    .summary = "Take the smallest element so far along `dim`, and where it last stood.",
    .details = "NaN is smaller than every number.",
    .args = {ordered_input, ordered_dim},
    .returns = values_and_indices,
    .raises = outside_dim,
    .example =
        ">>> gb.cummin(gb.tensor([3, 1, 2]), 0).values\n"
        "tensor([3, 1, 1])",
};
inline constexpr Arg quantile_input{"input", "Tensor of a floating dtype."};
inline constexpr Arg quantile_q{
    "q", "A number in [0, 1], or a tensor of `input`'s dtype of such, of at most one dim."};
inline constexpr Arg quantile_dim{"dim",
                                  "Along which dim, in [-ndim, ndim); None for all elements."};
inline constexpr Arg quantile_way{
    "interpolation", "What is taken between two elements: their line, one, or the middle."};
inline constexpr const char* quantile_returns =
    "A new tensor without the dim, with that of `q` in front. Until backward the graph keeps the "
    "order.";
inline constexpr const char* quantile_error =
    "IndexOutOfRangeError: `dim` lies outside.\n"
    "ShapeError: There are no elements, `q` has two dims, or a number outside of [0, 1].\n"
    "DTypeError: The dtypes are no floating ones, or differ.";
inline constexpr Doc quantile{
    .summary = "Take what is `q` of the way through the sorted elements.",
    .details = "NaN where there is one.",
    .args = {quantile_input, quantile_q, quantile_dim, kept_dim, quantile_way},
    .returns = quantile_returns,
    .raises = quantile_error,
    .example =
        ">>> gb.quantile(gb.tensor([0.0, 1.0, 2.0, 3.0]), 0.5)\n"
        "tensor(1.5000)",
};
inline constexpr Doc nanquantile{
    .summary = "Take what is `q` of the way through the sorted numbers, as if NaN were not there.",
    .args = {quantile_input, quantile_q, quantile_dim, kept_dim, quantile_way},
    .returns = quantile_returns,
    .raises = quantile_error,
    .example =
        ">>> gb.nanquantile(gb.tensor([0.0, float('nan'), 2.0]), 0.5)\n"
        "tensor(1.)",
};
inline constexpr Arg wants_inverse{"return_inverse", "True also returns which one stands where."};
inline constexpr Arg wants_counts{"return_counts",
                                  "True also returns how often each one is there."};
inline constexpr Arg unique_dim{"dim",
                                "Along which dim slices are compared; None compares elements."};
inline constexpr const char* unique_returns =
    "A new tensor, or a tuple of it and what else is asked for, in int64. No gradient passes.";
inline constexpr Doc unique{
    .summary = "Take each element once.",
    .details = "NaN differs from NaN.",
    .args = {ordered_input,
             {"sorted", "They are sorted in either case; taken for PyTorch's."},
             wants_inverse,
             wants_counts,
             unique_dim},
    .returns = unique_returns,
    .raises =
        "IndexOutOfRangeError: `dim` lies outside.\n"
        "ShapeError: Slices along `dim` have no elements.",
    .example =
        ">>> gb.unique(gb.tensor([3, 1, 3]), return_counts=True)\n"
        "(tensor([1, 3]), tensor([1, 2]))",
};
inline constexpr Doc unique_consecutive{
    .summary = "Take one of each run of equal elements.",
    .details = "NaN differs from NaN.",
    .args = {ordered_input, wants_inverse, wants_counts, unique_dim},
    .returns = unique_returns,
    .raises =
        "IndexOutOfRangeError: `dim` lies outside.\n"
        "ShapeError: Slices along `dim` have no elements.",
    .example =
        ">>> gb.unique_consecutive(gb.tensor([3, 3, 1, 3]))\n"
        "tensor([3, 1, 3])",
};
inline constexpr Doc bincount{
    .summary = "Count how often each number from 0 on occurs.",
    .details = "Weights are added up in order: the same bits with any number of threads.",
    .args = {{"input", "Tensor of integers, of one dim, none negative."},
             {"weights", "Tensor of `input`'s sizes; what each number counts, instead of 1."},
             {"minlength", "How many there are at least in the result."}},
    .returns =
        "A new tensor of one dim: int64, or for weights float32 of float32 and else float64. No "
        "gradient passes.",
    .raises =
        "IndexOutOfRangeError: A number is negative.\n"
        "ShapeError: `weights` has other sizes.\n"
        "DTypeError: `input` is not of integers in one dim.",
    .example =
        ">>> gb.bincount(gb.tensor([1, 3, 1]))\n"
        "tensor([0, 2, 0, 1])",
};
inline constexpr Doc histc{
    .summary = "Count how many elements lie in each of `bins` equal parts of a range.",
    .details = "What lies outside, and NaN, is not counted; the end belongs to the last part.",
    .args = {{"input", "Tensor of a floating dtype."},
             {"bins", "How many parts."},
             {"min", "Where the range starts."},
             {"max", "Where it ends; where both are equal, it is that of the elements."}},
    .returns = "A new tensor [bins] of `input`'s dtype. No gradient passes.",
    .raises =
        "ShapeError: `bins` is not positive, or the range is not finite or ends before its start.\n"
        "DTypeError: `input` is not of a floating dtype.",
    .example =
        ">>> gb.histc(gb.tensor([0.0, 1.0, 1.5, 3.0]), bins=3, min=0, max=3)\n"
        "tensor([1., 2., 1.])",
};
inline constexpr Arg wants_int32{"out_int32", "True gives int32."};
inline constexpr Arg from_right{"right", "True goes behind equal elements."};
inline constexpr Doc searchsorted{
    .summary = "Find where numbers would stand in sorted rows.",
    .args = {{"sorted_sequence", "Tensor sorted along its last dim, of one dim or as `input`'s."},
             {"input", "Tensor, or a number, which is looked for."},
             wants_int32,
             from_right,
             {"side", "\"left\" or \"right\", as NumPy names it."},
             {"sorter",
              "Where the numbers in order stand in `sorted_sequence`, as of `argsort`, if "
              "that is not sorted."}},
    .returns = "A new int64 tensor of `input`'s shape. No gradient passes.",
    .raises =
        "ShapeError: The sizes differ but at the last dim, `side` contradicts `right`, or `sorter` "
        "is "
        "none.\n"
        "DeviceError: The tensors are on several devices.",
    .example =
        ">>> gb.searchsorted(gb.tensor([1, 3, 5]), gb.tensor([3, 6]))\n"
        "tensor([1, 3])",
};
inline constexpr Doc bucketize{
    .summary = "Find between which boundaries numbers lie.",
    .args = {{"input", "Tensor, or a number."},
             {"boundaries", "Sorted tensor of one dim."},
             wants_int32,
             from_right},
    .returns = "A new int64 tensor of `input`'s shape. No gradient passes.",
    .raises =
        "ShapeError: `boundaries` does not have one dim.\n"
        "DeviceError: The tensors are on several devices.",
    .example =
        ">>> gb.bucketize(gb.tensor([0.5, 2.5]), gb.tensor([1.0, 2.0]))\n"
        "tensor([0, 2])",
};
inline constexpr Doc isin{
    .summary = "Test which elements are among others.",
    .details = "NaN is among nothing.",
    .args = {{"elements", "Tensor of any shape and dtype."},
             {"test_elements", "Tensor of any shape and dtype."},
             {"assume_unique", "Saves nothing here; taken for PyTorch's."},
             {"invert", "True tests which are not."}},
    .returns = "A new bool tensor of the shape of `elements`. No gradient passes.",
    .raises = "DeviceError: The tensors are on several devices.",
    .example =
        ">>> gb.isin(gb.tensor([1, 2, 3]), gb.tensor([3, 1]))\n"
        "tensor([ True, False,  True])",
};

}  // namespace garboard::python::docs
