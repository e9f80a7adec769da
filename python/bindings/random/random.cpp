// Tensors from chance.
#include "csrc/ops/random/random.h"

#include "csrc/core/default_dtype.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/creation/creation.h"
#include "python/bindings/creation/creation_docs.h"
#include "python/bindings/random/random_docs.h"

namespace garboard::python {
namespace {

namespace docs {
using namespace garboard::python::docs;

constexpr const char* philox =
    "Philox4x32-10 (Salmon et al., \"Parallel random numbers: as easy as 1, 2, 3\", 2011): after "
    "`manual_seed` the same numbers on every device and with any number of threads.";
constexpr Arg floating_dtype{"dtype", "A floating dtype; float32 where it is left out."};
constexpr const char* random_error =
    "ShapeError: A size is negative.\n"
    "DTypeError: The dtype is no floating one.\n"
    "DeviceError: The device cannot be used.";

constexpr Doc rand{
    .summary = "Draw from the uniform distribution on [0, 1).",
    .details = philox,
    .args = {size, generator, floating_dtype, device, requires_grad},
    .returns = "A new dense tensor.",
    .raises = random_error,
    .example =
        ">>> generator = gb.manual_seed(0)\n"
        ">>> x = gb.rand(2, 3)\n"
        ">>> generator = gb.manual_seed(0)\n"
        ">>> gb.equal(x, gb.rand(2, 3))\n"
        "True",
};
constexpr Doc randn{
    .summary = "Draw from the standard normal distribution.",
    .details = philox,
    .args = {size, generator, floating_dtype, device, requires_grad},
    .returns = "A new dense tensor.",
    .raises = random_error,
    .example =
        ">>> gb.randn(2, 3).shape\n"
        "(2, 3)",
};
constexpr Arg of_those_sizes{"input", "Tensor whose sizes, dtype and device are taken."};
constexpr const char* random_like_error =
    "DTypeError: The dtype is no floating one.\n"
    "DeviceError: The device cannot be used.";
constexpr Doc rand_like{
    .summary = "Draw from the uniform distribution on [0, 1), in the sizes and dtype of `input`.",
    .args = {of_those_sizes,
             {"dtype", "Another floating dtype than `input`'s."},
             {"device", "Another device than `input`'s."},
             requires_grad,
             generator,
             order_of_dims},
    .returns = "A new dense tensor of `input`'s sizes.",
    .raises = random_like_error,
    .example =
        ">>> gb.rand_like(gb.zeros(2, 3)).shape\n"
        "(2, 3)",
};
constexpr Doc randn_like{
    .summary = "Draw from the standard normal distribution, in the sizes and dtype of `input`.",
    .args = {of_those_sizes,
             {"dtype", "Another floating dtype than `input`'s."},
             {"device", "Another device than `input`'s."},
             requires_grad,
             generator,
             order_of_dims},
    .returns = "A new dense tensor of `input`'s sizes.",
    .raises = random_like_error,
    .example =
        ">>> gb.randn_like(gb.zeros(2, 3)).shape\n"
        "(2, 3)",
};
constexpr Doc randint{
    .summary = "Draw integers from [`low`, `high`), each as likely.",
    .args = {{"low", "The least integer; 0 where it is left out."},
             {"high", "What is above the largest one."},
             {"size", "Sizes."},
             generator,
             {"dtype", "The dtype; int64 where it is left out."},
             device,
             requires_grad},
    .returns = "A new dense tensor.",
    .raises =
        "ShapeError: `low` is not below `high`, or a size is negative.\n"
        "DTypeError: The dtype does not hold them all.\n"
        "DeviceError: The device cannot be used.\n"
        "GradientError: A gradient is asked for, and the dtype is no floating one.",
    .example =
        ">>> x = gb.randint(5, 8, (100,))\n"
        ">>> x.amin().item() >= 5, x.amax().item() <= 7\n"
        "(True, True)",
};
constexpr Doc randint_like{
    .summary = "Draw integers from [`low`, `high`), each as likely, in `input`'s sizes and dtype.",
    .args = {of_those_sizes,
             {"low", "The least integer; 0 where it is left out."},
             {"high", "What is above the largest one."},
             generator,
             {"dtype", "Another dtype than `input`'s."},
             {"device", "Another device than `input`'s."},
             requires_grad,
             order_of_dims},
    .returns = "A new dense tensor of `input`'s sizes.",
    .raises =
        "ShapeError: `low` is not below `high`.\n"
        "DTypeError: The dtype does not hold them all.\n"
        "DeviceError: The device cannot be used.\n"
        "GradientError: A gradient is asked for, and the dtype is no floating one.",
    .example =
        ">>> gb.randint_like(gb.zeros(2), 5, 6)\n"
        "tensor([5., 5.])",
};
constexpr Doc randperm{
    .summary = "Put the integers from 0 to `n` - 1 in a random order.",
    .details = "Each order is as likely.",
    .args = {{"n", "How many."},
             generator,
             {"dtype", "One that holds them all; int64 where it is left out."},
             device,
             requires_grad},
    .returns = "A new tensor of one dim.",
    .raises =
        "ShapeError: `n` is negative.\n"
        "DTypeError: The dtype does not hold them all.\n"
        "DeviceError: The device cannot be used.\n"
        "GradientError: A gradient is asked for, and the dtype is no floating one.",
    .example =
        ">>> sorted(gb.randperm(4).tolist())\n"
        "[0, 1, 2, 3]",
};
constexpr Doc uniform_{
    .summary = "Draw from the uniform distribution on [`from_`, `to`) into this tensor.",
    .args = {{"from_", "The least number, finite."},
             {"to", "The upper bound, not below `from_`."},
             generator},
    .returns = itself,
    .raises = redrawing_error,
    .example =
        ">>> x = gb.uniform_(gb.zeros(100), 2, 3)\n"
        ">>> x.amin().item() >= 2, x.amax().item() < 3\n"
        "(True, True)",
};
constexpr Doc normal_{
    .summary = "Draw from a normal distribution into this tensor.",
    .args = {{"mean", "Its mean, finite."},
             {"std", "Its standard deviation, at least 0."},
             generator},
    .returns = itself,
    .raises = redrawing_error,
    .example =
        ">>> gb.normal_(gb.zeros(2), 3.0, 0.0)\n"
        "tensor([3., 3.])",
};
}  // namespace docs

using Random = Tensor (*)(const Dims&, DType, Device, Generator&);
template <Random op>
constexpr auto drawn = [](const Dims& sizes, Generator* from, const Options& options) {
  return finished(op(sizes, options.dtype.value_or(default_floating()), on(options), *from),
                  options);
};
template <Random op>
constexpr auto drawn_like =
    [](OpName name, const Tensor& like, Generator* from, PyObject* format, const Options& options) {
      return finished_like(name.text, like, format,
                           op(like.sizes(), options.dtype.value_or(like.dtype()),
                              options.device.value_or(like.device()), *from),
                           options);
    };

Tensor drawn_integers(std::int64_t low, std::int64_t high, const Dims& sizes, Generator* from,
                      const Options& options) {
  return finished(
      randint(low, high, sizes, options.dtype.value_or(DType::int64), on(options), *from), options);
}
Tensor integers_like(const Tensor& like, std::int64_t low, std::int64_t high, Generator* from,
                     PyObject* format, const Options& options) {
  return finished_like("randint_like", like, format,
                       randint(low, high, like.sizes(), options.dtype.value_or(like.dtype()),
                               options.device.value_or(like.device()), *from),
                       options);
}

constexpr const char* of_sizes = "*size: int, generator: Generator | None = None, @options";
constexpr const char* of_like =
    "input: Tensor, *, generator: Generator | None = None, "
    "memory_format: _MemoryFormat | None = None, @options";

constexpr std::array random_rows{
    bind("rand", of_sizes, docs::rand, drawn<rand>, Place::functional).with_out(),
    bind("randn", of_sizes, docs::randn, drawn<randn>, Place::functional).with_out(),
    bind("rand_like", of_like, docs::rand_like, drawn_like<rand>, Place::functional),
    bind("randn_like", of_like, docs::randn_like, drawn_like<randn>, Place::functional),
    bind(
        "randint", "high: int, size: Size, *, generator: Generator | None = None, @options",
        docs::randint,
        [](std::int64_t high, const Dims& sizes, Generator* from, const Options& options) {
          return drawn_integers(0, high, sizes, from, options);
        },
        Place::functional)
        .with_out(),
    bind("randint",
         "low: int, high: int, size: Size, *, generator: Generator | None = None, @options",
         docs::randint, fn<drawn_integers>, Place::functional)
        .with_out(),
    bind(
        "randint_like",
        "input: Tensor, high: int, *, generator: Generator | None = None, "
        "memory_format: _MemoryFormat | None = None, @options",
        docs::randint_like,
        [](const Tensor& like, std::int64_t high, Generator* from, PyObject* format,
           const Options& options) { return integers_like(like, 0, high, from, format, options); },
        Place::functional),
    bind("randint_like",
         "input: Tensor, low: int, high: int, *, generator: Generator | None = None, "
         "memory_format: _MemoryFormat | None = None, @options",
         docs::randint_like, fn<integers_like>, Place::functional),
    bind(
        "randperm", "n: int, *, generator: Generator | None = None, @options", docs::randperm,
        [](std::int64_t count, Generator* from, const Options& options) {
          return finished(randperm(count, options.dtype.value_or(DType::int64), on(options), *from),
                          options);
        },
        Place::functional)
        .with_out(),
    bind(
        "uniform_",
        "input: Tensor, from_: float = 0.0, to: float = 1.0, *, generator: Generator | None = None",
        docs::uniform_,
        [](const Tensor& input, double low, double high, Generator* from) {
          uniform_(input, low, high, *from);
          return Itself();
        },
        Place::method),
    bind(
        "normal_",
        "input: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None",
        docs::normal_,
        [](const Tensor& input, double mean, double deviation, Generator* from) {
          normal_(input, mean, deviation, *from);
          return Itself();
        },
        Place::method),
};

}  // namespace

void add_random_functions() { add_table<random_rows>(); }

}  // namespace garboard::python
