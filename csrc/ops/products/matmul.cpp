#include "csrc/ops/products/matmul.h"

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/op/destination.h"
#include "csrc/ops/op/op.h"
#include "csrc/ops/op/promotion.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/op/remade.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/views.h"
#include "csrc/tensor/sizes.h"

namespace garboard {

void check_factors(const char* op, const Tensor& a, const Tensor& b) {
  if (a.device() != b.device()) {
    const Operand first(a), second(b);
    common_device(op, {&first, &second});
  }
  if (a.dtype() != b.dtype())
    throw DTypeError(text(op, ": dtypes ", name_of(a.dtype()), " and ", name_of(b.dtype()),
                          "; they must be equal, convert with to()"));
  if (a.dtype() == DType::boolean)
    throw DTypeError(text(op, ": dtype bool; numbers are needed, convert with to()"));
}

namespace {

/// A product of two matrices, or of two batches of them, already checked; not recorded.
Tensor product(const char* op, const Tensor& a, const Tensor& b) {
  Dims sizes = a.sizes();
  sizes.back() = b.last_size();
  const Tensor out = result_of(op, sizes, a.dtype(), a.device());
  kernels::run(kernels::Matmul{out.view(), a.view(), b.view()}, a.device());
  return out;
}

/// The gradient a @ b of input `i`: added to what a leaf has already, without a tensor of its own.
void add_product(Grads& grads, const Backward& at, int i, const Tensor& a, const Tensor& b) {
  Dims sizes = a.sizes();
  sizes.back() = b.last_size();
  const Tensor sum = at.sum_so_far(i, sizes);
  if (!sum || sum.storage() == a.storage() || sum.storage() == b.storage()) {
    grads[i] = a.ndim() == 3 ? bmm(a, b) : mm(a, b);
    return;
  }
  write_into(sum, [&] {
    kernels::run(kernels::Matmul{sum.view(), a.view(), b.view(), true}, a.device());
  });
  note_write(sum);
  grads.note_added(i);
}

/// [..., n] as [rows, n]; a -1 could not tell the rows where n is 0.
Tensor as_matrix(const Tensor& input) {
  if (input.ndim() == 2) return input;
  std::int64_t rows = 1;
  for (int i = 0; i + 1 < input.ndim(); ++i) rows *= input.size(i);
  return reshape(input, {rows, input.last_size()});
}

Tensor swapped(const Tensor& matrix) { return transpose(matrix, -2, -1); }

}  // namespace

Tensor multiplied(const char* op, const Tensor& a, const Tensor& b, int ndim) {
  if (a.ndim() != ndim || b.ndim() != ndim)
    throw ShapeError(text(op, ": sizes ", a.sizes(), " and ", b.sizes(), "; both need ", ndim,
                          " dims, or use matmul()"));
  const bool batches_differ = ndim == 3 && a.size(0) != b.size(0);
  if (batches_differ || a.size(ndim - 1) != b.size(ndim - 2))
    throw ShapeError(text(op, ": sizes ", a.sizes(), " and ", b.sizes(),
                          "; the last of the first must equal the last but one of the second",
                          ndim == 3 ? ", and the batches be equal" : ""));
  check_factors(op, a, b);
  const Tensor out = product(op, a, b);
  record(op, out, {a, b}, Keep::crosswise, [](const Backward& at) -> Grads {
    Grads grads;
    if (at.needs(0)) add_product(grads, at, 0, at.grad, swapped(at.input(1)));
    if (at.needs(1)) add_product(grads, at, 1, swapped(at.input(0)), at.grad);
    return grads;
  });
  return out;
}

Tensor mm(const Tensor& a, const Tensor& b) { return multiplied("mm", a, b, 2); }
Tensor bmm(const Tensor& a, const Tensor& b) { return multiplied("bmm", a, b, 3); }

Tensor matmul(const Tensor& a, const Tensor& b) {
  if (a.ndim() == 0 || b.ndim() == 0)
    throw ShapeError(
        text("matmul: sizes ", a.sizes(), " and ", b.sizes(), "; both need at least one dim"));
  check_factors("matmul", a, b);
  const std::int64_t inner = b.ndim() == 1 ? b.size(0) : b.size(b.ndim() - 2);
  if (a.last_size() != inner)
    throw ShapeError(text("matmul: sizes ", a.sizes(), " and ", b.sizes(), "; ", a.last_size(),
                          " columns meet ", inner, " rows, they must be equal"));
  if (a.ndim() == 2 && b.ndim() == 2) return mm(a, b);
  // A vector is a row on the left, a column on the right; what was added is taken off at the end.
  const Tensor left = a.ndim() == 1 ? unsqueeze(a, 0) : a;
  const Tensor right = b.ndim() == 1 ? unsqueeze(b, 1) : b;
  Tensor out;
  if (right.ndim() == 2) {  // one matrix for all rows of the left
    Dims sizes = left.sizes();
    sizes.back() = right.last_size();
    out = reshape(mm(as_matrix(left), right), sizes);
  } else {
    const auto batch = [](const Tensor& x) {
      return Dims(std::span(x.sizes().data(), static_cast<std::size_t>(x.ndim() - 2)));
    };
    const auto spread = [](const Tensor& x, Dims sizes) {
      const std::int64_t rows = x.size(x.ndim() - 2), columns = x.last_size();
      const std::int64_t count = checked_count("matmul", sizes, x.dtype());
      sizes.push_back(rows);
      sizes.push_back(columns);
      checked_count("matmul", sizes, x.dtype());
      return reshape(expand(x, sizes), {count, rows, columns});
    };
    Dims sizes = broadcast_sizes("matmul", batch(left), batch(right));
    out = bmm(spread(left, sizes), spread(right, sizes));
    sizes.push_back(left.size(left.ndim() - 2));
    sizes.push_back(right.last_size());
    out = reshape(out, sizes);
  }
  if (b.ndim() == 1) out = squeeze(out, Dims{-1});
  if (a.ndim() == 1) out = squeeze(out, Dims{b.ndim() == 1 ? -1 : -2});
  return out;
}

namespace {

/// Whether it broadcasts to `sizes` and does not widen them.
bool fits(const Dims& given, const Dims& sizes) {
  if (given.size() > sizes.size()) return false;
  for (int k = 1; k <= given.size(); ++k)
    if (given[given.size() - k] != 1 && given[given.size() - k] != sizes[sizes.size() - k])
      return false;
  return true;
}

}  // namespace

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  const bool has_one_output =
      weight.ndim() == 1 && input.ndim() > 0 && input.last_size() == weight.size(0);
  if (has_one_output && (!bias || bias.ndim() == 0)) {
    const Tensor shift = bias ? reshape(bias, {1}) : bias;
    return squeeze(linear(input, unsqueeze(weight, 0), shift), Dims{-1});
  }
  if (weight.ndim() != 2 || input.ndim() == 0 || input.last_size() != weight.size(1))
    throw ShapeError(text("linear: input of sizes ", input.sizes(), " and weight of sizes ",
                          weight.sizes(), "; [..., in] and [out, in] are needed"));
  check_factors("linear", input, weight);
  if (bias) check_factors("linear", input, bias);
  Dims sizes = input.sizes();
  sizes.back() = weight.size(0);
  if (bias && bias.sizes() != Dims{sizes.back()}) {
    if (!fits(bias.sizes(), sizes))
      throw ShapeError(text("linear: bias of sizes ", bias.sizes(), " and weight of sizes ",
                            weight.sizes(), "; [out] and [out, in] are needed"));
    return add(linear(input, weight, {}), bias);
  }
  const Device device = input.device();
  const Tensor out = empty_of("linear", sizes, input.dtype(), device);
  {
    const GradModeGuard no_grad(false);
    const Tensor rows = as_matrix(input);
    const Tensor flat = as_matrix(out);
    const Tensor turned = transpose(weight, 0, 1);
    if (bias)
      kernels::run(
          kernels::Linear{flat.view(), rows.view(), turned.view(), contiguous(bias).view()},
          device);
    else
      kernels::run(kernels::Matmul{flat.view(), rows.view(), turned.view()}, device);
  }
  const auto rule = [](const Backward& at) -> Grads {
    Grads grads;
    const Tensor gradient = as_matrix(at.grad);
    const Tensor over = at.needs(0) ? at.spent_input(0) : Tensor();
    // First: an input that is made anew has gone when the next gradient comes.
    if (at.needs(1)) add_product(grads, at, 1, swapped(gradient), as_matrix(at.input(0)));
    if (at.needs(0) && !over) {
      const Tensor weight = at.input(1);
      grads[0] = mm(gradient, weight);
      if (at.grad.ndim() != 2) {
        Dims sizes = at.grad.sizes();
        sizes.back() = weight.size(1);
        grads[0] = reshape(grads[0], sizes);
      }
    }
    if (at.needs(2)) grads[2] = sum(gradient, {Dims{0}});
    if (over) {  // the input is not read any more
      const Tensor weight = at.input(1);
      write_over_spent(at, [&] {
        kernels::run(kernels::Matmul{as_matrix(over).view(), gradient.view(), weight.view()},
                     over.device());
      });
      grads[0] = over;
    }
    return grads;
  };
  if (bias) {
    record("linear", out, {input, weight, bias}, Keep::crosswise, rule);
  } else {
    record("linear", out, {input, weight}, Keep::crosswise, rule);
  }
  keep_way_to(input, 0, out, weight.size(0));
  return out;
}

}  // namespace garboard
