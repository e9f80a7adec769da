// Elements in order, by rank, and once each.
#include "csrc/ops/order/order.h"
#include "csrc/core/default_dtype.h"
#include "csrc/core/error.h"
#include "csrc/ops/composite/quantile.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/index/gather.h"
#include "csrc/ops/order/unique.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/indexing/order_docs.h"

namespace garboard::python {

using composite::Interpolation;

enum class Side : std::uint8_t { left, right };

template <>
struct Choices<Interpolation> {
  static constexpr std::string_view annotation =
      "Literal['linear', 'lower', 'higher', 'midpoint', 'nearest']";
  static constexpr std::array<std::pair<const char*, Interpolation>, 5> names{
      {{"linear", Interpolation::linear},
       {"lower", Interpolation::lower},
       {"higher", Interpolation::higher},
       {"midpoint", Interpolation::midpoint},
       {"nearest", Interpolation::nearest}}};
};
template <>
struct Choices<Side> {
  static constexpr std::string_view annotation = "Literal['left', 'right']";
  static constexpr std::array<std::pair<const char*, Side>, 2> names{
      {{"left", Side::left}, {"right", Side::right}}};
};

namespace {

Direction direction_of(bool descending) {
  return descending ? Direction::descending : Direction::ascending;
}

template <bool skips_nan>
constexpr auto quantile_of = [](OpName op, const Tensor& input, const Operand& q,
                                std::optional<std::int64_t> dim, bool keepdim,
                                Interpolation interpolation) {
  if (!q.tensor && !q.scalar.is_within(0, 1))
    throw ShapeError(text(op.text, ": q ", q.scalar.real, "; 0 to 1 is needed"));
  const Tensor given =
      q.tensor ? *q.tensor : scalar_tensor(q.scalar, input.dtype(), input.device());
  return composite::quantile(op.text, input, given, dim, keepdim, interpolation, skips_nan);
};

PyObject* asked_for(Unique found, bool with_inverse, bool with_counts) {
  if (!with_inverse && !with_counts) return wrap(std::move(found.values));
  std::vector<Tensor> all{std::move(found.values)};
  if (with_inverse) all.push_back(std::move(found.inverse));
  if (with_counts) all.push_back(std::move(found.counts));
  return detail::Result<std::vector<Tensor>>::tuple(std::move(all));
}

Tensor places_in(const char* op, const Tensor& sorted, const Operand& values, bool as_int32,
                 bool right) {
  // A number is the sequence's in its dtype, as 0.1 is among numbers of float64.
  const bool takes_sequences = category_of(sorted.dtype()) == Category::floating &&
                               values.scalar.category != Category::complex;
  const DType dtype = takes_sequences ? sorted.dtype() : default_dtype(values.scalar.category);
  const Tensor given =
      values.tensor ? *values.tensor : scalar_tensor(values.scalar, dtype, sorted.device());
  const Tensor places = searchsorted(op, sorted, given, right);
  return as_int32 ? to(places, DType::int32) : places;
}

constexpr const char* ordered =
    "input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False";
constexpr const char* of_one_dim = "input: Tensor, dim: int, keepdim: bool = False";
constexpr const char* of_last_dim = "input: Tensor, dim: int = -1, keepdim: bool = False";
constexpr const char* along = "input: Tensor, dim: int";
constexpr const char* between =
    "input: Tensor, q: Tensor | Number, dim: int | None = None, keepdim: bool = False, *, "
    "interpolation: Literal['linear', 'lower', 'higher', 'midpoint', 'nearest'] = 'linear'";
constexpr const char* one_or_more = "Tensor | tuple[Tensor, ...]";

constexpr std::array order_rows{
    bind("sort", ordered, docs::sort,
         [](const Tensor& input, std::int64_t dim, bool descending, bool) {
           return sort(input, dim, direction_of(descending));
         })
        .with_out(),
    bind("argsort", ordered, docs::argsort,
         [](const Tensor& input, std::int64_t dim, bool descending, bool) {
           return argsort(input, dim, direction_of(descending));
         })
        .with_out(),
    bind("msort", "input: Tensor", docs::msort,
         [](const Tensor& input) { return sort(input, 0, Direction::ascending).values; })
        .with_out(),
    bind("topk", "input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True",
         docs::topk,
         [](const Tensor& input, std::int64_t k, std::int64_t dim, bool largest, bool) {
           return topk(input, k, dim, direction_of(largest));
         })
        .with_out(),
    bind("kthvalue", "input: Tensor, k: int, dim: int = -1, keepdim: bool = False", docs::kthvalue,
         fn<kthvalue>)
        .with_out(),
    bind("median", "input: Tensor", docs::median, fn<median_of_all>).with_out(),
    bind("median", of_one_dim, docs::median, fn<median>).with_out(),
    bind("nanmedian", "input: Tensor", docs::nanmedian, fn<nanmedian_of_all>).with_out(),
    bind("nanmedian", of_one_dim, docs::nanmedian, fn<nanmedian>).with_out(),
    bind("mode", of_last_dim, docs::mode, fn<most_frequent>).with_out(),
    bind("cummax", along, docs::cummax, fn<cummax>).with_out(),
    bind("cummin", along, docs::cummin, fn<cummin>).with_out(),
    bind("quantile", between, docs::quantile, quantile_of<false>).with_out(),
    bind("nanquantile", between, docs::nanquantile, quantile_of<true>).with_out(),
    bind(
        "unique",
        "input: Tensor, sorted: bool = True, return_inverse: bool = False, "
        "return_counts: bool = False, dim: int | None = None",
        docs::unique,
        [](const Tensor& input, bool, bool with_inverse, bool with_counts,
           std::optional<std::int64_t> dim) {
          return asked_for(unique(input, dim, {with_inverse, with_counts}), with_inverse,
                           with_counts);
        },
        Place::everywhere, one_or_more),
    bind(
        "unique_consecutive",
        "input: Tensor, return_inverse: bool = False, return_counts: bool = False, "
        "dim: int | None = None",
        docs::unique_consecutive,
        [](const Tensor& input, bool with_inverse, bool with_counts,
           std::optional<std::int64_t> dim) {
          return asked_for(unique_consecutive(input, dim, {with_inverse, with_counts}),
                           with_inverse, with_counts);
        },
        Place::everywhere, one_or_more),
    bind("bincount", "input: Tensor, weights: Tensor | None = None, minlength: int = 0",
         docs::bincount, fn<bincount>),
    bind("histc", "input: Tensor, bins: int = 100, min: float = 0, max: float = 0", docs::histc,
         fn<histc>)
        .with_out(),
    bind(
        "searchsorted",
        "sorted_sequence: Tensor, input: Tensor | Number, *, out_int32: bool = False, "
        "right: bool = False, side: Literal['left', 'right'] | None = None, "
        "sorter: Tensor | None = None",
        docs::searchsorted,
        [](const Tensor& sorted, const Operand& values, bool as_int32, bool right,
           std::optional<Side> side, const Tensor& sorter) {
          if (side == Side::left && right)
            throw ShapeError("searchsorted: side 'left' and right=True; one of the two is needed");
          if (sorter && (sorter.dtype() != DType::int64 || sorter.sizes() != sorted.sizes()))
            throw ShapeError(text("searchsorted: sorter of sizes ", sorter.sizes(), " and ",
                                  name_of(sorter.dtype()), "; int64 of sizes ", sorted.sizes(),
                                  ", as argsort() returns it, is needed"));
          const Tensor in_order = sorter ? gather(detach(sorted), -1, sorter) : sorted;
          return places_in("searchsorted", in_order, values, as_int32,
                           right || side == Side::right);
        },
        Place::functional)
        .with_out(),
    bind(
        "bucketize",
        "input: Tensor | Number, boundaries: Tensor, *, out_int32: bool = False, "
        "right: bool = False",
        docs::bucketize,
        [](const Operand& values, const Tensor& boundaries, bool as_int32, bool right) {
          if (boundaries.ndim() != 1)
            throw ShapeError(
                text("bucketize: boundaries of sizes ", boundaries.sizes(), "; one dim is needed"));
          return places_in("bucketize", boundaries, values, as_int32, right);
        },
        Place::functional)
        .with_out(),
    bind(
        "isin",
        "elements: Tensor, test_elements: Tensor, *, assume_unique: bool = False, "
        "invert: bool = False",
        docs::isin,
        [](const Tensor& elements, const Tensor& tests, bool, bool invert) {
          return isin(elements, tests, invert);
        },
        Place::functional)
        .with_out(),
};

}  // namespace

void add_order_methods() { add_table<order_rows>(); }

}  // namespace garboard::python
