#include "kernels/table.h"

#include <gtest/gtest.h>

namespace garboard::kernels {
namespace {

TEST(IdleTable, HasEveryKernel) {
  const auto* entry = reinterpret_cast<void (*const*)()>(&idle_table());
  for (std::size_t i = 0; i < sizeof(Table) / sizeof(*entry); ++i)
    EXPECT_NE(entry[i], nullptr) << i;
}

TEST(IdleTable, IsThatOfSimulatedDevicesAlone) {
  EXPECT_EQ(&table_of(Device::simulated(1)), &idle_table());
  EXPECT_NE(&table_of(Device{}), &idle_table());
}

TEST(IdleTable, TouchesNoMemory) {
  const View nowhere = make_view(reinterpret_cast<void*>(64), DType::float32, {1000}, {1});
  const Stream stream{Device::simulated(0)};
  const Table& table = idle_table();

  table.run(Fill{nowhere, Scalar::of(1.0)}, stream);
  table.run(Copy{nowhere, nowhere}, stream);
  table.binary[0](nowhere, nowhere, nowhere, stream);
  EXPECT_EQ(table.run(CrossEntropy{}, stream), -1);
}

}  // namespace
}  // namespace garboard::kernels
