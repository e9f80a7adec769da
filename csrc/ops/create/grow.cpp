#include "csrc/ops/create/grow.h"

#include "csrc/ops/create/create.h"
#include "csrc/tensor/set_data.h"

namespace garboard {

void grow_empty(const char* op, const Tensor& out, const Dims& sizes) {
  const bool is_empty = out.sizes() == Dims{0} && sizes != out.sizes();
  if (!is_empty || out.requires_grad() || !out.is_leaf() || out.body()->base) return;
  set_data(out, empty_of(op, sizes, out.dtype(), out.device()));
}

}  // namespace garboard
