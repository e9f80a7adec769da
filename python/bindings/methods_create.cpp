// Tensors from nothing, from Python's data, and from chance.
#include "csrc/core/error.h"
#include "csrc/ops/convert.h"
#include "csrc/ops/create.h"
#include "csrc/ops/random.h"
#include "python/bindings/docs/create.h"
#include "python/bindings/exchange.h"
#include "python/bindings/methods.h"

namespace garboard::python {
namespace {

Device on(const Placement& placement) { return placement.device.value_or(Device{}); }

/// A fresh tensor, a leaf where that was asked for.
Tensor finished(Tensor made, const Options& options) {
  if (options.requires_grad) made.set_requires_grad(true);
  return made;
}

template <std::int64_t value>
constexpr auto filled = [](OpName op, const Dims& sizes, const Options& options) {
  return finished(
      full(sizes, Scalar::of(value), options.dtype.value_or(DType::float32), on(options), op.text),
      options);
};
template <std::int64_t value>
constexpr auto filled_like = [](OpName op, const Tensor& like, const Options& options) {
  return finished(full(like.sizes(), Scalar::of(value), options.dtype.value_or(like.dtype()),
                       options.device.value_or(like.device()), op.text),
                  options);
};

using Random = Tensor (*)(const Dims&, DType, Device);
template <Random op>
constexpr auto drawn = [](const Dims& sizes, const Options& options) {
  return finished(op(sizes, options.dtype.value_or(DType::float32), on(options)), options);
};
template <Random op>
constexpr auto drawn_like = [](const Tensor& like, const Options& options) {
  return finished(op(like.sizes(), options.dtype.value_or(like.dtype()),
                     options.device.value_or(like.device())),
                  options);
};

Tensor counted(Scalar start, Scalar end, Scalar step, const Options& options) {
  const Category widest = std::max({start.category, end.category, step.category});
  const DType otherwise = widest == Category::floating ? DType::float32 : DType::int64;
  return finished(arange(start, end, step, options.dtype.value_or(otherwise), on(options)),
                  options);
}

Tensor drawn_integers(std::int64_t low, std::int64_t high, const Dims& sizes,
                      const Placement& placement) {
  return randint(low, high, sizes, placement.dtype.value_or(DType::int64), on(placement));
}

constexpr const char* of_sizes = "*size: int, @options";
constexpr const char* of_like = "input: Tensor, *, @options";

constexpr std::array table{
    bind(
        "tensor", "data: TensorLike, *, @options", docs::tensor,
        [](PyObject* data, const Options& options) {
          return finished(tensor_from(data, "tensor", options.dtype, on(options)), options);
        },
        Place::functional),
    bind(
        "as_tensor", "data: TensorLike, *, @placement", docs::as_tensor,
        [](PyObject* data, const Placement& placement) {
          const auto& [dtype, device] = placement;
          const bool has_buffer = PyObject_CheckBuffer(data) && !PyBytes_Check(data);
          if (!is_tensor(data) && !has_buffer)
            return tensor_from(data, "as_tensor", dtype, on(placement));
          const Tensor shared = is_tensor(data) ? tensor_of(data, "as_tensor", "data")
                                                : tensor_around(data, "as_tensor");
          const Tensor result = to(shared, dtype.value_or(shared.dtype()));
          return device ? to(result, *device) : result;
        },
        Place::functional),
    bind(
        "from_numpy", "ndarray: NDArray[Any] | SupportsBuffer", docs::from_numpy,
        [](PyObject* array) { return tensor_around(array, "from_numpy"); }, Place::functional),
    bind("zeros", of_sizes, docs::zeros, filled<0>, Place::functional),
    bind("ones", of_sizes, docs::ones, filled<1>, Place::functional),
    bind(
        "empty", of_sizes, docs::empty,
        [](const Dims& sizes, const Options& options) {
          return finished(empty(sizes, options.dtype.value_or(DType::float32), on(options)),
                          options);
        },
        Place::functional),
    bind(
        "full", "size: int | Size, fill_value: Number, *, @options", docs::full,
        [](const Dims& sizes, Scalar value, const Options& options) {
          const DType dtype = options.dtype.value_or(default_dtype(value.category));
          return finished(full(sizes, value, dtype, on(options)), options);
        },
        Place::functional),
    bind("zeros_like", of_like, docs::zeros_like, filled_like<0>, Place::functional),
    bind("ones_like", of_like, docs::ones_like, filled_like<1>, Place::functional),
    bind(
        "empty_like", of_like, docs::empty_like,
        [](const Tensor& like, const Options& options) {
          return finished(empty(like.sizes(), options.dtype.value_or(like.dtype()),
                                options.device.value_or(like.device())),
                          options);
        },
        Place::functional),
    bind(
        "full_like", "input: Tensor, fill_value: Number, *, @options", docs::full_like,
        [](const Tensor& like, Scalar value, const Options& options) {
          return finished(full(like.sizes(), value, options.dtype.value_or(like.dtype()),
                               options.device.value_or(like.device())),
                          options);
        },
        Place::functional),
    bind(
        "arange", "end: Number, *, @options", docs::arange,
        [](Scalar end, const Options& options) {
          return counted(Scalar::of(std::int64_t{0}), end, Scalar::of(std::int64_t{1}), options);
        },
        Place::functional),
    bind("arange", "start: Number, end: Number, step: Number = 1, *, @options", docs::arange,
         fn<counted>, Place::functional),
    bind(
        "eye", "n: int, m: int | None = None, *, @options", docs::eye,
        [](std::int64_t rows, std::optional<std::int64_t> columns, const Options& options) {
          return finished(eye(rows, columns.value_or(rows), options.dtype.value_or(DType::float32),
                              on(options)),
                          options);
        },
        Place::functional),
    bind("rand", of_sizes, docs::rand, drawn<rand>, Place::functional),
    bind("randn", of_sizes, docs::randn, drawn<randn>, Place::functional),
    bind("rand_like", of_like, docs::rand_like, drawn_like<rand>, Place::functional),
    bind("randn_like", of_like, docs::randn_like, drawn_like<randn>, Place::functional),
    bind(
        "randint", "high: int, size: Size, *, @placement", docs::randint,
        [](std::int64_t high, const Dims& sizes, const Placement& placement) {
          return drawn_integers(0, high, sizes, placement);
        },
        Place::functional),
    bind("randint", "low: int, high: int, size: Size, *, @placement", docs::randint,
         fn<drawn_integers>, Place::functional),
    bind(
        "randperm", "n: int, *, @placement", docs::randperm,
        [](std::int64_t count, const Placement& placement) {
          return randperm(count, placement.dtype.value_or(DType::int64), on(placement));
        },
        Place::functional),
    bind(
        "fill_", "input: Tensor, value: Number", docs::fill_,
        [](const Tensor& input, Scalar value) {
          fill_(input, value);
          return Itself();
        },
        Place::method),
    bind(
        "zero_", "input: Tensor", docs::zero_,
        [](const Tensor& input) {
          fill_(input, Scalar::of(std::int64_t{0}));
          return Itself();
        },
        Place::method),
    bind(
        "uniform_", "input: Tensor, from_: float = 0.0, to: float = 1.0", docs::uniform_,
        [](const Tensor& input, double low, double high) {
          uniform_(input, low, high);
          return Itself();
        },
        Place::method),
    bind(
        "normal_", "input: Tensor, mean: float = 0.0, std: float = 1.0", docs::normal_,
        [](const Tensor& input, double mean, double deviation) {
          normal_(input, mean, deviation);
          return Itself();
        },
        Place::method),
    bind(
        "manual_seed", "seed: int", docs::manual_seed,
        [](std::int64_t seed) { manual_seed(static_cast<std::uint64_t>(seed)); },
        Place::functional),
};

}  // namespace

void add_create_functions() { add_table<table>(); }

}  // namespace garboard::python
