// Tensors from nothing and from Python's data.
#include "csrc/ops/create/create.h"
#include "csrc/core/default_dtype.h"
#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/triangles.h"
#include "csrc/ops/shape/views.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/exchange/dlpack.h"
#include "python/bindings/exchange/exchange.h"
#include "python/bindings/creation/creation.h"
#include "python/bindings/creation/creation_docs.h"

namespace garboard::python {
namespace {

namespace docs {
using namespace garboard::python::docs;

constexpr Arg likewise{"input", "Tensor whose sizes, dtype and device are taken."};
constexpr const char* like_returns = "A new dense tensor of `input`'s sizes.";
constexpr const char* like_error =
    "DeviceError: The device cannot be used.\n"
    "GradientError: A gradient is asked for, and the dtype is no floating one.";

constexpr Doc tensor{
    .summary = "Copy a number, nested lists, an array or a tensor into a new tensor.",
    .args =
        {{"data",
          "A number, lists or tuples nested as deep as there are dims, an array of one of "
          "garboard's dtypes, lists of such arrays of one size, or a tensor, whose history does "
          "not come along."},
         {"dtype",
          "The dtype; else that of an array or tensor, of arrays the one they promote to, and of "
          "numbers the least of bool, int64 and float32 that holds their kind."},
         device,
         requires_grad},
    .returns = "A new dense tensor with memory of its own.",
    .raises =
        "ShapeError: Lists of one depth differ in length, or arrays in sizes.\n"
        "DTypeError: A number does not fit into the integer dtype, or no dtype is the array's.\n"
        "TypeError: An element is no number.\n"
        "DisposedError: A tensor in `data` is disposed.\n"
        "DeviceError: The device cannot be used.\n"
        "GradientError: A gradient is asked for, and the dtype is no floating one.",
    .example =
        ">>> gb.tensor([[1, 2], [3, 4]])\n"
        "tensor([[1, 2],\n"
        "        [3, 4]])\n"
        ">>> gb.tensor([1, 2.5]).dtype\n"
        "garboard.float32",
};
constexpr Doc as_tensor{
    .summary = "Make a tensor of `data`, sharing its memory where that is possible.",
    .details =
        "An array or a tensor is shared, unless a dtype or device is given that it does not have. "
        "What is shared is kept alive by the storage; writes are seen by both.",
    .args = {{"data", "What `tensor` takes."},
             {"dtype", "The dtype, if another is wanted."},
             {"device", "The device, if another is wanted."}},
    .returns = "A tensor over the same memory, or a copy.",
    .raises =
        "ShapeError: Lists of one depth differ in length, or arrays in sizes.\n"
        "DTypeError: A number does not fit into the integer dtype, or no dtype is the array's.\n"
        "TypeError: An element is no number.\n"
        "DisposedError: A tensor in `data` is disposed.\n"
        "DeviceError: The device cannot be used.",
    .example =
        ">>> import numpy\n"
        ">>> array = numpy.zeros(2)\n"
        ">>> gb.as_tensor(array).fill_(1) is None, array\n"
        "(False, array([1., 1.]))",
};
constexpr Doc from_numpy{
    .summary = "Share the memory of a NumPy array.",
    .details =
        "The storage keeps the array alive; writes are seen by both. The bytes count as foreign: "
        "no limit holds them.",
    .args = {{"ndarray", "An array of one of garboard's dtypes, with any strides."}},
    .returns = "A tensor of the array's shape, strides and dtype.",
    .raises =
        "DTypeError: No dtype is the array's.\n"
        "TypeError: It is no array.",
    .example =
        ">>> import numpy\n"
        ">>> array = numpy.zeros(2)\n"
        ">>> x = gb.from_numpy(array)\n"
        ">>> array[0] = 1\n"
        ">>> x\n"
        "tensor([1., 0.], dtype=garboard.float64)",
};
constexpr Doc from_dlpack{
    .summary = "Take the memory of a capsule of DLPack.",
};
constexpr Doc zeros{
    .summary = "Make a tensor of zeros.",
    .args = {size, dtype, device, requires_grad},
    .returns = "A new dense tensor.",
    .raises = size_error,
    .example =
        ">>> gb.zeros(2, 3)\n"
        "tensor([[0., 0., 0.],\n"
        "        [0., 0., 0.]])",
};
constexpr Doc ones{
    .summary = "Make a tensor of ones.",
    .args = {size, dtype, device, requires_grad},
    .returns = "A new dense tensor.",
    .raises = size_error,
    .example =
        ">>> gb.ones(3, dtype=gb.int64)\n"
        "tensor([1, 1, 1])",
};
constexpr Doc empty{
    .summary = "Make a tensor without setting its elements.",
    .details = "They are whatever the memory held.",
    .args = {size, dtype, device, requires_grad},
    .returns = "A new dense tensor.",
    .raises = size_error,
    .example =
        ">>> gb.empty(2, 3).shape\n"
        "(2, 3)",
};
constexpr Doc full{
    .summary = "Make a tensor of one value.",
    .args = {{"size", "Sizes, or the one size."},
             {"fill_value", "What every element is."},
             {"dtype", "The dtype; else bool, int64 or float32, by the kind of `fill_value`."},
             device,
             requires_grad},
    .returns = "A new dense tensor.",
    .raises =
        "ShapeError: A size is negative.\n"
        "DTypeError: `fill_value` does not fit into the integer dtype.\n"
        "DeviceError: The device cannot be used.\n"
        "GradientError: A gradient is asked for, and the dtype is no floating one.",
    .example =
        ">>> gb.full((2, 2), 7)\n"
        "tensor([[7, 7],\n"
        "        [7, 7]])",
};
constexpr Doc zeros_like{
    .summary = "Make zeros in the sizes and dtype of `input`.",
    .args = {likewise, order_of_dims, own_dtype, own_device, requires_grad},
    .returns = like_returns,
    .raises = like_error,
    .example =
        ">>> gb.zeros_like(gb.tensor([1, 2]))\n"
        "tensor([0, 0])",
};
constexpr Doc ones_like{
    .summary = "Make ones in the sizes and dtype of `input`.",
    .args = {likewise, order_of_dims, own_dtype, own_device, requires_grad},
    .returns = like_returns,
    .raises = like_error,
    .example =
        ">>> gb.ones_like(gb.tensor([1, 2]))\n"
        "tensor([1, 1])",
};
constexpr Doc empty_like{
    .summary = "Make a tensor in the sizes and dtype of `input`, its elements not set.",
    .args = {likewise, order_of_dims, own_dtype, own_device, requires_grad},
    .returns = like_returns,
    .raises = like_error,
    .example =
        ">>> gb.empty_like(gb.tensor([1, 2])).dtype\n"
        "garboard.int64",
};
constexpr Doc full_like{
    .summary = "Make a tensor of one value in the sizes and dtype of `input`.",
    .args = {likewise,
             {"fill_value", "What every element is; cut off towards zero for an integer dtype."},
             order_of_dims,
             own_dtype,
             own_device,
             requires_grad},
    .returns = like_returns,
    .raises =
        "DTypeError: `fill_value` does not fit into the integer dtype.\n"
        "DeviceError: The device cannot be used.\n"
        "GradientError: A gradient is asked for, and the dtype is no floating one.",
    .example =
        ">>> gb.full_like(gb.tensor([1, 2]), 7)\n"
        "tensor([7, 7])",
};
constexpr Doc arange{
    .summary = "Count from `start`, or from 0, up to but without `end`.",
    .details =
        "Element i is start + i * step. In an integer dtype `start` and `step` are cut off towards "
        "zero, and the count is that of the numbers as given.",
    .args = {{"start", "The first number; 0 where it is left out."},
             {"end", "Where to stop, finite."},
             {"step", "Not 0, and leading from `start` to `end`."},
             {"dtype", "The dtype; else int64, or float32 where a float is given."},
             device,
             requires_grad},
    .returns = "A new tensor of one dim.",
    .raises =
        "ShapeError: `step` is 0 or leads away from `end`, or a number is not finite.\n"
        "DeviceError: The device cannot be used.\n"
        "GradientError: A gradient is asked for, and the dtype is no floating one.",
    .example =
        ">>> gb.arange(3)\n"
        "tensor([0, 1, 2])\n"
        ">>> gb.arange(0, 1, 0.25)\n"
        "tensor([0.0000, 0.2500, 0.5000, 0.7500])",
};
constexpr Doc eye{
    .summary = "Make ones on the diagonal of `n` by `m` zeros.",
    .args = {{"n", "How many rows."},
             {"m", "How many columns; `n` where it is left out."},
             dtype,
             device,
             requires_grad},
    .returns = "A new matrix.",
    .raises = size_error,
    .example =
        ">>> gb.eye(2, 3)\n"
        "tensor([[1., 0., 0.],\n"
        "        [0., 1., 0.]])",
};
template <bool is_upper>
constexpr Doc triangle_indices{
    .summary = is_upper
                   ? "Return where the upper triangle of a matrix is: a row of rows and a row of "
                     "columns."
                   : "Return where the lower triangle of a matrix is: a row of rows and a row of "
                     "columns.",
    .args = {{"row", "How many rows the matrix has."},
             {"col", "How many columns."},
             {"offset",
              "By how many places the diagonal lies right of the main one; below 0, left."},
             {"dtype", "That of the result, int64 by default."},
             device},
    .returns = "A new tensor [2, places], row by row; its halves index the matrix.",
    .raises =
        "ShapeError: A count is negative, or no device holds the places.\n"
        "DeviceError: The device cannot be used.",
    .example = is_upper ? ">>> gb.triu_indices(2, 3).tolist()\n"
                          "[[0, 0, 0, 1, 1], [0, 1, 2, 1, 2]]"
                        : ">>> gb.tril_indices(2, 3).tolist()\n"
                          "[[0, 1, 1], [0, 0, 1]]",
};
constexpr const char* filling_error =
    "ShapeError: `input` meets an element twice, as what `expand` returns.\n"
    "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view of one.";
constexpr Doc fill{
    .summary = "Make a tensor of one value in the sizes, dtype and device of `input`.",
    .args = {likewise, {"value", "A number, or a tensor of one; cut off for an integer dtype."}},
    .returns = "A new dense tensor. The gradient goes to `value`, where that is a tensor.",
    .raises =
        "ShapeError: `value` is a tensor of more or fewer.\n"
        "DTypeError: `value` does not fit into the integer dtype.",
    .example =
        ">>> gb.fill(gb.ones(2), gb.tensor(7))\n"
        "tensor([7., 7.])",
};
constexpr Doc fill_{
    .summary = "Write `value` everywhere.",
    .details = "What was there before gets no gradient.",
    .args = {{"value", "A number, or a tensor of one; cut off for an integer dtype."}},
    .returns = "The tensor itself, not a new handle.",
    .raises =
        "DTypeError: `value` does not fit into the integer dtype.\n"
        "ShapeError: `value` is a tensor of more or fewer, or `input` meets an element twice, as "
        "what "
        "`expand` returns.\n"
        "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view of "
        "one.",
    .example =
        ">>> gb.fill_(gb.zeros(2), 7)\n"
        "tensor([7., 7.])",
};
constexpr Doc zero_{
    .summary = "Write 0 everywhere.",
    .details = "What was there before gets no gradient.",
    .returns = "The tensor itself, not a new handle.",
    .raises = filling_error,
    .example =
        ">>> gb.zero_(gb.ones(2))\n"
        "tensor([0., 0.])",
};

}  // namespace docs

template <std::int64_t value>
constexpr auto filled = [](OpName op, const Dims& sizes, const Options& options) {
  return finished(full(sizes, Scalar::of(value), options.dtype.value_or(default_floating()),
                       on(options), op.text),
                  options);
};
template <std::int64_t value>
constexpr auto filled_like = [](OpName op, const Tensor& like, PyObject* format,
                                const Options& options) {
  return finished_like(op.text, like, format,
                       full(like.sizes(), Scalar::of(value), options.dtype.value_or(like.dtype()),
                            options.device.value_or(like.device()), op.text),
                       options);
};

Tensor counted(Scalar start, Scalar end, Scalar step, const Options& options) {
  for (const Scalar& number : {start, end, step})
    if (number.category == Category::complex)
      throw_type_error("arange: a complex number; real ones are needed");
  const Category widest = std::max({start.category, end.category, step.category});
  const DType otherwise = widest == Category::floating ? default_floating() : DType::int64;
  return finished(arange(start, end, step, options.dtype.value_or(otherwise), on(options)),
                  options);
}

/// Without dims. Raises ShapeError unless it is one element.
Tensor one_value(const char* op, const Tensor& value) {
  if (value.count() != 1)
    throw ShapeError(text(op, ": value has sizes ", value.sizes(),
                          "; a number, or a tensor of exactly one element, is needed"));
  return reshape(value, {});
}
Tensor fill(const Tensor& like, const Operand& value) {
  // Of a clone there is a gradient, which is 0.
  const Tensor made = like.requires_grad() && is_grad_enabled()
                          ? clone(like)
                          : empty(like.sizes(), like.dtype(), like.device(), "fill");
  lie_as(made, like);
  if (value.tensor)
    copy_(made, one_value("fill", *value.tensor));
  else
    fill_(made, value.scalar);
  return made;
}

template <bool is_upper>
constexpr auto places_of = [](OpName op, std::int64_t rows, std::int64_t columns,
                              std::int64_t above, const Placement& placement) {
  return triangle_places(op.text, is_upper, rows, columns, above,
                         placement.dtype.value_or(DType::int64), on(placement));
};
constexpr const char* of_triangle = "row: int, col: int, offset: int = 0, *, @placement";

constexpr const char* of_sizes = "*size: int, @options";
constexpr const char* of_like =
    "input: Tensor, *, memory_format: _MemoryFormat | None = None, @options";

constexpr std::array create_rows{
    bind(
        "tensor", "data: TensorLike, *, @options", docs::tensor,
        [](PyObject* data, const Options& options) {
          return finished(tensor_from(data, "tensor", options.dtype, on(options)), options);
        },
        Place::functional),
    bind(
        "as_tensor", "data: TensorLike, *, @placement", docs::as_tensor,
        [](PyObject* data, const Placement& placement) {
          const auto& [dtype, device] = placement;
          const bool has_buffer = PyObject_CheckBuffer(data) && !PyBytes_Check(data);
          if (!is_tensor(data) && !has_buffer)
            return tensor_from(data, "as_tensor", dtype, on(placement));
          const Tensor shared = is_tensor(data) ? tensor_of(data, "as_tensor", "data")
                                                : tensor_around(data, "as_tensor");
          const Tensor result = to(shared, dtype.value_or(shared.dtype()));
          return device ? to(result, *device) : result;
        },
        Place::functional),
    bind(
        "from_numpy", "ndarray: NDArray[Any] | SupportsBuffer", docs::from_numpy,
        [](PyObject* array) { return tensor_around(array, "from_numpy"); }, Place::functional),
    bind(
        "_from_dlpack", "capsule: object", docs::from_dlpack,
        [](PyObject* capsule) { return tensor_of_dlpack(capsule); }, Place::functional),
    bind("zeros", of_sizes, docs::zeros, filled<0>, Place::functional).with_out(),
    bind("ones", of_sizes, docs::ones, filled<1>, Place::functional).with_out(),
    bind(
        "empty", of_sizes, docs::empty,
        [](const Dims& sizes, const Options& options) {
          return finished(empty(sizes, options.dtype.value_or(default_floating()), on(options)),
                          options);
        },
        Place::functional)
        .with_out(),
    bind(
        "full", "size: int | Size, fill_value: Number, *, @options", docs::full,
        [](const Dims& sizes, Scalar value, const Options& options) {
          const DType dtype = options.dtype.value_or(default_dtype(value.category));
          return finished(full(sizes, value, dtype, on(options)), options);
        },
        Place::functional)
        .with_out(),
    bind("zeros_like", of_like, docs::zeros_like, filled_like<0>, Place::functional),
    bind("ones_like", of_like, docs::ones_like, filled_like<1>, Place::functional),
    bind(
        "empty_like", of_like, docs::empty_like,
        [](const Tensor& like, PyObject* format, const Options& options) {
          return finished_like("empty_like", like, format,
                               empty(like.sizes(), options.dtype.value_or(like.dtype()),
                                     options.device.value_or(like.device())),
                               options);
        },
        Place::functional),
    bind(
        "full_like",
        "input: Tensor, fill_value: Number, *, memory_format: _MemoryFormat | None = None, "
        "@options",
        docs::full_like,
        [](const Tensor& like, Scalar value, PyObject* format, const Options& options) {
          return finished_like("full_like", like, format,
                               full(like.sizes(), value, options.dtype.value_or(like.dtype()),
                                    options.device.value_or(like.device())),
                               options);
        },
        Place::functional),
    bind(
        "arange", "end: Number, *, @options", docs::arange,
        [](Scalar end, const Options& options) {
          return counted(Scalar::of(std::int64_t{0}), end, Scalar::of(std::int64_t{1}), options);
        },
        Place::functional)
        .with_out(),
    bind("arange", "start: Number, end: Number, step: Number = 1, *, @options", docs::arange,
         fn<counted>, Place::functional)
        .with_out(),
    bind(
        "eye", "n: int, m: int | None = None, *, @options", docs::eye,
        [](std::int64_t rows, std::optional<std::int64_t> columns, const Options& options) {
          return finished(eye(rows, columns.value_or(rows),
                              options.dtype.value_or(default_floating()), on(options)),
                          options);
        },
        Place::functional)
        .with_out(),
    bind("tril_indices", of_triangle, docs::triangle_indices<false>, places_of<false>,
         Place::functional),
    bind("triu_indices", of_triangle, docs::triangle_indices<true>, places_of<true>,
         Place::functional),
    bind("fill", "input: Tensor, value: Tensor | Number", docs::fill, fn<fill>, Place::functional)
        .with_out(),
    bind(
        "fill_", "input: Tensor, value: Tensor | Number", docs::fill_,
        [](const Tensor& input, const Operand& value) {
          if (value.tensor)
            copy_(input, one_value("fill_", *value.tensor));
          else
            fill_(input, value.scalar);
          return Itself();
        },
        Place::method),
    bind(
        "zero_", "input: Tensor", docs::zero_,
        [](const Tensor& input) {
          fill_(input, Scalar::of(std::int64_t{0}));
          return Itself();
        },
        Place::method),
};

}  // namespace

void add_create_functions() { add_table<create_rows>(); }

}  // namespace garboard::python
