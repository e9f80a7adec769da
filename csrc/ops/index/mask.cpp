#include "csrc/ops/index/mask.h"

#include "csrc/core/error.h"
#include "csrc/device/backend.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/index/index_tensor.h"
#include "csrc/ops/op/promotion.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/views.h"
#include "kernels/run.h"

namespace garboard {
namespace {

/// A mask and its count: what the kernels are given.
struct CountedMask {
  Tensor mask, starts;
  std::int64_t count;
};

CountedMask counted(const char* op, const Tensor& mask) {
  require_values(op, mask.device());
  const Tensor dense = contiguous(mask);
  const std::int64_t blocks = (mask.count() + kernels::mask_block - 1) / kernels::mask_block;
  const Tensor starts = empty_of(op, {blocks}, DType::int64, mask.device());
  const std::int64_t count =
      kernels::run(kernels::CountTrue{dense.view(), starts.view()}, mask.device());
  return {dense, starts, count};
}

void check_mask(const char* op, const Tensor& mask, const Tensor& input) {
  if (mask.dtype() != DType::boolean)
    throw DTypeError(text(op, ": a mask of dtype ", name_of(mask.dtype()),
                          "; a bool one is needed, as in mask != 0"));
  if (mask.device() != input.device())
    throw DeviceError(text(op, ": a mask on ", mask.device(), " for a tensor on ", input.device(),
                           "; they must be on one device, use to()"));
}

/// The mask as wide as a tensor that is written.
Tensor mask_for(const char* op, const Tensor& mask, const Tensor& self) {
  check_mask(op, mask, self);
  if (broadcast_sizes(op, self.sizes(), mask.sizes()) != self.sizes())
    throw ShapeError(text(op, ": a mask of sizes ", mask.sizes(), " for a tensor of sizes ",
                          self.sizes(), "; it must broadcast to the tensor's"));
  return expand(detach(mask), self.sizes());
}

/// [count, ndim]; each column is dense.
Tensor places_of(const Tensor& input) {
  const GradModeGuard no_grad(false);
  const Tensor given = detach(input);
  const Tensor mask =
      given.dtype() == DType::boolean ? given : ne(given, Scalar::of(std::int64_t{0}));
  const CountedMask of = counted("nonzero", mask);
  const Tensor columns = empty_of("nonzero", {mask.ndim(), of.count}, DType::int64, mask.device());
  const Tensor rows = transpose(columns, 0, 1);
  if (of.count > 0 && mask.ndim() > 0)
    kernels::run(kernels::TruePlaces{rows.view(), of.mask.view(), of.starts.view()}, mask.device());
  return rows;
}

/// Takes elements to where the mask is true; `self` is dense, or brought together and back.
void put(const Tensor& self, const CountedMask& of, const Tensor& source) {
  const Tensor given = contiguous(apart_from(self, source));
  const Tensor dense = contiguous(self);
  const auto write = [&](const Tensor& to) {
    kernels::run(kernels::MaskedPut{to.view(), given.view(), of.mask.view(), of.starts.view()},
                 self.device());
  };
  if (dense == self) return write(self);
  write(dense);
  copy_into(self, dense);
}

/// What is written into elements of `self`: in its dtype, so that nothing is promoted.
struct FillValue {
  FillValue(const char* op, const Operand& value, const Tensor& self) : operand(value) {
    if (value.tensor && value.tensor->ndim() > 0)
      throw ShapeError(text(op, ": a value of sizes ", value.tensor->sizes(),
                            "; a number or a tensor without dims is needed"));
    if (!value.tensor) check_fits(op, value.scalar, self.dtype());
    if (value.tensor && is_complex(value.tensor->dtype()) && !is_complex(self.dtype()))
      throw DTypeError(text(op, ": a value of dtype ", name_of(value.tensor->dtype()),
                            " for a tensor of ", name_of(self.dtype()),
                            "; a real one is needed, as x.real"));
    if (value.tensor) {
      converted = to(*value.tensor, self.dtype());
    } else if (value.scalar.category > category_of(self.dtype())) {
      converted = scalar_tensor(value.scalar, self.dtype(), self.device());
    }
    if (converted) operand = converted;
  }
  FillValue(const FillValue&) = delete;
  FillValue& operator=(const FillValue&) = delete;

