#include "kernels/cuda/library/lacking.h"

#include <gtest/gtest.h>

#include <cstring>

namespace garboard::kernels::cuda {
namespace {

TEST(LackingTable, HasNoNullEntry) {
  const Table table = lacking_table();

  void* entries[sizeof(Table) / sizeof(void*)];
  static_assert(sizeof(entries) == sizeof(Table), "the table holds pointers alone");
  std::memcpy(entries, &table, sizeof(Table));
  for (const void* entry : entries) EXPECT_NE(entry, nullptr);
}

TEST(LackingTable, RaisesDeviceErrorInTheNameOfTheOp) {
  const Table table = lacking_table();
  const View none{};

  try {
    table.run(Softmax{none, none, 0}, {});
    FAIL() << "did not raise";
  } catch (const DeviceError& error) {
    EXPECT_STREQ(error.what(),
                 "softmax: tensors on a CUDA device; it has a kernel for the CPU alone, move them "
                 "with to(\"cpu\")");
  }
  EXPECT_THROW(table.run(CrossEntropy{}, {}), DeviceError);
  EXPECT_THROW(table.unary[0]({}, {}, {}), DeviceError);
}

}  // namespace
}  // namespace garboard::kernels::cuda
