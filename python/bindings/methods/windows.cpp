// Pools, samplings and what stands around an input. Names that begin with a line are what
// garboard.nn.functional makes its functions of.
#include "csrc/ops/sampling/grid_sample.h"
#include "csrc/ops/sampling/resample.h"
#include "csrc/ops/windows/pad.h"
#include "csrc/ops/windows/pool.h"
#include "python/bindings/call/methods.h"

namespace garboard::python {

template <>
struct Choices<PadMode> {
  static constexpr std::string_view annotation =
      "Literal['constant', 'reflect', 'replicate', 'circular']";
  static constexpr std::array<std::pair<const char*, PadMode>, 4> names{
      {{"constant", PadMode::constant},
       {"reflect", PadMode::reflect},
       {"replicate", PadMode::replicate},
       {"circular", PadMode::circular}}};
};

template <>
struct Choices<kernels::Sampling> {
  static constexpr std::string_view annotation =
      "Literal['nearest', 'nearest-exact', 'linear', 'cubic']";
  static constexpr std::array<std::pair<const char*, kernels::Sampling>, 4> names{
      {{"nearest", kernels::Sampling::nearest},
       {"nearest-exact", kernels::Sampling::nearest_exact},
       {"linear", kernels::Sampling::linear},
       {"cubic", kernels::Sampling::cubic}}};
};

template <>
struct Choices<kernels::Beyond> {
  static constexpr std::string_view annotation = "Literal['zeros', 'border', 'reflection']";
  static constexpr std::array<std::pair<const char*, kernels::Beyond>, 3> names{
      {{"zeros", kernels::Beyond::zeros},
       {"border", kernels::Beyond::border},
       {"reflection", kernels::Beyond::reflection}}};
};

namespace {

namespace docs {

constexpr Doc pad{
    .summary = "Put elements around the input, or cut some off.",
    .args = {{"input",
              "Tensor of any shape and dtype; for the other modes of one or two dims more than "
              "pairs."},
             {"pad",
              "Pairs, before and after, from the last dim on; a negative one cuts off. The other "
              "modes take one to three."},
             {"mode",
              "'constant'; or, of the input itself, 'reflect' without its edge, 'replicate' of its "
              "edge, 'circular' of its other end."},
             {"value", "What stands around in the mode 'constant'; None for 0."}},
    .returns = "A new tensor. The graph keeps no tensor.",
    .raises =
        "ShapeError: There are too many pairs, or more is taken than there is.\n"
        "DTypeError: The dtype cannot hold `value`.\n"
        "ValueError: There is no such mode.",
    .example =
        ">>> gb.pad(gb.tensor([[1, 2, 3]]), (1, 2), 'reflect')\n"
        "tensor([[2, 1, 2, 3, 2, 1]])",
};
constexpr Arg planes{"input", "Tensor of one or two dims more than dims of space, floating."};
constexpr Arg space{"dims", "How many dims of space there are, 1 to 3."};
constexpr Arg taps{"kernel_size", "The window's size."};
constexpr Arg window_stride{"stride", "How far apart places are, or None for the window's size."};
constexpr Arg window_padding{"padding", "What is added on each side."};
constexpr Arg window_dilation{"dilation", "How far apart the window's elements are."};
constexpr Arg rounds_up{"ceil_mode", "Add a place for what is left over."};
constexpr Arg wants_indices{"return_indices", "Whether the second result is wanted."};
constexpr Arg places{"output_size", "How many places there are."};
constexpr const char* window_error =
    "ShapeError: The sizes do not fit.\n"
    "DTypeError: `input` is not floating.";
constexpr const char* window_result = "A new tensor.";
constexpr Doc max_pool{
    .summary = "Find the largest element of each window, and where it is.",
    .args = {planes, space, taps, window_stride, window_padding, window_dilation, rounds_up,
             wants_indices},
    .returns = "Two new tensors. Until backward the graph keeps a number a place.",
    .raises = window_error,
    .example =
        ">>> x = gb.tensor([[1.0, 3.0, 2.0, 0.0]])\n"
        ">>> gb._engine._max_pool(x, 1, 2).indices\n"
        "tensor([[1, 2]])",
};
constexpr Doc adaptive_max_pool{
    .summary = "Find the largest element of each share, and where it is.",
    .args = {planes, space, places, wants_indices},
    .returns = "Two new tensors. Until backward the graph keeps a number a place.",
    .raises = window_error,
    .example =
        ">>> x = gb.tensor([[1.0, 3.0, 2.0, 0.0]])\n"
        ">>> gb._engine._adaptive_max_pool(x, 1, 1).values\n"
        "tensor([[3.]])",
};
constexpr Doc max_unpool{
    .summary = "Put elements where the indices of a pool say, and zeros elsewhere.",
    .args = {planes, {"indices", "int64, of `input`'s sizes."}, space, places},
    .returns = "A new tensor. Until backward the graph keeps the indices.",
    .raises =
        "ShapeError: The sizes do not fit.\n"
        "IndexOutOfRangeError: An index lies outside.\n"
        "DTypeError: `input` is not floating, or the indices are not int64.",
    .example =
        ">>> x, i = gb.tensor([[3.0, 2.0]]), gb.tensor([[1, 2]])\n"
        ">>> gb._engine._max_unpool(x, i, 1, 4)\n"
        "tensor([[0., 3., 2., 0.]])",
};
constexpr Doc avg_pool{
    .summary = "Compute the mean of each window.",
    .args = {planes,
             space,
             taps,
             window_stride,
             window_padding,
             rounds_up,
             {"count_include_pad", "Count the padding too."},
             {"divisor_override", "What the sums are divided by instead."}},
    .returns = window_result,
    .raises = window_error,
    .example =
        ">>> x = gb.tensor([[1.0, 3.0, 2.0, 0.0]])\n"
        ">>> gb._engine._avg_pool(x, 1, 2)\n"
        "tensor([[2., 1.]])",
};
constexpr Doc adaptive_avg_pool{
    .summary = "Compute the mean of each share.",
    .args = {planes, space, places},
    .returns = window_result,
    .raises = window_error,
    .example =
        ">>> x = gb.tensor([[1.0, 3.0, 2.0, 0.0]])\n"
        ">>> gb._engine._adaptive_avg_pool(x, 1, 1)\n"
        "tensor([[1.5000]])",
};
constexpr Doc resample{
    .summary = "Sample the input along one dim.",
    .args = {{"input", "Tensor of any shape, floating."},
             {"dim", "Which dim, in [-ndim, ndim)."},
             {"places", "How many places it has then."},
             {"mode", "How many elements a place is made of: one, two or four."},
             {"align_corners", "Whether the first and the last elements stay where they are."},
             {"scale", "How many elements apart places are."}},
    .returns = window_result,
    .raises =
        "ShapeError: There is nothing to sample, or no place.\n"
        "IndexOutOfRangeError: `dim` lies outside.\n"
        "DTypeError: `input` is not floating.\n"
        "ValueError: There is no such mode.",
    .example =
        ">>> gb._engine._resample(gb.tensor([1.0, 2.0]), 0, 4, 'nearest', False, 0.5)\n"
        "tensor([1., 1., 2., 2.])",
};

constexpr Doc grid_sample{
    .summary = "Sample the input wherever the grid says.",
    .args = {{"input", "Tensor [n, channels, *sizes] of two or three dims of space, floating."},
             {"grid", "[n, *places, dims of space], of its dtype."},
             {"mode", "How many elements along a dim a place is made of: one, two or four."},
             {"padding_mode", "What lies beyond the edges."},
             {"align_corners", "Whether -1 and 1 are the outermost elements, not their edges."}},
    .returns = "A new tensor. Until backward the graph keeps both inputs.",
    .raises =
        "ShapeError: The sizes do not fit.\n"
        "DTypeError: `input` is not floating, or the dtypes differ.\n"
        "DeviceError: The tensors are on several devices.\n"
        "ValueError: There is no such mode.\n"
        "GradientError: A gradient is differentiated again.",
    .example =
        ">>> x, grid = gb.tensor([[[[1.0, 2.0]]]]), gb.zeros(1, 1, 1, 2)\n"
        ">>> gb._engine._grid_sample(x, grid, 'linear', 'zeros', False)\n"
        "tensor([[[[1.5000]]]])",
};

}  // namespace docs

PoolOptions options_of(const Dims& taps, const std::optional<Dims>& stride, const Dims& padding,
                       const Dims& dilation, bool rounds_up) {
  return {taps, stride.value_or(Dims()), padding, dilation, rounds_up};
}

int checked_space(const char* op, std::int64_t dims) {
  if (dims < 1 || dims > kernels::space_dims)
    throw ShapeError(text(op, ": ", dims, " dims of space; 1 to 3 are needed"));
  return static_cast<int>(dims);
}

constexpr std::array spatial_rows{
    bind(
        "pad",
        "input: Tensor, pad: Size, mode: Literal['constant', 'reflect', 'replicate', 'circular'] = "
        "'constant', value: Number | None = None",
        docs::pad, fn<pad>, Place::functional),
    bind(
        "_max_pool",
        "input: Tensor, dims: int, kernel_size: int | Size, stride: int | Size | None = None, "
        "padding: int | Size = 0, dilation: int | Size = 1, ceil_mode: bool = False, "
        "return_indices: bool = True",
        docs::max_pool,
        [](const Tensor& input, std::int64_t dims, const Dims& taps,
           const std::optional<Dims>& stride, const Dims& padding, const Dims& dilation,
           bool rounds_up, bool wants_indices) {
          ValuesAndIndices found =
              max_pool(checked_space("max_pool", dims), input,
                       options_of(taps, stride, padding, dilation, rounds_up), wants_indices);
          if (!found.indices) found.indices = found.values;
          return found;
        },
        Place::functional),
    bind(
        "_adaptive_max_pool",
        "input: Tensor, dims: int, output_size: int | Size, return_indices: bool = True",
        docs::adaptive_max_pool,
        [](const Tensor& input, std::int64_t dims, const Dims& sizes, bool wants_indices) {
          ValuesAndIndices found = adaptive_max_pool(checked_space("adaptive_max_pool", dims),
                                                     input, sizes, wants_indices);
          if (!found.indices) found.indices = found.values;
          return found;
        },
        Place::functional),
    bind(
        "_max_unpool", "input: Tensor, indices: Tensor, dims: int, output_size: int | Size",
        docs::max_unpool,
        [](const Tensor& input, const Tensor& indices, std::int64_t dims, const Dims& sizes) {
          return max_unpool(checked_space("max_unpool", dims), input, indices, sizes);
        },
        Place::functional),
    bind(
        "_avg_pool",
        "input: Tensor, dims: int, kernel_size: int | Size, stride: int | Size | None = None, "
        "padding: int | Size = 0, ceil_mode: bool = False, count_include_pad: bool = True, "
        "divisor_override: int | None = None",
        docs::avg_pool,
        [](const Tensor& input, std::int64_t dims, const Dims& taps,
           const std::optional<Dims>& stride, const Dims& padding, bool rounds_up,
           bool counts_padding, std::optional<std::int64_t> divisor) {
          return average_pool(checked_space("avg_pool", dims), input,
                              options_of(taps, stride, padding, {1}, rounds_up), counts_padding,
                              divisor);
        },
        Place::functional),
    bind(
        "_adaptive_avg_pool", "input: Tensor, dims: int, output_size: int | Size",
        docs::adaptive_avg_pool,
        [](const Tensor& input, std::int64_t dims, const Dims& sizes) {
          return adaptive_average_pool(checked_space("adaptive_avg_pool", dims), input, sizes);
        },
        Place::functional),
    bind("_resample",
         "input: Tensor, dim: int, places: int, mode: Literal['nearest', 'nearest-exact', "
         "'linear', 'cubic'], align_corners: bool, scale: float",
         docs::resample, fn<resample>, Place::functional),
    bind(
        "_grid_sample",
        "input: Tensor, grid: Tensor, mode: Literal['nearest', 'nearest-exact', 'linear', "
        "'cubic'], padding_mode: Literal['zeros', 'border', 'reflection'], align_corners: bool",
        docs::grid_sample,
        [](const Tensor& input, const Tensor& grid, kernels::Sampling sampling,
           kernels::Beyond beyond, bool aligns_corners) {
          if (sampling == kernels::Sampling::nearest_exact) sampling = kernels::Sampling::nearest;
          return grid_sample(input, grid, {sampling, beyond, aligns_corners});
        },
        Place::functional),
};

}  // namespace

void add_spatial_methods() { add_table<spatial_rows>(); }

}  // namespace garboard::python
