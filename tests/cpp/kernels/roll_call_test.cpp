#include "kernels/roll_call.h"

#include <gtest/gtest.h>

#include <string_view>

namespace garboard::kernels {
namespace {

TEST(RollCall, NamesTheOpOfEveryKernel) {
  for_each_type(Kernels{},
                []<class Arguments> { EXPECT_FALSE(std::string_view(Arguments::name).empty()); });
}

}  // namespace
}  // namespace garboard::kernels
