#include "csrc/ops/create/create.h"

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "csrc/core/error.h"
#include "csrc/ops/devices/devices.h"
#include "csrc/ops/op/destination.h"
#include "csrc/ops/op/record.h"
#include "csrc/tensor/sizes.h"
#include "kernels/run.h"

namespace garboard {
void check_fits(const char* op, Scalar value, DType dtype) {
  const bool fits = visit_dtype(dtype, [&]<class T>(Type<T>) {
    using Limits = std::numeric_limits<T>;
    if (value.category == Category::complex) return is_complex_type<T>;
    if constexpr (!Limits::is_integer || std::is_same_v<T, bool>) {
      return true;
    } else if (value.category == Category::floating) {
      // 2^63 itself is no int64, and the floats around the other bounds are exact.
      return value.real > static_cast<double>(Limits::min()) - 1.0 &&
             value.real < static_cast<double>(Limits::max() / 2 + 1) * 2.0;
    } else {
      return static_cast<std::int64_t>(static_cast<T>(value.integer)) == value.integer;
    }
  });
  if (fits) return;
  const std::string number =
      value.category == Category::complex
          ? text(value.real, value.imaginary < 0 ? " - " : " + ", std::abs(value.imaginary), "j")
      : value.is_whole() ? text(value.integer)
                         : text(value.real);
  throw DTypeError(text(op, ": the number ", number, " does not fit into ", name_of(dtype),
                        "; convert to a wider dtype first"));
}

Tensor empty(const Dims& sizes, DType dtype, Device device, const char* op) {
  require_device(op, device);
  check_not_negative(op, sizes);
  return Tensor::fresh(sizes, dtype, device, op);
}

Tensor full(const Dims& sizes, Scalar value, DType dtype, Device device, const char* op) {
  check_fits(op, value, dtype);
  require_device(op, device);
  check_not_negative(op, sizes);
  const Tensor result = result_of(op, sizes, dtype, device);
  kernels::run(kernels::Fill{result.flat_view(), value}, device);
  return result;
}

Tensor zeros(const Dims& sizes, DType dtype, Device device) {
  return full(sizes, Scalar::of(std::int64_t{0}), dtype, device, "zeros");
}

Tensor scalar_tensor(Scalar value, DType dtype, Device device) {
  return full({}, value, dtype, device);
}

namespace {

bool is_real(Scalar number) { return !number.is_whole(); }

/// 1 where `end` lies above `start`, -1 below, 0 where it is the same; exact for integers too.
int way_to(Scalar end, Scalar start) {
  if (is_real(start) || is_real(end)) return (end.real > start.real) - (end.real < start.real);
  return (end.integer > start.integer) - (end.integer < start.integer);
}

/// How many steps lead from `start` up to but without `end`. Exact for integers, which a double
/// holds to 2^53 alone; `step` is not zero, and leads there.
double count_of_steps(Scalar start, Scalar end, Scalar step) {
  if (is_real(start) || is_real(end) || is_real(step))
    return std::ceil((end.real - start.real) / step.real);
  // Unsigned: the distance between two integers can exceed the largest one.
  const auto low = static_cast<std::uint64_t>(std::min(start.integer, end.integer));
  const auto high = static_cast<std::uint64_t>(std::max(start.integer, end.integer));
  const auto by = static_cast<std::uint64_t>(step.integer);
  const std::uint64_t stride = step.integer > 0 ? by : -by;
  return static_cast<double>((high - low) / stride + ((high - low) % stride != 0));
}

/// As PyTorch counts in integers: its start and its step are cut off first.
Scalar whole(Scalar number) {
  check_fits("arange", number, DType::int64);
  return Scalar::of(number.to<std::int64_t>());
}

}  // namespace

Tensor arange(Scalar start, Scalar end, Scalar step, DType dtype, Device device) {
  if (!std::isfinite(start.real) || !std::isfinite(end.real) || !std::isfinite(step.real))
    throw ShapeError(text("arange: from ", start.real, " to ", end.real, " by ", step.real,
                          "; all three must be finite"));
  if (step.real == 0) throw ShapeError("arange: step 0; it must not be zero");
  const int way = way_to(end, start);
  if (way != 0 && (way > 0) != (step.real > 0))
    throw ShapeError(text("arange: from ", start.real, " to ", end.real, " by ", step.real,
                          "; the step must lead from start to end"));
  const double count = count_of_steps(start, end, step);
  if (count > 0x1p62) throw ShapeError(text("arange: ", count, " elements; at most 2^62"));
  if (category_of(dtype) == Category::integer) {
    start = whole(start);
    step = whole(step);
  }
  Tensor result = empty({static_cast<std::int64_t>(count)}, dtype, device, "arange");
  kernels::run(kernels::Arange{result.view(), start, step}, device);
  return result;
}

Tensor eye(std::int64_t rows, std::int64_t columns, DType dtype, Device device) {
  Tensor result = full({rows, columns}, Scalar::of(std::int64_t{0}), dtype, device, "eye");
  const std::int64_t length = std::min(rows, columns);
  if (length == 0) return result;
  const Tensor diagonal = result.alias_of_storage({length}, {columns + 1}, 0);
  kernels::run(kernels::Fill{diagonal.view(), Scalar::of(std::int64_t{1})}, device);
  return result;
}

void fill_(const Tensor& self, Scalar value) {
  check_writable("fill_", self);
  check_fits("fill_", value, self.dtype());
  write_into(self, [&] { kernels::run(kernels::Fill{self.view(), value}, self.device()); });
  record_overwritten("fill_", self);
}

}  // namespace garboard
