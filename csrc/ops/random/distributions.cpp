#include "csrc/ops/random/distributions.h"

#include <cmath>
#include <limits>

#include "csrc/core/error.h"
#include "csrc/core/interruption.h"
#include "csrc/core/outer_lock.h"
#include "csrc/device/backend.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/special.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/transcendental.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/promotion.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/order/order.h"
#include "csrc/ops/random/random.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/reduce/scan.h"
#include "csrc/ops/shape/views.h"
#include "kernels/functors/philox.h"

namespace garboard {
namespace {

/// What draws of `dtype` are computed in.
DType computed(DType dtype) { return dtype == DType::float64 ? dtype : DType::float32; }

/// Of what was computed; true of a device that computes nothing.
bool all_true(const Tensor& conditions) {
  return !computes(conditions.device()) || *to(all(conditions), Device{}).view().as<bool>();
}

void check_probabilities(const char* op, const Tensor& p) {
  if (!all_true(logical_and(ge(p, 0.0), le(p, 1.0))))
    throw ShapeError(text(op, ": probabilities beyond [0, 1]; all must lie in it"));
}

/// Uniform numbers in [0, 1) in `self`'s sizes.
Tensor units_for(const Tensor& self, Generator& from) {
  return rand(self.sizes(), computed(self.dtype()), self.device(), from);
}

/// Replaces what `self` held by what `make` draws, without a gradient.
template <class Make>
void redraw(const char* op, const Tensor& self, Make make) {
  check_writable(op, self);
  {
    const GradModeGuard no_grad(false);
    const Tensor drawn = make();
    write_into(self, [&] { copy_into(self, drawn); });
  }
  record_overwritten(op, self);
}

/// Uniform numbers in (0, 1), as many as are asked for: those of one element.
class Draws {
 public:
  Draws(const kernels::RandomStream& numbers, std::int64_t element)
      : seed_(numbers.seed), counter_(numbers.offset + static_cast<std::uint64_t>(element)) {}

  double next() {
    if (at_ == 4) at_ = 0, words_ = functors::philox(counter_, plane_++, seed_);
    const std::uint32_t first = words_.word[at_], second = words_.word[at_ + 1];
    at_ += 2;
    return functors::unit_interval<double>(first, second) + 0x1p-54;
  }

 private:
  std::uint64_t seed_, counter_, plane_ = 0;
  functors::FourWords words_;
  int at_ = 4;
};

/// The logarithm of k!, within 1e-10 from 10 on: by Stirling, for the C library's is no thread's
/// own.
double log_factorial(double k) {
  const double x = k + 1, z = 1 / (x * x);
  return (x - 0.5) * std::log(x) - x + 0.91893853320467274178 +
         (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z / 1680))) / x;
}

double drawn_poisson(double rate, Draws& draws) {
  if (rate < 10) {  // uniform numbers are multiplied until they fall below e^-rate
    const double end = std::exp(-rate);
    double count = 0;
    for (double product = draws.next(); product > end; product *= draws.next()) ++count;
    return count;
  }
  const double log_rate = std::log(rate);
  const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  const double inverse = 1.1239 + 1.1328 / (b - 3.4), swift = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = draws.next() - 0.5, v = draws.next(), share = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / share + b) * u + rate + 0.43);
    if (share >= 0.07 && v <= swift) return k;
    if (k < 0 || (share < 0.013 && v > share)) continue;
    const double density = k < 10 ? k * log_rate - rate - std::log(std::tgamma(k + 1))
                                  : k * log_rate - rate - log_factorial(k);
    if (std::log(v * inverse / (a / (share * share) + b)) <= density) return k;
  }
}

}  // namespace

void bernoulli_(const Tensor& self, const Operand& p, Generator& from) {
  if (!p.tensor && !p.scalar.is_within(0, 1))
    throw ShapeError(text("bernoulli_: p ", p.scalar.real, "; it must lie in [0, 1]"));
  if (p.tensor) {
    check_floating("bernoulli_", p.tensor->dtype());
    check_probabilities("bernoulli_", *p.tensor);
    const Operand target = self;
    common_device("bernoulli_", {&target, &p});
    if (broadcast_sizes("bernoulli_", self.sizes(), p.tensor->sizes()) != self.sizes())
      throw ShapeError(text("bernoulli_: p of sizes ", p.tensor->sizes(), " for sizes ",
                            self.sizes(), "; it must broadcast to them"));
  }
  redraw("bernoulli_", self, [&] {
    const DType dtype = p.tensor ? computed(p.tensor->dtype()) : DType::float64;
    return to(lt(rand(self.sizes(), dtype, self.device(), from), p), self.dtype());
  });
}

