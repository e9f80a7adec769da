// Two tensors compared as wholes: what is asked of every element comes back as one bool.
#pragma once

#include <algorithm>

#include "csrc/core/outer_lock.h"
#include "csrc/core/thread_pool.h"
#include "csrc/ops/composite/elementwise.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/views.h"
#include "csrc/tensor/grad_mode.h"

namespace garboard::composite {

/// Waits for the device.
inline bool is_true_everywhere(const Tensor& tensor) {
  return *static_cast<const bool*>(to(all(tensor), Device{}).data());
}

/// Whether `check` is true of all pieces of two tensors that have the same sizes, one after the
/// other: the first that is not ends it, and what a check makes stays in the caches. A device gets
/// all at once, for it would be waited for after each.
template <class Check>
bool is_true_of_pieces(const Tensor& input, const Tensor& other, Check check) {
  constexpr std::int64_t least = 1 << 10;
  // From so many elements on a thread more shortens a pass over them.
  const std::int64_t most =
      (std::int64_t{1} << 15) * (thread_count() == 1 ? 1 : 4 * thread_count());
  const bool has_pieces = input.count() > least && input.is_contiguous() && other.is_contiguous() &&
                          input.device() == Device{} && other.device() == Device{} &&
                          input.sizes() == other.sizes();
  if (!has_pieces) return check(input, other);
  const Tensor x = reshape(detach(input), {-1}), y = reshape(detach(other), {-1});
  OuterLock::Turns turns;  // each piece is short, and pieces are many
  for (std::int64_t first = 0, piece = least; first < x.count(); first += piece) {
    if (first > 0) piece = std::min(2 * piece, most);
    const std::int64_t count = std::min(piece, x.count() - first);
    if (!check(narrow(x, 0, first, count), narrow(y, 0, first, count))) return false;
    turns.offer();
  }
  return true;
}

/// Whether both have the same sizes and elements; NaN equals nothing.
inline bool equal(const Tensor& input, const Tensor& other) {
  const GradModeGuard no_grad(false);
  return input.sizes() == other.sizes() &&
         is_true_of_pieces(input, other, [](const Tensor& x, const Tensor& y) {
           return is_true_everywhere(eq(x, y));
         });
}

/// See isclose().
inline bool allclose(const Tensor& input, const Tensor& other, double rtol, double atol,
                     bool equal_nan) {
  const GradModeGuard no_grad(false);
  return is_true_of_pieces(input, other, [=](const Tensor& x, const Tensor& y) {
    return is_true_everywhere(isclose(x, y, rtol, atol, equal_nan));
  });
}

}  // namespace garboard::composite
