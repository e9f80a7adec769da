// Attention and recurrent layers.
#include "csrc/ops/sequences/attention.h"
#include "csrc/ops/sequences/ctc_loss.h"
#include "csrc/ops/sequences/recurrent_layer.h"
#include "python/bindings/call/methods.h"

namespace garboard::python {

template <>
struct Choices<kernels::Cell> {
  static constexpr std::string_view annotation = "Literal['tanh', 'relu', 'lstm', 'gru']";
  static constexpr std::array<std::pair<const char*, kernels::Cell>, 4> names{
      {{"tanh", kernels::Cell::tanh},
       {"relu", kernels::Cell::relu},
       {"lstm", kernels::Cell::lstm},
       {"gru", kernels::Cell::gru}}};
};

namespace {

namespace docs {

constexpr Doc attention{
    .summary = "Mix values by how well their keys match each query.",
    .details =
        "softmax(scale query key^T + mask) value, in blocks: the scores are never all there, and "
        "memory grows with the length alone (Dao et al., \"FlashAttention\", arXiv:2205.14135). A "
        "row that sees nothing is 0.",
    .args =
        {{"query", "Tensor [..., heads, rows, depth] of a floating dtype."},
         {"key", "Tensor [..., heads, columns, depth] of its dtype; sizes before broadcast."},
         {"value", "Tensor [..., heads, columns, values], likewise."},
         {"attn_mask",
          "Tensor that broadcasts to [..., heads, rows, columns]: bool, where true takes part, or "
          "of `query`'s dtype, to be added. One that requires grad costs memory for all scores."},
         {"dropout_p", "Drop elements of the softmax with this probability, in training or not."},
         {"is_causal", "Row i sees columns up to i; without attn_mask."},
         {"scale", "None for 1 / sqrt(depth)."},
         {"enable_gqa",
          "Keys and values may have fewer heads, each for as many of the query's that follow each "
          "other."}},
    .returns =
        "A new tensor [..., heads, rows, values]. Until backward the graph keeps the inputs, the "
        "result and a number a row.",
    .raises =
        "ShapeError: The sizes do not fit, `dropout_p` lies outside, or there are two masks.\n"
        "DTypeError: The dtype is neither, or the dtypes differ.\n"
        "DeviceError: The tensors are on several devices.\n"
        "GradientError: A gradient with dropout is differentiated again.",
    .example =
        ">>> q, k, v = gb.ones(1, 2, 4), gb.ones(1, 3, 4), gb.ones(1, 3, 5)\n"
        ">>> gb.scaled_dot_product_attention(q, k, v).shape\n"
        "(1, 2, 5)",
};
constexpr Doc recurrent_layer{
    .summary = "Run sequences through a recurrent layer in one direction.",
    .args = {{"cell", "What a step computes."},
             {"input", "Tensor [rows, features], step by step, the longest sequence first."},
             {"first", "Tensor [sequences, hidden]."},
             {"first_cell", "Likewise for 'lstm'; None for the others."},
             {"weight_ih", "Tensor [gates * hidden, features]."},
             {"weight_hh", "Tensor [gates * hidden, hidden]."},
             {"bias_ih", "Tensor [gates * hidden], or None."},
             {"bias_hh", "Likewise."},
             {"batch_sizes", "How many rows each step has: [steps], int64."},
             {"is_reversed", "From the last step to the first."}},
    .returns =
        "A new tensor: the state at each row, each sequence's last state and, of 'lstm', its last "
        "cell. Until backward the graph keeps it, the inputs and what the gates let by.",
    .raises =
        "ShapeError: The sizes do not fit.\n"
        "DTypeError: The dtype is no floating one, or the dtypes differ.\n"
        "DeviceError: The tensors are on several devices.\n"
        "ValueError: There is no such cell.",
    .example =
        ">>> x, h, w = gb.ones(2, 1), gb.zeros(1, 1), gb.ones(1, 1)\n"
        ">>> steps = gb.tensor([1, 1])\n"
        ">>> gb._engine._recurrent_layer('relu', x, h, None, w, w, None, None, steps, False)\n"
        "tensor([[1.],\n"
        "        [2.],\n"
        "        [2.]])",
};
constexpr Doc ctc_loss{
    .summary = "Compute how unlikely labels are whose places in a sequence nobody knows.",
    .args = {{"log_probs", "Tensor [steps, samples, classes], floating: of a log_softmax."},
             {"targets", "Labels [all], int64, those of a sample one behind the other."},
             {"starts", "Where those of each begin: [samples], int64."},
             {"target_lengths", "How many each has, likewise."},
             {"input_lengths", "How many steps each has, likewise."},
             {"longest", "The largest of the target_lengths."},
             {"blank", "The class that is no label."},
             {"zero_infinity", "Whether an infinite loss has a gradient of 0, not of NaN."}},
    .returns =
        "A new tensor [samples]. Until backward the graph keeps log_probs, the targets, and a "
        "number for each step and label.",
    .raises =
        "ShapeError: The sizes do not fit.\n"
        "IndexOutOfRangeError: A label is no class, or a length is too long.\n"
        "DTypeError: `log_probs` is not floating, or another one not int64.\n"
        "DeviceError: The tensors are on several devices.\n"
        "GradientError: A gradient is differentiated again.",
    .example =
        ">>> even, one, none = gb.full((1, 1, 2), -0.5), gb.tensor([1]), gb.tensor([0])\n"
        ">>> gb._engine._ctc_loss(even, one, none, one, one, 1)\n"
        "tensor([0.5000])",
};

}  // namespace docs

constexpr std::array sequence_rows{
    bind(
        "scaled_dot_product_attention",
        "query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, "
        "dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None, "
        "enable_gqa: bool = False",
        docs::attention,
        [](const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
           double dropout, bool is_causal, std::optional<double> scale, bool shares_heads) {
          return attention(query, key, value, mask, {dropout, is_causal, scale, shares_heads});
        },
        Place::functional),
    bind(
        "_recurrent_layer",
        "cell: Literal['tanh', 'relu', 'lstm', 'gru'], input: Tensor, first: Tensor, "
        "first_cell: Tensor | None, weight_ih: Tensor, weight_hh: Tensor, "
        "bias_ih: Tensor | None, bias_hh: Tensor | None, batch_sizes: Tensor, is_reversed: bool",
        docs::recurrent_layer,
        [](kernels::Cell cell, const Tensor& input, const Tensor& first, const Tensor& first_cell,
           const Tensor& input_weight, const Tensor& hidden_weight, const Tensor& input_bias,
           const Tensor& hidden_bias, const Tensor& batch_sizes, bool is_reversed) {
          return recurrent_layer(
              {cell, input_weight, hidden_weight, input_bias, hidden_bias, is_reversed}, input,
              first, first_cell, batch_sizes);
        },
        Place::functional),
    bind(
        "_ctc_loss",
        "log_probs: Tensor, targets: Tensor, starts: Tensor, target_lengths: Tensor, "
        "input_lengths: Tensor, longest: int, blank: int = 0, zero_infinity: bool = False",
        docs::ctc_loss,
        [](const Tensor& log_probs, const Tensor& targets, const Tensor& starts,
           const Tensor& target_lengths, const Tensor& input_lengths, std::int64_t longest,
           std::int64_t blank, bool zero_infinity) {
          return ctc_loss(log_probs, {targets, starts, target_lengths, input_lengths, longest},
                          blank, zero_infinity);
        },
        Place::functional),
};

}  // namespace

void add_sequence_methods() { add_table<sequence_rows>(); }

}  // namespace garboard::python
