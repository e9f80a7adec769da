#include "csrc/ops/random/random.h"

#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

#include "csrc/core/error.h"
#include "csrc/core/interruption.h"
#include "csrc/core/outer_lock.h"
#include "csrc/core/spin_lock.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/record.h"
#include "kernels/functors/philox.h"
#include "kernels/table.h"

namespace garboard {
namespace {

SpinLock lock;
GeneratorState state{.seed = 67280421310721, .offset = 0};

/// Numbers for `count` elements: four come from one step of the counter.
kernels::RandomStream numbers_for(std::int64_t count) {
  const std::lock_guard guard(lock);
  const kernels::RandomStream numbers{state.seed, state.offset};
  state.offset += (static_cast<std::uint64_t>(count) + 3) / 4;
  return numbers;
}

void check_floating(const char* op, DType dtype) {
  if (!is_floating(dtype))
    throw DTypeError(text(op, ": dtype ", name_of(dtype), "; a floating one is needed"));
}

/// A dtype holds every integer below 2^digits, a floating one that too.
void check_holds_all_below(std::int64_t n, DType dtype) {
  const std::int64_t most = visit_dtype(dtype, []<class T>(Type<T>) -> std::int64_t {
    constexpr int digits = std::numeric_limits<T>::digits;
    if constexpr (std::is_same_v<T, bool>) return -1;
    return digits < 63 ? std::int64_t{1} << digits % 63 : std::numeric_limits<std::int64_t>::max();
  });
  if (n > most)
    throw DTypeError(text("randperm: dtype ", name_of(dtype), " for ", n,
                          " numbers; one that holds them all is needed, as int64 does"));
}

/// Fills any tensor; the kernel itself wants a dense one.
template <class Kernel>
void fill_random(const char* op, const Tensor& self, double first, double second) {
  const GradModeGuard no_grad(false);
  const Tensor dense =
      self.is_contiguous() ? self : empty_of(op, self.sizes(), self.dtype(), self.device());
  write_into(dense, [&] {
    kernels::run(Kernel{dense.view(), first, second, numbers_for(self.count())}, {self.device()});
  });
  if (dense != self) write_into(self, [&] { copy_into(self, dense); });
}

template <class Kernel>
void refill(const char* op, const Tensor& self, double low, double high) {
  check_floating(op, self.dtype());
  if (!std::isfinite(low) || !std::isfinite(high))
    throw ShapeError(text(op, ": arguments ", low, " and ", high, "; both must be finite"));
  check_writable(op, self);
  fill_random<Kernel>(op, self, low, high);
  record_in_place(op, self, {}, Keep::nothing, [](const Backward&) -> Grads { return {}; });
}

}  // namespace

kernels::RandomStream next_random_numbers(std::int64_t rows, std::int64_t counters_each) {
  const std::lock_guard guard(lock);
  const kernels::RandomStream numbers{state.seed, state.offset};
  state.offset += static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(counters_each);
  return numbers;
}

void manual_seed(std::uint64_t seed) noexcept { set_generator_state({seed, 0}); }

GeneratorState generator_state() noexcept {
  const std::lock_guard guard(lock);
  return state;
}

void set_generator_state(GeneratorState given) noexcept {
  const std::lock_guard guard(lock);
  state = given;
}

Tensor rand(const Dims& sizes, DType dtype, Device device) {
  check_floating("rand", dtype);
  const Tensor result = empty(sizes, dtype, device, "rand");
  fill_random<kernels::Uniform>("rand", result, 0, 1);
  return result;
}

Tensor randn(const Dims& sizes, DType dtype, Device device) {
  check_floating("randn", dtype);
  const Tensor result = empty(sizes, dtype, device, "randn");
  fill_random<kernels::Normal>("randn", result, 0, 1);
  return result;
}

Tensor randint(std::int64_t low, std::int64_t high, const Dims& sizes, DType dtype, Device device) {
  if (low >= high)
    throw ShapeError(text("randint: from ", low, " to ", high, "; low must be below high"));
  const Tensor numbers = empty(sizes, DType::float64, device, "randint");
  fill_random<kernels::Uniform>("randint", numbers, static_cast<double>(low),
                                static_cast<double>(high));
  const GradModeGuard no_grad(false);
  return to(floor(numbers), dtype);
}

Tensor randperm(std::int64_t n, DType dtype, Device device) {
  if (n < 0) throw ShapeError(text("randperm: n ", n, "; 0 or more is needed"));
  check_holds_all_below(n, dtype);
  const Tensor order = empty({n}, DType::int64, {}, "randperm");
  std::int64_t* const places = order.view().as<std::int64_t>();
  const kernels::RandomStream numbers = numbers_for(2 * n);  // of its four words, one each half
  {
    constexpr double element_ns = 5;
    const OuterLock::Away away(static_cast<double>(n) * element_ns);
    for (std::int64_t i = 0; i < n; ++i) {  // each element goes to one of the places up to its own
      if (i % (1 << 16) == 0) interruption_point();
      const auto step = static_cast<std::uint64_t>(i);
      const functors::FourWords drawn =
          functors::philox(numbers.offset + step / 2, 0, numbers.seed);
      const std::uint32_t* const word = drawn.word + step % 2 * 2;
      __extension__ using Wide = unsigned __int128;  // the upper half of a product: even to 2^-64
      const auto at = static_cast<std::int64_t>(
          Wide{std::uint64_t{word[0]} << 32 | word[1]} * (step + 1) >> 64);
      places[i] = places[at];
      places[at] = i;
    }
  }
  const GradModeGuard no_grad(false);
  return to(to(order, dtype), device);
}

void uniform_(const Tensor& self, double low, double high) {
  if (low > high)
    throw ShapeError(text("uniform_: from ", low, " to ", high, "; from must not be above to"));
  refill<kernels::Uniform>("uniform_", self, low, high);
}

void normal_(const Tensor& self, double mean, double deviation) {
  if (deviation < 0)
    throw ShapeError(text("normal_: std ", deviation, "; it must not be negative"));
  refill<kernels::Normal>("normal_", self, mean, deviation);
}

Tensor dropout(const Tensor& input, double p) {
  if (!(p >= 0 && p <= 1)) throw ShapeError(text("dropout: p ", p, "; it must lie in [0, 1]"));
  check_floating("dropout", input.dtype());
  const Tensor mask = empty_of("dropout", input.sizes(), DType::boolean, input.device());
  kernels::run(kernels::Bernoulli{mask.view(), 1 - p, numbers_for(mask.count())}, {input.device()});
  return input * mask * (p < 1 ? 1 / (1 - p) : 0.0);
}

}  // namespace garboard
