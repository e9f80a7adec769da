// Views, copies and conversions.
#include "csrc/core/error.h"
#include "csrc/ops/convert.h"
#include "csrc/ops/join.h"
#include "csrc/ops/views.h"
#include "python/bindings/docs/shape.h"
#include "python/bindings/dtype_object.h"
#include "python/bindings/methods.h"

namespace garboard::python {
namespace {

/// `x.to(dtype)`, `x.to(device)`, `x.to(device, dtype)`, `x.to(other)`, by keyword too.
PyObject* call_to(const Arguments& given) {
  const Tensor& input = given.tensor(0);
  DType dtype = input.dtype();
  Device device = input.device();
  for (const int i : {1, 2}) {
    if (!given.has(i)) continue;
    PyObject* const wanted = given.object(i);
    if (is_tensor(wanted)) {
      const Tensor& other = given.tensor(i);
      dtype = other.dtype();
      device = other.device();
    } else if (is_device(wanted) || PyUnicode_Check(wanted)) {
      device = to_device(wanted, "to");
    } else {
      dtype = to_dtype(wanted, "to");
    }
  }
  if (given.has(3)) dtype = *given.dtype(3);
  Tensor result = to(to(input, dtype), device);
  if (given.boolean_or(4, false) && result == input) result = clone(input);
  return wrap(std::move(result));
}

template <DType dtype>
PyObject* call_converted(const Arguments& given) {
  return wrap(to(given.tensor(0), dtype));
}

PyObject* call_view(const Arguments& given) {
  return wrap(view(given.tensor(0), given.variadic_dims()));
}

constexpr std::array table{
    Method{"view", "input: Tensor, *shape: int", "Tensor", &docs::view, Place::method, call_view},
    Method{"reshape", "input: Tensor, *shape: int", "Tensor", &docs::reshape, Place::everywhere,
           [](const Arguments& given) {
             const Tensor& input = given.tensor(0);
             Tensor result = reshape(input, given.variadic_dims());
             return wrap(result == input ? alias(input) : std::move(result));  // still a view
           }},
    Method{"view_as", "input: Tensor, other: Tensor", "Tensor", &docs::view_as, Place::method,
           [](const Arguments& given) {
             return wrap(view(given.tensor(0), given.tensor(1).sizes()));
           }},
    Method{"reshape_as", "input: Tensor, other: Tensor", "Tensor", &docs::reshape_as, Place::method,
           [](const Arguments& given) {
             return wrap(reshape(given.tensor(0), given.tensor(1).sizes()));
           }},
    Method{"flatten", "input: Tensor, start_dim: int = 0, end_dim: int = -1", "Tensor",
           &docs::flatten, Place::everywhere,
           [](const Arguments& given) {
             return wrap(flatten(given.tensor(0), given.integer_or(1, 0), given.integer_or(2, -1)));
           }},
    Method{"transpose", "input: Tensor, dim0: int, dim1: int", "Tensor", &docs::transpose,
           Place::everywhere,
           [](const Arguments& given) {
             return wrap(transpose(given.tensor(0), given.integer(1), given.integer(2)));
           }},
    Method{"t", "input: Tensor", "Tensor", &docs::t, Place::everywhere,
           [](const Arguments& given) { return wrap(t(given.tensor(0))); }},
    Method{"permute", "input: Tensor, *dims: int", "Tensor", &docs::permute, Place::everywhere,
           [](const Arguments& given) {
             return wrap(permute(given.tensor(0), given.variadic_dims()));
           }},
    Method{"expand", "input: Tensor, *sizes: int", "Tensor", &docs::expand, Place::method,
           [](const Arguments& given) {
             return wrap(expand(given.tensor(0), given.variadic_dims()));
           }},
    Method{"expand_as", "input: Tensor, other: Tensor", "Tensor", &docs::expand_as, Place::method,
           [](const Arguments& given) {
             return wrap(expand(given.tensor(0), given.tensor(1).sizes()));
           }},
    Method{"squeeze", "input: Tensor, dim: int | None = None", "Tensor", &docs::squeeze,
           Place::everywhere,
           [](const Arguments& given) {
             return wrap(squeeze(given.tensor(0),
                                 given.has(1) ? std::optional(given.integer(1)) : std::nullopt));
           }},
    Method{
        "unsqueeze", "input: Tensor, dim: int", "Tensor", &docs::unsqueeze, Place::everywhere,
        [](const Arguments& given) { return wrap(unsqueeze(given.tensor(0), given.integer(1))); }},
    Method{"narrow", "input: Tensor, dim: int, start: int, length: int", "Tensor", &docs::narrow,
           Place::everywhere,
           [](const Arguments& given) {
             return wrap(
                 narrow(given.tensor(0), given.integer(1), given.integer(2), given.integer(3)));
           }},
    Method{"select", "input: Tensor, dim: int, index: int", "Tensor", &docs::select,
           Place::everywhere,
           [](const Arguments& given) {
             return wrap(select(given.tensor(0), given.integer(1), given.integer(2)));
           }},
    Method{"contiguous", "input: Tensor", "Tensor", &docs::contiguous, Place::method,
           [](const Arguments& given) { return wrap(contiguous(given.tensor(0))); }},
    Method{"clone", "input: Tensor", "Tensor", &docs::clone, Place::everywhere,
           [](const Arguments& given) { return wrap(clone(given.tensor(0))); }},
    Method{"detach", "input: Tensor", "Tensor", &docs::detach, Place::everywhere,
           [](const Arguments& given) { return wrap(detach(given.tensor(0))); }},
    Method{"alias", "input: Tensor", "Tensor", &docs::alias, Place::method,
           [](const Arguments& given) { return wrap(given.tensor(0)); }},
    Method{"copy_", "input: Tensor, src: Tensor", "Tensor", &docs::copy_, Place::method,
           [](const Arguments& given) {
             copy_(given.tensor(0), given.tensor(1));
             return same(given);
           }},
    Method{"to",
           "input: Tensor, device: Device | DType | Tensor | None = None, other: Device | DType | "
           "None = None, *, dtype: DType | None = None, copy: bool = False",
           "Tensor", &docs::to, Place::method, call_to},
    Method{"type_as", "input: Tensor, other: Tensor", "Tensor", &docs::type_as, Place::method,
           [](const Arguments& given) {
             const Tensor& input = given.tensor(0);
             return wrap(to(input, given.tensor(1).dtype()));
           }},
    Method{"float", "input: Tensor", "Tensor", &docs::float_type, Place::method,
           call_converted<DType::float32>},
    Method{"double", "input: Tensor", "Tensor", &docs::double_type, Place::method,
           call_converted<DType::float64>},
    Method{"long", "input: Tensor", "Tensor", &docs::long_type, Place::method,
           call_converted<DType::int64>},
    Method{"int", "input: Tensor", "Tensor", &docs::int_type, Place::method,
           call_converted<DType::int32>},
    Method{"byte", "input: Tensor", "Tensor", &docs::byte, Place::method,
           call_converted<DType::uint8>},
    Method{"bool", "input: Tensor", "Tensor", &docs::bool_type, Place::method,
           call_converted<DType::boolean>},
    Method{"cpu", "input: Tensor", "Tensor", &docs::cpu, Place::method,
           [](const Arguments& given) { return wrap(to(given.tensor(0), Device{})); }},
    Method{"cuda", "input: Tensor, device: int | Device | None = None", "Tensor", &docs::cuda,
           Place::method,
           [](const Arguments& given) {
             Device device = Device::cuda(0);
             if (given.has(1))
               device = PyLong_Check(given.object(1))
                            ? Device::cuda(static_cast<int>(given.integer(1)))
                            : to_device(given.object(1), "cuda");
             return wrap(to(given.tensor(0), device));
           }},
    Method{"cat", "tensors: Sequence[Tensor], dim: int = 0", "Tensor", &docs::cat,
           Place::functional,
           [](const Arguments& given) {
             const std::vector<Tensor> tensors = given.tensors(0);
             return wrap(cat(tensors, given.integer_or(1, 0)));
           }},
    Method{"stack", "tensors: Sequence[Tensor], dim: int = 0", "Tensor", &docs::stack,
           Place::functional,
           [](const Arguments& given) {
             const std::vector<Tensor> tensors = given.tensors(0);
             return wrap(stack(tensors, given.integer_or(1, 0)));
           }},
};

}  // namespace

void add_shape_methods() { add_table<table>(); }

}  // namespace garboard::python
