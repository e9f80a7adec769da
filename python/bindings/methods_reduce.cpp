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

Reduced over(const Arguments& given) {
  Reduced reduced;
  if (given.has(1)) reduced.dims = given.dims(1);
  reduced.keepdim = given.boolean_or(2, false);
  return reduced;
}

using Summing = Tensor (*)(const Tensor&, const Reduced&, std::optional<DType>);
template <Summing op>
PyObject* call_summing(const Arguments& given) {
  return wrap(op(given.tensor(0), over(given), given.dtype(3)));
}

using Spreading = Tensor (*)(const Tensor&, const Reduced&, double);
template <Spreading op>
PyObject* call_spreading(const Arguments& given) {
  Reduced reduced;
  if (given.has(1)) reduced.dims = given.dims(1);
  reduced.keepdim = given.boolean_or(3, false);
  return wrap(op(given.tensor(0), reduced, given.real_or(2, 1)));
}

using Choosing = Tensor (*)(const Tensor&, const Reduced&);
template <Choosing op>
PyObject* call_choosing(const Arguments& given) {
  return wrap(op(given.tensor(0), over(given)));
}

/// `(values, indices)` as PyTorch returns them: a named tuple.
PyTypeObject* values_and_indices_type = nullptr;

PyObject* named(ValuesAndIndices result) {
  Ref values(checked(wrap(std::move(result.values))));
  Ref indices(checked(wrap(std::move(result.indices))));
  PyObject* const both = checked(PyStructSequence_New(values_and_indices_type));
  PyStructSequence_SetItem(both, 0, values.release());
  PyStructSequence_SetItem(both, 1, indices.release());
  return both;
}

using Extremum = ValuesAndIndices (*)(const Tensor&, std::int64_t, bool);
/// `max(x)`, `max(x, dim)` and `max(x, other)`.
template <Extremum along, Choosing of_all, const Binary& pairwise>
PyObject* call_extremum(const Arguments& given) {
  const Tensor& input = given.tensor(0);
  const bool keepdim = given.boolean_or(2, false);
  if (!given.has(1)) return wrap(of_all(input, {.dims = {}, .keepdim = keepdim}));
  if (!is_tensor(given.object(1))) return named(along(input, given.integer(1), keepdim));
  if (keepdim)
    throw_type_error("%s: keepdim beside another tensor; it is taken with a dim, or with none",
                     given.op());
  return wrap(pairwise(input, given.tensor(1)));
}

using Placing = Tensor (*)(const Tensor&, std::optional<std::int64_t>, bool);
template <Placing op>
PyObject* call_placing(const Arguments& given) {
  return wrap(op(given.tensor(0), given.has(1) ? std::optional(given.integer(1)) : std::nullopt,
                 given.boolean_or(2, false)));
}

constexpr const char* summing =
    "input: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, dtype: DType "
    "| "
    "None = None";
constexpr const char* choosing =
    "input: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False";
constexpr const char* spreading =
    "input: Tensor, dim: int | Sequence[int] | None = None, *, correction: float = 1, "
    "keepdim: bool = False";
constexpr const char* extremum =
    "input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False";
constexpr const char* placing = "input: Tensor, dim: int | None = None, keepdim: bool = False";

constexpr std::array table{
    Method{"sum", summing, "Tensor", &docs::sum, Place::everywhere, call_summing<sum>},
    Method{"prod", summing, "Tensor", &docs::prod, Place::everywhere, call_summing<prod>},
    Method{"mean", summing, "Tensor", &docs::mean, Place::everywhere, call_summing<mean>},
    Method{"var", spreading, "Tensor", &docs::var, Place::everywhere, call_spreading<var>},
    Method{"std", spreading, "Tensor", &docs::std, Place::everywhere,
           call_spreading<std_deviation>},
    Method{"cumsum", "input: Tensor, dim: int, *, dtype: DType | None = None", "Tensor",
           &docs::cumsum, Place::everywhere,
           [](const Arguments& given) {
             return wrap(cumsum(given.tensor(0), given.integer(1), given.dtype(2)));
           }},
    Method{"amax", choosing, "Tensor", &docs::amax, Place::everywhere, call_choosing<amax>},
    Method{"amin", choosing, "Tensor", &docs::amin, Place::everywhere, call_choosing<amin>},
    Method{"all", choosing, "Tensor", &docs::all, Place::everywhere, call_choosing<all>},
    Method{"any", choosing, "Tensor", &docs::any, Place::everywhere, call_choosing<any>},
    Method{"max", extremum, "Any", &docs::max, Place::everywhere, call_extremum<max, max, maximum>},
    Method{"min", extremum, "Any", &docs::min, Place::everywhere, call_extremum<min, min, minimum>},
    Method{"argmax", placing, "Tensor", &docs::argmax, Place::everywhere, call_placing<argmax>},
    Method{"argmin", placing, "Tensor", &docs::argmin, Place::everywhere, call_placing<argmin>},
};

}  // namespace

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