void exponential_(const Tensor& self, double rate, Generator& from) {
  if (!(rate > 0)) throw ShapeError(text("exponential_: lambd ", rate, "; it must be positive"));
  check_floating("exponential_", self.dtype());
  // No draw is 0, whose logarithm is what programs take next: a unit of 0 stands for the middle of
  // what rounds to it, which a half has none below its least number for.
  const double least = computed(self.dtype()) == DType::float64 ? 0x1p-54
                       : self.dtype() == DType::float16         ? 0x1p-24
                                                                : 0x1p-25;
  redraw("exponential_", self,
         [&] { return log1p(-maximum(units_for(self, from), Scalar::of(least))) * (-1 / rate); });
}

void geometric_(const Tensor& self, double p, Generator& from) {
  if (!(p > 0 && p < 1))
    throw ShapeError(text("geometric_: p ", p, "; it must lie between 0 and 1"));
  if (self.dtype() == DType::boolean)
    throw DTypeError("geometric_: dtype bool; a number is needed");
  redraw("geometric_", self, [&] {
    const Tensor units = rand(self.sizes(), DType::float64, self.device(), from);
    return to(floor(log1p(-units) / std::log1p(-p)) + 1.0, self.dtype());
  });
}

void cauchy_(const Tensor& self, double median, double sigma, Generator& from) {
  if (!(sigma > 0) || !std::isfinite(median))
    throw ShapeError(text("cauchy_: median ", median, " and sigma ", sigma,
                          "; a finite one and a positive one are needed"));
  check_floating("cauchy_", self.dtype());
  redraw("cauchy_", self, [&] {
    return tan((units_for(self, from) - 0.5) * 3.14159265358979323846) * sigma + median;
  });
}

void log_normal_(const Tensor& self, double mean, double deviation, Generator& from) {
  if (!(deviation > 0) || !std::isfinite(mean))
    throw ShapeError(text("log_normal_: mean ", mean, " and std ", deviation,
                          "; a finite one and a positive one are needed"));
  check_floating("log_normal_", self.dtype());
  redraw("log_normal_", self, [&] {
    return exp(randn(self.sizes(), computed(self.dtype()), self.device(), from) * deviation + mean);
  });
}

void random_(const Tensor& self, std::int64_t low, std::optional<std::int64_t> high,
             Generator& from) {
  if (is_complex(self.dtype())) refuse_complex("random_", self.dtype());
  const std::int64_t most = visit_dtype(self.dtype(), []<class T>(Type<T>) -> std::int64_t {
    using Limits = std::numeric_limits<T>;
    if constexpr (Limits::is_integer) return static_cast<std::int64_t>(Limits::max());
    return std::int64_t{1} << Limits::digits;
  });
  if (high ? low >= *high : low > most)
    throw ShapeError(
        text("random_: from ", low, " to ", high.value_or(most), "; from must be below to"));
  const std::int64_t last = high ? *high - 1 : most;
  check_fits("random_", Scalar::of(low), self.dtype());
  check_fits("random_", Scalar::of(last), self.dtype());
  redraw("random_", self, [&] {
    return to(integers_from("random_", low, last, self.sizes(), self.device(), from), self.dtype());
  });
}

Tensor bernoulli(const Tensor& probabilities, Generator& from) {
  check_floating("bernoulli", probabilities.dtype());
  const GradModeGuard no_grad(false);
  check_probabilities("bernoulli", probabilities);
  const DType dtype = computed(probabilities.dtype());
  return to(lt(rand(probabilities.sizes(), dtype, probabilities.device(), from), probabilities),
            probabilities.dtype());
}

