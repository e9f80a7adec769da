// Reductions: along dims, or of the whole tensor.
#include "csrc/core/error.h"
#include "csrc/ops/binary.h"
#include "csrc/ops/reduce.h"
#include "csrc/ops/scan.h"
#include "python/bindings/docs/reduce.h"
#include "python/bindings/methods.h"
#include "python/bindings/ref.h"

namespace garboard::python {
namespace {

/// `(values, indices)` as PyTorch returns them: a named tuple.
PyTypeObject* values_and_indices_type = nullptr;

using OverDims = std::optional<Dims>;

template <Tensor (*op)(const Tensor&, const Reduced&, std::optional<DType>)>
constexpr auto summing =
    [](const Tensor& input, const OverDims& dims, bool keepdim, std::optional<DType> dtype) {
      return op(input, {dims, keepdim}, dtype);
    };
template <Tensor (*op)(const Tensor&, const Reduced&, double)>
constexpr auto spreading =
    [](const Tensor& input, const OverDims& dims, double correction, bool keepdim) {
      return op(input, {dims, keepdim}, correction);
    };
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

constexpr const char* summed =
    "input: Tensor, dim: int | Size | None = None, keepdim: bool = False, *, "
    "dtype: DType | None = None";
constexpr const char* spread =
    "input: Tensor, dim: int | Size | None = None, *, correction: float = 1, "
    "keepdim: bool = False";
constexpr const char* chosen =
    "input: Tensor, dim: int | Size | None = None, keepdim: bool = False";
constexpr const char* chosen_of_all = "input: Tensor, dim: None = None, keepdim: bool = False";
constexpr const char* chosen_along = "input: Tensor, dim: int, keepdim: bool = False";
constexpr const char* chosen_of_two = "input: Tensor, other: Tensor";
constexpr const char* placed = "input: Tensor, dim: int | None = None, keepdim: bool = False";
constexpr const char* scanned = "input: Tensor, dim: int, *, dtype: DType | None = None";

constexpr auto larger = [](const Tensor& a, const Tensor& b) { return maximum(a, b); };
constexpr auto smaller = [](const Tensor& a, const Tensor& b) { return minimum(a, b); };

constexpr std::array table{
    bind("sum", summed, docs::sum, summing<sum>),
    bind("prod", summed, docs::prod, summing<prod>),
    bind("mean", summed, docs::mean, summing<mean>),
    bind("var", spread, docs::var, spreading<var>),
    bind("std", spread, docs::std, spreading<std_deviation>),
    bind("cumsum", scanned, docs::cumsum, fn<cumsum>),
    bind("amax", chosen, docs::amax, choosing<amax>),
    bind("amin", chosen, docs::amin, choosing<amin>),
    bind("all", chosen, docs::all, choosing<all>),
    bind("any", chosen, docs::any, choosing<any>),
    bind("max", chosen_of_all, docs::max, choosing_of_all<max>),
    bind("max", chosen_along, docs::max, with_places<max>),
    bind("max", chosen_of_two, docs::max, larger),
    bind("min", chosen_of_all, docs::min, choosing_of_all<min>),
    bind("min", chosen_along, docs::min, with_places<min>),
    bind("min", chosen_of_two, docs::min, smaller),
    bind("argmax", placed, docs::argmax, fn<argmax>),
    bind("argmin", placed, docs::argmin, fn<argmin>),
};

}  // namespace

PyObject* detail::Result<ValuesAndIndices>::named(ValuesAndIndices result) {
  Ref values(checked(wrap(std::move(result.values))));
  Ref indices(checked(wrap(std::move(result.indices))));
  PyObject* const both = checked(PyStructSequence_New(values_and_indices_type));
  PyStructSequence_SetItem(both, 0, values.release());
  PyStructSequence_SetItem(both, 1, indices.release());
  return both;
}

void add_reduce_methods() { add_table<table>(); }

bool add_values_and_indices_type(PyObject* module) {
  static PyStructSequence_Field fields[] = {
      {"values", "The extreme values."}, {"indices", "Where they stand along dim, as int64."}, {}};
  static PyStructSequence_Desc description = {
      "garboard.ValuesAndIndices", "The extreme values along a dim, and where they stand.", fields,
      2};
  values_and_indices_type = PyStructSequence_NewType(&description);
  return values_and_indices_type &&
         PyModule_AddObjectRef(module, "ValuesAndIndices",
                               reinterpret_cast<PyObject*>(values_and_indices_type)) == 0;
}

}  // namespace garboard::python
