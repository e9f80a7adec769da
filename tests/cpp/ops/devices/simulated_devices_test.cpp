#include "csrc/ops/devices/simulated_devices.h"

#include <gtest/gtest.h>

#include <vector>

#include "csrc/core/bytes.h"
#include "csrc/core/error.h"
#include "csrc/memory/allocator/allocators.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/op/operators.h"

namespace garboard {
namespace {

TEST(SimulatedDevices, GiveTensorsMemoryUpToTheirCapacity) {
  const Device device = open_simulated_device({.capacity_bytes = 8_MiB});
  {
    const Tensor x = zeros({1 << 20}, DType::float32, device);
    EXPECT_EQ(allocator_of(device).stats().live_bytes, 4_MiB);
    EXPECT_THROW(zeros({2 << 20}, DType::float32, device), OutOfMemoryError);
  }
  close_simulated_device(device);
  EXPECT_EQ(allocator_of(device).stats().reserved_bytes, 0u);
}

TEST(SimulatedDevices, ReadAsZeros) {
  const Device device = open_simulated_device({.capacity_bytes = 8_MiB});
  {
    const Tensor sum = full({3}, Scalar::of(2.0), DType::float32, device) +
                       full({3}, Scalar::of(2.0), DType::float32, device);
    const Tensor here = to(sum, Device{});
    EXPECT_EQ(static_cast<const float*>(here.data())[2], 0);
  }
  close_simulated_device(device);
}

TEST(SimulatedDevices, AreLeftOpenWhileSomethingLivesOnThem) {
  const Device device = open_simulated_device({.capacity_bytes = 8_MiB});
  Tensor x = zeros({4}, DType::float32, device);

  EXPECT_THROW(close_simulated_device(device), DeviceError);
  x = {};
  EXPECT_NO_THROW(close_simulated_device(device));
  EXPECT_THROW(close_simulated_device(device), DeviceError);
}

TEST(SimulatedDevices, ThatAreAbandonedCloseWhenTheLastTensorHasGone) {
  const Device device = open_simulated_device({.capacity_bytes = 8_MiB});
  Tensor x = zeros({4}, DType::float32, device);
  abandon_simulated_device(device);

  const Device other = open_simulated_device({.capacity_bytes = 8_MiB});
  EXPECT_NE(other, device);
  x = {};
  EXPECT_EQ(open_simulated_device({.capacity_bytes = 8_MiB}), device);
  close_simulated_device(device);
  close_simulated_device(other);
}

TEST(SimulatedDevices, AreAtMostFour) {
  std::vector<Device> open;
  for (int i = 0; i < max_simulated_devices; ++i)
    open.push_back(open_simulated_device({.capacity_bytes = 2_MiB}));

  EXPECT_THROW(open_simulated_device({.capacity_bytes = 2_MiB}), DeviceError);
  for (const Device device : open) close_simulated_device(device);
}

TEST(SimulatedDevices, NeedRoomForOneGranule) {
  EXPECT_THROW(open_simulated_device({.capacity_bytes = 1_MiB}), DeviceError);
  EXPECT_THROW(open_simulated_device({.capacity_bytes = 8_MiB, .taken_bytes = 7_MiB}), DeviceError);
  EXPECT_THROW(open_simulated_device({.capacity_bytes = 8_MiB, .taken_bytes = 9_MiB}), DeviceError);
}

TEST(SimulatedDevices, OfNumbersThatNoneHasAreRefused) {
  for (const int number : {-1, max_simulated_devices, 100}) {
    EXPECT_THROW(require_simulated("zeros", Device::simulated(number)), DeviceError);
    EXPECT_THROW(close_simulated_device(Device::simulated(number)), DeviceError);
    EXPECT_NO_THROW(abandon_simulated_device(Device::simulated(number)));
  }
}

}  // namespace
}  // namespace garboard
