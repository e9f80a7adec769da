// What kernels have to know of captures: some work waits, and cannot be captured.
#pragma once

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/device/device.h"

namespace garboard::kernels::cuda {

/// Whether what `stream` is given is captured instead of done.
bool is_captured(Stream stream);

/// Raises DeviceError in the name of `op`, which has to wait for `stream`, where it is.
inline void refuse_captured(const char* op, Stream stream) {
  if (!is_captured(stream)) [[likely]]
    return;
  throw DeviceError(text(op, ": it moves elements between cuda:", int{stream.device.number},
                         " and other memory, and waits for them, while the work of the stream is "
                         "captured, and so not done; make such tensors before the capture, copy "
                         "with pinned memory and non_blocking=True, or read values behind it"));
}

}  // namespace garboard::kernels::cuda
