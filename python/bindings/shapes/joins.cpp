// Tensors joined, repeated and rolled: new tensors.
#include "csrc/ops/composite/join.h"
#include "csrc/ops/shape/join.h"
#include "csrc/ops/shape/roll.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/shapes/shape_docs.h"
#include "python/bindings/shapes/shapes.h"

namespace garboard::python {
namespace {

namespace docs {
using namespace garboard::python::docs;

constexpr const char* join_returns =
    "A new tensor of the promoted dtype, on the tensors' device. The graph keeps no tensor.";
constexpr Doc cat{
    .summary = "Join tensors along a dim they have.",
    .args = {{"tensors", "One or more, whose sizes differ along `dim` alone."},
             {"dim", "Along which, in [-ndim, ndim)."}},
    .returns = join_returns,
    .raises =
        "ShapeError: Other sizes differ, there are no dims, or there is no tensor.\n"
        "IndexOutOfRangeError: `dim` lies outside.\n"
        "DeviceError: The tensors are on several devices.",
    .example =
        ">>> gb.cat([gb.tensor([1, 2]), gb.tensor([3])])\n"
        "tensor([1, 2, 3])",
};
constexpr Doc stack{
    .summary = "Join tensors along a new dim.",
    .args = {{"tensors", "One or more, of equal sizes."},
             {"dim", "Where the new dim stands in the result, in [-ndim - 1, ndim]."}},
    .returns = join_returns,
    .raises =
        "ShapeError: The sizes differ, there are as many dims as can be, or there is no tensor.\n"
        "IndexOutOfRangeError: `dim` lies outside.\n"
        "DeviceError: The tensors are on several devices.",
    .example =
        ">>> gb.stack([gb.tensor([1, 2]), gb.tensor([3, 4])], 1)\n"
        "tensor([[1, 3],\n"
        "        [2, 4]])",
};
constexpr const char* joining_error =
    "ShapeError: The sizes differ elsewhere, or there is no tensor.\n"
    "DeviceError: The tensors are on several devices.";
constexpr Doc hstack{
    .summary = "Join tensors along their columns.",
    .details = "Along dim 1; along dim 0 where the first has no other.",
    .args = {{"tensors", "One or more, whose sizes differ along that dim alone."}},
    .returns = join_returns,
    .raises = joining_error,
    .example =
        ">>> gb.hstack([gb.tensor([[1], [2]]), gb.tensor([[3], [4]])])\n"
        "tensor([[1, 3],\n"
        "        [2, 4]])",
};
constexpr Doc vstack{
    .summary = "Join tensors along their rows.",
    .details = "What has one dim is a row.",
    .args = {{"tensors", "One or more, whose sizes differ along dim 0 alone."}},
    .returns = join_returns,
    .raises = joining_error,
    .example =
        ">>> gb.vstack([gb.tensor([1, 2]), gb.tensor([3, 4])])\n"
        "tensor([[1, 2],\n"
        "        [3, 4]])",
};
constexpr Doc dstack{
    .summary = "Join tensors along their depth, dim 2.",
    .details = "What has fewer dims becomes what `atleast_3d` makes of it.",
    .args = {{"tensors", "One or more, whose sizes differ along that dim alone."}},
    .returns = join_returns,
    .raises = joining_error,
    .example =
        ">>> gb.dstack([gb.tensor([1, 2]), gb.tensor([3, 4])])\n"
        "tensor([[[1, 3],\n"
        "         [2, 4]]])",
};
constexpr Doc column_stack{
    .summary = "Join tensors along dim 1; what has one dim is a column.",
    .args = {{"tensors", "One or more, whose sizes differ along that dim alone."}},
    .returns = join_returns,
    .raises = joining_error,
    .example =
        ">>> gb.column_stack([gb.tensor([1, 2]), gb.tensor([3, 4])])\n"
        "tensor([[1, 3],\n"
        "        [2, 4]])",
};
constexpr Doc block_diag{
    .summary = "Make a matrix of zeros with matrices along its diagonal.",
    .args = {{"tensors", "Matrices, rows or tensors without dims, or one sequence of them."}},
    .returns = join_returns,
    .raises =
        "ShapeError: A tensor has more than two dims.\n"
        "DeviceError: The tensors are on several devices.",
    .example =
        ">>> gb.block_diag(gb.tensor([[1, 2]]), gb.tensor(3))\n"
        "tensor([[1, 2, 0],\n"
        "        [0, 0, 3]])",
};
constexpr Doc cartesian_prod{
    .summary = "List every choice of one element a tensor, a row each.",
    .args = {{"tensors", "Tensors of one dim and one dtype, or one sequence of them."}},
    .returns = join_returns,
    .raises =
        "ShapeError: A tensor has not one dim, or there is none.\n"
        "DTypeError: The dtypes differ.\n"
        "DeviceError: The tensors are on several devices.",
    .example =
        ">>> gb.cartesian_prod(gb.tensor([1, 2]), gb.tensor([3, 4])).tolist()\n"
        "[[1, 3], [1, 4], [2, 3], [2, 4]]",
};
constexpr const char* counting_error =
    "ShapeError: A count is negative, or there are fewer than dims.";
constexpr Doc repeat{
    .summary = "Repeat the whole tensor along its dims.",
    .args = {{"repeats",
              "How often along each dim, or one sequence of that; further ones in front make new "
              "dims."}},
    .returns = copy_returns,
    .raises = counting_error,
    .example =
        ">>> gb.tensor([1, 2]).repeat(2, 2)\n"
        "tensor([[1, 2, 1, 2],\n"
        "        [1, 2, 1, 2]])",
};
constexpr Doc tile{
    .summary = "Repeat the whole tensor along its dims, as NumPy counts them.",
    .args = {any_shape,
             {"dims",
              "How often along each dim, or one sequence of that; where there are fewer than dims, "
              "along the last ones."}},
    .returns = copy_returns,
    .raises = "ShapeError: A count is negative.",
    .example =
        ">>> gb.tile(gb.tensor([[1, 2], [3, 4]]), 2)\n"
        "tensor([[1, 2, 1, 2],\n"
        "        [3, 4, 3, 4]])",
};
constexpr Doc repeat_interleave{
    .summary = "Repeat each element along a dim, or along the one that all dims make.",
    .args = {any_shape,
             {"repeats", "How often: a number, or an int64 or int32 tensor of one each."},
             {"dim", "Along which, in [-ndim, ndim); None makes all dims one first."},
             {"output_size", "How many elements there are along `dim` then, if you know."}},
    .returns = copy_returns,
    .raises =
        "IndexOutOfRangeError: `dim` lies outside.\n"
        "ShapeError: A number of repeats is negative, there are more or fewer than elements, or "
        "`output_size` is another.\n"
        "DTypeError: `repeats` is neither int64 nor int32.",
    .example =
        ">>> gb.repeat_interleave(gb.tensor([1, 2]), 2)\n"
        "tensor([1, 1, 2, 2])\n"
        ">>> gb.repeat_interleave(gb.tensor([7, 8]), gb.tensor([1, 3]))\n"
        "tensor([7, 8, 8, 8])",
};
constexpr Doc roll{
    .summary = "Shift the elements along dims; what leaves at one end comes in at the other.",
    .args = {any_shape,
             {"shifts", "How far, towards the end; one for each dim."},
             {"dims", "Along which; without any, one shift along the dim that all dims make."}},
    .returns = copy_returns,
    .raises =
        "IndexOutOfRangeError: A dim lies outside.\n"
        "ShapeError: There are not as many shifts as dims.",
    .example =
        ">>> gb.roll(gb.tensor([1, 2, 3]), 1)\n"
        "tensor([3, 1, 2])",
};

}  // namespace docs

/// `result`, which has so many elements along `dim`, if it is said how many.
Tensor of_size(const Tensor& result, std::int64_t dim, std::optional<std::int64_t> size) {
  const std::int64_t found = result.size(checked_dim("repeat_interleave", dim, result.ndim()));
  if (size && *size != found)
    throw ShapeError(text("repeat_interleave: output_size ", *size, " where the repeats add up to ",
                          found, "; they must be equal"));
  return result;
}
template <auto repeat, class Repeats>
constexpr auto repeated = [](const Tensor& input, const Repeats& repeats,
                             std::optional<std::int64_t> dim, std::optional<std::int64_t> size) {
  return of_size(repeat(input, repeats, dim), dim.value_or(0), size);
};

constexpr const char* joined = "tensors: list[_T] | tuple[_T, ...], dim: int = 0";
constexpr const char* along_one = "tensors: list[_T] | tuple[_T, ...]";

constexpr std::array join_rows{
    bind("cat", joined, docs::cat, fn<cat>, Place::functional).with_out(),
    bind("stack", joined, docs::stack, fn<stack>, Place::functional).with_out(),
    bind("hstack", along_one, docs::hstack, fn<composite::hstack>, Place::functional).with_out(),
    bind("vstack", along_one, docs::vstack, fn<composite::vstack>, Place::functional).with_out(),
    bind("dstack", along_one, docs::dstack, fn<composite::dstack>, Place::functional).with_out(),
    bind("column_stack", along_one, docs::column_stack, fn<composite::column_stack>,
         Place::functional)
        .with_out(),
    bind("block_diag", several, docs::block_diag, fn<block_diag>, Place::functional),
    bind("cartesian_prod", several, docs::cartesian_prod, fn<composite::cartesian_prod>,
         Place::functional),
    bind(
        "repeat", "input: Tensor, *repeats: int", docs::repeat,
        [](OpName op, const Tensor& input, const Dims& counts) {
          return composite::repeat(op.text, input, counts);
        },
        Place::method),
    bind("tile", "input: Tensor, *dims: int", docs::tile, fn<composite::tile>),
    bind("repeat_interleave",
         "input: Tensor, repeats: int, dim: int | None = None, *, output_size: int | None = None",
         docs::repeat_interleave, repeated<composite::repeat_interleave, std::int64_t>),
    bind("repeat_interleave",
         "input: Tensor, repeats: Tensor, dim: int | None = None, *, "
         "output_size: int | None = None",
         docs::repeat_interleave, repeated<composite::repeat_interleave_each, Tensor>),
    bind("repeat_interleave", "input: Tensor, *, output_size: int | None = None",
         docs::repeat_interleave,
         [](const Tensor& repeats, std::optional<std::int64_t> size) {
           if (repeats.ndim() != 1)
             throw ShapeError(text("repeat_interleave: repeats of sizes ", repeats.sizes(),
                                   " alone; one dim is needed"));
           const Scalar zero = Scalar::of(std::int64_t{0}), one = Scalar::of(std::int64_t{1});
           const Tensor places =
               arange(zero, Scalar::of(repeats.count()), one, DType::int64, repeats.device());
           return of_size(composite::repeat_interleave_each(places, repeats, 0), 0, size);
         }),
    bind("roll", "input: Tensor, shifts: int | Size, dims: int | Size | None = ()", docs::roll,
         [](const Tensor& input, const Dims& shifts, const std::optional<Dims>& dims) {
           return roll(input, shifts, dims.value_or(Dims()));
         })
        .with_out(),
};

}  // namespace

void add_join_methods() { add_table<join_rows>(); }

}  // namespace garboard::python
