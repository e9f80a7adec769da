#include "tests/support/device_memory.h"  // stands for CUDA, so it comes first

#include "kernels/cuda/launch/faults.h"

#include <gtest/gtest.h>

#include <string>

namespace garboard::kernels::cuda {
namespace {

__global__ void note(Fault* record, const char* op, std::int64_t first) {
  note_fault(record, op, first + threadIdx.x, 3);
}

std::string told(Fault* record) {
  try {
    raise_noted(record);
  } catch (const IndexOutOfRangeError& error) {
    return error.what();
  }
  return "";
}

TEST(Faults, TellTheFirstThatWasNotedAndTellItOnce) {
  Fault record{};
  const char name[] = {'s', 'o', 'r', 't', 0};

  EXPECT_EQ(told(&record), "");
  launch(note, {2, Stream{}}, &record, name, 7);

  const std::string text = told(&record);
  EXPECT_TRUE(text.starts_with("sort: 7; needed is a number below 3.")) << text;
  EXPECT_EQ(told(&record), "");
}

TEST(Faults, KeepTheNameWhereTheHostCanReadIt) {
  Fault record{};
  std::string name = "gather";

  launch(note, {1, Stream{}}, &record, name.c_str(), 5);
  name = "-";

  EXPECT_EQ(told(&record).substr(0, 9), "gather: 5");
}

TEST(Faults, CutLongNamesShort) {
  Fault record{};
  const std::string name(100, 'n');

  launch(note, {1, Stream{}}, &record, name.c_str(), 5);

  EXPECT_EQ(told(&record).substr(0, 50), std::string(47, 'n') + ": 5");
}

}  // namespace
}  // namespace garboard::kernels::cuda
