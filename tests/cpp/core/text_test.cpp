#include "csrc/core/text.h"

#include <gtest/gtest.h>

#include "csrc/core/dims.h"

namespace garboard {
namespace {

TEST(Text, WritesItsPartsOneAfterTheOther) {
  EXPECT_EQ(text("view: sizes ", Dims{2, 3}, " hold ", 6, " elements"),
            "view: sizes [2, 3] hold 6 elements");
}

}  // namespace
}  // namespace garboard
