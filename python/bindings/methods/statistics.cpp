// Reductions made of others, and running results.
#include "csrc/ops/composite/statistics.h"
#include "csrc/ops/linear_algebra/spectrum.h"
#include "csrc/ops/reduce/scan.h"
#include "csrc/ops/shape/views.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/elementwise/forms.h"
#include "python/bindings/methods/reductions.h"

namespace garboard::python {
namespace {

namespace docs {
using namespace garboard::python::docs;

constexpr Arg converted_dtype{"dtype", "What `input` is converted to first."};
constexpr Arg scanned_dim{"dim", "Along which dim, in [-ndim, ndim)."};
constexpr const char* floating_dims_error =
    "IndexOutOfRangeError: A dim lies outside.\n"
    "ShapeError: A dim is named twice.\n"
    "DTypeError: The dtype is no floating one.";

constexpr Doc cumprod{
    .summary = "Multiply the elements along `dim`, keeping each product on the way.",
    .details = "cumprod(x)_i = x_0 * ... * x_i. The gradient is exact where there are zeros too.",
    .args = {any_tensor, scanned_dim, converted_dtype},
    .returns =
        "A new tensor of `input`'s shape and floating dtype, int64 for integers and bools. Until "
        "backward the graph keeps `input` and the result.",
    .raises = "IndexOutOfRangeError: `dim` lies outside.",
    .example =
        ">>> gb.cumprod(gb.tensor([1, 2, 3]), 0)\n"
        "tensor([1, 2, 6])",
};
constexpr Doc cumprod_{
    .summary = "Multiply the elements along `dim`, keeping each product on the way, in place.",
    .args = {scanned_dim, converted_dtype},
    .returns = "The tensor itself, not a new handle.",
    .raises =
        "IndexOutOfRangeError: `dim` lies outside.\n"
        "DTypeError: The products' category (bool, integer, floating) is above that of `input`.\n"
        "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view of "
        "one.",
    .example =
        ">>> gb.cumprod_(gb.tensor([1, 2, 3]), 0)\n"
        "tensor([1, 2, 6])",
};
constexpr Doc logcumsumexp{
    .summary = "Compute logarithms of running sums of exponentials along `dim`.",
    .details =
        "logcumsumexp(x)_i = log(exp(x_0) + ... + exp(x_i)), which overflows nowhere. Integers and "
        "bools are taken as float32.",
    .args = {any_tensor, scanned_dim},
    .returns =
        "A new tensor of `input`'s shape. Until backward the graph keeps `input` and the result.",
    .raises = "IndexOutOfRangeError: `dim` lies outside.",
    .example =
        ">>> gb.logcumsumexp(gb.tensor([100.0, 100.0]), 0)\n"
        "tensor([100.0000, 100.6931])",
};
constexpr Doc count_nonzero{
    .summary = "Count the elements that are not zero along `dim`, or all of them.",
    .args = {any_tensor, reduced_dims},
    .returns = "A new int64 tensor without the reduced dims. No gradient passes.",
    .raises = dims_error,
    .example =
        ">>> gb.count_nonzero(gb.tensor([[0, 5], [7, 9]]), 0)\n"
        "tensor([1, 2])",
};
constexpr Doc nansum{
    .summary = "Add the elements along `dim`, or all of them, as if NaN were 0.",
    .args = {any_tensor, reduced_dims, keepdim, converted_dtype},
    .returns =
        "A new tensor without the reduced dims, of `input`'s floating dtype, int64 for integers "
        "and bools. Until backward the graph keeps where NaN is.",
    .raises = dims_error,
    .example =
        ">>> gb.nansum(gb.tensor([1.0, float('nan'), 2.0]))\n"
        "tensor(3.)",
};
constexpr Doc nanmean{
    .summary = "Average the numbers along `dim`, or all of them, as if NaN were not there.",
    .details = "NaN where there are no numbers.",
    .args = {floating_tensor, reduced_dims, keepdim, converted_dtype},
    .returns =
        "A new tensor without the reduced dims. Until backward the graph keeps where NaN is.",
    .raises = floating_dims_error,
    .example =
        ">>> gb.nanmean(gb.tensor([1.0, float('nan'), 2.0]))\n"
        "tensor(1.5000)",
};
constexpr Doc var_mean{
    .summary = "Compute variance and mean along `dim`, or of all elements.",
    .args = {floating_tensor, reduced_dims, correction, unbiased, keepdim},
    .returns = "A tuple of two new tensors. Until backward the graph keeps `input`.",
    .raises = floating_dims_error,
    .example =
        ">>> gb.var_mean(gb.tensor([1.0, 2.0, 3.0]))\n"
        "(tensor(1.), tensor(2.))",
};
constexpr Doc std_mean{
    .summary = "Compute standard deviation and mean along `dim`, or of all elements.",
    .args = {floating_tensor, reduced_dims, correction, unbiased, keepdim},
    .returns =
        "A tuple of two new tensors. Until backward the graph keeps `input` and the deviation.",
    .raises = floating_dims_error,
    .example =
        ">>> gb.std_mean(gb.tensor([1.0, 2.0, 3.0]))\n"
        "(tensor(1.), tensor(2.))",
};
constexpr Doc norm{
    .summary = "Compute the p-norm along `dim`, or of all elements.",
    .details =
        "norm(x) = sum(|x|^p)^(1/p); the largest |x| for p = inf, the least for -inf, how many are "
        "not 0 for 0. Where it is 0, the gradient of p = 2 is 0.",
    .args = {floating_tensor,
             {"p", "The power; \"fro\" for 2, \"nuc\" for the sum of a matrix's singular values."},
             reduced_dims,
             keepdim,
             converted_dtype},
    .returns =
        "A new tensor without the reduced dims. Until backward the graph keeps `input` and what "
        "the steps on the way keep.",
    .raises = floating_dims_error,
    .example =
        ">>> gb.norm(gb.tensor([3.0, 4.0]))\n"
        "tensor(5.)",
};
constexpr Doc dist{
    .summary = "Compute the p-norm of the difference of two tensors.",
    .details = "dist(x, y) = norm(x - y, p) of all elements.",
    .args = {floating_tensor,
             {"other", "Tensor whose sizes broadcast with `input`'s."},
             {"p", "The power, as of `norm`."}},
    .returns =
        "A new tensor without dims. Until backward the graph keeps the difference and what the "
        "steps on the way keep.",
    .raises =
        "ShapeError: The sizes do not broadcast.\n"
        "DTypeError: The dtype is no floating one.\n"
        "DeviceError: The tensors are on several devices.",
    .example =
        ">>> gb.dist(gb.tensor([1.0, 1.0]), gb.tensor([4.0, 5.0]))\n"
        "tensor(5.)",
};
constexpr Doc diff{
    .summary = "Subtract neighbours along `dim`, `n` times.",
    .details = "diff(x)_i = x_(i+1) - x_i; of bools, whether they differ.",
    .args = {{"input", "Tensor of at least one dim."},
             {"n", "How often."},
             scanned_dim,
             {"prepend", "Tensor that is joined in front first."},
             {"append", "Tensor that is joined behind first."}},
    .returns = "A new tensor, along `dim` shorter by `n`. The graph keeps no tensor.",
    .raises =
        "IndexOutOfRangeError: `dim` lies outside.\n"
        "ShapeError: `input` has no dims, `n` is negative, or what is joined does not fit.",
    .example =
        ">>> gb.diff(gb.tensor([1, 4, 9]))\n"
        "tensor([3, 5])",
};

}  // namespace docs

template <Tensor (*op)(const Tensor&, const Reduced&, double)>
constexpr auto with_mean = [](OpName name, const Tensor& input, const OverDims& dims,
                              std::optional<double> correction, bool keepdim) {
  return composite::with_mean(name.text, op, input, {dims, keepdim}, correction.value_or(1));
};

template <Tensor (*op)(const Tensor&, const Reduced&, double)>
constexpr auto with_mean_over =
    [](OpName name, const Tensor& input, const OverDims& dims, bool unbiased, bool keepdim) {
      return composite::with_mean(name.text, op, input, {dims, keepdim}, unbiased);
    };
template <Tensor (*op)(const Tensor&, const Reduced&, double)>
constexpr auto with_mean_of_all = [](OpName name, const Tensor& input, bool unbiased) {
  return composite::with_mean(name.text, op, input, {}, unbiased);
};

/// The sum of the singular values of matrices.
Tensor nuclear_norm(const char* op, const Tensor& input, const std::optional<Dims>& given,
                    bool keepdim) {
  const Dims pair = given.value_or(Dims{-2, -1});
  if (pair.size() != 2 || input.ndim() < 2 || (!given && input.ndim() > 2))
    throw ShapeError(text(op, ": p 'nuc' of sizes ", input.sizes(),
                          "; two dims, those of a matrix, are needed"));
  const int rows = checked_dim(op, pair[0], input.ndim());
  const int columns = checked_dim(op, pair[1], input.ndim());
  if (rows == columns)
    throw ShapeError(text(op, ": dims ", pair, "; two different ones are needed"));
  Dims order;
  for (int i = 0; i < input.ndim(); ++i)
    if (i != rows && i != columns) order.push_back(i);
  order.push_back(rows);
  order.push_back(columns);
  const Tensor values = svd(op, permute(input, order), false, false).s;
  const Tensor total = sum(values, {Dims{-1}, false});
  if (!keepdim) return total;
  return unsqueeze(unsqueeze(total, std::min(rows, columns)), std::max(rows, columns));
}

bool is_nuclear(PyObject* p) { return PyUnicode_Check(p) && text_or_mark(p) == "nuc"; }

double power_of(PyObject* p, const char* op) {
  const std::string text = PyUnicode_Check(p) ? text_or_mark(p) : "";
  if (text == "fro" || p == Py_None) return 2;
  if (PyUnicode_Check(p)) throw_no_choice(op, "p", p, "a number, 'fro' or 'nuc'");
  return to_real(p, op, "p");
}

constexpr std::array statistics_rows{
    bind("cumprod", scanned, docs::cumprod, fn<cumprod>).with_out(),
    bind("cumprod_", scanned, docs::cumprod_, fn<&MadeForms<&cumprod>::in_place>, Place::method),
    bind("logcumsumexp", "input: Tensor, dim: int", docs::logcumsumexp, fn<logcumsumexp>)
        .with_out(),
    bind("count_nonzero", "input: Tensor, dim: int | Size | None = None", docs::count_nonzero,
         [](const Tensor& input, const OverDims& dims) {
           return composite::count_nonzero(input, {dims, false});
         }),
    bind("nansum", summed, docs::nansum, summing<composite::nansum>).with_out(),
    bind("nanmean", summed, docs::nanmean, summing<composite::nanmean>).with_out(),
    bind("var_mean", spread, docs::var_mean, with_mean<var>, Place::functional),
    bind("var_mean", spread_over, docs::var_mean, with_mean_over<var>, Place::functional),
    bind("var_mean", spread_of_all, docs::var_mean, with_mean_of_all<var>, Place::functional),
    bind("std_mean", spread, docs::std_mean, with_mean<std_deviation>, Place::functional),
    bind("std_mean", spread_over, docs::std_mean, with_mean_over<std_deviation>, Place::functional),
    bind("std_mean", spread_of_all, docs::std_mean, with_mean_of_all<std_deviation>,
         Place::functional),
    bind("norm",
         "input: Tensor, p: float | str | None = 'fro', dim: int | Size | None = None, "
         "keepdim: bool = False, dtype: DType | None = None",
         docs::norm,
         [](OpName op, const Tensor& input, PyObject* p, const OverDims& dims, bool keepdim,
            std::optional<DType> dtype) {
           if (is_nuclear(p))
             return nuclear_norm(op.text, dtype ? to(input, *dtype) : input, dims, keepdim);
           return composite::norm(op.text, input, power_of(p, op.text), {dims, keepdim}, dtype);
         })
        .with_out(),
    bind("dist", "input: Tensor, other: Tensor, p: float = 2", docs::dist,
         [](OpName op, const Tensor& input, const Tensor& other, double p) {
           broadcast_sizes(op.text, input.sizes(), other.sizes());
           return composite::norm(op.text, input - other, p, {}, std::nullopt);
         })
        .with_out(),
    bind("diff",
         "input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, "
         "append: Tensor | None = None",
         docs::diff,
         [](const Tensor& input, std::int64_t n, std::int64_t dim, const Tensor& prepend,
            const Tensor& append) {
           std::vector<Tensor> parts;
           for (const Tensor& part : {prepend, input, append}) {
             if (part) parts.push_back(part);
           }
           return composite::diff(n > 0 && parts.size() > 1 ? cat(parts, dim) : input, n, dim);
         })
        .with_out(),
};

}  // namespace

void add_statistics_methods() { add_table<statistics_rows>(); }

}  // namespace garboard::python
