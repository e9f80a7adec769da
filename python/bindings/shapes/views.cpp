// Other looks at the same bytes.
#include "csrc/ops/shape/views.h"
#include "csrc/ops/composite/shape.h"
#include "csrc/ops/create/convert.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/shapes/shape_docs.h"
#include "python/bindings/shapes/shapes.h"

namespace garboard::python {
namespace {

namespace docs {

using namespace garboard::python::docs;

constexpr Arg other_sizes{"shape", "Sizes, or one sequence of them; one may be -1: what is left."};
constexpr Arg of_that_shape{"other", "Tensor whose sizes are taken."};
constexpr const char* sizes_error =
    "ShapeError: The sizes hold another number of elements, or more than one is -1.";
constexpr const char* strides_error =
    "ShapeError: The sizes hold another number of elements, or the strides allow no view.";
constexpr Doc view{
    .summary = "Look at the same elements in other sizes.",
    .details = "The row-major order stays.",
    .args = {{"size", other_sizes.text}},
    .returns = view_returns,
    .raises =
        "ShapeError: The sizes hold another number of elements, more than one is -1, or the "
        "strides allow no view; `reshape` copies then.",
    .example =
        ">>> gb.view(gb.arange(6), 2, -1)\n"
        "tensor([[0, 1, 2],\n"
        "        [3, 4, 5]])",
};
constexpr Doc view_of_bytes{
    .summary = "Look at the same bytes as elements of another dtype.",
    .details =
        "Where elements take fewer or more bytes than before, the last dim, which must be dense, "
        "grows or shrinks. No gradient passes.",
    .args = {{"dtype", "What the bytes are read as."}},
    .returns = "A new tensor over the same storage.",
    .raises =
        "ShapeError: There is no last dim to grow or shrink, it is not dense, or the elements or "
        "the strides do not fill whole new ones.",
    .example =
        ">>> gb.ones(1, dtype=gb.bfloat16).view(gb.int16)\n"
        "tensor([16256], dtype=garboard.int16)",
};
constexpr Doc reshape{
    .summary = "Give the elements other sizes.",
    .details = "The row-major order stays.",
    .args = {any_shape, other_sizes},
    .returns = view_or_copy_returns,
    .raises = sizes_error,
    .example =
        ">>> x = gb.tensor([[1, 2], [3, 4]])\n"
        ">>> gb.reshape(x, -1)\n"
        "tensor([1, 2, 3, 4])",
};
constexpr Doc view_as{
    .summary = "Look at the same elements in the sizes of `other`.",
    .args = {of_that_shape},
    .returns = view_returns,
    .raises = strides_error,
    .example =
        ">>> gb.arange(4).view_as(gb.zeros(2, 2))\n"
        "tensor([[0, 1],\n"
        "        [2, 3]])",
};
constexpr Doc reshape_as{
    .summary = "Give the elements the sizes of `other`.",
    .args = {of_that_shape},
    .returns = view_or_copy_returns,
    .raises = "ShapeError: `other` holds another number of elements.",
    .example =
        ">>> gb.arange(4).reshape_as(gb.zeros(2, 2))\n"
        "tensor([[0, 1],\n"
        "        [2, 3]])",
};
constexpr Doc flatten{
    .summary = "Make the dims from `start_dim` to `end_dim` one.",
    .details = "A tensor without dims gets one.",
    .args = {any_shape,
             {"start_dim", "The first of them, in [-ndim, ndim)."},
             {"end_dim", "The last of them, which it includes."}},
    .returns = view_or_copy_returns,
    .raises =
        "IndexOutOfRangeError: A dim lies outside.\n"
        "ShapeError: `start_dim` comes after `end_dim`.",
    .example =
        ">>> x = gb.zeros(2, 3, 4)\n"
        ">>> gb.flatten(x, 1).shape\n"
        "(2, 12)",
};
constexpr Doc transpose{
    .summary = "Swap two dims.",
    .args = {any_shape, {"dim0", "In [-ndim, ndim)."}, {"dim1", "Likewise."}},
    .returns = view_returns,
    .raises = "IndexOutOfRangeError: A dim lies outside.",
    .example =
        ">>> x = gb.zeros(2, 3, 4)\n"
        ">>> gb.transpose(x, 0, -1).shape\n"
        "(4, 3, 2)",
};
constexpr Doc t{
    .summary = "Transpose a matrix.",
    .args = {{"input", "Tensor of at most two dims; with fewer it stays as it is."}},
    .returns = view_returns,
    .raises = "ShapeError: There are more than two dims; `transpose` and `permute` take them.",
    .example =
        ">>> x = gb.tensor([[1, 2, 3]])\n"
        ">>> gb.t(x)\n"
        "tensor([[1],\n"
        "        [2],\n"
        "        [3]])",
};
constexpr Doc permute{
    .summary = "Put the dims in another order.",
    .args = {any_shape, {"dims", "Every dim once, in the order wanted, or one sequence of them."}},
    .returns = view_returns,
    .raises =
        "IndexOutOfRangeError: A dim lies outside.\n"
        "ShapeError: A dim is missing or named twice.",
    .example =
        ">>> x = gb.zeros(2, 3, 4)\n"
        ">>> gb.permute(x, 2, 0, 1).shape\n"
        "(4, 2, 3)",
};
constexpr const char* turned_returns = "A new tensor. The graph keeps no tensor.";
constexpr Doc flip{
    .summary = "Turn dims around: the last element comes first.",
    .args = {any_shape, {"dims", "The dims to turn, each in [-ndim, ndim) and named once."}},
    .returns = turned_returns,
    .raises = "IndexOutOfRangeError: A dim lies outside.\nShapeError: A dim is named twice.",
    .example =
        ">>> gb.flip(gb.tensor([[1, 2], [3, 4]]), 0)\n"
        "tensor([[3, 4],\n"
        "        [1, 2]])",
};
constexpr const char* expand_returns =
    "A view over the same storage, in which what is repeated stands once (stride 0); it cannot be "
    "written in place. The graph keeps no tensor.";
constexpr Doc expand{
    .summary = "Repeat dims of size 1 without copying.",
    .args = {{"size", "Sizes, or one sequence of them, with new dims in front; -1 keeps a size."}},
    .returns = expand_returns,
    .raises = "ShapeError: A size that is not 1 would change, or a dim is left out.",
    .example =
        ">>> gb.expand(gb.tensor([[1], [2]]), -1, 3)\n"
        "tensor([[1, 1, 1],\n"
        "        [2, 2, 2]])",
};
constexpr Doc expand_as{
    .summary = "Repeat dims of size 1 up to the sizes of `other`, without copying.",
    .args = {of_that_shape},
    .returns = expand_returns,
    .raises = "ShapeError: A size that is not 1 would change, or a dim is left out.",
    .example =
        ">>> gb.expand_as(gb.tensor([1, 2]), gb.zeros(2, 2))\n"
        "tensor([[1, 2],\n"
        "        [1, 2]])",
};
constexpr Doc squeeze{
    .summary = "Drop the dims of size 1, or some of them.",
    .args = {any_shape,
             {"dim", "The only ones to drop, each in [-ndim, ndim); other sizes than 1 stay."}},
    .returns = view_returns,
    .raises = "IndexOutOfRangeError: A dim lies outside.\nShapeError: A dim is named twice.",
    .example =
        ">>> x = gb.zeros(1, 2, 1)\n"
        ">>> gb.squeeze(x).shape, gb.squeeze(x, 0).shape\n"
        "((2,), (2, 1))",
};
constexpr Doc unsqueeze{
    .summary = "Insert a dim of size 1.",
    .args = {any_shape, {"dim", "Where it stands in the result, in [-ndim - 1, ndim]."}},
    .returns = view_returns,
    .raises =
        "IndexOutOfRangeError: `dim` lies outside.\n"
        "ShapeError: The tensor has as many dims as there can be.",
    .example =
        ">>> x = gb.zeros(2, 3)\n"
        ">>> gb.unsqueeze(x, -1).shape\n"
        "(2, 3, 1)",
};
constexpr Doc narrow{
    .summary = "Look at `length` elements along `dim`, from `start` on.",
    .args = {any_shape,
             one_dim,
             {"start", "The first; negative counts from the end."},
             {"length", "How many, at least 0."}},
    .returns = view_returns,
    .raises =
        "IndexOutOfRangeError: `dim`, `start` or the last element lies outside.\n"
        "ShapeError: The tensor has no dims.",
    .example =
        ">>> x = gb.arange(5)\n"
        ">>> gb.narrow(x, 0, 1, 3)\n"
        "tensor([1, 2, 3])",
};
constexpr Doc select{
    .summary = "Look at one index of a dim, which goes.",
    .details = "select(x, 0, i) is x[i].",
    .args = {any_shape, one_dim, {"index", "In [-size, size) of that dim."}},
    .returns = view_returns,
    .raises = "IndexOutOfRangeError: `dim` or `index` lies outside, or the tensor has no dims.",
    .example =
        ">>> x = gb.tensor([[1, 2], [3, 4]])\n"
        ">>> gb.select(x, 1, -1)\n"
        "tensor([2, 4])",
};
constexpr Doc broadcast_to{
    .summary = "Repeat dims of size 1 up to other sizes, without copying.",
    .args = {any_shape, {"size", "Sizes, with new dims in front; -1 keeps a size."}},
    .returns = expand_returns,
    .raises = "ShapeError: A size that is not 1 would change, or a dim is left out.",
    .example =
        ">>> gb.broadcast_to(gb.tensor([1, 2]), (2, 2))\n"
        "tensor([[1, 2],\n"
        "        [1, 2]])",
};
constexpr Doc swapaxes{
    .summary = "Swap two dims.",
    .args = {any_shape, {"axis0", "In [-ndim, ndim)."}, {"axis1", "Likewise."}},
    .returns = view_returns,
    .raises = "IndexOutOfRangeError: A dim lies outside.",
    .example =
        ">>> gb.swapaxes(gb.zeros(2, 3, 4), 0, -1).shape\n"
        "(4, 3, 2)",
};
constexpr Doc movedim{
    .summary = "Move dims to other places; the others keep their order.",
    .args = {any_shape,
             {"source", "The dims to move, each in [-ndim, ndim) and named once."},
             {"destination", "Where each of them goes, likewise."}},
    .returns = view_returns,
    .raises =
        "IndexOutOfRangeError: A dim lies outside.\n"
        "ShapeError: A dim is named twice, or there are not as many places as dims.",
    .example =
        ">>> gb.movedim(gb.zeros(2, 3, 4), 0, -1).shape\n"
        "(3, 4, 2)",
};
constexpr Doc unflatten{
    .summary = "Make one dim several.",
    .args = {any_shape, one_dim, {"sizes", "Theirs, one of which may be -1: what is left."}},
    .returns = view_returns,
    .raises =
        "IndexOutOfRangeError: `dim` lies outside.\n"
        "ShapeError: The sizes hold another number of elements, or more than one is -1.",
    .example =
        ">>> gb.unflatten(gb.zeros(2, 6), 1, (3, -1)).shape\n"
        "(2, 3, 2)",
};
constexpr Doc fliplr{
    .summary = "Turn the columns around: the last one comes first.",
    .args = {{"input", "Tensor of two dims or more."}},
    .returns = turned_returns,
    .raises = least_dims_error,
    .example =
        ">>> gb.fliplr(gb.tensor([[1, 2], [3, 4]]))\n"
        "tensor([[2, 1],\n"
        "        [4, 3]])",
};
constexpr Doc flipud{
    .summary = "Turn the rows around: the last one comes first.",
    .args = {{"input", "Tensor of one dim or more."}},
    .returns = turned_returns,
    .raises = least_dims_error,
    .example =
        ">>> gb.flipud(gb.tensor([1, 2, 3]))\n"
        "tensor([3, 2, 1])",
};
constexpr Doc rot90{
    .summary = "Turn a plane by quarters, from its first dim towards its second.",
    .args = {any_shape,
             {"k", "How many quarter turns; negative ones go the other way."},
             {"dims", "The two dims of the plane."}},
    .returns = turned_returns,
    .raises =
        "IndexOutOfRangeError: A dim lies outside.\n"
        "ShapeError: The dims are not two different ones.",
    .example =
        ">>> gb.rot90(gb.tensor([[1, 2], [3, 4]]))\n"
        "tensor([[2, 4],\n"
        "        [1, 3]])",
};
constexpr Doc ravel{
    .summary = "Make all dims one.",
    .args = {any_shape},
    .returns = view_or_copy_returns,
    .example =
        ">>> gb.ravel(gb.tensor([[1, 2], [3, 4]]))\n"
        "tensor([1, 2, 3, 4])",
};
constexpr Doc adjoint{
    .summary = "Swap the last two dims, and conjugate complex numbers.",
    .args = {{"input", "Tensor of two dims or more."}},
    .returns = "A view; of complex numbers a new tensor.",
    .raises = least_dims_error,
    .example =
        ">>> gb.adjoint(gb.zeros(5, 2, 3)).shape\n"
        "(5, 3, 2)",
};
}  // namespace docs

template <Tensor (*op)(const Tensor&, const Dims&)>
constexpr auto like =
    [](const Tensor& input, const Tensor& other) { return op(input, other.sizes()); };

constexpr const char* beside = "input: Tensor, other: Tensor";

constexpr std::array view_rows{
    bind("view", "input: Tensor, *size: int", docs::view, fn<view>, Place::method),
    bind("view", "input: Tensor, dtype: DType", docs::view_of_bytes, fn<reinterpreted>,
         Place::method),
    bind("reshape", "input: Tensor, *shape: int", docs::reshape,
         [](const Tensor& input, const Dims& shape) {
           Tensor result = reshape(input, shape);
           return result == input ? alias(input) : result;  // still a view
         }),
    bind("view_as", beside, docs::view_as, like<view>, Place::method),
    bind("reshape_as", beside, docs::reshape_as, like<reshape>, Place::method),
    bind("flatten", "input: Tensor, start_dim: int = 0, end_dim: int = -1", docs::flatten,
         fn<flatten>),
    bind("transpose", "input: Tensor, dim0: int, dim1: int", docs::transpose, fn<transpose>),
    bind("t", alone, docs::t, fn<t>),
    bind("permute", "input: Tensor, *dims: int", docs::permute, fn<permute>),
    bind("flip", "input: Tensor, *dims: int", docs::flip, fn<composite::flip>),
    bind("expand", "input: Tensor, *size: int", docs::expand, fn<expand>, Place::method),
    bind("expand_as", beside, docs::expand_as, like<expand>, Place::method),
    bind("squeeze", "input: Tensor, dim: int | Size | None = None", docs::squeeze, fn<squeeze>),
    bind("unsqueeze", "input: Tensor, dim: int", docs::unsqueeze, fn<unsqueeze>),
    bind("narrow", "input: Tensor, dim: int, start: int, length: int", docs::narrow, fn<narrow>),
    bind("select", "input: Tensor, dim: int, index: int", docs::select, fn<select>),
    bind("broadcast_to", "input: Tensor, *size: int", docs::broadcast_to, fn<expand>),
    bind("swapaxes", "input: Tensor, axis0: int, axis1: int", docs::swapaxes, fn<transpose>),
    bind("movedim", "input: Tensor, source: int | Size, destination: int | Size", docs::movedim,
         fn<composite::movedim>),
    bind("unflatten", "input: Tensor, dim: int, sizes: int | Size", docs::unflatten,
         fn<composite::unflatten>),
    bind("fliplr", alone, docs::fliplr, fn<composite::fliplr>),
    bind("flipud", alone, docs::flipud, fn<composite::flipud>),
    bind("rot90", "input: Tensor, k: int = 1, dims: Size = (0, 1)", docs::rot90,
         fn<composite::rot90>),
    bind("ravel", alone, docs::ravel,
         [](const Tensor& input) { return contiguous(flatten(input, 0, -1)); }),
    bind("adjoint", alone, docs::adjoint, fn<composite::adjoint>),
};

}  // namespace

void add_shape_methods() {
  add_table<view_rows>();
  add_piece_methods();
  add_window_methods();
  add_join_methods();
}

}  // namespace garboard::python
