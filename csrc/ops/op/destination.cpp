#include "csrc/ops/op/destination.h"

#include "csrc/ops/op/record.h"

namespace garboard {

constinit thread_local const Tensor* Destination::current_ = nullptr;

Tensor Destination::taken(const char* op, const Dims& sizes, DType dtype, Device device) {
  const Tensor& out = *current_;
  if (out.dtype() != dtype || out.device() != device || !out.is_contiguous() ||
      out.count() != sizes.product())
    return Tensor::fresh(sizes, dtype, device, op);
  current_ = nullptr;
  check_writable(op, out);
  note_write(out);
  return out.alias_of_storage(sizes, contiguous_strides(sizes), out.offset());
}

bool lies_in(const Tensor& out, const Tensor& made) {
  return out.storage() == made.storage() && out.offset() == made.offset() &&
         out.dtype() == made.dtype() && out.sizes() == made.sizes() &&
         out.strides() == made.strides();
}

}  // namespace garboard
