// What a kernel gets of a tensor: where its elements lie. Owns nothing.
#pragma once

#include "csrc/core/dims.h"
#include "csrc/core/dtype.h"

namespace garboard {

/// Trivially copyable, so it can go to a GPU as it is. Strides are in elements, 0 where broadcast,
/// and may be negative.
struct View {
  void* data = nullptr;  // of the first element: the storage offset is already in it
  DType dtype = DType::float32;
  bool contiguous = true;  // row-major and dense; true for 0 and 1 elements
  std::int64_t count = 1;  // the product of the sizes
  Dims sizes;
  Dims strides;

  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
  int ndim() const { return sizes.size(); }
};

/// True when walking `sizes` by `strides` meets the elements one after the other.
inline bool is_contiguous(const Dims& sizes, const Dims& strides) {
  std::int64_t expected = 1;
  bool in_order = true;
  for (int i = sizes.size() - 1; i >= 0; --i) {
    if (sizes[i] == 0) return true;
    if (sizes[i] != 1) in_order = in_order && strides[i] == expected;
    expected *= sizes[i];
  }
  return in_order;
}

/// A view over `data`, with count and contiguity worked out.
inline View make_view(void* data, DType dtype, const Dims& sizes, const Dims& strides) {
  return {data, dtype, is_contiguous(sizes, strides), sizes.product(), sizes, strides};
}

}  // namespace garboard
