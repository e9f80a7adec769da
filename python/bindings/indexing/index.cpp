// Elements found by index or by mask: functions that copy, and methods that write in place.
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/index/bags.h"
#include "csrc/ops/index/gather.h"
#include "csrc/ops/index/indexing.h"
#include "csrc/ops/index/mask.h"
#include "csrc/ops/op/promotion.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/shape/views.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/indexing/index_docs.h"
#include "python/bindings/interpreter/items.h"

namespace garboard::python {

template <>
struct Choices<ScatterReduction> {
  static constexpr std::string_view annotation = "Literal['sum', 'prod', 'mean', 'amax', 'amin']";
  static constexpr std::array<std::pair<const char*, ScatterReduction>, 5> names{
      {{"sum", ScatterReduction::sum},
       {"prod", ScatterReduction::prod},
       {"mean", ScatterReduction::mean},
       {"amax", ScatterReduction::amax},
       {"amin", ScatterReduction::amin}}};
};

/// What `scatter` does with what it meets, where it does not replace it.
enum class Merging : std::uint8_t { add, multiply };
template <>
struct Choices<Merging> {
  static constexpr std::string_view annotation = "Literal['add', 'multiply']";
  static constexpr std::array<std::pair<const char*, Merging>, 2> names{
      {{"add", Merging::add}, {"multiply", Merging::multiply}}};
};

template <>
struct Choices<kernels::BagMode> {
  static constexpr std::string_view annotation = "Literal['sum', 'mean', 'max']";
  static constexpr std::array<std::pair<const char*, kernels::BagMode>, 3> names{
      {{"sum", kernels::BagMode::sum},
       {"mean", kernels::BagMode::mean},
       {"max", kernels::BagMode::max}}};
};

namespace {

/// What a function that writes into its first argument is, as one that writes into a copy.
template <auto write, auto copied, class Types = decltype(write)>
struct Copying;
template <auto write, auto copied, class... Arguments>
struct Copying<write, copied, void (*)(const Tensor&, Arguments...)> {
  static Tensor call(const Tensor& input, Arguments... arguments) {
    Tensor copy = copied(input);
    write(copy, arguments...);
    return copy;
  }
  static Itself call_in_place(const Tensor& input, Arguments... arguments) {
    write(input, arguments...);
    return {};
  }
};
template <auto write>  // the copy is row-major, as in PyTorch
constexpr auto into_copy = fn<&Copying<write, &row_major_copy>::call>;
template <auto write>  // it lies as its input, as there too
constexpr auto into_clone = fn<&Copying<write, &clone>::call>;
template <auto write>
constexpr auto in_place = fn<&Copying<write, &clone>::call_in_place>;

void scatter_of_tensor(const Tensor& self, std::int64_t dim, const Tensor& index,
                       const Tensor& source) {
  scatter_(self, dim, index, source);
}
void scatter_of_number(const Tensor& self, std::int64_t dim, const Tensor& index, Scalar value) {
  scatter_(self, dim, index, value);
}

/// The copy is as large as the mask, where that is larger.
Tensor masked_scatter(const Tensor& input, const Tensor& mask, const Tensor& source) {
  const Dims sizes = broadcast_sizes("masked_scatter", input.sizes(), mask.sizes());
  const Tensor copy = row_major_copy(expand(input, sizes));
  masked_scatter_(copy, mask, source);
  return copy;
}

void merge_tensor(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
                  Merging merging) {
  if (merging == Merging::add) return scatter_add_(self, dim, index, source);
  check_writable("scatter_", self);
  copy_(self, scatter_reduce(self, dim, index, source, ScatterReduction::prod, true, "scatter"));
}
void merge_number(const Tensor& self, std::int64_t dim, const Tensor& index, Scalar value,
                  Merging merging) {
  check_fits("scatter", value, self.dtype());
  const Tensor source = full(index.sizes(), value, self.dtype(), self.device());
  merge_tensor(self, dim, index, source, merging);
}

constexpr auto reduce = [](const Tensor& input, std::int64_t dim, const Tensor& index,
                           const Tensor& source, ScatterReduction reduction, bool include_self) {
  return scatter_reduce(input, dim, index, source, reduction, include_self);
};
Itself reduce_in_place(const Tensor& input, std::int64_t dim, const Tensor& index,
                       const Tensor& source, ScatterReduction reduction, bool include_self) {
  check_writable("scatter_reduce_", input);
  copy_(input,
        scatter_reduce(input, dim, index, source, reduction, include_self, "scatter_reduce_"));
  return {};
}

Indices indices_of(PyObject* given, const char* op) {
  if (!Items::can_read(given))
    throw_type_error("%s: indices is of type %s; a tuple or list of Tensors and None is needed", op,
                     Py_TYPE(given)->tp_name);
  Indices indices;
  const Items items(given, op, "indices");
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    const Ref item = items[i];
    if (item.get() != Py_None && !is_tensor(item.get()))
      throw_type_error("%s: element %zd of indices is of type %s; a Tensor or None is needed", op,
                       i, Py_TYPE(item.get())->tp_name);
    indices.push_back(item.get() == Py_None ? Tensor() : tensor_of(item.get(), op, "indices"));
  }
  return indices;
}

void put_by_indices(const Tensor& self, OpName op, PyObject* indices, const Tensor& values,
                    bool accumulate) {
  index_put_(self, indices_of(indices, op.text), values, accumulate);
}

constexpr const char* gathered = "input: Tensor, dim: int, index: Tensor";
constexpr const char* scattered = "input: Tensor, dim: int, index: Tensor, src: Tensor";
constexpr const char* scattered_value = "input: Tensor, dim: int, index: Tensor, value: Number";
constexpr const char* merged =
    "input: Tensor, dim: int, index: Tensor, src: Tensor, *, reduce: Literal['add', 'multiply']";
constexpr const char* merged_value =
    "input: Tensor, dim: int, index: Tensor, value: Number, *, "
    "reduce: Literal['add', 'multiply']";
constexpr const char* reduced =
    "input: Tensor, dim: int, index: Tensor, src: Tensor, "
    "reduce: Literal['sum', 'prod', 'mean', 'amax', 'amin'], *, include_self: bool = True";
constexpr const char* added =
    "input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Number = 1";
constexpr const char* sliced = "input: Tensor, dim: int, index: Tensor, source: Tensor";
constexpr const char* filled = "input: Tensor, dim: int, index: Tensor, value: Tensor | Number";
constexpr const char* put_at =
    "input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False";
constexpr const char* put_flat =
    "input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False";
constexpr const char* masked = "input: Tensor, mask: Tensor";
constexpr const char* masked_value = "input: Tensor, mask: Tensor, value: Tensor | Number";
constexpr const char* masked_source = "input: Tensor, mask: Tensor, source: Tensor";

constexpr auto method = Place::method;

constexpr std::array index_rows{
    bind("gather", "input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False",
         docs::gather,
         [](const Tensor& input, std::int64_t dim, const Tensor& index, bool) {
           return gather(input, dim, index);
         })
        .with_out(),
    bind("take_along_dim", "input: Tensor, indices: Tensor, dim: int | None = None",
         docs::take_along_dim, fn<take_along_dim>)
        .with_out(),
    bind("scatter", scattered, docs::scatter, into_copy<scatter_of_tensor>).with_out(),
    bind("scatter", scattered_value, docs::scatter, into_copy<scatter_of_number>).with_out(),
    bind("scatter", merged, docs::scatter, into_copy<merge_tensor>).with_out(),
    bind("scatter", merged_value, docs::scatter, into_copy<merge_number>).with_out(),
    bind("scatter_", scattered, docs::scatter_, in_place<scatter_of_tensor>, method),
    bind("scatter_", scattered_value, docs::scatter_, in_place<scatter_of_number>, method),
    bind("scatter_", merged, docs::scatter_, in_place<merge_tensor>, method),
    bind("scatter_", merged_value, docs::scatter_, in_place<merge_number>, method),
    bind("scatter_add", scattered, docs::scatter_add, into_copy<scatter_add_>).with_out(),
    bind("scatter_add_", scattered, docs::scatter_add_, in_place<scatter_add_>, method),
    bind("scatter_reduce", reduced, docs::scatter_reduce, reduce).with_out(),
    bind("scatter_reduce_", reduced, docs::scatter_reduce_, fn<reduce_in_place>, method),
    bind("index_select", gathered, docs::index_select, fn<index_select>).with_out(),
    bind("index_add", added, docs::index_add, into_copy<index_add_>).with_out(),
    bind("index_add_", added, docs::index_add_, in_place<index_add_>, method),
    bind("index_copy", sliced, docs::index_copy, into_copy<index_copy_>).with_out(),
    bind("index_copy_", sliced, docs::index_copy_, in_place<index_copy_>, method),
    bind("index_fill", filled, docs::index_fill, into_clone<index_fill_>),
    bind("index_fill_", filled, docs::index_fill_, in_place<index_fill_>, method),
    bind("index_put", put_at, docs::index_put, into_clone<put_by_indices>),
    bind("index_put_", put_at, docs::index_put_, in_place<put_by_indices>, method),
    bind("take", "input: Tensor, index: Tensor", docs::take, fn<take>).with_out(),
    bind("put", put_flat, docs::put, into_clone<put_>),
    bind("put_", put_flat, docs::put_, in_place<put_>, method),
    bind("masked_select", masked, docs::masked_select, fn<masked_select>).with_out(),
    bind("masked_fill", masked_value, docs::masked_fill, fn<masked_fill>),
    bind("masked_fill_", masked_value, docs::masked_fill_, in_place<masked_fill_>, method),
    bind("masked_scatter", masked_source, docs::masked_scatter, fn<masked_scatter>),
    bind("masked_scatter_", masked_source, docs::masked_scatter_, in_place<masked_scatter_>,
         method),
    bind("nonzero", "input: Tensor", docs::nonzero, fn<nonzero>).with_out(),
    bind(
        "nonzero", "input: Tensor, *, as_tuple: bool", docs::nonzero,
        [](const Tensor& input, bool as_tuple) -> PyObject* {
          return as_tuple ? detail::Result<std::vector<Tensor>>::tuple(nonzero_places(input))
                          : wrap(nonzero(input));
        },
        Place::everywhere, "Tensor | tuple[Tensor, ...]"),
    bind("argwhere", "input: Tensor", docs::argwhere, fn<nonzero>),
    bind("embedding", "input: Tensor, weight: Tensor, padding_idx: int | None = None",
         docs::embedding, fn<embedding>, Place::functional),
    bind(
        "_embedding_bag",
        "weight: Tensor, input: Tensor, starts: Tensor, mode: Literal['sum', 'mean', 'max'] = "
        "'sum', per_sample_weights: Tensor | None = None, padding_idx: int | None = None",
        docs::embedding_bag,
        [](const Tensor& weight, const Tensor& input, const Tensor& starts, kernels::BagMode mode,
           const Tensor& factors, std::optional<std::int64_t> padding_idx) {
          return embedding_bag(weight, {input, starts, padding_idx}, mode, factors);
        },
        Place::functional),
};

}  // namespace

void add_index_methods() { add_table<index_rows>(); }

}  // namespace garboard::python
