#include "csrc/ops/index/index_tensor.h"

#include "csrc/core/error.h"
#include "csrc/core/index_error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/shape/views.h"
#include "csrc/tensor/grad_node.h"
#include "kernels/run.h"

namespace garboard {

Tensor index_numbers(const char* op, const Tensor& index, const Tensor& input) {
  const bool is_nothing = index.count() == 0 && category_of(index.dtype()) == Category::integer;
  if (index.dtype() != DType::int64 && index.dtype() != DType::int32 && !is_nothing)
    throw IndexTypeError(
        text(op, ": an index of dtype ", name_of(index.dtype()), "; int64 or int32 is needed"));
  if (index.device() != input.device())
    throw DeviceError(text(op, ": an index on ", index.device(), " for a tensor on ",
                           input.device(), "; they must be on one device, use to()"));
  return to(index, DType::int64);
}

kernels::IndexedDim indexed_dim(const Tensor& input, int dim, Negative negative) {
  const std::int64_t size = input.ndim() ? input.size(dim) : 1;
  return {size, input.ndim() ? input.stride(dim) : 1,
          negative == Negative::counts_from_end ? size : 0};
}

void refuse_index(const char* op, const Tensor& index, int dim, const kernels::IndexedDim& along) {
  const auto [least, largest] = kernels::run(kernels::IndexRange{index.view()}, index.device());
  const bool is_low = least < -along.wrap;
  if (!is_low && largest < along.size)
    throw IndexOutOfRangeError(text(op,
                                    ": an index that was overwritten meanwhile, as through an "
                                    "array that shares its memory; give it a clone()"));
  throw IndexOutOfRangeError(text(op, ": index ", is_low ? least : largest, " along dim ", dim,
                                  " of size ", along.size, "; it must lie in [", -along.wrap, ", ",
                                  along.size - 1, "]"));
}

Tensor apart_from(const Tensor& self, const Tensor& other) {
  const bool shares = self.storage() == other.storage() &&
                      (self.data() == other.data() || overlaps_partly(self, other));
  return shares ? row_major_copy(other) : other;
}

}  // namespace garboard
