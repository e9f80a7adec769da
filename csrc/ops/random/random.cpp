#include "csrc/ops/random/random.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

#include "csrc/core/error.h"
#include "csrc/core/interruption.h"
#include "csrc/core/outer_lock.h"
#include "csrc/core/spin_lock.h"
#include "csrc/ops/complex/complex.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/create/result_layout.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/record.h"
#include "kernels/functors/philox.h"
#include "kernels/run.h"

namespace garboard {
void check_floating(const char* op, DType dtype) {
  if (!is_floating(dtype))
    throw DTypeError(text(op, ": dtype ", name_of(dtype), "; a floating one is needed"));
}

namespace {

void check_continuous(const char* op, DType dtype) {
  if (!has_gradient(dtype))
    throw DTypeError(text(op, ": dtype ", name_of(dtype), "; a floating or complex one is needed"));
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

/// Fills any tensor; the kernel itself wants a dense one. Both parts of complex numbers are drawn,
/// normal ones so that the deviation is that of the number.
template <class Kernel>
void fill_random(const char* op, const Tensor& self, double first, double second, Generator& from) {
  const GradModeGuard no_grad(false);
  if (is_complex(self.dtype())) {
    constexpr bool is_normal = std::is_same_v<Kernel, kernels::Normal>;
    const double spread = is_normal ? second * std::numbers::sqrt2 / 2 : second;
    const Tensor drawn = empty_of(op, self.sizes(), self.dtype(), self.device());
    fill_random<Kernel>(op, view_as_real(drawn), is_normal ? 0 : first, spread, from);
    if (is_normal && first != 0) add.apply_in_place(drawn, first);
    return write_into(self, [&] { copy_into(self, drawn); });
  }
  const Tensor dense =
      self.is_contiguous() ? self : empty_of(op, self.sizes(), self.dtype(), self.device());
  write_into(dense, [&] {
    kernels::run(Kernel{dense.view(), first, second, from.numbers_for(self.count(), self.device())},
                 self.device());
  });
  if (dense != self) write_into(self, [&] { copy_into(self, dense); });
}

constexpr std::uint64_t all_words = std::uint64_t{1} << 32;

/// One of [0, count), each as likely to 2^-64: the upper half of a product. 0 is 2^64.
std::uint64_t one_of_many(std::uint64_t count, std::uint32_t first, std::uint32_t second) {
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t bits = std::uint64_t{first} << 32 | second;
  return count == 0 ? bits : static_cast<std::uint64_t>(Wide{bits} * count >> 64);
}

template <class Kernel>
void refill(const char* op, const Tensor& self, double low, double high, Generator& from) {
  if (!std::isfinite(low) || !std::isfinite(high))
    throw ShapeError(text(op, ": arguments ", low, " and ", high, "; both must be finite"));
  check_writable(op, self);
  fill_random<Kernel>(op, self, low, high, from);
  record_overwritten(op, self);
}

}  // namespace

Tensor integers_from(const char* op, std::int64_t low, std::int64_t last, const Dims& sizes,
                     Device device, Generator& from) {
  constexpr std::uint64_t exact = std::uint64_t{1} << 52;  // a float64 has all integers up to it
  const GradModeGuard no_grad(false);
  const auto drawn = [&](double bottom, double top) {
    const Tensor numbers = empty(sizes, DType::float64, device, op);
    fill_random<kernels::Uniform>(op, numbers, bottom, top, from);
    return to(floor(numbers), DType::int64);
  };
  const std::uint64_t steps = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(low);
  if (steps < all_words) {
    const Tensor result = empty(sizes, DType::int64, device, op);
    const auto count = static_cast<std::uint32_t>(steps + 1);  // 0 for all words
    kernels::run(
        kernels::Integers{result.view(), low, count, from.numbers_for(result.count(), device)},
        device);
    return result;
  }
  if (steps < exact)  // from 0: beside a large number a fraction has few digits
    return low == 0 ? drawn(0, static_cast<double>(steps + 1))
                    : drawn(0, static_cast<double>(steps + 1)) + Scalar::of(low);
  const Tensor result = empty(sizes, DType::int64, {}, op);
  std::int64_t* const to_fill = result.view().as<std::int64_t>();
  const std::int64_t count = result.count();
  const kernels::RandomStream numbers = from.numbers_for(2 * count);
  {
    constexpr double element_ns = 5;
    const OuterLock::Away away(static_cast<double>(count) * element_ns);
    for (std::int64_t i = 0; i < count; ++i) {
      if (i % (1 << 16) == 0) interruption_point();
      const auto at = static_cast<std::uint64_t>(i);
      const functors::FourWords words = functors::philox(numbers.offset + at / 2, 0, numbers.seed);
      const std::uint32_t* const word = words.word + 2 * (at % 2);
      const std::uint64_t step = one_of_many(steps + 1, word[0], word[1]);
      to_fill[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + step);
    }
  }
  return to(result, device);
}

Tensor rand(const Dims& sizes, DType dtype, Device device, Generator& from) {
  check_continuous("rand", dtype);
  const Tensor result = empty(sizes, dtype, device, "rand");
  fill_random<kernels::Uniform>("rand", result, 0, 1, from);
  return result;
}

Tensor randn(const Dims& sizes, DType dtype, Device device, Generator& from) {
  check_continuous("randn", dtype);
  const Tensor result = empty(sizes, dtype, device, "randn");
  fill_random<kernels::Normal>("randn", result, 0, 1, from);
  return result;
}

Tensor randint(std::int64_t low, std::int64_t high, const Dims& sizes, DType dtype, Device device,
               Generator& from) {
  if (low >= high)
    throw ShapeError(text("randint: from ", low, " to ", high, "; low must be below high"));
  if (is_complex(dtype)) refuse_complex("randint", dtype);
  check_fits("randint", Scalar::of(low), dtype);
  check_fits("randint", Scalar::of(high - 1), dtype);
  return to(integers_from("randint", low, high - 1, sizes, device, from), dtype);
}

Tensor randperm(std::int64_t n, DType dtype, Device device, Generator& from) {
  if (is_complex(dtype)) refuse_complex("randperm", dtype);
  if (n < 0) throw ShapeError(text("randperm: n ", n, "; 0 or more is needed"));
  check_holds_all_below(n, dtype);
  const Tensor order = empty({n}, DType::int64, {}, "randperm");
  std::int64_t* const places = order.view().as<std::int64_t>();
  const kernels::RandomStream numbers = from.numbers_for(n);
  // Each element goes to one of the places up to its own. The places of some are drawn before they
  // are needed, so that the memory is asked for all of them at once.
  constexpr std::int64_t at_once = 512;
  const Tensor drawn = empty({std::min(n, at_once)}, DType::int64, {}, "randperm");
  std::int64_t* const goes_to = drawn.view().as<std::int64_t>();
  {
    constexpr double element_ns = 5;
    const OuterLock::Away away(static_cast<double>(n) * element_ns);
    for (std::int64_t first = 0; first < n; first += at_once) {
      if (first % (1 << 16) == 0) interruption_point();
      const std::uint64_t counter = numbers.offset + static_cast<std::uint64_t>(first) / 4;
      kernels::run(kernels::Integers{drawn.view(), 0, 0, {numbers.seed, counter}}, Device());
      const std::int64_t count = std::min(n - first, at_once);
      for (std::int64_t i = 0; i < count; ++i) {
        const auto choices = static_cast<std::uint64_t>(first + i) + 1;
        const auto word = static_cast<std::uint32_t>(goes_to[i]);
        const std::uint64_t at = counter + static_cast<std::uint64_t>(i) / 4;
        const int place = static_cast<int>(i % 4);
        goes_to[i] = static_cast<std::int64_t>(
            choices <= all_words
                ? functors::one_below(static_cast<std::uint32_t>(choices), word, at, place,
                                      numbers.seed)
                : one_of_many(choices, word, functors::philox(at, 1, numbers.seed).word[place]));
        __builtin_prefetch(places + goes_to[i], 1);
      }
      for (std::int64_t i = 0; i < count; ++i) {
        places[first + i] = places[goes_to[i]];
        places[goes_to[i]] = first + i;
      }
    }
  }
  const GradModeGuard no_grad(false);
  return to(to(order, dtype), device);
}

void uniform_(const Tensor& self, double low, double high, Generator& from) {
  if (low > high)
    throw ShapeError(text("uniform_: from ", low, " to ", high, "; from must not be above to"));
  check_continuous("uniform_", self.dtype());
  const double most = visit_floating(component_of(self.dtype()), []<class T>(Type<T>) {
    return static_cast<double>(std::numeric_limits<T>::max());
  });
  if (std::isfinite(low) && std::isfinite(high) && !(low >= -most && high - low <= most))
    throw ShapeError(text("uniform_: from ", low, " to ", high, " of dtype ", name_of(self.dtype()),
                          "; it must hold both, and what lies between: at most ", most));
  refill<kernels::Uniform>("uniform_", self, low, high, from);
}

void normal_(const Tensor& self, double mean, double deviation, Generator& from) {
  check_continuous("normal_", self.dtype());
  if (deviation < 0)
    throw ShapeError(text("normal_: std ", deviation, "; it must not be negative"));
  refill<kernels::Normal>("normal_", self, mean, deviation, from);
}

Tensor dropout(const Tensor& input, double p) {
  if (!(p >= 0 && p <= 1)) throw ShapeError(text("dropout: p ", p, "; it must lie in [0, 1]"));
  check_floating("dropout", input.dtype());
  const Tensor mask = empty_of("dropout", input.sizes(), DType::boolean, input.device());
  kernels::run(kernels::Bernoulli{mask.view(), 1 - p,
                                  Generator::standard().numbers_for(mask.count(), mask.device())},
               input.device());
  lie_as(mask, input);
  return retain(mask, input, p < 1 ? 1 / (1 - p) : 0.0);
}

}  // namespace garboard
