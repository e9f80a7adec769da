#include "csrc/ops/products/distances.h"

#include <limits>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/index/indexing.h"
#include "csrc/ops/index/mask.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/promotion.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/products/matmul.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/views.h"
#include "csrc/tensor/sizes.h"
#include "kernels/run.h"

namespace garboard {
namespace {

constexpr const char* op = "cdist";
constexpr const char* pairs_op = "pdist";

Dims batch_of(const Dims& sizes) { return Dims::of(sizes.data(), sizes.size() - 2); }

Dims sizes_of(Dims batch, std::int64_t rows, std::int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

/// [..., rows, columns] as [batch, rows, columns], broadcast to that batch.
Tensor in_one_batch(const Tensor& input, const Dims& batch) {
  const std::int64_t rows = input.size(input.ndim() - 2), columns = input.last_size();
  const Tensor whole = expand(input, sizes_of(batch, rows, columns));
  return reshape(whole, {batch.product(), rows, columns});
}

/// The gradient of `x`, unrecorded.
Tensor gradient_of(const Tensor& x, const Tensor& y, const Tensor& out, const Tensor& gradient,
                   double power) {
  const GradModeGuard no_grad(false);
  const Dims batch = batch_of(out.sizes());
  const Tensor rows = in_one_batch(x, batch);
  const Tensor found = empty_of(op, rows.sizes(), x.dtype(), x.device());
  kernels::run(kernels::RowDistancesGradient{found.view(), in_one_batch(gradient, batch).view(),
                                             in_one_batch(out, batch).view(), rows.view(),
                                             in_one_batch(y, batch).view(), power},
               x.device());
  return sum_to(view(found, sizes_of(batch, rows.size(1), rows.size(2))), x.sizes());
}

/// The same of both, made of ops.
Grads recorded_gradients(const Tensor& x, const Tensor& y, const Tensor& out,
                         const Tensor& gradient, double power) {
  const Tensor apart = unsqueeze(x, -2) - unsqueeze(y, -3);
  Tensor share;
  if (power == 1) {
    share = unsqueeze(gradient, -1) * sign(apart);
  } else if (power == 2) {
    const Tensor is_met = eq(out, 0.0);
    share = unsqueeze(where(is_met, 0.0, gradient / where(is_met, 1.0, out)), -1) * apart;
  } else {
    const Tensor is_largest = eq(abs(apart), unsqueeze(out, -1));
    share = where(is_largest, unsqueeze(gradient, -1) * sign(apart), 0.0);
  }
  return {sum_to(sum(share, {.dims = Dims{-2}}), x.sizes()),
          sum_to(-sum(share, {.dims = Dims{-3}}), y.sizes())};
}

void check(const char* op, const Tensor& x, double power) {
  if (!x.device().is_cpu())
    throw DeviceError(text(op, ": device ", x.device(), "; the CPU is needed"));
  if (x.dtype() != DType::float32 && x.dtype() != DType::float64)
    throw DTypeError(text(op, ": dtype ", name_of(x.dtype()), "; float32 or float64 is needed"));
  if (power != 1 && power != 2 && power != std::numeric_limits<double>::infinity())
    throw ShapeError(text(op, ": p=", power, "; 1, 2 or inf is needed"));
}

/// What backward keeps, and reads: of power 1 the distances tell nothing, and whatever has their
/// sizes stands for them.
Keep kept_of(double power) { return power == 1 ? Keep::inputs : Keep::inputs | Keep::output; }
Tensor found_at(const Backward& at, double power) { return power == 1 ? at.grad : at.output(); }

/// [count (count - 1) / 2] numbers of pairs, as the square that mirrors itself, 0 on its diagonal.
Tensor square_of_pairs(const Tensor& pairs, std::int64_t count) {
  if (pairs.count() == 0) return zeros({count, count}, pairs.dtype());
  const Tensor places = empty({count, count}, DType::int64);
  auto* const at = places.view().as<std::int64_t>();
  for (std::int64_t i = 0, pair = 0; i < count; ++i) {
    at[i * (count + 1)] = 0;
    for (std::int64_t j = i + 1; j < count; ++j, ++pair)
      at[i * count + j] = at[j * count + i] = pair;
  }
  return masked_fill(take(pairs, places), eye(count, count, DType::boolean), 0.0);
}

}  // namespace

Tensor distances(const Tensor& x, const Tensor& y, double power) {
  check_factors(op, x, y);
  check(op, x, power);
  if (x.ndim() < 2 || y.ndim() < 2 || x.last_size() != y.last_size())
    throw ShapeError(text(op, ": sizes ", x.sizes(), " and ", y.sizes(),
                          "; [..., n, k] and [..., m, k] are needed"));
  const Dims batch = broadcast_sizes(op, batch_of(x.sizes()), batch_of(y.sizes()));
  const Tensor out = empty_of(op, sizes_of(batch, x.size(x.ndim() - 2), y.size(y.ndim() - 2)),
                              x.dtype(), x.device());
  {
    const GradModeGuard no_grad(false);
    kernels::run(
        kernels::RowDistances{in_one_batch(out, batch).view(), in_one_batch(x, batch).view(),
                              in_one_batch(y, batch).view(), power},
        x.device());
  }
  record(op, out, {x, y}, kept_of(power), [power](const Backward& at) -> Grads {
    const Tensor first = at.input(0), second = at.input(1);
    const Tensor found = found_at(at, power);
    if (must_record({at.grad, first, second}))
      return recorded_gradients(first, second, found, at.grad, power);
    Grads grads;
    if (at.needs(0)) grads[0] = gradient_of(first, second, found, at.grad, power);
    if (at.needs(1))
      grads[1] =
          gradient_of(second, first, transpose(found, -2, -1), transpose(at.grad, -2, -1), power);
    return grads;
  });
  return out;
}

Tensor distances_of_pairs(const Tensor& x, double power) {
  check(pairs_op, x, power);
  if (x.ndim() != 2)
    throw ShapeError(text(pairs_op, ": sizes ", x.sizes(), "; two dims are needed"));
  const std::int64_t count = x.size(0), later = count > 0 ? count - 1 : 0;
  const std::int64_t pairs = checked_count(pairs_op, {count, later}, x.dtype()) / 2;
  const Tensor out = empty_of(pairs_op, {pairs}, x.dtype(), x.device());
  {
    const GradModeGuard no_grad(false);
    const Tensor rows = in_one_batch(x, {});
    kernels::run(kernels::RowDistances{out.view(), rows.view(), rows.view(), power}, x.device());
  }
  record(pairs_op, out, {x}, kept_of(power), [power, count](const Backward& at) -> Grads {
    const Tensor x = at.input(0), found = found_at(at, power);
    if (must_record({at.grad, x}))
      return recorded_gradients(x, x, square_of_pairs(found, count),
                                square_of_pairs(at.grad, count), power)[0];
    const GradModeGuard no_grad(false);
    const Tensor rows = in_one_batch(x, {}), made = empty_of(pairs_op, rows.sizes(), x.dtype(), {});
    const Tensor gradient = contiguous(at.grad), far = contiguous(found);
    kernels::run(kernels::RowDistancesGradient{made.view(), gradient.view(), far.view(),
                                               rows.view(), rows.view(), power},
                 x.device());
    return view(made, x.sizes());
  });
  return out;
}

}  // namespace garboard
