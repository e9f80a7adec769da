#include "csrc/ops/devices/devices.h"

#include <gtest/gtest.h>

#include "csrc/core/error.h"
#include "csrc/ops/devices/cuda_devices.h"

namespace garboard {
namespace {

TEST(Devices, OfEveryKindAreRefusedWhereTheyAreNotThere) {
  EXPECT_NO_THROW(require_device("zeros", Device{}));
  EXPECT_THROW(require_device("zeros", Device::simulated(0)), DeviceError);
  if (cuda_device_count() < max_cuda_devices) {
    EXPECT_THROW(require_device("zeros", Device::of(cuda_kind, max_cuda_devices - 1)), DeviceError);
  }
}

}  // namespace
}  // namespace garboard
