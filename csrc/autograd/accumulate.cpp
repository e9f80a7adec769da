#include "csrc/autograd/accumulate.h"

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/shape/views.h"

namespace garboard {
namespace {

/// As large as its storage, and no view with a history.
bool is_whole(const Tensor& tensor) {
  return tensor.is_contiguous() && tensor.storage()->bytes == tensor.nbytes() &&
         !(tensor.body()->base && tensor.requires_grad());
}

}  // namespace

void accumulate(Tensor& sum, Tensor gradient, bool is_recorded) {
  if (!sum) {
    sum = std::move(gradient);
  } else if (!is_recorded && sum.dtype() == gradient.dtype() && sum.is_contiguous() &&
             is_sole_owner(sum)) {
    add.apply_in_place(sum, gradient);
  } else {
    sum = add(sum, gradient);
  }
}

void add_to_grad(const Tensor& tensor, Tensor gradient, bool is_recorded) {
  if (!is_recorded && gradient.requires_grad())
    gradient = detach(gradient);  // of a function of one's own
  Tensor sum = tensor.grad();
  if (sum) sum.storage()->meet_current_stream();
  if (sum && !is_recorded && !sum.requires_grad()) {
    add.apply_in_place(sum, gradient);
    return;
  }
  if (sum) {
    sum = add(sum, gradient);
  } else if (is_sole_owner(gradient) && is_whole(gradient)) {
    const bool is_view = bool(gradient.body()->base);
    sum = is_view ? gradient.alias_of_storage(gradient.sizes(), gradient.strides(), 0)
                  : std::move(gradient);
  } else {
    // Somebody else still uses, or could write, those bytes. And if it is the leaf itself, a node
    // must lie between the two: a survey of nodes would not find what holds itself without one.
    sum = row_major_copy(gradient);
  }
  if (is_recorded && sum.requires_grad()) note_recorded_gradient();
  grad_state_of(tensor).grad = std::move(sum);
}

}  // namespace garboard
