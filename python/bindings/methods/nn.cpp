// Softmax, losses, normalization and dropout.
#include "csrc/ops/nn/channel_normalization.h"
#include "csrc/ops/nn/gated.h"
#include "csrc/ops/nn/loss.h"
#include "csrc/ops/nn/normalization.h"
#include "csrc/ops/nn/softmax.h"
#include "csrc/ops/random/random.h"
#include "python/bindings/call/methods.h"

namespace garboard::python {

template <>
struct Choices<Reduction> {
  static constexpr std::string_view annotation = "Reduction";
  static constexpr std::array<std::pair<const char*, Reduction>, 3> names{
      {{"mean", Reduction::mean}, {"sum", Reduction::sum}, {"none", Reduction::none}}};
};

namespace {

namespace docs {

constexpr Arg scaled_tensor{
    "input", "Tensor of any shape and of a floating dtype, unless `dtype` is given."};
constexpr Arg scaled_dim{"dim", "Where to sum, in [-ndim, ndim)."};
constexpr Arg scaled_dtype{"dtype", "What `input` is converted to first."};
constexpr const char* scaling_returns =
    "A new tensor of `input`'s shape. Until backward the graph keeps it.";
constexpr const char* scaling_error =
    "IndexOutOfRangeError: `dim` lies outside.\n"
    "DTypeError: The dtype is no floating one.";
constexpr Doc softmax{
    .summary = "Scale each slice along `dim` to positive numbers that sum to one.",
    .details =
        "softmax(x)_i = exp(x_i - max x) / sum_j exp(x_j - max x), maximum and sum in one pass "
        "(Milakov and Gimelshein, arXiv:1805.02867).",
    .args = {scaled_tensor, scaled_dim, scaled_dtype},
    .returns = scaling_returns,
    .raises = scaling_error,
    .example =
        ">>> x = gb.tensor([0.0, 0.0, 1.0])\n"
        ">>> gb.softmax(x, 0)\n"
        "tensor([0.2119, 0.2119, 0.5761])",
};
constexpr Doc log_softmax{
    .summary = "Compute the logarithm of softmax along `dim`, without overflow.",
    .details = "log_softmax(x)_i = x_i - max x - log sum_j exp(x_j - max x).",
    .args = {scaled_tensor, scaled_dim, scaled_dtype},
    .returns = scaling_returns,
    .raises = scaling_error,
    .example =
        ">>> x = gb.tensor([0.0, 0.0])\n"
        ">>> gb.log_softmax(x, 0)\n"
        "tensor([-0.6931, -0.6931])",
};
constexpr Doc cross_entropy{
    .summary = "Compute how far logits are from their targets: -log softmax(input)[target].",
    .details =
        "With l = -log softmax(input) and e = `label_smoothing`, a row's loss is (1 - e) "
        "weight[target] l[target] + e / classes * sum(weight * l). The mean of no rows is NaN.",
    .args = {{"input", "Logits [rows, classes] or [classes], of a floating dtype."},
             {"target", "Class numbers [rows] or [], int64."},
             {"weight",
              "How much each class counts: [classes], of `input`'s dtype. No gradient passes to "
              "it."},
             {"ignore_index", "Rows with this target count for nothing."},
             {"reduction",
              "'mean' over the rows that count, each as often as its target's weight says; 'sum', "
              "or 'none' for one loss a row."},
             {"label_smoothing",
              "What part of each target is spread evenly over all classes, 0 to 1."}},
    .returns =
        "A new tensor, of no dims unless `reduction` is 'none'. Until backward the graph keeps "
        "`input`, the targets, the weight and a number a row.",
    .raises =
        "ShapeError: The sizes do not fit, or `label_smoothing` lies outside.\n"
        "IndexOutOfRangeError: A target is neither a class nor `ignore_index`.\n"
        "DTypeError: `input` is not floating, `target` not int64, or the weight of another dtype.\n"
        "DeviceError: The tensors are on several devices.\n"
        "ValueError: There is no such reduction.",
    .example =
        ">>> logits = gb.tensor([[2.0, 0.0], [0.0, 0.0]])\n"
        ">>> gb.cross_entropy(logits, gb.tensor([0, 1]), reduction='none')\n"
        "tensor([0.1269, 0.6931])",
};
constexpr Doc nll_loss{
    .summary = "Compute -input[target], of logarithms of probabilities.",
    .args = {{"input", "Tensor [rows, classes], [groups, classes, places] or [classes], floating."},
             {"target", "Class numbers [rows], [groups, places] or [], int64."},
             {"weight",
              "How much each class counts: [classes], of `input`'s dtype. No gradient passes to "
              "it."},
             {"ignore_index", "Rows with this target count for nothing."},
             {"reduction",
              "'mean' over the rows that count, each as often as its target's weight says; 'sum', "
              "or 'none' for one loss a row."}},
    .returns =
        "A new tensor, of no dims unless `reduction` is 'none'. Until backward the graph keeps "
        "the targets and the weight.",
    .raises =
        "ShapeError: The sizes do not fit.\n"
        "IndexOutOfRangeError: A target is neither a class nor `ignore_index`.\n"
        "DTypeError: `input` is not floating, `target` not int64, or the weight of another dtype.\n"
        "DeviceError: The tensors are on several devices.\n"
        "ValueError: There is no such reduction.",
    .example =
        ">>> logs = gb.tensor([[-0.5, -1.0], [-2.0, -0.25]])\n"
        ">>> gb.nn.functional.nll_loss(logs, gb.tensor([1, 0]), reduction='none')\n"
        "tensor([1., 2.])",
};
constexpr Doc layer_norm{
    .summary = "Bring the last dims to mean 0 and variance 1.",
    .details =
        "(input - mean) / sqrt(variance + eps) * weight + bias, where the variance is divided by "
        "the count (Ba, Kiros and Hinton, arXiv:1607.06450).",
    .args = {{"input", "Tensor [..., *normalized_shape] of a floating dtype."},
             {"normalized_shape", "The sizes of the last dims, or that of the last one."},
             {"weight",
              "Tensor of those sizes and `input`'s dtype, or float32 beside a half type; None "
              "stands for ones."},
             {"bias", "Likewise; None stands for zeros."},
             {"eps", "What is added to the variance."}},
    .returns =
        "A new tensor of `input`'s shape. Until backward the graph keeps `input`, the weight and "
        "two numbers a slice.",
    .raises =
        "ShapeError: The last sizes are others.\n"
        "DTypeError: `input` is not floating, or the dtypes differ.\n"
        "DeviceError: The tensors are on several devices.",
    .example =
        ">>> gb.layer_norm(gb.tensor([[1.0, 2.0, 3.0]]), 3)\n"
        "tensor([[-1.2247, 0.0000, 1.2247]])",
};
constexpr Doc channel_norm{
    .summary = "Compute a part of batch_norm, group_norm and instance_norm.",
};
constexpr Doc scale_channels{.summary = "Compute batch_norm by running statistics."};
constexpr Doc glu{.summary = "Compute garboard.nn.functional.glu, which documents it."};
constexpr Doc huber_loss{.summary = "Compute a part of huber_loss and smooth_l1_loss."};
constexpr Doc mse_loss{
    .summary = "Compute the squared distance of two tensors, element by element.",
    .details = "(input - target)^2, then its mean or sum.",
    .args = {{"input", "Tensor of any shape; one of the two is floating."},
             {"target", "Tensor of the same sizes; nothing broadcasts."},
             {"reduction", "'mean', 'sum', or 'none' for one loss an element."}},
    .returns =
        "A new tensor, of no dims unless `reduction` is 'none'. Until backward the graph keeps the "
        "difference.",
    .raises =
        "ShapeError: The sizes differ.\n"
        "DTypeError: Neither is floating.\n"
        "DeviceError: The tensors are on several devices.\n"
        "ValueError: There is no such reduction.",
    .example =
        ">>> gb.mse_loss(gb.tensor([1.0, 2.0]), gb.tensor([1.0, 4.0]))\n"
        "tensor(2.)",
};
constexpr Doc dropout{
    .summary = "Zero elements with probability `p` and scale the rest by 1 / (1 - p).",
    .details =
        "So the expectation stays. The default generator decides (`manual_seed`); Srivastava et "
        "al., \"Dropout\", JMLR 15, 2014.",
    .args = {{"input", "Tensor of any shape and of a floating dtype."},
             {"p", "In [0, 1]."},
             {"training", "False, as a `p` of 0, returns `input` as it is, under a new handle."}},
    .returns = "A new tensor of `input`'s shape. Until backward the graph keeps the mask.",
    .raises =
        "ShapeError: `p` lies outside.\n"
        "DTypeError: `input` is not floating.",
    .example =
        ">>> x = gb.ones(4)\n"
        ">>> gb.dropout(x, 1.0), gb.dropout(x, training=False)\n"
        "(tensor([0., 0., 0., 0.]), tensor([1., 1., 1., 1.]))",
};

}  // namespace docs

constexpr const char* scaled = "input: Tensor, dim: int, *, dtype: DType | None = None";

constexpr std::array nn_rows{
    bind("softmax", scaled, docs::softmax, fn<softmax>).with_out(),
    bind("log_softmax", scaled, docs::log_softmax, fn<log_softmax>).with_out(),
    bind(
        "cross_entropy",
        "input: Tensor, target: Tensor, weight: Tensor | None = None, *, "
        "ignore_index: int = -100, reduction: Reduction = 'mean', label_smoothing: float = 0.0",
        docs::cross_entropy,
        [](const Tensor& input, const Tensor& target, const Tensor& weight,
           std::int64_t ignore_index, Reduction reduction, double label_smoothing) {
          return cross_entropy(input, target, {weight, ignore_index, reduction, label_smoothing});
        },
        Place::functional),
    bind("nll_loss",
         "input: Tensor, target: Tensor, weight: Tensor | None = None, *, "
         "ignore_index: int = -100, reduction: Reduction = 'mean'",
         docs::nll_loss, fn<nll_loss>, Place::functional),
    bind("layer_norm",
         "input: Tensor, normalized_shape: int | Size, weight: Tensor | None = None, "
         "bias: Tensor | None = None, eps: float = 1e-05",
         docs::layer_norm, fn<layer_norm>, Place::functional),
    bind(
        "_channel_norm",
        "input: Tensor, weight: Tensor | None, bias: Tensor | None, groups: int, eps: float",
        docs::channel_norm,
        [](const Tensor& input, const Tensor& weight, const Tensor& bias, std::int64_t groups,
           double eps) {
          const NormalizedChannels found = normalize_channels(input, weight, bias, groups, eps);
          return std::vector<Tensor>{found.out, found.means, found.variances};
        },
        Place::functional),
    bind("_scale_channels", "input: Tensor, scale: Tensor, shift: Tensor", docs::scale_channels,
         fn<scale_channels>, Place::functional),
    bind("_glu", "input: Tensor, dim: int", docs::glu, fn<glu>, Place::functional),
    bind("mse_loss", "input: Tensor, target: Tensor, *, reduction: Reduction = 'mean'",
         docs::mse_loss, fn<mse_loss>, Place::functional),
    bind("_huber_loss",
         "input: Tensor, target: Tensor, turn: Number, *, reduction: Reduction = 'mean'",
         docs::huber_loss, fn<huber_loss>, Place::functional),
    bind(
        "dropout", "input: Tensor, p: float = 0.5, training: bool = True", docs::dropout,
        [](const Tensor& input, double p, bool training) {
          return training && p != 0 ? dropout(input, p) : input;
        },
        Place::functional),
};

}  // namespace

void add_nn_methods() { add_table<nn_rows>(); }

}  // namespace garboard::python
