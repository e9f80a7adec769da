#include <gtest/gtest.h>

#include "tests/cpp/kernels/cuda/sequences/attention_by_definition.h"

namespace garboard::kernels::cuda {
namespace {

constexpr double units = 16;  // of float32, of the largest number

void expect_right(const Form& form) { expect_by_definition(Call<float>(form), units); }

TEST(AttentionOfFloats, IsRightAtTheEdgesOfTiles) {
  for (const std::int64_t length : {1, 7, 63, 64, 65, 130})
    for (const bool is_causal : {false, true})
      expect_right({1, 1, 1, length, length, 64, 64, is_causal});
}

TEST(AttentionOfFloats, IsRightForEveryDepth) {
  for (const std::int64_t depth : {4, 32, 36, 72, 96, 128})
    expect_right({1, 1, 1, 70, 67, depth, depth, true});
  expect_right({1, 1, 1, 33, 66, 16, 104});
}

TEST(AttentionOfFloats, IsRightWhereHeadsAreShared) {
  expect_right({2, 4, 2, 33, 70, 32, 32});
  expect_right({1, 3, 1, 131, 70, 128, 64, true});
}

TEST(AttentionOfFloats, IsRightForWhatIsNotPlain) {
  expect_right({1, 2, 2, 35, 66, 5, 3});
  expect_right({1, 2, 2, 35, 66, 16, 24, false, Masked::by_bools});
  expect_right({1, 2, 1, 35, 66, 16, 24, false, Masked::by_numbers});
  expect_right({1, 2, 2, 67, 66, 16, 16, true, Masked::no, 0.7});
  expect_right({1, 1, 1, 35, 66, 16, 24, false, Masked::no, 1, 3});
  expect_right({1, 1, 1, 35, 66, 100, 100, true, Masked::no, 1, 0, -0.2});
}

TEST(AttentionOfFloats, TakesRowsThatLieApart) {
  expect_right({2, 2, 1, 35, 66, 24, 16, false, Masked::no, 1, 4});
}

TEST(AttentionOfFloats, OfNoColumnsIsZero) { expect_right({1, 1, 1, 3, 0, 8, 8}); }

// What tensor cores cut off would show here: numbers that all have the same sign and the longest
// second parts there are.
TEST(AttentionOfFloats, KeepsTheDigitsOfFloat32) {
  const Form form{1, 1, 1, 64, 1024, 64, 64, false, Masked::no, 1, 0, 0.001};
  Call<float> call(form);
  const auto fill = [](DeviceArray<float>& of) {
    for (std::int64_t i = 0; i < of.count(); ++i)
      of.set(i, 1 + static_cast<float>(i * 2654435761u % 8191) * 0x1p-23f);
  };
  for (auto* of : {&call.q, &call.k, &call.v, &call.d_out}) fill(*of);

  expect_by_definition(call, units);
}

TEST(AttentionOfFloats, TakesNumbersOfEverySize) {
  const Form form{1, 1, 1, 40, 70, 64, 64, false, Masked::no, 1, 0, 0.1};
  Call<float> call(form);
  for (std::int64_t i = 0; i < call.q.count(); ++i)
    call.q.set(i, std::ldexp(call.q.at(i), static_cast<int>(i % 64) - 32));
  for (std::int64_t i = 0; i < call.k.count(); ++i)
    call.k.set(i, std::ldexp(call.k.at(i), 32 - static_cast<int>(i % 64)));
  for (std::int64_t i = 0; i < call.v.count(); ++i)
    call.v.set(i, std::ldexp(call.v.at(i), static_cast<int>(i % 64)));

  expect_by_definition(call, units);
}

/// A call of which some number is not finite gives what the kernels of every device give.
void expect_as_elsewhere(const Call<float>& call) {
  call.run();
  const std::vector<float> out = call.out.values(), log_sums = call.log_sums.values();
  std::int64_t finite = 0;
  for (const float x : out) finite += std::isfinite(x);
  cpu_table().run(call.forward(), Stream{});

  EXPECT_GT(finite, 0);
  for (std::int64_t i = 0; i < call.out.count(); ++i) {
    if (std::isfinite(out[i]))
      EXPECT_NEAR(out[i], call.out.at(i), 1e-5) << i;
    else
      EXPECT_TRUE(out[i] == call.out.at(i) || (std::isnan(out[i]) && std::isnan(call.out.at(i))))
          << i << ": " << out[i] << ", " << call.out.at(i);
  }
}

TEST(AttentionOfFloats, OfInfiniteValuesIsInfinite) {
  const Form form{1, 1, 1, 70, 70, 32, 32};
  Call<float> call(form);
  call.v.set(66 * 32 + 5, functors::infinity<float>);

  expect_as_elsewhere(call);
  EXPECT_EQ(call.out.at(68 * 32 + 5), functors::infinity<float>);
}

TEST(AttentionOfFloats, SeesNothingOfAColumnThatIsInfinitelyFar) {
  const Form form{1, 1, 1, 20, 20, 32, 32};
  Call<float> call(form);
  for (std::int64_t row = 0; row < 20; ++row) call.q.set(row * 32, 1);
  call.k.set(7 * 32, -functors::infinity<float>);

  expect_as_elsewhere(call);
  EXPECT_TRUE(std::isfinite(call.out.at(0)));
}

TEST(AttentionOfFloats, GivesItsScratchBack) {
  const Form form{1, 1, 1, 9, 9, 8, 8};
  const Call<float> call(form);
  const auto before = shim::DeviceMemory::live_count();

  call.run();

  EXPECT_EQ(shim::DeviceMemory::live_count(), before);
}

}  // namespace
}  // namespace garboard::kernels::cuda
