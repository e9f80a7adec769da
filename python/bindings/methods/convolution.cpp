// Convolutions, and the transposed ones.
#include "csrc/ops/windows/convolution.h"
#include "python/bindings/call/methods.h"

namespace garboard::python {

/// Numbers of zeros, or a word.
template <>
struct Reader<Padding> : detail::Value<Padding> {
  static constexpr bool fits(std::string_view annotation) {
    return annotation == "int | Size | Literal['same', 'valid']";
  }
  static Padding read(const Arguments& given, std::size_t i) {
    PyObject* const object = given.object(i);
    if (!PyUnicode_Check(object)) return {.counts = Reader<Dims>::read(given, i)};
    const std::string text = text_or_mark(object);
    if (text != "same" && text != "valid")
      throw_no_choice(given.op(), given.name(i), object, "numbers, 'same' or 'valid'");
    return {.is_same = text == "same"};
  }
};

namespace {

namespace docs {

constexpr const char* formula =
    "out[n, o, t] = bias[o] + sum over c, k of weight[o, c, k] input[n, c, t stride + k dilation - "
    "padding] along each dim of space, where the input is 0 outside. With groups, each group of "
    "out channels sees its share of the channels alone.";
constexpr Arg bias{"bias", "Tensor [out channels], or None."};
constexpr Arg conv_stride{"stride",
                          "How far apart the places are, at least 1: a number, or one a dim."};
constexpr Arg conv_padding{
    "padding",
    "Zeros on each side, a number or one a dim; 'valid' for none; 'same' for as "
    "many as keep the sizes at stride 1, the odd one at the end."};
constexpr Arg conv_dilation{"dilation", "How far apart the taps are, at least 1, likewise."};
constexpr Arg groups{"groups", "A number that divides both kinds of channels."};
constexpr const char* raises =
    "ShapeError: The sizes do not fit, or a number lies outside.\n"
    "DTypeError: The dtype is neither, or the dtypes differ.\n"
    "DeviceError: The tensors are on several devices.\n"
    "ValueError: `padding` is another word.";
constexpr Doc conv1d{
    .summary = "Slide weights along an input of several channels.",
    .details = formula,
    .args = {{"input", "Tensor [n, channels, length] or [channels, length], float32 or float64."},
             {"weight", "Tensor [out channels, channels / groups, taps] of `input`'s dtype."},
             bias,
             conv_stride,
             conv_padding,
             conv_dilation,
             groups},
    .returns =
        "A new tensor [n, out channels, places] or [out channels, places], of (length + 2 padding "
        "- dilation (taps - 1) - 1) / stride + 1 places, rounded down. Until backward the graph "
        "keeps `input` if the weight requires grad, and the weight if `input` does.",
    .raises = raises,
    .example =
        ">>> x = gb.tensor([[1.0, 2.0, 3.0, 4.0]])\n"
        ">>> gb.conv1d(x, gb.tensor([[[-1.0, 1.0]]]))\n"
        "tensor([[1., 1., 1.]])",
};
constexpr const char* convolved =
    "A new tensor with the out channels in place of the channels, and along each dim (size + 2 "
    "padding - dilation (taps - 1) - 1) / stride + 1 places, rounded down. Until backward the "
    "graph keeps `input` if the weight requires grad, and the weight if `input` does.";
constexpr Doc conv2d{
    .summary = "Slide weights over images of several channels.",
    .details = formula,
    .args = {{"input",
              "Tensor [n, channels, height, width] or [channels, height, width], float32 or "
              "float64."},
             {"weight", "Tensor [out channels, channels / groups, height, width] of its dtype."},
             bias,
             conv_stride,
             conv_padding,
             conv_dilation,
             groups},
    .returns = convolved,
    .raises = raises,
    .example =
        ">>> x = gb.ones(1, 4, 4)\n"
        ">>> gb.conv2d(x, gb.ones(1, 1, 3, 3), stride=(1, 2), padding=(0, 1))\n"
        "tensor([[[6., 9.],\n"
        "         [6., 9.]]])",
};
constexpr Doc conv3d{
    .summary = "Slide weights through volumes of several channels.",
    .details = formula,
    .args = {{"input",
              "Tensor [n, channels, depth, height, width] or without n, float32 or float64."},
             {"weight",
              "Tensor [out channels, channels / groups, depth, height, width] of its dtype."},
             bias,
             conv_stride,
             conv_padding,
             conv_dilation,
             groups},
    .returns = convolved,
    .raises = raises,
    .example =
        ">>> gb.conv3d(gb.ones(1, 1, 3, 3, 3), gb.ones(2, 1, 3, 3, 3)).flatten()\n"
        "tensor([27., 27.])",
};

constexpr const char* transposed_formula =
    "The gradient of a convolution for its input: what stands at a place goes, times the weight, "
    "to all that the taps meet there, out[n, o, t stride + k dilation - padding] += weight[c, o, "
    "k] input[n, c, t] along each dim of space, plus the bias.";
constexpr Arg cut{"padding", "What is cut off on each side, a number or one a dim."};
constexpr Arg output_padding{"output_padding",
                             "Places added at the end, smaller than the stride or the dilation."};
constexpr const char* transposed_returns =
    "A new tensor with the out channels in place of the channels, and along each dim (size - 1) "
    "stride - 2 padding + dilation (taps - 1) + output_padding + 1 places. Until backward the "
    "graph keeps `input` if the weight requires grad, and the weight if `input` does.";
constexpr const char* transposed_raises =
    "ShapeError: The sizes do not fit, or a number lies outside.\n"
    "DTypeError: The dtype is neither, or the dtypes differ.\n"
    "DeviceError: The tensors are on several devices.";
constexpr Doc conv_transpose1d{
    .summary = "Spread each element of an input by weights: conv1d's transpose.",
    .details = transposed_formula,
    .args = {{"input", "Tensor [n, channels, length] or [channels, length], float32 or float64."},
             {"weight", "Tensor [channels, out channels / groups, taps] of `input`'s dtype."},
             bias,
             conv_stride,
             cut,
             output_padding,
             groups,
             conv_dilation},
    .returns = transposed_returns,
    .raises = transposed_raises,
    .example =
        ">>> x = gb.tensor([[1.0, 2.0]])\n"
        ">>> gb.conv_transpose1d(x, gb.tensor([[[1.0, 10.0]]]), stride=2)\n"
        "tensor([[ 1., 10.,  2., 20.]])",
};
constexpr Doc conv_transpose2d{
    .summary = "Spread each pixel of an input by weights: conv2d's transpose.",
    .details = transposed_formula,
    .args = {{"input",
              "Tensor [n, channels, height, width] or [channels, height, width], float32 or "
              "float64."},
             {"weight", "Tensor [channels, out channels / groups, height, width] of its dtype."},
             bias,
             conv_stride,
             cut,
             output_padding,
             groups,
             conv_dilation},
    .returns = transposed_returns,
    .raises = transposed_raises,
    .example =
        ">>> gb.conv_transpose2d(gb.ones(1, 8, 4, 4), gb.ones(8, 2, 2, 2), stride=2).shape\n"
        "(1, 2, 8, 8)",
};
constexpr Doc conv_transpose3d{
    .summary = "Spread each element of a volume by weights: conv3d's transpose.",
    .details = transposed_formula,
    .args = {{"input",
              "Tensor [n, channels, depth, height, width] or without n, float32 or float64."},
             {"weight",
              "Tensor [channels, out channels / groups, depth, height, width] of its dtype."},
             bias,
             conv_stride,
             cut,
             output_padding,
             groups,
             conv_dilation},
    .returns = transposed_returns,
    .raises = transposed_raises,
    .example =
        ">>> gb.conv_transpose3d(gb.ones(1, 2, 2, 2, 2), gb.ones(2, 1, 3, 3, 3)).shape\n"
        "(1, 1, 4, 4, 4)",
};

constexpr Doc gradient_part{
    .summary = "Compute a part of garboard.nn.grad, which documents it.",
};

}  // namespace docs

template <int dims>
Tensor convolve(const Tensor& input, const Tensor& weight, const Tensor& bias, const Dims& stride,
                const Padding& padding, const Dims& dilation, std::int64_t groups) {
  return convolution(dims, input, weight, bias, {stride, padding, dilation, groups});
}

template <int dims>
Tensor spread_out(const Tensor& input, const Tensor& weight, const Tensor& bias, const Dims& stride,
                  const Dims& padding, const Dims& output_padding, std::int64_t groups,
                  const Dims& dilation) {
  return transposed_convolution(dims, input, weight, bias,
                                {stride, {padding}, dilation, groups, output_padding});
}

Tensor gradient_of_input(const Tensor& grad, const Tensor& weight, const Dims& size,
                         const Dims& stride, const Padding& padding, const Dims& dilation,
                         std::int64_t groups) {
  return convolution_input_gradient(grad, weight, size, {stride, padding, dilation, groups});
}
Tensor gradient_of_weight(const Tensor& grad, const Tensor& input, const Dims& size,
                          const Dims& stride, const Padding& padding, const Dims& dilation,
                          std::int64_t groups) {
  return convolution_weight_gradient(grad, input, size, {stride, padding, dilation, groups});
}

constexpr const char* convolved =
    "input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Size = 1, "
    "padding: int | Size | Literal['same', 'valid'] = 0, dilation: int | Size = 1, groups: int = 1";
constexpr const char* transposed =
    "input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Size = 1, "
    "padding: int | Size = 0, output_padding: int | Size = 0, groups: int = 1, "
    "dilation: int | Size = 1";

constexpr std::array convolution_rows{
    bind("conv1d", convolved, docs::conv1d, fn<convolve<1>>, Place::functional),
    bind("conv2d", convolved, docs::conv2d, fn<convolve<2>>, Place::functional),
    bind("conv3d", convolved, docs::conv3d, fn<convolve<3>>, Place::functional),
    bind("conv_transpose1d", transposed, docs::conv_transpose1d, fn<spread_out<1>>,
         Place::functional),
    bind("conv_transpose2d", transposed, docs::conv_transpose2d, fn<spread_out<2>>,
         Place::functional),
    bind("conv_transpose3d", transposed, docs::conv_transpose3d, fn<spread_out<3>>,
         Place::functional),
    bind("_convolution_input_gradient",
         "grad: Tensor, weight: Tensor, size: Size, stride: int | Size, "
         "padding: int | Size | Literal['same', 'valid'], dilation: int | Size, groups: int",
         docs::gradient_part, fn<gradient_of_input>, Place::functional),
    bind("_convolution_weight_gradient",
         "grad: Tensor, input: Tensor, size: Size, stride: int | Size, "
         "padding: int | Size | Literal['same', 'valid'], dilation: int | Size, groups: int",
         docs::gradient_part, fn<gradient_of_weight>, Place::functional),
};

}  // namespace

void add_convolution_methods() { add_table<convolution_rows>(); }

}  // namespace garboard::python
