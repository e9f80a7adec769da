#include "csrc/device/backend.h"

#include <gtest/gtest.h>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/lifetime/registry.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/devices/devices.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/reduce/reduce.h"
#include "tests/cpp/support/stand_in.h"

namespace garboard {
namespace {

template <class Act>
std::string refusal(Act act) {
  try {
    act();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "";
}

TEST(Backend, OfEveryKindOnTheRollCallIsThere) {
  for (int slot = 0; slot < Device::of(stand_in::device().kind, 0).slot(); ++slot) {
    const Device device = Device::at_slot(slot);

    EXPECT_EQ(device.slot(), slot);
    EXPECT_NE(backend_of(device).require, nullptr) << device;
    EXPECT_EQ(device_named(text(device)), device);
  }
}

TEST(Backend, OfAnAbsentKindIsNamedAndRefused) {
  const Device device = device_named("mps").value();

  EXPECT_EQ(text(device), "mps");
  EXPECT_EQ(device_names().find("mps"), std::string::npos);
  EXPECT_THROW(backend_of(device).require("zeros", device), DeviceError);
}

TEST(Backend, ThatIsAddedHasANameLikeTheOthers) {
  const Device device = stand_in::device();

  EXPECT_EQ(text(device), "standin:0");
  EXPECT_EQ(device_named("standin"), device);
  EXPECT_EQ(device_named("standin:1"), Device::of(device.kind, 1));
  EXPECT_EQ(device_named("cpu:0"), Device{});
  EXPECT_NE(device_names().find("\"standin:0\" to \"standin:1\""), std::string::npos);
  for (const char* const name : {"", "standin:", "standin:2", "standin:-1", "standin:0x", "cpu:1",
                                 "standi", "standin:99999999999999999999"})
    EXPECT_EQ(device_named(name), std::nullopt) << name;
}

TEST(Backend, ThatIsAddedHoldsTensorsAndComputes) {
  const Device device = stand_in::device();
  const auto slot = static_cast<std::size_t>(device.slot());
  const std::int64_t before = registry().live().bytes[slot];
  {
    const Tensor x = full({1000, 3}, Scalar::of(2.0), DType::float32, device);

    const Tensor y = to(add(mul(x, x), Operand(Scalar::of(0.5))), Device{});

    EXPECT_EQ(registry().live().bytes[slot] - before, 12'000);
    EXPECT_EQ(y.device(), Device{});
    EXPECT_EQ(*sum(y).view().as<float>(), 13500.0F);
    EXPECT_EQ(to(y, device).device(), device);
  }
  EXPECT_EQ(registry().live().bytes[slot], before);
}

TEST(Backend, ThatIsAddedIsNamedInErrors) {
  const Device device = stand_in::device();
  const Tensor here = full({2}, Scalar::of(1.0), DType::float32),
               there = full({2}, Scalar::of(1.0), DType::float32, device);

  EXPECT_NE(refusal([&] { add(here, there); }).find("standin:0"), std::string::npos);
  EXPECT_EQ(refusal([&] { require_device("zeros", Device::of(device.kind, 1)); }),
            "zeros: device standin:1; there is one, numbered 0");
}

TEST(Backend, ThatIsAddedIsWaitedFor) {
  const int before = stand_in::synchronized;

  synchronize(stand_in::device());

  EXPECT_EQ(stand_in::synchronized, before + 1);
}

TEST(Backend, OfATakenNameOrBesideAnotherIsRefused) {
  stand_in::device();
  static constexpr Backend other = stand_in::backend;

  EXPECT_THROW(add_backend("cpu", other), DeviceError);
  EXPECT_NE(refusal([] { add_backend("third", other); }).find("roll call"), std::string::npos);
  EXPECT_EQ(add_backend("standin", stand_in::backend), stand_in::device().kind);
}

}  // namespace
}  // namespace garboard
