// Reductions: along dims, or of the whole tensor.
#include "csrc/ops/reduce/reduce.h"
#include "csrc/core/error.h"
#include "csrc/ops/composite/reduce.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/op/promotion.h"
#include "csrc/ops/reduce/scan.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/elementwise/forms.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/methods/reductions.h"

namespace garboard::python {
namespace {

namespace docs {
using namespace garboard::python::docs;

constexpr Arg summed_dtype{"dtype",
                           "What `input` is converted to first, and the dtype of the result."};
constexpr const char* choosing_error =
    "IndexOutOfRangeError: A dim lies outside.\n"
    "ShapeError: A dim is named twice, or there are no elements to choose from.";

constexpr Doc sum{
    .summary = "Add the elements along `dim`, or all of them.",
    .details =
        "As accurate as a pairwise sum, and the same with any number of threads. The sum of no "
        "elements is 0.",
    .args = {any_tensor, reduced_dims, keepdim, summed_dtype},
    .returns =
        "A new tensor without the reduced dims, of `input`'s floating dtype, int64 for integers "
        "and bools. The graph keeps no tensor.",
    .raises = dims_error,
    .example =
        ">>> x = gb.tensor([[1, 2], [3, 4]])\n"
        ">>> gb.sum(x)\n"
        "tensor(10)\n"
        ">>> gb.sum(x, 0)\n"
        "tensor([4, 6])",
};
constexpr Doc prod{
    .summary = "Multiply the elements along `dim`, or all of them.",
    .details = "The product of no elements is 1. The gradient is exact where there are zeros too.",
    .args = {any_tensor, reduced_dims, keepdim, summed_dtype},
    .returns =
        "A new tensor without the reduced dims, of `input`'s floating dtype, int64 for integers "
        "and bools. Until backward the graph keeps `input` and the result.",
    .raises = dims_error,
    .example =
        ">>> x = gb.tensor([[1, 2], [3, 4]])\n"
        ">>> gb.prod(x, 1)\n"
        "tensor([ 2, 12])",
};
constexpr Doc mean{
    .summary = "Average the elements along `dim`, or all of them.",
    .details = "The sum divided by the count: NaN of no elements.",
    .args = {{"input", "Tensor of any shape, of a floating dtype unless `dtype` is given."},
             reduced_dims,
             keepdim,
             {"dtype", "The floating dtype that `input` is converted to first, and the result's."}},
    .returns = "A new tensor without the reduced dims. The graph keeps no tensor.",
    .raises =
        "IndexOutOfRangeError: A dim lies outside.\n"
        "ShapeError: A dim is named twice.\n"
        "DTypeError: The dtype is no floating one.",
    .example =
        ">>> x = gb.tensor([[1.0, 2.0], [3.0, 4.0]])\n"
        ">>> gb.mean(x, 0)\n"
        "tensor([2., 3.])",
};
constexpr Doc logsumexp{
    .summary = "Compute the logarithm of the sum of exponentials along `dim`.",
    .details =
        "logsumexp(x) = m + log(sum(exp(x - m))), where m is the largest element, so nothing "
        "overflows: -inf of no elements. Integers and bools are taken as float32.",
    .args = {any_tensor, {"dim", "The dims to reduce, each in [-ndim, ndim)."}, keepdim},
    .returns =
        "A new tensor without the reduced dims. Until backward the graph keeps the exponentials "
        "and "
        "their sums.",
    .raises = dims_error,
    .example =
        ">>> gb.logsumexp(gb.tensor([100.0, 100.0]), 0)\n"
        "tensor(100.6931)",
};
constexpr const char* spreading_error =
    "IndexOutOfRangeError: A dim lies outside.\n"
    "ShapeError: A dim is named twice.\n"
    "DTypeError: `input` is not of a floating dtype.";
constexpr Doc var{
    .summary = "Compute the variance along `dim`, or of all elements.",
    .details =
        "var(x) = sum((x - mean(x))^2) / max(0, count - correction): NaN or inf where that divides "
        "by 0.",
    .args = {floating_tensor, reduced_dims, correction, unbiased, keepdim},
    .returns =
        "A new tensor without the reduced dims, of `input`'s dtype. Until backward the graph keeps "
        "`input`.",
    .raises = spreading_error,
    .example =
        ">>> x = gb.tensor([1.0, 2.0, 3.0, 4.0])\n"
        ">>> gb.var(x)\n"
        "tensor(1.6667)\n"
        ">>> gb.var(x, correction=0)\n"
        "tensor(1.2500)",
};
constexpr Doc std{
    .summary = "Compute the standard deviation along `dim`, or of all elements.",
    .details =
        "The square root of `var`. Where it is 0, the gradient is 0, though the slope is infinite.",
    .args = {floating_tensor, reduced_dims, correction, unbiased, keepdim},
    .returns =
        "A new tensor without the reduced dims, of `input`'s dtype. Until backward the graph keeps "
        "`input` and the result.",
    .raises = spreading_error,
    .example =
        ">>> x = gb.tensor([1.0, 2.0, 3.0, 4.0])\n"
        ">>> gb.std(x)\n"
        "tensor(1.2910)",
};
constexpr Doc cumsum_{
    .summary = "Add up the elements along `dim`, keeping each sum on the way, in place.",
    .args = {{"dim", "Along which dim, in [-ndim, ndim)."}, summed_dtype},
    .returns = "The tensor itself, not a new handle.",
    .raises =
        "IndexOutOfRangeError: `dim` lies outside.\n"
        "DTypeError: The sums' category (bool, integer, floating) is above that of `input`.\n"
        "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view of "
        "one.",
    .example =
        ">>> gb.cumsum_(gb.tensor([1, 2, 3]), 0)\n"
        "tensor([1, 3, 6])",
};
constexpr Doc sum_to_size{
    .summary = "Add up the dims along which `size` is 1, and those in front of it.",
    .details = "What takes broadcasting back: of a tensor of `size` expanded to `input`'s sizes.",
    .args = {any_tensor, {"size", "Sizes that broadcast to `input`'s."}},
    .returns =
        "A new tensor of these sizes, of `input`'s floating dtype, int64 for integers and bools; a "
        "new handle where they are `input`'s. The graph keeps no tensor.",
    .raises = "ShapeError: The sizes do not broadcast to `input`'s.",
    .example =
        ">>> gb.ones(3, 2).sum_to_size(1, 2)\n"
        "tensor([[3., 3.]])",
};
constexpr Doc cumsum{
    .summary = "Add up the elements along `dim`, keeping each sum on the way.",
    .details = "cumsum(x)_i = x_0 + ... + x_i.",
    .args = {any_tensor, {"dim", "Along which dim, in [-ndim, ndim)."}, summed_dtype},
    .returns =
        "A new tensor of `input`'s shape and floating dtype, int64 for integers and bools. The "
        "graph keeps no tensor.",
    .raises = "IndexOutOfRangeError: `dim` lies outside.",
    .example =
        ">>> x = gb.tensor([1, 2, 3])\n"
        ">>> gb.cumsum(x, 0)\n"
        "tensor([1, 3, 6])",
};
constexpr const char* extremum_details =
    "NaN where there is one. Equal elements share the gradient equally.";
constexpr const char* extremum_returns =
    "A new tensor without the reduced dims, of `input`'s dtype. Until backward the graph keeps "
    "`input` and the result.";
constexpr Doc amax{
    .summary = "Take the largest element along `dim`, or of all.",
    .details = extremum_details,
    .args = {any_tensor, reduced_dims, keepdim},
    .returns = extremum_returns,
    .raises = choosing_error,
    .example =
        ">>> x = gb.tensor([[1, 2], [3, 0]])\n"
        ">>> gb.amax(x, 0)\n"
        "tensor([3, 2])",
};
constexpr Doc amin{
    .summary = "Take the smallest element along `dim`, or of all.",
    .details = extremum_details,
    .args = {any_tensor, reduced_dims, keepdim},
    .returns = extremum_returns,
    .raises = choosing_error,
    .example =
        ">>> x = gb.tensor([[1, 2], [3, 0]])\n"
        ">>> gb.amin(x, 0)\n"
        "tensor([1, 0])",
};
constexpr Arg tested_dims{"dim",
                          "The dims to reduce; all where it is left out, none of a list of none."};
constexpr Doc all{
    .summary = "Test whether every element along `dim` is true, or every one there is.",
    .details = "What is not zero is true, NaN too. Of no elements it is true.",
    .args = {any_tensor, tested_dims, keepdim},
    .returns =
        "A new bool tensor, or a uint8 one of uint8, without the reduced dims. It has no "
        "gradient.",
    .raises = dims_error,
    .example =
        ">>> x = gb.tensor([[1, 0], [1, 1]])\n"
        ">>> gb.all(x, 0)\n"
        "tensor([ True, False])",
};
constexpr Doc any{
    .summary = "Test whether an element along `dim` is true, or any there is.",
    .details = "What is not zero is true, NaN too. Of no elements it is false.",
    .args = {any_tensor, tested_dims, keepdim},
    .returns =
        "A new bool tensor, or a uint8 one of uint8, without the reduced dims. It has no "
        "gradient.",
    .raises = dims_error,
    .example =
        ">>> x = gb.tensor([[1, 0], [0, 0]])\n"
        ">>> gb.any(x, 0)\n"
        "tensor([ True, False])",
};
constexpr Arg extremum_dim{"dim", "The one dim to reduce, in [-ndim, ndim); None for all."};
constexpr Arg compared{
    "other", "Tensor to compare with, element by element, with broadcasting and promotion."};
constexpr Arg extremum_keepdim{"keepdim",
                               "True leaves the reduced dims in the results, with size 1."};
constexpr const char* extremum_of_all_or_one =
    "Along a dim a named tuple `(values, indices)` of new tensors, the indices int64, the first "
    "where several are equal, which alone gets the gradient; until backward the graph keeps the "
    "indices. Else a new tensor, as of `amax` and `amin`, or of `maximum` and `minimum`.";
constexpr const char* extremum_error =
    "IndexOutOfRangeError: The dim lies outside.\n"
    "ShapeError: There are no elements to choose from, or two tensors do not broadcast.\n"
    "TypeError: `dim` is a sequence, which `amax` and `amin` take.";
constexpr Doc max{
    .summary =
        "Take the largest element, along a dim with its place, or the larger of two tensors.",
    .details = "NaN where there is one.",
    .args = {any_tensor, extremum_dim, extremum_keepdim, compared},
    .returns = extremum_of_all_or_one,
    .raises = extremum_error,
    .example =
        ">>> x = gb.tensor([[1, 5], [3, 2]])\n"
        ">>> gb.max(x)\n"
        "tensor(5)\n"
        ">>> values, indices = gb.max(x, 1)\n"
        ">>> values.tolist(), indices.tolist()\n"
        "([5, 3], [1, 0])\n"
        ">>> gb.max(x, gb.tensor(3))\n"
        "tensor([[3, 5],\n"
        "        [3, 3]])",
};
constexpr Doc min{
    .summary =
        "Take the smallest element, along a dim with its place, or the smaller of two tensors.",
    .details = "NaN where there is one.",
    .args = {any_tensor, extremum_dim, extremum_keepdim, compared},
    .returns = extremum_of_all_or_one,
    .raises = extremum_error,
    .example =
        ">>> x = gb.tensor([[1, 5], [3, 2]])\n"
        ">>> gb.min(x)\n"
        "tensor(1)\n"
        ">>> values, indices = gb.min(x, 1)\n"
        ">>> values.tolist(), indices.tolist()\n"
        "([1, 2], [0, 1])",
};
constexpr Arg placing_dim{
    "dim", "Along which dim, in [-ndim, ndim); None counts through the flattened tensor."};
constexpr Arg placing_keepdim{
    "keepdim", "True leaves the reduced dim, without `dim` each of them, with size 1."};
constexpr const char* placing_returns = "A new int64 tensor of places. No gradient passes.";
constexpr const char* placing_error =
    "IndexOutOfRangeError: `dim` lies outside.\n"
    "ShapeError: There are no elements to choose from.";
constexpr Doc argmax{
    .summary = "Find where the first largest element stands along `dim`, or among all.",
    .details = "NaN is larger than every number.",
    .args = {any_tensor, placing_dim, placing_keepdim},
    .returns = placing_returns,
    .raises = placing_error,
    .example =
        ">>> x = gb.tensor([[1, 5], [3, 2]])\n"
        ">>> gb.argmax(x, 1)\n"
        "tensor([1, 0])",
};
constexpr Doc argmin{
    .summary = "Find where the first smallest element stands along `dim`, or among all.",
    .details = "NaN is smaller than every number.",
    .args = {any_tensor, placing_dim, placing_keepdim},
    .returns = placing_returns,
    .raises = placing_error,
    .example =
        ">>> x = gb.tensor([[1, 5], [3, 2]])\n"
        ">>> gb.argmin(x, 1)\n"
        "tensor([0, 1])",
};

}  // namespace docs

/// `(values, indices)` as PyTorch returns them: a named tuple.
PyTypeObject* values_and_indices_type = nullptr;

template <Tensor (*op)(const Tensor&, const Reduced&, double)>
constexpr auto spreading =
    [](const Tensor& input, const OverDims& dims, std::optional<double> correction, bool keepdim) {
      return op(input, {dims, keepdim}, correction.value_or(1));
    };
template <Tensor (*op)(const Tensor&, const Reduced&, double)>
constexpr auto spreading_over =
    [](const Tensor& input, const OverDims& dims, bool unbiased, bool keepdim) {
      return op(input, {dims, keepdim}, unbiased);
    };
template <Tensor (*op)(const Tensor&, const Reduced&, double)>
constexpr auto spreading_of_all =
    [](const Tensor& input, bool unbiased) { return op(input, {}, unbiased); };
template <Tensor (*op)(const Tensor&, const Reduced&)>
constexpr auto choosing = [](const Tensor& input, const OverDims& dims, bool keepdim) {
  return op(input, {dims, keepdim});
};
/// Of all elements: the dim that is left out.
template <Tensor (*op)(const Tensor&, const Reduced&)>
constexpr auto choosing_of_all = [](const Tensor& input, PyObject*, bool keepdim) {
  return op(input, {{}, keepdim});
};

template <ValuesAndIndices (*op)(const Tensor&, std::int64_t, bool)>
constexpr auto with_places = fn<op>;

constexpr const char* chosen =
    "input: Tensor, dim: int | Size | None = None, keepdim: bool = False";
constexpr const char* chosen_of_all = "input: Tensor, dim: None = None, keepdim: bool = False";
constexpr const char* chosen_along = "input: Tensor, dim: int, keepdim: bool = False";
constexpr const char* chosen_of_two = "input: Tensor, other: Tensor";
constexpr const char* placed = "input: Tensor, dim: int | None = None, keepdim: bool = False";

constexpr auto larger = [](const Tensor& a, const Tensor& b) { return maximum(a, b); };
constexpr auto smaller = [](const Tensor& a, const Tensor& b) { return minimum(a, b); };

constexpr std::array reduce_rows{
    bind("sum", summed, docs::sum, summing<sum>).with_out(),
    bind("prod", summed, docs::prod, summing<prod>).with_out(),
    bind("mean", summed, docs::mean, summing<mean>).with_out(),
    bind("logsumexp", "input: Tensor, dim: int | Size, keepdim: bool = False", docs::logsumexp,
         fn<composite::logsumexp>)
        .with_out(),
    bind("var", spread, docs::var, spreading<var>).with_out(),
    bind("var", spread_over, docs::var, spreading_over<var>).with_out(),
    bind("var", spread_of_all, docs::var, spreading_of_all<var>).with_out(),
    bind("std", spread, docs::std, spreading<std_deviation>).with_out(),
    bind("std", spread_over, docs::std, spreading_over<std_deviation>).with_out(),
    bind("std", spread_of_all, docs::std, spreading_of_all<std_deviation>).with_out(),
    bind("cumsum", scanned, docs::cumsum, fn<cumsum>).with_out(),
    bind("cumsum_", scanned, docs::cumsum_, fn<&MadeForms<&cumsum>::in_place>, Place::method),
    bind(
        "sum_to_size", "input: Tensor, *size: int", docs::sum_to_size,
        [](const Tensor& input, const Dims& sizes) {
          if (broadcast_sizes("sum_to_size", sizes, input.sizes()) != input.sizes())
            throw ShapeError(text("sum_to_size: sizes ", sizes, " of a tensor of sizes ",
                                  input.sizes(), "; they must broadcast to those"));
          if (!sizes.empty() && sizes == input.sizes()) return input;
          return sum_to(has_gradient(input.dtype()) ? input : to(input, DType::int64), sizes);
        },
        Place::method),
    bind("amax", chosen, docs::amax, choosing<amax>).with_out(),
    bind("amin", chosen, docs::amin, choosing<amin>).with_out(),
    bind("all", chosen, docs::all, choosing<all>).with_out(),
    bind("any", chosen, docs::any, choosing<any>).with_out(),
    bind("max", chosen_of_all, docs::max, choosing_of_all<max>).with_out(),
    bind("max", chosen_along, docs::max, with_places<max>).with_out(),
    bind("max", chosen_of_two, docs::max, larger).with_out(),
    bind("min", chosen_of_all, docs::min, choosing_of_all<min>).with_out(),
    bind("min", chosen_along, docs::min, with_places<min>).with_out(),
    bind("min", chosen_of_two, docs::min, smaller).with_out(),
    bind("argmax", placed, docs::argmax, fn<argmax>).with_out(),
    bind("argmin", placed, docs::argmin, fn<argmin>).with_out(),
};

}  // namespace

namespace {

/// A program's loop asks for one op again and again: its name is found once. The GIL guards it.
PyObject* name_of_op(const char* op) {
  static const char* last = nullptr;
  static PyObject* name = nullptr;
  if (op != last) {
    PyObject* const found = checked(PyUnicode_InternFromString(op));
    Py_XSETREF(name, found);
    last = op;
  }
  return Py_NewRef(name);
}

PyObject* named_pair(Ref values, Ref indices, const char* op) {
  Ref name(name_of_op(op));
  PyObject* const both = checked(PyStructSequence_New(values_and_indices_type));
  PyStructSequence_SetItem(both, 0, values.release());
  PyStructSequence_SetItem(both, 1, indices.release());
  PyStructSequence_SetItem(both, 2, name.release());
  // A tensor's attribute may lead back to it; CPython's own results of two are looked at, too.
  if (!PyObject_GC_IsTracked(both)) PyObject_GC_Track(both);
  return both;
}

/// As PyTorch shows what its functions of two results return.
PyObject* show_pair(PyObject* both) {
  PyObject* const name = PyStructSequence_GetItem(both, 2);
  if (!name || !PyUnicode_Check(name))
    return PyUnicode_FromFormat("garboard.ValuesAndIndices(\nvalues=%R,\nindices=%R)",
                                PyTuple_GET_ITEM(both, 0), PyTuple_GET_ITEM(both, 1));
  return PyUnicode_FromFormat("garboard.return_types.%U(\nvalues=%R,\nindices=%R)", name,
                              PyTuple_GET_ITEM(both, 0), PyTuple_GET_ITEM(both, 1));
}

}  // namespace

PyObject* detail::Result<ValuesAndIndices>::named(ValuesAndIndices result, const char* op) {
  Ref values(checked(wrap(std::move(result.values))));
  return named_pair(std::move(values), Ref(checked(wrap(std::move(result.indices)))), op);
}

PyObject* detail::Result<ValuesAndIndices>::named(PyObject* both, const char* op) {
  const Ref pair(both);
  return named_pair(Ref(Py_NewRef(PyTuple_GET_ITEM(both, 0))),
                    Ref(Py_NewRef(PyTuple_GET_ITEM(both, 1))), op);
}

void add_reduce_methods() { add_table<reduce_rows>(); }

bool add_values_and_indices_type(PyObject* module) {
  static PyStructSequence_Field fields[] = {
      {"values", "The extreme values."},
      {"indices", "Where they stand along dim, as int64."},
      {"op", "The name of the function, which it prints with."},
      {}};
  static PyStructSequence_Desc description = {
      "garboard.ValuesAndIndices", "The extreme values along a dim, and where they stand.", fields,
      2};
  values_and_indices_type = PyStructSequence_NewType(&description);
  if (values_and_indices_type) values_and_indices_type->tp_repr = show_pair;
  return values_and_indices_type &&
         PyModule_AddObjectRef(module, "ValuesAndIndices",
                               reinterpret_cast<PyObject*>(values_and_indices_type)) == 0;
}

}  // namespace garboard::python
