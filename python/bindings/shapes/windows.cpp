// Diagonals, windows and strides of one's own; triangles, which copy.
#include "csrc/ops/shape/windows.h"

#include "csrc/ops/composite/join.h"
#include "csrc/ops/op/record.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/shapes/shape_docs.h"
#include "python/bindings/shapes/shapes.h"

namespace garboard::python {
namespace {

namespace docs {
using namespace garboard::python::docs;

constexpr Doc as_strided{
    .summary = "Look at the storage in sizes and strides of one's own.",
    .details =
        "In elements, from the storage's start. A view that meets an element twice cannot be "
        "written in place; its gradients add up.",
    .args = {any_shape,
             {"size", "The sizes."},
             {"stride", "As many strides, none negative."},
             {"storage_offset", "Where the first element lies; where `input`'s does if left out."}},
    .returns = view_returns,
    .raises =
        "ShapeError: An element lies outside the storage, a stride or size is negative, or there "
        "are not as many of them.\n"
        "GradientError: `input` requires grad, and an element lies outside what it is a view of.",
    .example =
        ">>> gb.as_strided(gb.arange(5), (3, 3), (1, 1))\n"
        "tensor([[0, 1, 2],\n"
        "        [1, 2, 3],\n"
        "        [2, 3, 4]])",
};
constexpr Doc unfold{
    .summary = "Look at all windows along a dim.",
    .details =
        "Windows that overlap cannot be written in place; their gradients add up. The number of "
        "windows is (size of the dim - `size`) / `step` + 1, rounded down.",
    .args = {{"dimension", "Along which, in [-ndim, ndim)."},
             {"size", "How many elements a window has; they lie along a new last dim."},
             {"step", "How far a window is from the one before, at least 1."}},
    .returns = view_returns,
    .raises =
        "IndexOutOfRangeError: `dimension` lies outside.\n"
        "ShapeError: A window is larger than the dim, `step` is below 1, or the tensor has as many "
        "dims as there can be.",
    .example =
        ">>> gb.arange(5).unfold(0, 3, 1)\n"
        "tensor([[0, 1, 2],\n"
        "        [1, 2, 3],\n"
        "        [2, 3, 4]])",
};
constexpr Arg above{"offset", "How far above the main diagonal; negative is below."};
constexpr Arg first_dim{"dim1", "The dim of the rows, in [-ndim, ndim)."};
constexpr Arg second_dim{"dim2", "The dim of the columns, another one."};
constexpr const char* diagonal_error =
    "IndexOutOfRangeError: A dim lies outside.\n"
    "ShapeError: The two dims are one, or there are fewer.";
constexpr Doc diagonal{
    .summary = "Look at a diagonal of two dims, which becomes the last dim.",
    .args = {{"input", "Tensor of two dims or more."}, above, first_dim, second_dim},
    .returns = view_returns,
    .raises = diagonal_error,
    .example =
        ">>> gb.diagonal(gb.tensor([[1, 2], [3, 4]]))\n"
        "tensor([1, 4])",
};
constexpr Doc diag_embed{
    .summary = "Make matrices of zeros that have the last dim as their diagonal.",
    .args = {{"input", "Tensor of one dim or more."},
             above,
             {"dim1", "The dim of the rows in the result, in [-ndim - 1, ndim]."},
             {"dim2", "The dim of the columns, another one."}},
    .returns = copy_returns,
    .raises =
        "IndexOutOfRangeError: A dim lies outside.\n"
        "ShapeError: The two dims are one, or the tensor has none or as many as there can be.",
    .example =
        ">>> gb.diag_embed(gb.tensor([1, 2]), 1)\n"
        "tensor([[0, 1, 0],\n"
        "        [0, 0, 2],\n"
        "        [0, 0, 0]])",
};
constexpr Doc diag{
    .summary = "Copy the diagonal of a matrix, or make the matrix that has it.",
    .args = {{"input", "Tensor of two dims, or of one: the diagonal."},
             {"diagonal", "How far above the main diagonal; negative is below."}},
    .returns = copy_returns,
    .raises = "ShapeError: There are more than two dims, or none.",
    .example =
        ">>> gb.diag(gb.tensor([1, 2]))\n"
        "tensor([[1, 0],\n"
        "        [0, 2]])\n"
        ">>> gb.diag(gb.tensor([[1, 2], [3, 4]]))\n"
        "tensor([1, 4])",
};
constexpr Doc diagflat{
    .summary = "Make the matrix of zeros that has all elements as its diagonal.",
    .args = {any_shape, above},
    .returns = copy_returns,
    .raises = "ShapeError: No device holds as many rows.",
    .example =
        ">>> gb.diagflat(gb.tensor([[1], [2]]))\n"
        "tensor([[1, 0],\n"
        "        [0, 2]])",
};
constexpr Arg matrices{"input", "Tensor of two dims or more: matrices of the last two."};
constexpr Arg border{"diagonal",
                     "The last diagonal that stays, counted upwards from the main one."};
constexpr const char* triangle_returns =
    "A new tensor of `input`'s sizes and dtype. Until backward the graph keeps a bool a place of "
    "one matrix.";
constexpr Doc tril{
    .summary = "Copy the lower triangle of each matrix, with zeros above it.",
    .args = {matrices, border},
    .returns = triangle_returns,
    .raises = least_dims_error,
    .example =
        ">>> gb.tril(gb.ones(2, 2))\n"
        "tensor([[1., 0.],\n"
        "        [1., 1.]])",
};
constexpr Doc triu{
    .summary = "Copy the upper triangle of each matrix, with zeros below it.",
    .args = {matrices,
             {"diagonal", "The first diagonal that stays, counted upwards from the main one."}},
    .returns = triangle_returns,
    .raises = least_dims_error,
    .example =
        ">>> gb.triu(gb.ones(2, 2), 1)\n"
        "tensor([[0., 1.],\n"
        "        [0., 0.]])",
};
constexpr const char* in_place_error =
    "ShapeError: There are fewer dims, or `input` meets an element twice.\n"
    "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view of one.";
constexpr Doc tril_{
    .summary = "Write zeros above the lower triangle of each matrix.",
    .args = {border},
    .returns = "The tensor itself, not a new handle.",
    .raises = in_place_error,
    .example =
        ">>> gb.tril_(gb.ones(2, 2))\n"
        "tensor([[1., 0.],\n"
        "        [1., 1.]])",
};
constexpr Doc triu_{
    .summary = "Write zeros below the upper triangle of each matrix.",
    .args = {{"diagonal", "The first diagonal that stays, counted upwards from the main one."}},
    .returns = "The tensor itself, not a new handle.",
    .raises = in_place_error,
    .example =
        ">>> gb.triu_(gb.ones(2, 2), 1)\n"
        "tensor([[0., 1.],\n"
        "        [0., 0.]])",
};

}  // namespace docs

template <Tensor (*op)(const Tensor&, std::int64_t)>
constexpr auto written_over = [](OpName name, const Tensor& input, std::int64_t diagonal) {
  check_writable(name.text, input);
  copy_(input, op(input, diagonal));
  return Itself();
};

constexpr const char* triangle = "input: Tensor, diagonal: int = 0";

constexpr std::array window_rows{
    bind("as_strided",
         "input: Tensor, size: int | Size, stride: int | Size, storage_offset: int | None = None",
         docs::as_strided, fn<as_strided>),
    bind("unfold", "input: Tensor, dimension: int, size: int, step: int", docs::unfold, fn<unfold>,
         Place::method),
    bind("diagonal", "input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1", docs::diagonal,
         fn<diagonal>),
    bind("diag_embed", "input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1",
         docs::diag_embed, fn<diag_embed>),
    bind("diag", triangle, docs::diag, fn<composite::diag>).with_out(),
    bind("diagflat", "input: Tensor, offset: int = 0", docs::diagflat, fn<composite::diagflat>),
    bind("tril", triangle, docs::tril, fn<composite::tril>).with_out(),
    bind("triu", triangle, docs::triu, fn<composite::triu>).with_out(),
    bind("tril_", triangle, docs::tril_, written_over<composite::tril>, Place::method),
    bind("triu_", triangle, docs::triu_, written_over<composite::triu>, Place::method),
};

}  // namespace

void add_window_methods() { add_table<window_rows>(); }

}  // namespace garboard::python
