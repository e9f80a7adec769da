// Draws from distributions.
#include "csrc/ops/random/distributions.h"

#include "csrc/core/default_dtype.h"
#include "csrc/core/error.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/random/random.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/creation/creation.h"
#include "python/bindings/creation/creation_docs.h"
#include "python/bindings/random/random_docs.h"

namespace garboard::python {
namespace {

namespace docs {
using namespace garboard::python::docs;

constexpr const char* redrawing_any_error =
    "DTypeError: The dtype cannot hold what is drawn.\n"
    "ShapeError: The distribution's numbers make none, or `input` meets an element twice, as what "
    "`expand` returns.\n"
    "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view of one.";

constexpr Doc bernoulli{
    .summary = "Draw 1 with the probability that each element says, else 0.",
    .details = "No gradient passes.",
    .args = {{"input", "Probabilities in [0, 1], of a floating dtype; with `p`, its shape alone."},
             {"p", "The probability everywhere."},
             generator},
    .returns = "A new tensor of `input`'s shape and dtype.",
    .raises =
        "ShapeError: A probability lies beyond [0, 1].\n"
        "DTypeError: The dtype is no floating one.",
    .example =
        ">>> gb.bernoulli(gb.tensor([0.0, 1.0]))\n"
        "tensor([0., 1.])",
};
constexpr Doc bernoulli_{
    .summary = "Draw 1 with probability `p`, else 0, into this tensor.",
    .args = {{"p", "A number, or a floating tensor that broadcasts to this one; in [0, 1]."},
             generator},
    .returns = itself,
    .raises =
        "ShapeError: A probability lies beyond [0, 1], or `p` does not broadcast.\n"
        "DTypeError: That of `p` is no floating one.\n"
        "DeviceError: `p` is on another device.\n"
        "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view of "
        "one.",
    .example =
        ">>> gb.bernoulli_(gb.zeros(2), 1.0)\n"
        "tensor([1., 1.])",
};
constexpr Doc exponential_{
    .summary = "Draw from an exponential distribution into this tensor.",
    .details = "Of the density lambd e^(-lambd x), by its inverse.",
    .args = {{"lambd", "Its rate, positive; 1 over its mean."}, generator},
    .returns = itself,
    .raises = redrawing_error,
    .example =
        ">>> x = gb.exponential_(gb.zeros(100))\n"
        ">>> bool((x >= 0).all())\n"
        "True",
};
constexpr Doc geometric_{
    .summary = "Draw how many trials it takes to succeed, into this tensor.",
    .details = "k with probability p (1 - p)^(k - 1), from 1 on.",
    .args = {{"p", "How likely a trial succeeds, between 0 and 1."}, generator},
    .returns = itself,
    .raises = redrawing_any_error,
    .example =
        ">>> x = gb.geometric_(gb.zeros(100), 0.5)\n"
        ">>> bool((x >= 1).all())\n"
        "True",
};
constexpr Doc cauchy_{
    .summary = "Draw from a Cauchy distribution into this tensor.",
    .details = "Of the density sigma / (pi ((x - median)^2 + sigma^2)), by its inverse.",
    .args = {{"median", "Its median, finite."}, {"sigma", "Its scale, positive."}, generator},
    .returns = itself,
    .raises = redrawing_error,
    .example =
        ">>> gb.cauchy_(gb.zeros(3)).shape\n"
        "(3,)",
};
constexpr Doc log_normal_{
    .summary = "Draw numbers into this tensor whose logarithms are of a normal distribution.",
    .args = {{"mean", "The mean of the logarithms, finite."},
             {"std", "Their standard deviation, positive."},
             generator},
    .returns = itself,
    .raises = redrawing_error,
    .example =
        ">>> x = gb.log_normal_(gb.zeros(100))\n"
        ">>> bool((x > 0).all())\n"
        "True",
};
constexpr Doc random_{
    .summary = "Draw integers from [`from_`, `to`) into this tensor, each as likely.",
    .details =
        "Without bounds they are all from 0 up to the largest of an integer dtype, or to 2^digits "
        "of a floating one.",
    .args = {{"from_", "The least integer."}, {"to", "What is above the largest one."}, generator},
    .returns = itself,
    .raises = redrawing_any_error,
    .example =
        ">>> gb.random_(gb.zeros(2), 3, 4)\n"
        "tensor([3., 3.])",
};
constexpr Doc poisson{
    .summary = "Draw a count from the Poisson distribution of each rate.",
    .details =
        "Below 10 by multiplying, from there on by transformed rejection (Hoermann, 1993); on the "
        "CPU, whatever the device. No gradient passes.",
    .args = {{"input", "Rates, at least 0 and finite, of a floating dtype."}, generator},
    .returns = "A new tensor of `input`'s shape and dtype.",
    .raises =
        "ShapeError: A rate is negative or not finite.\n"
        "DTypeError: The dtype is no floating one.",
    .example =
        ">>> gb.poisson(gb.zeros(2))\n"
        "tensor([0., 0.])",
};
constexpr Doc normal{
    .summary = "Draw from normal distributions.",
    .details = "No gradient passes.",
    .args = {{"mean", "Their means: a floating tensor, or a number."},
             {"std",
              "Their standard deviations, at least 0: a floating tensor that broadcasts with "
              "`mean`, or a number."},
             {"size", "Sizes, where both are numbers."},
             generator,
             {"dtype", "A floating dtype, where both are numbers."},
             device,
             requires_grad},
    .returns = "A new tensor of the broadcast shape, or of `size`.",
    .raises =
        "ShapeError: The sizes do not broadcast, or a deviation is negative.\n"
        "DTypeError: A dtype is no floating one.\n"
        "DeviceError: The tensors are on several devices, or the device cannot be used.",
    .example =
        ">>> gb.normal(gb.tensor([1.0, 2.0]), 0.0)\n"
        "tensor([1., 2.])\n"
        ">>> gb.normal(3.0, 0.0, (2,))\n"
        "tensor([3., 3.])",
};
constexpr Doc multinomial{
    .summary = "Draw places of `input` as often as the elements there weigh.",
    .details =
        "Without replacement by exponential waiting times (Efraimidis and Spirakis, 2006), else by "
        "running sums in float64. What weighs 0 is never drawn. No gradient passes.",
    .args = {{"input",
              "Weights of a floating dtype, one dim or rows; none is negative, and they need not "
              "sum to 1."},
             {"num_samples", "How many are drawn a row."},
             {"replacement", "True lets a place be drawn again."},
             generator},
    .returns = "A new int64 tensor: `num_samples` places, a row for each of `input`'s.",
    .raises =
        "ShapeError: A weight is negative or not finite; fewer are positive than are drawn; "
        "`num_samples` is not positive; or there is not one dim, nor two.\n"
        "DTypeError: The dtype is no floating one.",
    .example =
        ">>> gb.multinomial(gb.tensor([0.0, 2.0, 0.0]), 3, replacement=True)\n"
        "tensor([1, 1, 1])",
};

}  // namespace docs

constexpr std::array distribution_rows{
    bind("bernoulli", "input: Tensor, *, generator: Generator | None = None", docs::bernoulli,
         [](const Tensor& input, Generator* from) { return bernoulli(input, *from); })
        .with_out(),
    bind("bernoulli", "input: Tensor, p: float, *, generator: Generator | None = None",
         docs::bernoulli,
         [](const Tensor& input, double p, Generator* from) {
           const Tensor result = empty(input.sizes(), input.dtype(), input.device(), "bernoulli");
           bernoulli_(result, Scalar::of(p), *from);
           return result;
         })
        .with_out(),
    bind(
        "bernoulli_",
        "input: Tensor, p: Tensor | Number = 0.5, *, generator: Generator | None = None",
        docs::bernoulli_,
        [](const Tensor& input, const Operand& p, Generator* from) {
          bernoulli_(input, p, *from);
          return Itself();
        },
        Place::method),
    bind(
        "exponential_", "input: Tensor, lambd: float = 1.0, *, generator: Generator | None = None",
        docs::exponential_,
        [](const Tensor& input, double rate, Generator* from) {
          exponential_(input, rate, *from);
          return Itself();
        },
        Place::method),
    bind(
        "geometric_", "input: Tensor, p: float, *, generator: Generator | None = None",
        docs::geometric_,
        [](const Tensor& input, double p, Generator* from) {
          geometric_(input, p, *from);
          return Itself();
        },
        Place::method),
    bind(
        "cauchy_",
        "input: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Generator | None = "
        "None",
        docs::cauchy_,
        [](const Tensor& input, double median, double sigma, Generator* from) {
          cauchy_(input, median, sigma, *from);
          return Itself();
        },
        Place::method),
    bind(
        "log_normal_",
        "input: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Generator | None = None",
        docs::log_normal_,
        [](const Tensor& input, double mean, double deviation, Generator* from) {
          log_normal_(input, mean, deviation, *from);
          return Itself();
        },
        Place::method),
    bind(
        "random_", "input: Tensor, *, generator: Generator | None = None", docs::random_,
        [](const Tensor& input, Generator* from) {
          random_(input, 0, {}, *from);
          return Itself();
        },
        Place::method),
    bind(
        "random_", "input: Tensor, to: int, *, generator: Generator | None = None", docs::random_,
        [](const Tensor& input, std::int64_t high, Generator* from) {
          random_(input, 0, high, *from);
          return Itself();
        },
        Place::method),
    bind(
        "random_",
        "input: Tensor, from_: int, to: int | None, *, generator: Generator | None = None",
        docs::random_,
        [](const Tensor& input, std::int64_t low, std::optional<std::int64_t> high,
           Generator* from) {
          random_(input, low, high, *from);
          return Itself();
        },
        Place::method),
    bind(
        "poisson", "input: Tensor, *, generator: Generator | None = None", docs::poisson,
        [](const Tensor& input, Generator* from) { return poisson(input, *from); },
        Place::functional),
    bind(
        "normal", "mean: Tensor, std: Tensor | Number = 1.0, *, generator: Generator | None = None",
        docs::normal,
        [](const Tensor& mean, const Operand& deviation, Generator* from) {
          return normal(mean, deviation, *from);
        },
        Place::functional)
        .with_out(),
    bind(
        "normal", "mean: float, std: Tensor, *, generator: Generator | None = None", docs::normal,
        [](double mean, const Tensor& deviation, Generator* from) {
          return normal(mean, deviation, *from);
        },
        Place::functional)
        .with_out(),
    bind(
        "normal",
        "mean: float, std: float, size: Size, *, generator: Generator | None = None, @options",
        docs::normal,
        [](double mean, double deviation, const Dims& sizes, Generator* from,
           const Options& options) {
          const DType dtype = options.dtype.value_or(default_floating());
          if (!is_floating(dtype))
            throw DTypeError(text("normal: dtype ", name_of(dtype), "; a floating one is needed"));
          const Tensor result = empty(sizes, dtype, on(options), "normal");
          normal_(result, mean, deviation, *from);
          return finished(result, options);
        },
        Place::functional)
        .with_out(),
    bind("multinomial",
         "input: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator | "
         "None = None",
         docs::multinomial,
         [](const Tensor& input, std::int64_t count, bool replacement, Generator* from) {
           return multinomial(input, count, replacement, *from);
         })
        .with_out(),
};

}  // namespace

void add_distributions() { add_table<distribution_rows>(); }

}  // namespace garboard::python
