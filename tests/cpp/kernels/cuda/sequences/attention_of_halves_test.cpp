#include <gtest/gtest.h>

#include "tests/cpp/kernels/cuda/sequences/attention_by_definition.h"

namespace garboard::kernels::cuda {
namespace {

template <class T>
class AttentionOfHalves : public testing::Test {
 protected:
  static void expect_right(const Form& form) { expect_by_definition(Call<T>(form)); }
};
using Halves = testing::Types<Float16, BFloat16>;
TYPED_TEST_SUITE(AttentionOfHalves, Halves);

TYPED_TEST(AttentionOfHalves, IsRightAtTheEdgesOfTiles) {
  for (const std::int64_t length : {1, 7, 63, 64, 65, 130})
    for (const bool is_causal : {false, true})
      this->expect_right({1, 1, 1, length, length, 64, 64, is_causal});
}

TYPED_TEST(AttentionOfHalves, IsRightForEveryDepth) {
  for (const std::int64_t depth : {8, 32, 40, 72, 96, 128})
    this->expect_right({1, 1, 1, 70, 67, depth, depth, true});
  this->expect_right({1, 1, 1, 33, 66, 16, 104});
}

TYPED_TEST(AttentionOfHalves, IsRightWhereHeadsAreShared) {
  this->expect_right({2, 4, 2, 33, 70, 32, 32});
  this->expect_right({1, 3, 1, 131, 70, 128, 64, true});
}

TYPED_TEST(AttentionOfHalves, IsRightForWhatIsNotPlain) {
  this->expect_right({1, 2, 2, 35, 66, 5, 3});
  this->expect_right({1, 2, 2, 35, 66, 16, 24, false, Masked::by_bools});
  this->expect_right({1, 2, 1, 35, 66, 16, 24, false, Masked::by_numbers});
  this->expect_right({1, 2, 2, 67, 66, 16, 16, true, Masked::no, 0.7});
  this->expect_right({1, 1, 1, 35, 66, 16, 24, false, Masked::no, 1, 3});
  this->expect_right({1, 1, 1, 35, 66, 100, 100, true, Masked::no, 1, 0, -0.2});
}

TYPED_TEST(AttentionOfHalves, TakesRowsThatLieApart) {
  this->expect_right({2, 2, 1, 35, 66, 24, 16, false, Masked::no, 1, 8});
}

TYPED_TEST(AttentionOfHalves, OfNoColumnsIsZero) { this->expect_right({1, 1, 1, 3, 0, 8, 8}); }

TYPED_TEST(AttentionOfHalves, GivesItsScratchBack) {
  const Form form{1, 1, 1, 9, 9, 8, 8};
  const Call<TypeParam> call(form);
  const auto before = shim::DeviceMemory::live_count();

  call.run();

  EXPECT_EQ(shim::DeviceMemory::live_count(), before);
}

TEST(AttentionOfHalvesOnCuda, IsTakenUpToADepth) {
  EXPECT_TRUE(kernel(kernels::AttentionOfHalves{DType::float16, 128}, Stream{}));
  EXPECT_FALSE(kernel(kernels::AttentionOfHalves{DType::float16, 136}, Stream{}));
}

}  // namespace
}  // namespace garboard::kernels::cuda