Tensor poisson(const Tensor& rates, Generator& from) {
  check_floating("poisson", rates.dtype());
  const GradModeGuard no_grad(false);
  // Of its own: others may write into the rates meanwhile, and of NaN no draw would end.
  const Tensor means = contiguous(to(to(row_major_copy(rates), DType::float64), Device{}));
  if (!all_true(logical_and(ge(means, 0.0), lt(means, HUGE_VAL))))
    throw ShapeError("poisson: a rate that is negative or not finite; none may be");
  const Tensor counts = empty(rates.sizes(), DType::float64, {}, "poisson");
  const kernels::RandomStream numbers = from.numbers_for(4 * counts.count());
  const double* const mean = means.view().as<double>();
  double* const count = counts.view().as<double>();
  {
    constexpr double element_ns = 100;
    const OuterLock::Away away(static_cast<double>(counts.count()) * element_ns);
    for (std::int64_t i = 0; i < counts.count(); ++i) {
      if (i % (1 << 14) == 0) interruption_point();
      Draws draws(numbers, i);
      count[i] = drawn_poisson(mean[i], draws);
    }
  }
  return to(to(counts, rates.dtype()), rates.device());
}

Tensor normal(const Operand& mean, const Operand& deviation, Generator& from) {
  const Device device = common_device("normal", {&mean, &deviation});
  for (const Operand* const operand : {&mean, &deviation})
    if (operand->tensor) check_floating("normal", operand->tensor->dtype());
  const GradModeGuard no_grad(false);
  if (deviation.tensor ? !all_true(ge(*deviation.tensor, 0.0))
                       : !deviation.scalar.is_within(0, HUGE_VAL))
    throw ShapeError("normal: a std that is negative or NaN; none may be");
  const Dims sizes =
      mean.tensor && deviation.tensor
          ? broadcast_sizes("normal", mean.tensor->sizes(), deviation.tensor->sizes())
          : (mean.tensor ? mean.tensor : deviation.tensor)->sizes();
  const DType dtype = result_dtype({&mean, &deviation});
  const Tensor drawn = randn(sizes, computed(dtype), device, from);
  return to(drawn * deviation + mean, dtype);
}

Tensor multinomial(const Tensor& weights, std::int64_t count, bool replacement, Generator& from) {
  check_floating("multinomial", weights.dtype());
  const std::int64_t dims = weights.ndim();
  if (dims != 1 && dims != 2)
    throw ShapeError(text("multinomial: input of sizes ", weights.sizes(),
                          "; one dim, or rows and columns, are needed"));
  const std::int64_t columns = weights.size(static_cast<std::size_t>(dims - 1));
  if (count <= 0 || columns == 0)
    throw ShapeError(text("multinomial: num_samples ", count, " of ", columns,
                          " weights; 1 or more of both are needed"));
  if (!replacement && count > columns)
    throw ShapeError(text("multinomial: num_samples ", count, " of ", columns,
                          " weights without replacement; no more than there are can be drawn"));
  const GradModeGuard no_grad(false);
  const Tensor given = to(weights, DType::float64);
  if (!all_true(logical_and(ge(given, 0.0), lt(given, HUGE_VAL))))
    throw ShapeError("multinomial: a weight that is negative or not finite; none may be");
  const Tensor largest = amax(given, Reduced{.dims = Dims{-1}, .keepdim = true});
  if (!all_true(gt(largest, 0.0)))
    throw ShapeError("multinomial: a row without a positive weight; one is needed");
  const Tensor wide = given / largest;
  if (replacement) {
    const Tensor ends = cumsum(wide, -1);
    Dims sizes = weights.sizes();
    sizes[static_cast<std::size_t>(dims - 1)] = count;
    const Tensor total = narrow(ends, -1, columns - 1, 1);
    const Tensor units = rand(sizes, DType::float64, weights.device(), from);
    const Tensor at = minimum(units * total, total * (1 - 0x1p-53));  // below it, however it rounds
    return searchsorted("multinomial", ends, at, true);
  }
  // Who waits longest for what happens at the rate of its weight comes last. What weighs 0 waits
  // for ever: it is drawn where nothing else is left.
  const Tensor waits = -log1p(-rand(weights.sizes(), DType::float64, weights.device(), from));
  return topk(waits / wide, count, -1, Direction::ascending).indices;
}

}  // namespace garboard
