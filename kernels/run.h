// How ops call kernels: on the stream that is current for the calling thread.
#pragma once

#include "csrc/device/streams.h"
#include "kernels/table.h"

namespace garboard::kernels {

/// Has `device` do it, on this thread's current stream there.
template <class Arguments>
ResultOf<Arguments> run(const Arguments& arguments, Device device) {
  return run(arguments, current_stream(device));
}

}  // namespace garboard::kernels
