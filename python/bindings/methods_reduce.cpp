// Reductions: along dims, or of the whole tensor.
#include "csrc/core/error.h"
#include "csrc/ops/binary.h"
#include "csrc/ops/reduce.h"
#include "csrc/ops/scan.h"
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
PyObject* named(const char* op, ValuesAndIndices result) {
  static PyStructSequence_Field fields[] = {
      {"values", "The extreme values."}, {"indices", "Where they stand along dim, as int64."}, {}};
  static PyStructSequence_Desc description = {"garboard.ValuesAndIndices",
                                              "The values and where they stand.", fields, 2};
  static PyTypeObject* const type = PyStructSequence_NewType(&description);
  (void)op;
  Ref values(checked(wrap(std::move(result.values))));
  Ref indices(checked(wrap(std::move(result.indices))));
  PyObject* const both = checked(PyStructSequence_New(type));
  PyStructSequence_SetItem(both, 0, values.release());
  PyStructSequence_SetItem(both, 1, indices.release());
  return both;
}

using Extremum = ValuesAndIndices (*)(const Tensor&, std::int64_t, bool);
/// `max(x)`, `max(x, dim)` and `max(x, other)`.
template <Extremum along, Choosing of_all, const Binary& pairwise>
PyObject* call_extremum(const Arguments& given) {
  const Tensor& input = given.tensor(0);
  if (!given.has(1)) return wrap(of_all(input, {}));
  if (is_tensor(given.object(1))) return wrap(pairwise(input, given.tensor(1)));
  return named(given.op(), along(input, given.integer(1), given.boolean_or(2, false)));
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
    Method{"sum", summing, "Tensor",
           "Add the elements along dim, or all of them; integers and bools as int64.",
           Place::everywhere, call_summing<sum>},
    Method{"prod", summing, "Tensor", "Multiply the elements along dim, or all of them.",
           Place::everywhere, call_summing<prod>},
    Method{"mean", summing, "Tensor", "Average floating elements along dim, or all of them.",
           Place::everywhere, call_summing<mean>},
    Method{"var", spreading, "Tensor",
           "Average squared distances from the mean, dividing by the count less correction.",
           Place::everywhere, call_spreading<var>},
    Method{"std", spreading, "Tensor", "Compute the square root of var; at 0 the gradient is 0.",
           Place::everywhere, call_spreading<std_deviation>},
    Method{
        "cumsum", "input: Tensor, dim: int, *, dtype: DType | None = None", "Tensor",
        "Add up the elements along dim, giving each sum on the way; integers and bools as int64.",
        Place::everywhere,
        [](const Arguments& given) {
          return wrap(cumsum(given.tensor(0), given.integer(1), given.dtype(2)));
        }},
    Method{"amax", choosing, "Tensor",
           "Take the largest element along dim; equal ones share the gradient.", Place::everywhere,
           call_choosing<amax>},
    Method{"amin", choosing, "Tensor",
           "Take the smallest element along dim; equal ones share the gradient.", Place::everywhere,
           call_choosing<amin>},
    Method{"all", choosing, "Tensor", "Test whether every element along dim is true.",
           Place::everywhere, call_choosing<all>},
    Method{"any", choosing, "Tensor", "Test whether an element along dim is true.",
           Place::everywhere, call_choosing<any>},
    Method{"max", extremum, "Any",
           "Take the largest element; along a dim, with where it stands; or the larger of two "
           "tensors.",
           Place::everywhere, call_extremum<max, amax, maximum>},
    Method{"min", extremum, "Any",
           "Take the smallest element; along a dim, with where it stands; or the smaller of two "
           "tensors.",
           Place::everywhere, call_extremum<min, amin, minimum>},
    Method{"argmax", placing, "Tensor",
           "Find where the first largest element stands along dim, or in the flattened tensor.",
           Place::everywhere, call_placing<argmax>},
    Method{"argmin", placing, "Tensor",
           "Find where the first smallest element stands along dim, or in the flattened tensor.",
           Place::everywhere, call_placing<argmin>},
};

}  // namespace

void add_reduce_methods() { add_table<table>(); }

}  // namespace garboard::python
