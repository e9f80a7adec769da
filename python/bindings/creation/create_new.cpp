// Tensors in even steps, and those that take after another.
#include <cmath>
#include <limits>

#include "csrc/core/default_dtype.h"
#include "csrc/ops/composite/elementwise.h"
#include "csrc/ops/shape/windows.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/exchange/exchange.h"
#include "python/bindings/creation/creation.h"
#include "python/bindings/creation/creation_docs.h"

namespace garboard::python {
namespace {

namespace docs {
using namespace garboard::python::docs;

constexpr const char* new_returns = "A new dense tensor.";
constexpr const char* steps_error =
    "ShapeError: `steps` is negative.\n"
    "DTypeError: A number does not fit into the integer dtype.\n"
    "DeviceError: The device cannot be used.\n"
    "GradientError: A gradient is asked for, and the dtype is no floating one.";
constexpr Arg steps{"steps", "How many numbers."};
constexpr Doc linspace{
    .summary = "Make numbers in even steps, both ends included.",
    .details =
        "Computed in float64; in an integer dtype the ends and the numbers between them are cut "
        "off "
        "towards zero.",
    .args = {{"start", "The first."}, {"end", "The last."}, steps, dtype, device, requires_grad},
    .returns = "A new tensor of one dim.",
    .raises = steps_error,
    .example =
        ">>> gb.linspace(0, 1, 5)\n"
        "tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])",
};
constexpr Doc logspace{
    .summary = "Make the powers of a base, their exponents in even steps.",
    .details =
        "Computed in float64; in an integer dtype the exponents of the ends and the powers are cut "
        "off towards zero.",
    .args = {{"start", "The first exponent."},
             {"end", "The last one."},
             steps,
             {"base", "What is raised to them."},
             dtype,
             device,
             requires_grad},
    .returns = "A new tensor of one dim.",
    .raises = steps_error,
    .example =
        ">>> gb.logspace(0, 2, 3)\n"
        "tensor([  1.,  10., 100.])",
};
constexpr Doc new_zeros{
    .summary = "Make zeros of this tensor's dtype, on its device.",
    .args = {size, own_dtype, own_device, requires_grad},
    .returns = new_returns,
    .raises = size_error,
    .example =
        ">>> gb.tensor([1, 2]).new_zeros(3)\n"
        "tensor([0, 0, 0])",
};
constexpr Doc new_ones{
    .summary = "Make ones of this tensor's dtype, on its device.",
    .args = {size, own_dtype, own_device, requires_grad},
    .returns = new_returns,
    .raises = size_error,
    .example =
        ">>> gb.tensor([1, 2]).new_ones(3)\n"
        "tensor([1, 1, 1])",
};
constexpr Doc new_empty{
    .summary = "Make a tensor of this one's dtype, on its device, its elements not set.",
    .args = {size, own_dtype, own_device, requires_grad},
    .returns = new_returns,
    .raises = size_error,
    .example =
        ">>> gb.tensor([1, 2]).new_empty(3).dtype\n"
        "garboard.int64",
};
constexpr Doc new_full{
    .summary = "Make a tensor of one value, of this tensor's dtype, on its device.",
    .args = {{"size", "Sizes, or the one size."},
             {"fill_value", "What every element is."},
             own_dtype,
             own_device,
             requires_grad},
    .returns = new_returns,
    .raises =
        "ShapeError: A size is negative.\n"
        "DTypeError: `fill_value` does not fit into the integer dtype.\n"
        "DeviceError: The device cannot be used.\n"
        "GradientError: A gradient is asked for, and the dtype is no floating one.",
    .example =
        ">>> gb.tensor([1, 2]).new_full((2,), 7)\n"
        "tensor([7, 7])",
};
constexpr Doc new_tensor{
    .summary = "Copy data into a new tensor of this one's dtype, on its device.",
    .args = {{"data", "What `tensor` takes."}, own_dtype, own_device, requires_grad},
    .returns = "A new dense tensor with memory of its own.",
    .raises =
        "ShapeError: Lists of one depth differ in length.\n"
        "DTypeError: A number does not fit into the integer dtype.\n"
        "TypeError: An element is no number.\n"
        "DeviceError: The device cannot be used.\n"
        "GradientError: A gradient is asked for, and the dtype is no floating one.",
    .example =
        ">>> gb.tensor([1.0]).new_tensor([1, 2])\n"
        "tensor([1., 2.])",
};

constexpr Doc range{
    .summary = "Count from `start` up to `end`, which is included.",
    .details = "Element i is start + i * step. `arange` leaves `end` out, as Python does.",
    .args = {{"start", "The first number."},
             {"end", "Up to where, or down to where."},
             {"step", "Not 0, and leading from `start` to `end`."},
             dtype,
             device,
             requires_grad},
    .returns = "A new tensor of one dim.",
    .raises =
        "ShapeError: `step` is 0 or leads away from `end`, or a number is not finite.\n"
        "DTypeError: A number does not fit into the integer dtype.\n"
        "DeviceError: The device cannot be used.\n"
        "GradientError: A gradient is asked for, and the dtype is no floating one.",
    .example =
        ">>> gb.range(1, 3)\n"
        "tensor([1., 2., 3.])",
};
constexpr Doc scalar_tensor{
    .summary = "Make a tensor without dims of a number.",
    .args = {{"s", "The number."}, dtype, device, requires_grad},
    .returns = "A new tensor without dims.",
    .raises =
        "DTypeError: The number does not fit into the integer dtype.\n"
        "DeviceError: The device cannot be used.\n"
        "GradientError: A gradient is asked for, and the dtype is no floating one.",
    .example =
        ">>> gb.scalar_tensor(3)\n"
        "tensor(3.)",
};
constexpr Doc empty_strided{
    .summary = "Make a tensor with strides of your own, its elements not set.",
    .args = {{"size", "Sizes, or the one size."},
             {"stride", "How far apart neighbours are along each dim, in elements."},
             dtype,
             device,
             requires_grad},
    .returns = "A new tensor over as much memory as its elements reach.",
    .raises =
        "ShapeError: There are more sizes than strides or fewer, or one is negative.\n"
        "DeviceError: The device cannot be used.\n"
        "GradientError: A gradient is asked for, and the dtype is no floating one.",
    .example =
        ">>> gb.empty_strided((2, 3), (1, 2)).stride()\n"
        "(1, 2)",
};

}  // namespace docs

/// What is left out is as of `like`.
Options options_after(const Tensor& like, const Options& given) {
  Options options = given;
  options.dtype = given.dtype.value_or(like.dtype());
  options.device = given.device.value_or(like.device());
  return options;
}

template <std::int64_t value>
constexpr auto filled_after =
    [](OpName op, const Tensor& like, const Dims& sizes, const Options& given) {
      const Options options = options_after(like, given);
      return finished(full(sizes, Scalar::of(value), *options.dtype, *options.device, op.text),
                      options);
    };

/// An end as a number of the dtype asked for.
double end_of(double end, const Options& options) {
  return has_gradient(options.dtype.value_or(default_floating())) ? end : std::trunc(end);
}

/// `first` and `last` are the ends of what `numbers` makes.
template <class Numbers>
Tensor between(OpName op, double first, double last, const Options& options, Numbers numbers) {
  const DType dtype = options.dtype.value_or(default_floating());
  for (const double end : {first, last}) check_fits(op.text, Scalar::of(end), dtype);
  return finished(to(numbers(), dtype), options);
}

/// How many elements there are from the first to the last.
std::int64_t reach_of(const Dims& sizes, const Dims& strides) {
  std::int64_t last = 0;
  bool is_wrong = sizes.size() != strides.size(), is_empty = false;
  for (int i = 0; i < sizes.size() && !is_wrong; ++i) {
    std::int64_t length = 0;
    is_empty = is_empty || sizes[i] == 0;
    is_wrong = sizes[i] < 0 || strides[i] < 0 ||
               __builtin_mul_overflow(sizes[i] - 1, strides[i], &length) ||
               (!is_empty && __builtin_add_overflow(last, length, &last));
  }
  if (is_wrong || last == std::numeric_limits<std::int64_t>::max())
    throw ShapeError(text("empty_strided: sizes ", sizes, " and strides ", strides,
                          "; as many of one as of the other are needed, none negative, and no more "
                          "elements than 64 bits count"));
  return is_empty ? 0 : last + 1;
}

constexpr const char* of_sizes_after = "input: Tensor, *size: int, @options";

constexpr std::array new_rows{
    bind(
        "range", "start: Number, end: Number, step: Number = 1, *, @options", docs::range,
        [](Scalar start, Scalar end, Scalar step, const Options& options) {
          for (const Scalar& number : {start, end, step})
            if (number.category == Category::complex)
              throw_type_error("range: a complex number; real ones are needed");
          const double count = std::floor((end.real - start.real) / step.real) + 1;
          if (!(count >= 1 && count < 0x1p62))
            throw ShapeError(text("range: from ", start.real, " to ", end.real, " by ", step.real,
                                  "; step must lead from start to end"));
          const DType dtype = options.dtype.value_or(default_floating());
          const Tensor counts =
              arange(Scalar::of(std::int64_t{0}), Scalar::of(static_cast<std::int64_t>(count)),
                     Scalar::of(std::int64_t{1}), DType::float64, on(options));
          return finished(to(counts * step + start, dtype), options);
        },
        Place::functional)
        .with_out(),
    bind(
        "scalar_tensor", "s: Number, *, @options", docs::scalar_tensor,
        [](Scalar value, const Options& options) {
          const DType dtype = options.dtype.value_or(default_floating());
          return finished(full({}, value, dtype, on(options)), options);
        },
        Place::functional),
    bind(
        "empty_strided", "size: int | Size, stride: int | Size, *, @options", docs::empty_strided,
        [](OpName op, const Dims& sizes, const Dims& strides, const Options& options) {
          const std::int64_t reach = reach_of(sizes, strides);
          const DType dtype = options.dtype.value_or(default_floating());
          const Tensor whole = empty({reach}, dtype, on(options), op.text);
          return finished(as_strided(whole, sizes, strides, std::nullopt), options);
        },
        Place::functional),
    bind(
        "linspace", "start: float, end: float, steps: int, *, @options", docs::linspace,
        [](OpName op, double start, double end, std::int64_t steps, const Options& options) {
          const double from = end_of(start, options), to = end_of(end, options);
          return between(op, from, to, options, [&] {
            return composite::even_steps(op.text, from, to, steps,
                                         options.dtype.value_or(default_floating()), on(options));
          });
        },
        Place::functional)
        .with_out(),
    bind(
        "logspace", "start: float, end: float, steps: int, base: float = 10.0, *, @options",
        docs::logspace,
        [](OpName op, double start, double end, std::int64_t steps, double base,
           const Options& options) {
          const double from = end_of(start, options), to = end_of(end, options);
          return between(op, std::pow(base, from), std::pow(base, to), options, [&] {
            return pow(Scalar::of(base), composite::even_steps(op.text, from, to, steps,
                                                               DType::float64, on(options)));
          });
        },
        Place::functional)
        .with_out(),
    bind("new_zeros", of_sizes_after, docs::new_zeros, filled_after<0>, Place::method),
    bind("new_ones", of_sizes_after, docs::new_ones, filled_after<1>, Place::method),
    bind(
        "new_empty", of_sizes_after, docs::new_empty,
        [](OpName op, const Tensor& like, const Dims& sizes, const Options& given) {
          const Options options = options_after(like, given);
          return finished(empty(sizes, *options.dtype, *options.device, op.text), options);
        },
        Place::method),
    bind(
        "new_full", "input: Tensor, size: int | Size, fill_value: Number, *, @options",
        docs::new_full,
        [](OpName op, const Tensor& like, const Dims& sizes, Scalar value, const Options& given) {
          const Options options = options_after(like, given);
          return finished(full(sizes, value, *options.dtype, *options.device, op.text), options);
        },
        Place::method),
    bind(
        "new_tensor", "input: Tensor, data: TensorLike, *, @options", docs::new_tensor,
        [](OpName op, const Tensor& like, PyObject* data, const Options& given) {
          const Options options = options_after(like, given);
          return finished(tensor_from(data, op.text, options.dtype, *options.device), options);
        },
        Place::method),
};

}  // namespace

void add_new_functions() { add_table<new_rows>(); }

}  // namespace garboard::python
