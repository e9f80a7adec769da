#include "csrc/ops/devices/devices.h"

#include "csrc/ops/devices/cuda_devices.h"
#include "csrc/ops/devices/simulated_devices.h"

namespace garboard {

void detail::require_other_than_cpu(const char* op, Device device) {
  device.is_simulated() ? require_simulated(op, device) : require_cuda(op, device);
}

}  // namespace garboard
