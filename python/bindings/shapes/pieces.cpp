// A tensor taken apart: tuples of views.
#include "csrc/ops/composite/shape.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/shape/split.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/shapes/shape_docs.h"
#include "python/bindings/shapes/shapes.h"

namespace garboard::python {
namespace {

namespace docs {
using namespace garboard::python::docs;

constexpr Arg whole{"input", "Tensor of one dim or more."};
constexpr const char* cut_error =
    "IndexOutOfRangeError: `dim` lies outside.\n"
    "ShapeError: There are no dims, or the pieces do not fit the dim's size.";

constexpr Doc split{
    .summary = "Take a tensor apart along a dim.",
    .args = {whole,
             {"split_size_or_sections",
              "The size of the pieces, of which the last may be shorter; or the size of each, "
              "which add up to the dim's."},
             one_dim},
    .returns = views_returns,
    .raises = cut_error,
    .example =
        ">>> gb.split(gb.arange(5), 2)\n"
        "(tensor([0, 1]), tensor([2, 3]), tensor([4]))\n"
        ">>> gb.split(gb.arange(5), [1, 4])\n"
        "(tensor([0]), tensor([1, 2, 3, 4]))",
};
constexpr Doc split_with_sizes{
    .summary = "Take a tensor apart along a dim, in pieces of given sizes.",
    .args = {whole, {"split_sizes", "The size of each, which add up to the dim's."}, one_dim},
    .returns = views_returns,
    .raises = cut_error,
    .example =
        ">>> gb.split_with_sizes(gb.arange(5), [1, 4])\n"
        "(tensor([0]), tensor([1, 2, 3, 4]))",
};
constexpr Doc chunk{
    .summary = "Take a tensor apart along a dim, in at most so many pieces.",
    .details = "All of one size but the last: fewer where that is enough.",
    .args = {whole, {"chunks", "How many at most."}, one_dim},
    .returns = views_returns,
    .raises = cut_error,
    .example =
        ">>> gb.chunk(gb.arange(5), 2)\n"
        "(tensor([0, 1, 2]), tensor([3, 4]))",
};
constexpr Doc tensor_split{
    .summary = "Take a tensor apart along a dim, in so many pieces or at given places.",
    .details =
        "Pieces that are counted differ in size by one at most. Places count as those of slices "
        "do: [1, -1] gives x[:1], x[1:-1] and x[-1:].",
    .args = {whole,
             {"indices_or_sections", "How many pieces, or before which places to cut."},
             one_dim},
    .returns = views_returns,
    .raises = cut_error,
    .example =
        ">>> gb.tensor_split(gb.arange(5), 2)\n"
        "(tensor([0, 1, 2]), tensor([3, 4]))\n"
        ">>> gb.tensor_split(gb.arange(5), [1, -1])\n"
        "(tensor([0]), tensor([1, 2, 3]), tensor([4]))",
};
constexpr Arg equal_or_places{"indices_or_sections",
                              "How many pieces, a divisor of the dim's size; or before which "
                              "places to cut."};
constexpr Doc hsplit{
    .summary = "Take a tensor apart along its columns.",
    .details = "Along dim 1; along dim 0 where that is the only one.",
    .args = {whole, equal_or_places},
    .returns = views_returns,
    .raises = "ShapeError: There are no dims, or the pieces do not fit the dim's size.",
    .example =
        ">>> gb.hsplit(gb.tensor([[1, 2], [3, 4]]), 2)[0].tolist()\n"
        "[[1], [3]]",
};
constexpr Doc vsplit{
    .summary = "Take a tensor apart along its rows, dim 0.",
    .args = {{"input", "Tensor of two dims or more."}, equal_or_places},
    .returns = views_returns,
    .raises = "ShapeError: There are fewer dims, or the pieces do not fit the dim's size.",
    .example =
        ">>> gb.vsplit(gb.tensor([[1, 2], [3, 4]]), 2)[0].tolist()\n"
        "[[1, 2]]",
};
constexpr Doc dsplit{
    .summary = "Take a tensor apart along its depth, dim 2.",
    .args = {{"input", "Tensor of three dims or more."}, equal_or_places},
    .returns = views_returns,
    .raises = "ShapeError: There are fewer dims, or the pieces do not fit the dim's size.",
    .example =
        ">>> gb.dsplit(gb.tensor([[[1, 2], [3, 4]]]), 2)[0].tolist()\n"
        "[[[1], [3]]]",
};
constexpr Doc unbind{
    .summary = "Take a tensor apart along a dim, which goes.",
    .args = {whole, one_dim},
    .returns = views_returns,
    .raises = "IndexOutOfRangeError: `dim` lies outside.\nShapeError: There are no dims.",
    .example =
        ">>> gb.unbind(gb.tensor([[1, 2], [3, 4]]))\n"
        "(tensor([1, 2]), tensor([3, 4]))",
};
constexpr const char* several_returns =
    "A view for each tensor, in a tuple; one tensor alone gives one view. The graph keeps no "
    "tensor.";
constexpr Arg one_or_several{"tensors", "Tensors of any shape, or one sequence of them."};
constexpr Arg one_tensor{"input", "Tensor of any shape."};
constexpr Doc atleast_1d{
    .summary = "Give tensors without dims one.",
    .args = {one_tensor, one_or_several},
    .returns = several_returns,
    .example =
        ">>> gb.atleast_1d(gb.tensor(2))\n"
        "tensor([2])",
};
constexpr Doc atleast_2d{
    .summary = "Make tensors of fewer than two dims matrices of one row.",
    .args = {one_tensor, one_or_several},
    .returns = several_returns,
    .example =
        ">>> gb.atleast_2d(gb.tensor([2, 3]))\n"
        "tensor([[2, 3]])",
};
constexpr Doc atleast_3d{
    .summary = "Give tensors of fewer than three dims as many: a row or matrix gets a last one.",
    .args = {one_tensor, one_or_several},
    .returns = several_returns,
    .example =
        ">>> gb.atleast_3d(gb.zeros(2, 3)).shape\n"
        "(2, 3, 1)",
};
constexpr Doc broadcast_tensors{
    .summary = "Repeat dims of size 1 until all tensors have the same sizes, without copying.",
    .args = {{"tensors", "Tensors, or one sequence of them, whose sizes broadcast."}},
    .returns = views_returns,
    .raises = "ShapeError: The sizes do not broadcast.",
    .example =
        ">>> a, b = gb.broadcast_tensors(gb.zeros(2, 1), gb.zeros(3))\n"
        ">>> a.shape, b.shape\n"
        "((2, 3), (2, 3))",
};
constexpr Doc meshgrid{
    .summary = "Make a grid of coordinates of the tensors' elements.",
    .args = {{"tensors", "Tensors of one dim at most and of one dtype, or one sequence of them."},
             {"indexing",
              "'ij': element i of tensor k stands at index i of dim k; 'xy' swaps the first two "
              "dims, as pictures have them."}},
    .returns = views_returns,
    .raises =
        "ShapeError: There is no tensor, or one has several dims.\n"
        "DTypeError: The dtypes differ.\n"
        "DeviceError: The tensors are on several devices.\n"
        "ValueError: `indexing` is neither of these.",
    .example =
        ">>> rows, columns = gb.meshgrid(gb.arange(2), gb.arange(3))\n"
        ">>> rows\n"
        "tensor([[0, 0, 0],\n"
        "        [1, 1, 1]])",
};

}  // namespace docs

enum class Indexing : std::uint8_t { ij, xy };

}  // namespace

template <>
struct Choices<Indexing> {
  static constexpr std::string_view annotation = "Literal['ij', 'xy']";
  static constexpr std::array<std::pair<const char*, Indexing>, 2> names{
      {{"ij", Indexing::ij}, {"xy", Indexing::xy}}};
};

namespace {

using Places = std::vector<std::int64_t>;

/// Read once, on the CPU: they say where views begin.
Places places_in(const char* op, const Tensor& numbers) {
  if ((numbers.dtype() != DType::int64 && numbers.dtype() != DType::int32) || numbers.ndim() > 1)
    throw DTypeError(text(op, ": indices_or_sections of dtype ", name_of(numbers.dtype()),
                          " and sizes ", numbers.sizes(),
                          "; int64 or int32 without dims or of one is needed"));
  const Tensor here = contiguous(to(to(detach(numbers), DType::int64), Device{}));
  const auto* const first = static_cast<const std::int64_t*>(here.data());
  return Places(first, first + here.count());
}

constexpr const char* evenly = "input: Tensor, split_size_or_sections: int, dim: int = 0";
constexpr const char* of_sizes = "input: Tensor, split_size_or_sections: Size, dim: int = 0";
// PyTorch's function calls its input another name than its ops do.
constexpr const char* evenly_too = "*, tensor: Tensor, split_size_or_sections: int, dim: int = 0";
constexpr const char* of_sizes_too =
    "*, tensor: Tensor, split_size_or_sections: Size, dim: int = 0";
constexpr const char* so_many = "input: Tensor, indices_or_sections: int";
constexpr const char* at_places = "input: Tensor, indices_or_sections: Size";

template <int dim>
constexpr auto in_so_many = [](OpName op, const Tensor& input, std::int64_t count) {
  return composite::split_along(op.text, input, count, dim);
};
template <int dim>
constexpr auto at_those = [](OpName op, const Tensor& input, const Places& places) {
  return composite::split_along(op.text, input, places, dim);
};

constexpr std::array piece_rows{
    bind("split", evenly, docs::split, fn<split>),
    bind("split", of_sizes, docs::split,
         [](OpName op, const Tensor& input, const Places& sizes, std::int64_t dim) {
           return split_with_sizes(op.text, input, sizes, dim);
         }),
    bind("split", evenly_too, docs::split, fn<split>, Place::functional),
    bind(
        "split", of_sizes_too, docs::split,
        [](OpName op, const Tensor& input, const Places& sizes, std::int64_t dim) {
          return split_with_sizes(op.text, input, sizes, dim);
        },
        Place::functional),
    bind("split_with_sizes", "input: Tensor, split_sizes: Size, dim: int = 0",
         docs::split_with_sizes,
         [](OpName op, const Tensor& input, const Places& sizes, std::int64_t dim) {
           return split_with_sizes(op.text, input, sizes, dim);
         }),
    bind("chunk", "input: Tensor, chunks: int, dim: int = 0", docs::chunk, fn<chunk>),
    bind("tensor_split", "input: Tensor, indices_or_sections: int, dim: int = 0",
         docs::tensor_split,
         [](OpName op, const Tensor& input, std::int64_t count, std::int64_t dim) {
           return tensor_split(op.text, input, count, dim);
         }),
    bind("tensor_split", "input: Tensor, indices_or_sections: Size, dim: int = 0",
         docs::tensor_split,
         [](OpName op, const Tensor& input, const Places& places, std::int64_t dim) {
           return tensor_split(op.text, input, places, dim);
         }),
    bind("tensor_split", "input: Tensor, indices_or_sections: Tensor, dim: int = 0",
         docs::tensor_split,
         [](OpName op, const Tensor& input, const Tensor& numbers, std::int64_t dim) {
           const Places places = places_in(op.text, numbers);
           return numbers.ndim() ? tensor_split(op.text, input, places, dim)
                                 : tensor_split(op.text, input, places[0], dim);
         }),
    bind("tensor_split", "input: Tensor, sections: int, dim: int = 0", docs::tensor_split,
         [](OpName op, const Tensor& input, std::int64_t count, std::int64_t dim) {
           return tensor_split(op.text, input, count, dim);
         }),
    bind("tensor_split", "input: Tensor, indices: Size, dim: int = 0", docs::tensor_split,
         [](OpName op, const Tensor& input, const Places& places, std::int64_t dim) {
           return tensor_split(op.text, input, places, dim);
         }),
    bind("hsplit", so_many, docs::hsplit, in_so_many<1>),
    bind("hsplit", at_places, docs::hsplit, at_those<1>),
    bind("vsplit", so_many, docs::vsplit, in_so_many<0>),
    bind("vsplit", at_places, docs::vsplit, at_those<0>),
    bind("dsplit", so_many, docs::dsplit, in_so_many<2>),
    bind("dsplit", at_places, docs::dsplit, at_those<2>),
    bind("unbind", "input: Tensor, dim: int = 0", docs::unbind, fn<unbind>),
    bind("atleast_1d", alone, docs::atleast_1d, fn<composite::atleast_1d>, Place::functional),
    bind("atleast_1d", several, docs::atleast_1d, fn<composite::each<composite::atleast_1d>>,
         Place::functional),
    bind("atleast_2d", alone, docs::atleast_2d, fn<composite::atleast_2d>, Place::functional),
    bind("atleast_2d", several, docs::atleast_2d, fn<composite::each<composite::atleast_2d>>,
         Place::functional),
    bind("atleast_3d", alone, docs::atleast_3d, fn<composite::atleast_3d>, Place::functional),
    bind("atleast_3d", several, docs::atleast_3d, fn<composite::each<composite::atleast_3d>>,
         Place::functional),
    bind("broadcast_tensors", several, docs::broadcast_tensors, fn<composite::broadcast_tensors>,
         Place::functional),
    bind(
        "meshgrid", "*tensors: Tensor, indexing: Literal['ij', 'xy'] = 'ij'", docs::meshgrid,
        [](const std::vector<Tensor>& tensors, Indexing indexing) {
          return composite::meshgrid(tensors, indexing == Indexing::xy);
        },
        Place::functional),
};

}  // namespace

void add_piece_methods() { add_table<piece_rows>(); }

}  // namespace garboard::python
