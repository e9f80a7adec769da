// What the ops that find elements by index say of themselves.
#pragma once

#include "python/bindings/call/doc.h"

namespace garboard::python::docs {

inline constexpr Arg indexed_dim{"dim", "Along which dim, in [-ndim, ndim)."};
inline constexpr Arg full_index{
    "index",
    "Tensor of int64 or int32 with as many dims as `input`, and no larger size but along `dim`; "
    "each in [0, size of `dim`)."};
inline constexpr Arg flat_index{
    "index", "Tensor of int64 or int32 of at most one dim; each in [0, size of `dim`)."};
inline constexpr Arg scattered_source{
    "src", "Tensor of `input`'s dtype; no size is smaller than `index`'s."};
inline constexpr Arg sliced_source{
    "source", "Tensor of `input`'s dtype and sizes, but along `dim` as long as `index`."};
inline constexpr Arg bool_mask{"mask", "Bool tensor that broadcasts with `input`."};
inline constexpr Arg bool_mask_for{"mask", "Bool tensor that broadcasts to `input`'s sizes."};

inline constexpr const char* index_error =
    "IndexOutOfRangeError: `dim` or an index lies outside; nothing is written.\n"
    "ShapeError: The sizes do not fit.\n"
    "DTypeError: `index` is neither int64 nor int32, or the dtypes differ.\n"
    "DeviceError: The tensors are on several devices.";
inline constexpr const char* index_write_error =
    "IndexOutOfRangeError: `dim` or an index lies outside; nothing is written.\n"
    "ShapeError: The sizes do not fit, or `input` meets an element twice, as what `expand` "
    "returns.\n"
    "DTypeError: `index` is neither int64 nor int32, or the dtypes differ.\n"
    "DeviceError: The tensors are on several devices.\n"
    "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view of one.";
inline constexpr const char* mask_error =
    "ShapeError: The sizes do not fit.\n"
    "DTypeError: `mask` is not bool, or the number does not fit into the dtype.\n"
    "DeviceError: The tensors are on several devices.";
inline constexpr const char* written_itself = "The tensor itself, not a new handle.";
inline constexpr const char* written_copy =
    "A new tensor of `input`'s shape and dtype. Until backward the graph keeps the index.";
inline constexpr const char* last_one_stays =
    "Where one element is written twice, the last in row-major order stays; the gradient goes to "
    "each.";
inline constexpr const char* summed_in_order =
    "Sums are added up in row-major order: they have the same bits with any number of threads.";

inline constexpr Doc gather{
    .summary = "Bring elements together, with an index for each, along `dim`.",
    .details = "Of two dims, along dim 0: out[i][j] = input[index[i][j]][j].",
    .args = {{"input", "Tensor of any shape and dtype."},
             indexed_dim,
             full_index,
             {"sparse_grad", "Changes nothing: the gradient is dense."}},
    .returns = "A new tensor of `index`'s shape. Until backward the graph keeps `index`.",
    .raises = index_error,
    .example =
        ">>> x = gb.tensor([[1, 2], [3, 4]])\n"
        ">>> gb.gather(x, 1, gb.tensor([[0], [1]]))\n"
        "tensor([[1],\n"
        "        [4]])",
};
inline constexpr Doc take_along_dim{
    .summary = "Bring elements together, with an index for each, as `argsort` and `argmax` give.",
    .args = {{"input", "Tensor of any shape and dtype."},
             {"indices",
              "Tensor of int64 or int32, which broadcasts with `input` but along `dim`; a negative "
              "number counts from the end."},
             {"dim", "Along which dim, in [-ndim, ndim); None takes of the flattened tensor."}},
    .returns = "A new tensor. Until backward the graph keeps `indices`.",
    .raises = index_error,
    .example =
        ">>> x = gb.tensor([[10, 30, 20]])\n"
        ">>> gb.take_along_dim(x, gb.argmax(x, 1, keepdim=True), 1)\n"
        "tensor([[30]])",
};
inline constexpr Arg scattered_value{"value", "A number, instead of `src`."};
inline constexpr Arg scattered_merging{
    "reduce", "Add to what stands there, or multiply it, instead of writing over it."};
inline constexpr Doc scatter{
    .summary = "Write elements of `src`, or a number, where an index says, into a copy.",
    .details =
        "The way back of `gather`: along dim 0, out[index[i][j]][j] = src[i][j]. Where one "
        "element is written twice, the last in row-major order stays; the gradient goes to "
        "each.",
    .args = {{"input", "Tensor of any shape and dtype."},
             indexed_dim,
             full_index,
             scattered_source,
             scattered_value,
             scattered_merging},
    .returns = written_copy,
    .raises = index_error,
    .example =
        ">>> gb.scatter(gb.zeros(3), 0, gb.tensor([2, 0]), gb.tensor([1.0, 2.0]))\n"
        "tensor([2., 0., 1.])",
};
inline constexpr Doc scatter_{
    .summary = "Write elements of `src`, or a number, where an index says.",
    .details = last_one_stays,
    .args = {indexed_dim, full_index, scattered_source, scattered_value, scattered_merging},
    .returns = written_itself,
    .raises = index_write_error,
    .example =
        ">>> gb.scatter_(gb.zeros(3), 0, gb.tensor([2, 0]), 7)\n"
        "tensor([7., 0., 7.])",
};
inline constexpr Doc scatter_add{
    .summary = "Add elements of `src` where an index says, to a copy.",
    .details = summed_in_order,
    .args = {{"input", "Tensor of any shape and dtype."},
             indexed_dim,
             full_index,
             scattered_source},
    .returns = written_copy,
    .raises = index_error,
    .example =
        ">>> gb.scatter_add(gb.zeros(3), 0, gb.tensor([2, 2]), gb.tensor([1.0, 2.0]))\n"
        "tensor([0., 0., 3.])",
};
inline constexpr Doc scatter_add_{
    .summary = "Add elements of `src` where an index says.",
    .details = summed_in_order,
    .args = {indexed_dim, full_index, scattered_source},
    .returns = written_itself,
    .raises = index_write_error,
    .example =
        ">>> gb.scatter_add_(gb.zeros(3), 0, gb.tensor([2, 2]), gb.tensor([1.0, 2.0]))\n"
        "tensor([0., 0., 3.])",
};
inline constexpr Arg scatter_reduction{
    "reduce", "What becomes of elements that meet; `mean` of integers is cut off to the floor."};
inline constexpr Arg included_self{"include_self",
                                   "False leaves out what was there before, where an index says."};
inline constexpr Doc scatter_reduce{
    .summary = "Reduce elements of `src` to where an index says.",
    .details =
        "Equal extrema share the gradient; that of a product is exact where there are zeros "
        "too.",
    .args = {{"input", "Tensor of any shape and dtype."},
             indexed_dim,
             full_index,
             scattered_source,
             scatter_reduction,
             included_self},
    .returns =
        "A new tensor of `input`'s shape and dtype. Until backward the graph keeps the index, and "
        "for products and extrema `input`, `src` and the result.",
    .raises = index_error,
    .example =
        ">>> x, index = gb.tensor([1.0, 5.0, 3.0]), gb.tensor([0, 0, 1])\n"
        ">>> gb.scatter_reduce(gb.zeros(2), 0, index, x, 'amax')\n"
        "tensor([5., 3.])",
};
inline constexpr Doc scatter_reduce_{
    .summary = "Reduce elements of `src` to where an index says, in place.",
    .args = {indexed_dim, full_index, scattered_source, scatter_reduction, included_self},
    .returns = written_itself,
    .raises = index_write_error,
    .example =
        ">>> x, index = gb.tensor([1.0, 5.0, 3.0]), gb.tensor([0, 0, 1])\n"
        ">>> gb.scatter_reduce_(gb.zeros(2), 0, index, x, 'mean', include_self=False)\n"
        "tensor([3., 3.])",
};
inline constexpr Doc index_select{
    .summary = "Take the slices of `input` that an index names, along `dim`.",
    .args = {{"input", "Tensor of any shape and dtype."}, indexed_dim, flat_index},
    .returns =
        "A new tensor, along `dim` as long as `index`. Until backward the graph keeps `index`.",
    .raises = index_error,
    .example =
        ">>> gb.index_select(gb.tensor([[1, 2], [3, 4]]), 0, gb.tensor([1, 1]))\n"
        "tensor([[3, 4],\n"
        "        [3, 4]])",
};
inline constexpr Arg source_factor{"alpha", "What `source` is multiplied with first."};
inline constexpr Doc index_add{
    .summary = "Add slices of `source` to those that an index names, in a copy.",
    .details = summed_in_order,
    .args = {{"input", "Tensor of any shape and dtype."},
             indexed_dim,
             flat_index,
             sliced_source,
             source_factor},
    .returns = written_copy,
    .raises = index_error,
    .example =
        ">>> gb.index_add(gb.zeros(3), 0, gb.tensor([2, 2]), gb.ones(2), alpha=10)\n"
        "tensor([ 0.,  0., 20.])",
};
inline constexpr Doc index_add_{
    .summary = "Add slices of `source` to those that an index names.",
    .details = summed_in_order,
    .args = {indexed_dim, flat_index, sliced_source, source_factor},
    .returns = written_itself,
    .raises = index_write_error,
    .example =
        ">>> gb.index_add_(gb.zeros(3), 0, gb.tensor([2, 2]), gb.ones(2))\n"
        "tensor([0., 0., 2.])",
};
inline constexpr Doc index_copy{
    .summary = "Write slices of `source` over those that an index names, in a copy.",
    .details = last_one_stays,
    .args = {{"input", "Tensor of any shape and dtype."}, indexed_dim, flat_index, sliced_source},
    .returns = written_copy,
    .raises = index_error,
    .example =
        ">>> gb.index_copy(gb.zeros(3), 0, gb.tensor([2]), gb.ones(1))\n"
        "tensor([0., 0., 1.])",
};
inline constexpr Doc index_copy_{
    .summary = "Write slices of `source` over those that an index names.",
    .details = last_one_stays,
    .args = {indexed_dim, flat_index, sliced_source},
    .returns = written_itself,
    .raises = index_write_error,
    .example =
        ">>> gb.index_copy_(gb.zeros(3), 0, gb.tensor([2]), gb.ones(1))\n"
        "tensor([0., 0., 1.])",
};
inline constexpr Arg filling_value{"value", "A number, or a tensor without dims."};
inline constexpr Doc index_fill{
    .summary = "Write `value` into the slices that an index names, in a copy.",
    .args = {{"input", "Tensor of any shape and dtype."}, indexed_dim, flat_index, filling_value},
    .returns = written_copy,
    .raises = index_error,
    .example =
        ">>> gb.index_fill(gb.zeros(3), 0, gb.tensor([0, 2]), 7)\n"
        "tensor([7., 0., 7.])",
};
inline constexpr Doc index_fill_{
    .summary = "Write `value` into the slices that an index names.",
    .args = {indexed_dim, flat_index, filling_value},
    .returns = written_itself,
    .raises = index_write_error,
    .example =
        ">>> gb.index_fill_(gb.zeros(3), 0, gb.tensor([0, 2]), 7)\n"
        "tensor([7., 0., 7.])",
};
inline constexpr Arg put_indices{
    "indices",
    "What stands for the first dims, as in `input[indices]`: tensors of int64 or int32, which "
    "broadcast, bool masks, or None for all of a dim."};
inline constexpr Arg put_values{
    "values", "Tensor of `input`'s dtype that broadcasts to the sizes of `input[indices]`."};
inline constexpr Arg put_accumulate{"accumulate", "True adds to what is there."};
inline constexpr Doc index_put{
    .summary = "Write `values` where indices say, into a copy.",
    .details = last_one_stays,
    .args = {{"input", "Tensor of any shape and dtype."}, put_indices, put_values, put_accumulate},
    .returns = written_copy,
    .raises = index_error,
    .example =
        ">>> gb.index_put(gb.zeros(3), (gb.tensor([2, 2]),), gb.ones(2), accumulate=True)\n"
        "tensor([0., 0., 2.])",
};
inline constexpr Doc index_put_{
    .summary = "Write `values` where indices say, as in `input[indices] = values`.",
    .details = last_one_stays,
    .args = {put_indices, put_values, put_accumulate},
    .returns = written_itself,
    .raises = index_write_error,
    .example =
        ">>> gb.index_put_(gb.zeros(3), (gb.tensor([0, 2]),), gb.tensor(7.0))\n"
        "tensor([7., 0., 7.])",
};
inline constexpr Doc take{
    .summary = "Take elements of the flattened tensor.",
    .args = {{"input", "Tensor of any shape and dtype."},
             {"index",
              "Tensor of int64 or int32 of any shape; each in [-count, count), from the end where "
              "negative."}},
    .returns = "A new tensor of `index`'s shape. Until backward the graph keeps `index`.",
    .raises = index_error,
    .example =
        ">>> gb.take(gb.tensor([[1, 2], [3, 4]]), gb.tensor([0, -1]))\n"
        "tensor([1, 4])",
};
inline constexpr Arg put_index{
    "index", "Tensor of int64 or int32; each in [-count, count), from the end where negative."};
inline constexpr Arg put_source{"source", "Tensor of `input`'s dtype, of as many elements."};
inline constexpr Doc put{
    .summary = "Write elements into a copy, by their places in the flattened tensor.",
    .details = last_one_stays,
    .args = {{"input", "Tensor of any shape and dtype."}, put_index, put_source, put_accumulate},
    .returns = written_copy,
    .raises = index_error,
    .example =
        ">>> gb.put(gb.zeros(2, 2), gb.tensor([3]), gb.ones(1))\n"
        "tensor([[0., 0.],\n"
        "        [0., 1.]])",
};
inline constexpr Doc put_{
    .summary = "Write elements by their places in the flattened tensor.",
    .details = last_one_stays,
    .args = {put_index, put_source, put_accumulate},
    .returns = written_itself,
    .raises = index_write_error,
    .example =
        ">>> gb.put_(gb.zeros(2, 2), gb.tensor([3]), gb.ones(1))\n"
        "tensor([[0., 0.],\n"
        "        [0., 1.]])",
};
inline constexpr Doc masked_select{
    .summary = "Take the elements where `mask` is true, in row-major order.",
    .args = {{"input", "Tensor of any shape and dtype."}, bool_mask},
    .returns = "A new tensor of one dim. Until backward the graph keeps `mask`.",
    .raises = mask_error,
    .example =
        ">>> x = gb.tensor([1, 2, 3])\n"
        ">>> gb.masked_select(x, x > 1)\n"
        "tensor([2, 3])",
};
inline constexpr Doc masked_fill{
    .summary = "Write `value` where `mask` is true, into a copy.",
    .args = {{"input", "Tensor of any shape and dtype."}, bool_mask, filling_value},
    .returns =
        "A new tensor of the broadcast shape and `input`'s dtype. Until backward the graph keeps "
        "`mask`.",
    .raises = mask_error,
    .example =
        ">>> gb.masked_fill(gb.zeros(2), gb.tensor([True, False]), 7)\n"
        "tensor([7., 0.])",
};
inline constexpr const char* mask_write_error =
    "ShapeError: The sizes do not fit, or `input` meets an element twice, as what `expand` "
    "returns.\n"
    "DTypeError: `mask` is not bool, or the dtypes differ.\n"
    "DeviceError: The tensors are on several devices.\n"
    "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view of one.";
inline constexpr Doc masked_fill_{
    .summary = "Write `value` where `mask` is true.",
    .args = {bool_mask_for, filling_value},
    .returns = written_itself,
    .raises = mask_write_error,
    .example =
        ">>> gb.masked_fill_(gb.zeros(2), gb.tensor([True, False]), 7)\n"
        "tensor([7., 0.])",
};
inline constexpr Arg masked_source{
    "source", "Tensor of `input`'s dtype, of no fewer elements than are true."};
inline constexpr Doc masked_scatter{
    .summary = "Write the first elements of `source` where `mask` is true, into a copy.",
    .args = {{"input", "Tensor of any shape and dtype."}, bool_mask_for, masked_source},
    .returns =
        "A new tensor of the broadcast shape and `input`'s dtype. Until backward the graph keeps "
        "`mask`.",
    .raises = mask_error,
    .example =
        ">>> gb.masked_scatter(gb.zeros(3), gb.tensor([True, False, True]), gb.tensor([1.0, "
        "2.0]))\n"
        "tensor([1., 0., 2.])",
};
inline constexpr Doc masked_scatter_{
    .summary = "Write the first elements of `source` where `mask` is true.",
    .args = {bool_mask_for, masked_source},
    .returns = written_itself,
    .raises = mask_write_error,
    .example =
        ">>> gb.masked_scatter_(gb.zeros(2), gb.tensor([False, True]), gb.tensor([1.0]))\n"
        "tensor([0., 1.])",
};
inline constexpr Doc nonzero{
    .summary = "Find where the elements are that are not zero, in row-major order.",
    .args = {{"input", "Tensor of any shape and dtype."},
             {"as_tuple", "True gives the coordinates of each dim as a tensor of its own."}},
    .returns =
        "A new int64 tensor [count, ndim], or a tuple of ndim tensors [count]. No gradient passes.",
    .example =
        ">>> gb.nonzero(gb.tensor([[0, 5], [7, 0]]))\n"
        "tensor([[0, 1],\n"
        "        [1, 0]])",
};
inline constexpr Doc argwhere{
    .summary = "Find where the elements are that are not zero, in row-major order.",
    .args = {{"input", "Tensor of any shape and dtype."}},
    .returns = "A new int64 tensor [count, ndim]. No gradient passes.",
    .example =
        ">>> gb.argwhere(gb.tensor([0, 5, 7]))\n"
        "tensor([[1],\n"
        "        [2]])",
};
inline constexpr Doc embedding{
    .summary = "Take the row of `weight` that each number names.",
    .args = {{"input", "Tensor of int64 or int32 of any shape; each in [0, count)."},
             {"weight", "Tensor [count, width]."},
             {"padding_idx", "The row that gets no gradient, in [-count, count)."}},
    .returns =
        "A new tensor of `input`'s shape with the width behind it. Until backward the graph keeps "
        "`input`.",
    .raises =
        "IndexOutOfRangeError: A number, or `padding_idx`, lies outside.\n"
        "ShapeError: `weight` does not have two dims.\n"
        "DTypeError: `input` is neither int64 nor int32.\n"
        "DeviceError: The tensors are on several devices.",
    .example =
        ">>> weight = gb.tensor([[1.0, 2.0], [3.0, 4.0]])\n"
        ">>> gb.nn.functional.embedding(gb.tensor([1, 0]), weight)\n"
        "tensor([[3., 4.],\n"
        "        [1., 2.]])",
};

inline constexpr Doc embedding_bag{
    .summary = "Make one row of those rows of `weight` that are in a bag.",
    .args = {{"weight", "Tensor [count, width], floating."},
             {"input", "int64 or int32 [numbers]; each in [0, count)."},
             {"starts", "Likewise [bags + 1]: where bags begin, and where the last one ends."},
             {"mode", "What is made of the rows; 0 where there is none."},
             {"per_sample_weights", "What rows are multiplied by, of `weight`'s dtype, for a sum."},
             {"padding_idx", "The row that counts nowhere, in [-count, count)."}},
    .returns =
        "A new tensor [bags, width]. Until backward the graph keeps `input` and two numbers for "
        "each of it, or, of a maximum, a number an element.",
    .raises =
        "IndexOutOfRangeError: A number, a start or `padding_idx` lies outside.\n"
        "ShapeError: The sizes do not fit, or there are weights for another mode.\n"
        "DTypeError: `weight` is not floating, or the numbers are neither int64 nor int32.\n"
        "DeviceError: The tensors are on several devices.\n"
        "ValueError: There is no such mode.",
    .example =
        ">>> weight = gb.tensor([[1.0, 2.0], [3.0, 4.0]])\n"
        ">>> gb._engine._embedding_bag(weight, gb.tensor([1, 0, 0]), gb.tensor([0, 2, 3]))\n"
        "tensor([[4., 6.],\n"
        "        [1., 2.]])",
};

}  // namespace garboard::python::docs
