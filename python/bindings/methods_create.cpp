// Tensors from nothing, from Python's data, and from chance.
#include "csrc/core/error.h"
#include "csrc/ops/convert.h"
#include "csrc/ops/create.h"
#include "csrc/ops/random.h"
#include "python/bindings/docs/create.h"
#include "python/bindings/exchange.h"
#include "python/bindings/methods.h"
#include "python/bindings/ref.h"

namespace garboard::python {
namespace {

// Where the options of every creating function stand, counted from the first of them.
constexpr int dtype_at = 0, device_at = 1, grad_at = 2;

/// Marks a fresh tensor as a leaf where `requires_grad=True` was given.
PyObject* finish(const Arguments& given, int options, const Tensor& result) {
  if (given.boolean_or(options + grad_at, false)) result.set_requires_grad(true);
  return wrap(result);
}

template <std::int64_t value>
PyObject* call_filled(const Arguments& given) {
  const DType dtype = given.dtype(1 + dtype_at).value_or(DType::float32);
  return finish(given, 1,
                full(given.variadic_dims(), Scalar::of(value), dtype,
                     given.device_or_cpu(1 + device_at), given.op()));
}

template <std::int64_t value>
PyObject* call_filled_like(const Arguments& given) {
  const Tensor& like = given.tensor(0);
  const Device device =
      given.has(1 + device_at) ? given.device_or_cpu(1 + device_at) : like.device();
  return finish(given, 1,
                full(like.sizes(), Scalar::of(value), given.dtype(1).value_or(like.dtype()), device,
                     given.op()));
}

using Random = Tensor (*)(const Dims&, DType, Device);
template <Random op>
PyObject* call_random(const Arguments& given) {
  return finish(
      given, 1,
      op(given.variadic_dims(), given.dtype(1).value_or(DType::float32), given.device_or_cpu(2)));
}
template <Random op>
PyObject* call_random_like(const Arguments& given) {
  const Tensor& like = given.tensor(0);
  const Device device = given.has(2) ? given.device_or_cpu(2) : like.device();
  return finish(given, 1, op(like.sizes(), given.dtype(1).value_or(like.dtype()), device));
}

PyObject* call_arange(const Arguments& given) {
  const Scalar first = given.scalar(0);
  const bool only_end = !given.has(1);
  const Scalar start = only_end ? Scalar::of(std::int64_t{0}) : first;
  const Scalar end = only_end ? first : given.scalar(1);
  const Scalar step = given.has(2) ? given.scalar(2) : Scalar::of(std::int64_t{1});
  const Category widest = std::max({start.category, end.category, step.category});
  const DType dtype =
      given.dtype(3).value_or(widest == Category::floating ? DType::float32 : DType::int64);
  return finish(given, 3, arange(start, end, step, dtype, given.device_or_cpu(4)));
}

constexpr const char* filled =
    "*size: int, dtype: DType | None = None, device: Device | None = None, requires_grad: bool = "
    "False";
constexpr const char* filled_like =
    "input: Tensor, *, dtype: DType | None = None, device: Device | None = None, requires_grad: "
    "bool "
    "= False";

constexpr std::array table{
    Method{"tensor",
           "data: Any, *, dtype: DType | None = None, device: Device | None = None, requires_grad: "
           "bool = False",
           "Tensor", &docs::tensor, Place::functional,
           [](const Arguments& given) {
             return finish(
                 given, 1,
                 tensor_from(given.object(0), "tensor", given.dtype(1), given.device_or_cpu(2)));
           }},
    Method{"as_tensor", "data: Any, *, dtype: DType | None = None, device: Device | None = None",
           "Tensor", &docs::as_tensor, Place::functional,
           [](const Arguments& given) {
             PyObject* const data = given.object(0);
             const bool has_buffer = PyObject_CheckBuffer(data) && !PyBytes_Check(data);
             if (!is_tensor(data) && !has_buffer)
               return wrap(tensor_from(data, "as_tensor", given.dtype(1), given.device_or_cpu(2)));
             const Tensor shared =
                 is_tensor(data) ? given.tensor(0) : tensor_around(data, "as_tensor");
             Tensor result = to(shared, given.dtype(1).value_or(shared.dtype()));
             if (given.has(2)) result = to(result, given.device_or_cpu(2));
             return wrap(std::move(result));
           }},
    Method{
        "from_numpy", "ndarray: Any", "Tensor", &docs::from_numpy, Place::functional,
        [](const Arguments& given) { return wrap(tensor_around(given.object(0), "from_numpy")); }},
    Method{"zeros", filled, "Tensor", &docs::zeros, Place::functional, call_filled<0>},
    Method{"ones", filled, "Tensor", &docs::ones, Place::functional, call_filled<1>},
    Method{"empty", filled, "Tensor", &docs::empty, Place::functional,
           [](const Arguments& given) {
             return finish(given, 1,
                           empty(given.variadic_dims(), given.dtype(1).value_or(DType::float32),
                                 given.device_or_cpu(2)));
           }},
    Method{"full",
           "size: int | Sequence[int], fill_value: Number, *, dtype: DType | None = None, device: "
           "Device | None = None, requires_grad: bool = False",
           "Tensor", &docs::full, Place::functional,
           [](const Arguments& given) {
             const Scalar value = given.scalar(1);
             const DType dtype = given.dtype(2).value_or(default_dtype(value.category));
             return finish(given, 2, full(given.dims(0), value, dtype, given.device_or_cpu(3)));
           }},
    Method{"zeros_like", filled_like, "Tensor", &docs::zeros_like, Place::functional,
           call_filled_like<0>},
    Method{"ones_like", filled_like, "Tensor", &docs::ones_like, Place::functional,
           call_filled_like<1>},
    Method{"empty_like", filled_like, "Tensor", &docs::empty_like, Place::functional,
           [](const Arguments& given) {
             const Tensor& like = given.tensor(0);
             const Device device = given.has(2) ? given.device_or_cpu(2) : like.device();
             return finish(given, 1,
                           empty(like.sizes(), given.dtype(1).value_or(like.dtype()), device));
           }},
    Method{
        "full_like",
        "input: Tensor, fill_value: Number, *, dtype: DType | None = None, device: Device | None = "
        "None, requires_grad: bool = False",
        "Tensor", &docs::full_like, Place::functional,
        [](const Arguments& given) {
          const Tensor& like = given.tensor(0);
          const Device device = given.has(3) ? given.device_or_cpu(3) : like.device();
          return finish(
              given, 2,
              full(like.sizes(), given.scalar(1), given.dtype(2).value_or(like.dtype()), device));
        }},
    Method{"arange",
           "start: Number, end: Number | None = None, step: Number = 1, *, dtype: DType | None = "
           "None, "
           "device: Device | None = None, requires_grad: bool = False",
           "Tensor", &docs::arange, Place::functional, call_arange},
    Method{"eye",
           "n: int, m: int | None = None, *, dtype: DType | None = None, device: Device | None = "
           "None, "
           "requires_grad: bool = False",
           "Tensor", &docs::eye, Place::functional,
           [](const Arguments& given) {
             const std::int64_t rows = given.integer(0);
             return finish(given, 2,
                           eye(rows, given.integer_or(1, rows),
                               given.dtype(2).value_or(DType::float32), given.device_or_cpu(3)));
           }},
    Method{"rand", filled, "Tensor", &docs::rand, Place::functional, call_random<rand>},
    Method{"randn", filled, "Tensor", &docs::randn, Place::functional, call_random<randn>},
    Method{"rand_like", filled_like, "Tensor", &docs::rand_like, Place::functional,
           call_random_like<rand>},
    Method{"randn_like", filled_like, "Tensor", &docs::randn_like, Place::functional,
           call_random_like<randn>},
    Method{
        "randint",
        "low: int, high: int | Sequence[int], size: Sequence[int] | None = None, *, dtype: DType | "
        "None = None, device: Device | None = None",
        "Tensor", &docs::randint, Place::functional,
        [](const Arguments& given) {
          const bool has_both = given.has(2);
          const std::int64_t low = has_both ? given.integer(0) : 0;
          const std::int64_t high = given.integer(has_both ? 1 : 0);
          return wrap(randint(low, high, given.dims(has_both ? 2 : 1),
                              given.dtype(3).value_or(DType::int64), given.device_or_cpu(4)));
        }},
    Method{"randperm", "n: int, *, dtype: DType | None = None, device: Device | None = None",
           "Tensor", &docs::randperm, Place::functional,
           [](const Arguments& given) {
             return wrap(randperm(given.integer(0), given.dtype(1).value_or(DType::int64),
                                  given.device_or_cpu(2)));
           }},
    Method{"fill_", "input: Tensor, value: Number", "Tensor", &docs::fill_, Place::method,
           [](const Arguments& given) {
             fill_(given.tensor(0), given.scalar(1));
             return same(given);
           }},
    Method{"zero_", "input: Tensor", "Tensor", &docs::zero_, Place::method,
           [](const Arguments& given) {
             fill_(given.tensor(0), Scalar::of(std::int64_t{0}));
             return same(given);
           }},
    Method{"uniform_", "input: Tensor, from_: float = 0.0, to: float = 1.0", "Tensor",
           &docs::uniform_, Place::method,
           [](const Arguments& given) {
             uniform_(given.tensor(0), given.real_or(1, 0), given.real_or(2, 1));
             return same(given);
           }},
    Method{"normal_", "input: Tensor, mean: float = 0.0, std: float = 1.0", "Tensor",
           &docs::normal_, Place::method,
           [](const Arguments& given) {
             normal_(given.tensor(0), given.real_or(1, 0), given.real_or(2, 1));
             return same(given);
           }},
    Method{"manual_seed", "seed: int", "None", &docs::manual_seed, Place::functional,
           [](const Arguments& given) {
             manual_seed(static_cast<std::uint64_t>(given.integer(0)));
             return Py_NewRef(Py_None);
           }},
};

}  // namespace

void add_create_functions() { add_table<table>(); }

}  // namespace garboard::python
