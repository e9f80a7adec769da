// Copies, and the conversions that may need one.
#pragma once

#include "csrc/tensor/tensor.h"

namespace garboard {

/// Of bytes between the host and a device. A transfer from or to pinned memory may be queued on the
/// device's current stream, and be under way when the call returns; others are waited for.
enum class Transfer : bool { waits, is_queued_if_pinned };

/// A dense copy, its dims in the order in which they lie in `input`; its gradient passes through.
Tensor clone(const Tensor& input);
/// The same, row-major always.
Tensor row_major_copy(const Tensor& input);
/// `input` itself, or a dense copy of it where it is not contiguous.
Tensor contiguous(const Tensor& input);
/// `input` itself where it is so already, else converted; differentiable.
Tensor to(const Tensor& input, DType dtype);
Tensor to(const Tensor& input, Device device, Transfer transfer = Transfer::waits);

/// Writes `source`, converted and broadcast, into `self`. Raises ShapeError where it does not fit.
void copy_(const Tensor& self, const Tensor& source, Transfer transfer = Transfer::waits);

/// As `copy_` for what is known to fit, without checks, version or history: for tensors that nobody
/// else has seen yet.
void copy_into(const Tensor& target, const Tensor& source, Transfer transfer = Transfer::waits);

/// True where `a` and `b` share bytes, and are not the same elements in the same order.
bool overlaps_partly(const Tensor& a, const Tensor& b);

}  // namespace garboard
