#include "csrc/ops/devices/cuda_devices.h"

#include <gtest/gtest.h>

#include "csrc/core/error.h"
#include "csrc/memory/allocator/allocators.h"
#include "csrc/ops/devices/devices.h"
#include "kernels/table.h"

namespace garboard {
namespace {

constexpr Device first{cuda_kind, 0};

std::string refusal(const char* op, Device device) {
  try {
    require_device(op, device);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "";
}

TEST(CudaDevices, AreThereOrThereIsAReason) {
  EXPECT_EQ(cuda_device_count() > 0, why_no_cuda().empty()) << why_no_cuda();
}

TEST(CudaDevices, ReasonBeginsWithOneOfSix) {
  bool is_known = cuda_device_count() > 0;
  for (const char* opening : {"built without CUDA: ", "library not found: ", "build mismatch: ",
                              "no driver: ", "driver too old: ", "no device: "})
    is_known |= why_no_cuda().starts_with(opening);

  EXPECT_TRUE(is_known) << why_no_cuda();
}

TEST(CudaDevices, LeaveTheCpuAlone) {
  EXPECT_NO_THROW(require_device("zeros", Device{}));
  EXPECT_NO_THROW(synchronize(Device{}));
}

TEST(CudaDevices, BeyondTheLastAreRefusedInTheNameOfTheOp) {
  const Device last{cuda_kind, max_cuda_devices - 1};
  if (cuda_device_count() == max_cuda_devices) GTEST_SKIP() << "every device is there";

  EXPECT_TRUE(refusal("zeros", last).starts_with("zeros: device cuda:7")) << refusal("zeros", last);
  EXPECT_THROW(synchronize(last), DeviceError);
  EXPECT_THROW(cuda_properties("get_device_name", last), DeviceError);
}

TEST(CudaDevices, WhereThereAreNoneRefuseWithTheReason) {
  if (cuda_device_count() > 0) GTEST_SKIP() << "there is a device";

  EXPECT_EQ(refusal("to", first), "to: device cuda:0 cannot be used; " + why_no_cuda());
  EXPECT_EQ(find_allocator(first), nullptr);
}

TEST(CudaDevices, WhereThereIsOneHaveAllocatorKernelsAndName) {
  if (cuda_device_count() == 0) GTEST_SKIP() << why_no_cuda();

  EXPECT_EQ(refusal("to", first), "");
  EXPECT_NE(find_allocator(first), nullptr);
  EXPECT_NE(&kernels::table_of(first), &kernels::cpu_table());
  EXPECT_STRNE(cuda_properties("get_device_name", first).name, "");
  EXPECT_NO_THROW(synchronize(first));
}

}  // namespace
}  // namespace garboard
