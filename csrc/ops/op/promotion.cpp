#include "csrc/ops/op/promotion.h"

#include "csrc/core/default_dtype.h"
#include "csrc/core/error.h"

namespace garboard {
namespace {

enum Rank { number, without_dims, with_dims, rank_count };

struct Candidate {
  bool any = false;
  DType dtype = DType::boolean;

  void add(DType other) {
    dtype = any ? promote(dtype, other) : other;
    any = true;
  }
};

}  // namespace

DType result_dtype(std::initializer_list<const Operand*> operands) {
  Candidate candidates[rank_count];
  for (const Operand* operand : operands) {
    if (!operand->tensor) {
      candidates[number].add(default_dtype(operand->scalar.category));
    } else {
      const Tensor& tensor = *operand->tensor;
      candidates[tensor.ndim() ? with_dims : without_dims].add(tensor.dtype());
    }
  }
  Candidate result;
  for (const Rank rank : {with_dims, without_dims, number}) {
    const Candidate& next = candidates[rank];
    if (!next.any) continue;
    // Beside floats, what is complex of a lower rank has their digits.
    if (result.any && is_floating(result.dtype) && is_complex(next.dtype))
      result.dtype = complex_of(result.dtype);
    else if (!result.any || category_of(next.dtype) > category_of(result.dtype))
      result.add(next.dtype);
  }
  return result.dtype;
}

Dims broadcast_sizes(const char* op, const Dims& a, const Dims& b) {
  const Dims& longer = a.size() >= b.size() ? a : b;
  const Dims& shorter = a.size() >= b.size() ? b : a;
  Dims sizes = longer;
  for (int i = 1; i <= shorter.size(); ++i) {
    std::int64_t& size = sizes[sizes.size() - i];
    const std::int64_t other = shorter[shorter.size() - i];
    if (size == 1) size = other;
    if (other != 1 && other != size)
      throw ShapeError(
          text(op, ": sizes ", a, " and ", b, " differ at dim ", -i, "; they must be equal or 1"));
  }
  return sizes;
}

View broadcast_view(const View& view, const Dims& sizes) {
  View wide = view;
  wide.sizes = sizes;
  wide.strides = Dims::filled(sizes.size(), 0);
  const int missing = sizes.size() - view.ndim();
  for (int i = 0; i < view.ndim(); ++i) {
    if (view.sizes[i] == sizes[missing + i]) wide.strides[missing + i] = view.strides[i];
  }
  wide.count = sizes.product();
  wide.contiguous = is_contiguous(sizes, wide.strides);
  return wide;
}

Device common_device(const char* op, std::initializer_list<const Operand*> operands) {
  const Tensor* first = nullptr;
  for (const Operand* operand : operands) {
    if (!operand->tensor) continue;
    if (!first) first = operand->tensor;
    if (operand->tensor->device() != first->device())
      throw DeviceError(text(op, ": tensors on ", first->device(), " and ",
                             operand->tensor->device(), "; they must be on one device, use to()"));
  }
  return first ? first->device() : Device{};
}

}  // namespace garboard