  Tensor converted;
  Operand operand;
};

void write_masked(const char* op, const Tensor& self, const Tensor& given_mask,
                  const Tensor& source, bool takes_all) {
  const Tensor mask = mask_for(op, given_mask, self);
  if (source.dtype() != self.dtype())
    throw DTypeError(text(op, ": a source of dtype ", name_of(source.dtype()), " for a tensor of ",
                          name_of(self.dtype()), "; they must be equal, use to()"));
  if (source.device() != self.device())
    throw DeviceError(text(op, ": a source on ", source.device(), " for a tensor on ",
                           self.device(), "; they must be on one device, use to()"));
  check_writable(op, self);
  const CountedMask of = counted(op, apart_from(self, mask));
  if (of.count > source.count() || (takes_all && of.count != source.count()))
    throw ShapeError(text(op, ": a source of ", source.count(), " elements for ", of.count,
                          " that are true; ", takes_all ? "as many" : "no fewer", " are needed"));
  const Tensor first = slice(reshape(source, {-1}), 0, 0, of.count, 1);
  if (of.count > 0) {
    const GradModeGuard no_grad(false);
    write_into(self, [&] { put(self, of, first); });
  }
  const Other kept[] = {{"mask", mask}};
  record_in_place(
      op, self, {first}, Keep::nothing,
      [](const Backward& at) -> Grads {
        const Tensor mask = at.other(0);
        return {masked_fill(at.grad, mask, Scalar::of(std::int64_t{0})),
                at.needs(1) ? masked_select(at.grad, mask) : Tensor()};
      },
      kept);
}

}  // namespace

Tensor nonzero(const Tensor& input) { return detach(places_of(input)); }

std::vector<Tensor> nonzero_places(const Tensor& input) {
  const GradModeGuard no_grad(false);
  const Tensor rows = places_of(input.ndim() ? input : reshape(detach(input), {1}));
  std::vector<Tensor> columns;
  for (int d = 0; d < rows.size(1); ++d) columns.push_back(detach(select(rows, 1, d)));
  return columns;
}

Tensor masked_select(const Tensor& given_input, const Tensor& given_mask) {
  const char* const op = "masked_select";
  check_mask(op, given_mask, given_input);
  const Dims sizes = broadcast_sizes(op, given_input.sizes(), given_mask.sizes());
  const Tensor input = given_input.sizes() == sizes ? given_input : expand(given_input, sizes);
  const Tensor mask = given_mask.sizes() == sizes ? given_mask : expand(given_mask, sizes);
  const CountedMask of = counted(op, mask);
  const Tensor out = empty_of(op, {of.count}, input.dtype(), input.device());
  if (of.count > 0) {
    const GradModeGuard no_grad(false);
    const Tensor dense = contiguous(input);
    kernels::run(kernels::MaskedTake{out.view(), dense.view(), of.mask.view(), of.starts.view()},
                 input.device());
  }
  record(op, out, {input}, Keep::nothing,
         [sizes](const Backward& at) -> Grads {
           const Tensor gradient = zeros(sizes, at.grad.dtype(), at.grad.device());
           masked_scatter_(gradient, at.other(0), at.grad);
           return gradient;
         },
         {{"mask", mask}});
  return out;
}

void masked_scatter_(const Tensor& self, const Tensor& mask, const Tensor& source) {
  write_masked("masked_scatter_", self, mask, source, false);
}

void masked_put_(const Tensor& self, const Tensor& mask, const Tensor& source) {
  write_masked("index_put_", self, mask, source, true);
}

void masked_fill_(const Tensor& self, const Tensor& given_mask, const Operand& value) {
  const char* const op = "masked_fill_";
  const Tensor mask = mask_for(op, given_mask, self);
  const FillValue fill(op, value, self);
  check_writable(op, self);
  if (fill.converted && fill.converted.device() != self.device())
    throw DeviceError(text(op, ": a value on ", fill.converted.device(), " for a tensor on ",
                           self.device(), "; they must be on one device, use to()"));
  if (self.count() > 0) {
    const GradModeGuard no_grad(false);
    const Tensor apart = apart_from(self, mask);
    const ScalarView number(value.scalar, self.dtype());
    const Tensor given = fill.converted ? apart_from(self, fill.converted) : Tensor();
    write_into(self, [&] {
      kernels::table_of(self.device())
          .ternary[where.kernel.index](self.view(), apart.view(),
                                       given ? given.view() : number.view(), self.view(),
                                       current_stream(self.device()));
    });
  }
  const Other kept[] = {{"mask", mask}};
  record_in_place(
      op, self, {fill.operand}, Keep::nothing,
      [](const Backward& at) -> Grads {
        const Tensor mask = at.other(0);
        const Operand zero = Scalar::of(std::int64_t{0});
        return {masked_fill(at.grad, mask, zero),
                at.needs(1) ? sum(where(mask, at.grad, zero)) : Tensor()};
      },
      kept);
}

Tensor masked_fill(const Tensor& input, const Tensor& mask, const Operand& value) {
  const char* const op = "masked_fill";
  check_mask(op, mask, input);
  broadcast_sizes(op, input.sizes(), mask.sizes());
  const FillValue fill(op, value, input);
  return where(contiguous(mask), fill.operand, contiguous(input));  // row-major, as in PyTorch
}

}  // namespace garboard
