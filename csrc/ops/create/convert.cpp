#include "csrc/ops/create/convert.h"

#include <utility>

#include "csrc/core/error.h"
#include "csrc/device/stream_driver.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/create/result_layout.h"
#include "csrc/ops/devices/devices.h"
#include "csrc/ops/op/promotion.h"
#include "csrc/ops/op/record.h"
#include "kernels/run.h"

namespace garboard {
namespace {

/// The table of whichever of the two devices is not the CPU: it knows both ends of a transfer.
const kernels::Table& copier(Device target, Device source) {
  return kernels::table_of(target.is_cpu() ? source : target);
}

/// `result` with the values of `input`, and its history.
Tensor copied(const char* name, Tensor result, const Tensor& input,
              Transfer transfer = Transfer::waits) {
  copy_into(result, input, transfer);
  record(name, result, {input}, Keep::nothing,
         [from = input.device()](const Backward& at) -> Grads {
           return to(at.grad, from);  // the walk converts the dtype
         });
  return result;
}

std::pair<const char*, const char*> extent(const Tensor& tensor) {
  const auto* const start = static_cast<const char*>(tensor.data());
  std::int64_t low = 0, high = 1;
  for (int i = 0; i < tensor.ndim(); ++i) {
    const std::int64_t reach = (tensor.size(i) - 1) * tensor.stride(i);
    (reach < 0 ? low : high) += reach;
  }
  const auto item = static_cast<std::int64_t>(item_size(tensor.dtype()));
  return {start + low * item, start + high * item};
}

}  // namespace

bool overlaps_partly(const Tensor& a, const Tensor& b) {
  if (a.storage() != b.storage() || a.count() == 0 || b.count() == 0) return false;
  if (a.data() == b.data() && a.dtype() == b.dtype() && have_same_layout(a, b)) return false;
  const auto [a_low, a_high] = extent(a);
  const auto [b_low, b_high] = extent(b);
  return a_low < b_high && b_low < a_high;
}

void copy_into(const Tensor& target, const Tensor& source, Transfer transfer) {
  if (!computes(source.device()) && computes(target.device()))  // nothing was computed
    return kernels::run(kernels::Fill{target.view(), Scalar::of(std::int64_t{0})}, target.device());
  const bool is_to_host = target.device().is_cpu();
  const Stream stream = current_stream(is_to_host ? source.device() : target.device());
  Storage& host = *(is_to_host ? target : source).storage();
  const StreamDriver* const driver = stream_driver_of(stream.device);
  if (transfer == Transfer::is_queued_if_pinned && driver && host.is_pinned() &&
      target.device() != source.device()) {
    host.used_on(stream);
    return driver->copy(target.data(), source.data(), static_cast<std::size_t>(source.nbytes()),
                        stream);
  }
  copier(target.device(), source.device()).run(kernels::Copy{target.view(), source.view()}, stream);
}

Tensor clone(const Tensor& input) {
  const Tensor result = empty_of("clone", input.sizes(), input.dtype(), input.device());
  lie_as(result, input);
  return copied("clone", result, input);
}

Tensor row_major_copy(const Tensor& input) {
  return copied("clone", empty_of("clone", input.sizes(), input.dtype(), input.device()), input);
}

Tensor contiguous(const Tensor& input) {
  return input.is_contiguous() ? input : row_major_copy(input);
}

Tensor to(const Tensor& input, DType dtype) {
  if (input.dtype() == dtype) return input;
  const Tensor result = empty_of("to", input.sizes(), dtype, input.device());
  lie_as(result, input);
  return copied("to", result, input);
}

Tensor to(const Tensor& input, Device device, Transfer transfer) {
  if (input.device() == device) return input;
  require_device("to", device);
  if (computes(device)) require_values("to", input.device());
  const Tensor dense = contiguous(input);  // transfers take such memory
  return copied("to", empty_of("to", dense.sizes(), dense.dtype(), device), dense, transfer);
}

void copy_(const Tensor& self, const Tensor& source, Transfer transfer) {
  check_writable("copy_", self);
  if (source.ndim() > self.ndim() ||
      broadcast_sizes("copy_", self.sizes(), source.sizes()) != self.sizes())
    throw ShapeError(text("copy_: a source of sizes ", source.sizes(), " for a target of sizes ",
                          self.sizes(), "; it must broadcast to the target's"));
  if (computes(self.device())) require_values("copy_", source.device());
  // A transfer takes dense memory of one dtype on both sides; conversions happen where the source
  // is.
  Tensor given = source;
  {
    const GradModeGuard no_grad(false);
    if (overlaps_partly(self, given)) given = row_major_copy(given);
    if (given.device() != self.device()) {
      given = to(given, self.dtype());
      // Dense memory goes straight into place; else a copy of it goes, and is laid out there.
      if (given.sizes() != self.sizes() || !given.is_contiguous() || !self.is_contiguous())
        given = to(given, self.device(), transfer);
    }
    if (given.device() != self.device()) {
      write_into(self, [&] { copy_into(self, given, transfer); });
    } else {
      const View wide = broadcast_view(given.view(), self.sizes());
      write_into(self, [&] { kernels::run(kernels::Copy{self.view(), wide}, self.device()); });
    }
  }
  record_in_place("copy_", self, {source}, Keep::nothing,
                  [from = source.device()](const Backward& at) -> Grads {
                    return {gradient_of_overwritten(at), to(at.grad, from)};
                  });
}

}  // namespace garboard
