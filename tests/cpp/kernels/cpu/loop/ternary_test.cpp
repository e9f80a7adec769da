#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

using namespace functors;

class TernaryTest : public EachInstructionSet {
 protected:
  template <class F, class First, class T>
  Array<T> apply(const Array<First>& a, const Array<T>& b, const Array<T>& c,
                 const Dims& sizes) const {
    Array<T> y(sizes);
    ternary_of<F>()(y.view(), a.view(), b.view(), c.view(), {});
    return y;
  }
};
INSTANTIATE_TEST_SUITE_P(, TernaryTest, ::testing::ValuesIn(instruction_sets()), name_of);

TEST_P(TernaryTest, WhereTakesABoolWhateverTheOthersAre) {
  const auto condition = Array<bool>::of({true, false, true});
  const auto a = Array<std::int64_t>::of({1, 2, 3}), b = Array<std::int64_t>::of({10, 20, 30});

  EXPECT_EQ(values(apply<Where>(condition, a, b, {3})), (std::vector<std::int64_t>{1, 20, 3}));
}

TEST_P(TernaryTest, WhereTakesScalarsOnEitherSide) {
  const Dims sizes{40, 33};
  const auto condition = Array<bool>::random(sizes, 0, 2, 1);
  const auto x = Array<float>::random(sizes, -1, 1, 2);
  const auto scalar = Array<float>::of({7});

  const auto first = apply<Where>(condition, scalar, x, sizes);
  const auto second = apply<Where>(condition, x, scalar, sizes);
  const auto both = apply<Where>(condition, scalar, scalar, sizes);

  for (std::int64_t i = 0; i < x.count(); ++i) {
    EXPECT_EQ(first[i], condition[i] ? 7 : x[i]);
    EXPECT_EQ(second[i], condition[i] ? x[i] : 7);
    EXPECT_EQ(both[i], 7);
  }
}

TEST_P(TernaryTest, AScalarConditionStandsForAll) {
  const auto yes = Array<bool>::of({true});
  const auto a = Array<double>::random({500}, 0, 1, 3), b = Array<double>::random({500}, 2, 3, 4);

  EXPECT_EQ(values(apply<Where>(yes, a, b, {500})), values(a));
}

TEST_P(TernaryTest, ClampKeepsNanAndPrefersTheUpperBound) {
  const auto x = Array<float>::of({NAN, -5, 0.5f, 9});
  const auto low = Array<float>::of({0}), high = Array<float>::of({1});

  const auto y = apply<Clamp>(x, low, high, {4});
  const auto crossed = apply<Clamp>(x, high, low, {4});

  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], 0);
  EXPECT_EQ(y[2], 0.5f);
  EXPECT_EQ(y[3], 1);
  EXPECT_EQ(crossed[3], 0);
}

TEST_P(TernaryTest, AddScaledMultipliesTheSecond) {
  const auto a = Array<std::int32_t>::of({1, 2}), b = Array<std::int32_t>::of({10, 1 << 30});
  const auto alpha = Array<std::int32_t>::of({4});

  EXPECT_EQ(values(apply<AddScaled>(a, b, alpha, {2})), (std::vector{41, 2}));
}

TEST_P(TernaryTest, LerpReachesBothEndsExactly) {
  const auto a = Array<float>::of({0.1f, 1e8f, 0.1f, 1e8f});
  const auto b = Array<float>::of({0.7f, 0.3f, 0.7f, 0.3f});
  const auto w = Array<float>::of({0, 0, 1, 1});

  EXPECT_EQ(values(apply<Lerp>(a, b, w, {4})), (std::vector{0.1f, 1e8f, 0.7f, 0.3f}));
}

}  // namespace
}  // namespace garboard::kernels
