#include "python/bindings/exchange/array_layout.h"

#include "csrc/core/error.h"
#include "csrc/tensor/sizes.h"

namespace garboard::python {

void check_array_dims(const char* op, std::int64_t dims) {
  if (dims > max_dims)
    throw ShapeError(
        text(op, ": an array of ", dims, " dims; at most ", max_dims, " are supported"));
}

ArrayLayout array_layout(const char* op, DType dtype, const Dims& sizes,
                         const std::optional<Dims>& given_strides, const void* first) {
  check_not_negative(op, sizes);
  const std::int64_t count = checked_count(op, sizes, dtype);
  const Dims strides = given_strides ? *given_strides : contiguous_strides(sizes);
  ArrayLayout layout{sizes, strides};
  const auto item = static_cast<std::int64_t>(item_size(dtype));
  if (reinterpret_cast<std::uintptr_t>(first) % static_cast<std::uintptr_t>(item) != 0)
    throw ShapeError(text(op, ": an array at an address that is no multiple of the item size ",
                          item, "; copy it"));
  if (count == 0) return layout;
  layout.high = item;
  bool overflows = false;
  for (int i = 0; i < sizes.size(); ++i) {
    std::int64_t& end = strides[i] < 0 ? layout.low : layout.high;
    std::int64_t stride, last;
    overflows |= __builtin_mul_overflow(strides[i], item, &stride) ||
                 __builtin_mul_overflow(sizes[i] - 1, stride, &last) ||
                 __builtin_add_overflow(end, last, &end);
  }
  std::int64_t bytes;
  if (overflows || __builtin_sub_overflow(layout.high, layout.low, &bytes))
    throw ShapeError(text(op, ": an array of sizes ", sizes, " and strides ", strides,
                          ", which reach beyond 2^63 bytes; no memory does"));
  return layout;
}

}  // namespace garboard::python
