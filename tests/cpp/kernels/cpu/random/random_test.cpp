#include "kernels/functors/philox.h"
#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

class RandomTest : public EachInstructionSet {
 protected:
  template <class T>
  Array<T> uniform(std::int64_t count, RandomStream stream, double low = 0, double high = 1) const {
    Array<T> y({count});
    table.run(Uniform{y.view(), low, high, stream}, {});
    return y;
  }
};
INSTANTIATE_TEST_SUITE_P(, RandomTest, ::testing::ValuesIn(instruction_sets()), name_of);

TEST_P(RandomTest, ElementsDependOnSeedAndPlaceAlone) {
  const RandomStream stream{.seed = 99, .offset = (std::uint64_t{1} << 32) - 50};
  const auto y = uniform<float>(5000, stream);
  const auto z = uniform<double>(5000, stream);

  for (std::int64_t i = 0; i < 5000; ++i) {
    const std::uint64_t counter = stream.offset + static_cast<std::uint64_t>(i / 4);
    const std::uint32_t first = functors::philox(counter, 0, stream.seed).word[i % 4];
    const std::uint32_t second = functors::philox(counter, 1, stream.seed).word[i % 4];
    ASSERT_EQ(y[i], functors::unit_interval<float>(first, 0));
    ASSERT_EQ(z[i], functors::unit_interval<double>(first, second));
  }
}

TEST_P(RandomTest, IntegersDependOnSeedAndPlaceAlone) {
  const RandomStream stream{.seed = 7, .offset = 3};
  for (const std::uint32_t count : {0u, 1u, 10u, 3u << 30, ~0u}) {
    const std::int64_t low = std::int64_t{-1} << 40;
    Array<std::int64_t> y({1234});
    table.run(Integers{y.view(), low, count, stream}, {});

    for (std::int64_t i = 0; i < 1234; ++i) {
      const std::uint64_t counter = stream.offset + static_cast<std::uint64_t>(i / 4);
      const int place = static_cast<int>(i % 4);
      const std::uint32_t word = functors::philox(counter, 0, stream.seed).word[place];
      const auto step = functors::one_below(count, word, counter, place, stream.seed);
      ASSERT_EQ(y[i], low + step);
      ASSERT_TRUE(count == 0 || step < count);
    }
  }
}

TEST_P(RandomTest, AShortResultBeginsALongOne) {
  const auto longer = uniform<float>(2000, {1, 2});
  for (const std::int64_t count : {0, 1, 3, 4, 511, 512, 513, 1999}) {
    const auto shorter = uniform<float>(count, {1, 2});
    for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(shorter[i], longer[i]);
  }
}

TEST_P(RandomTest, NothingIsWrittenPastTheEnd) {
  Array<float> memory({600});
  View out = Array<float>({517}).view();
  out.data = memory.data();

  table.run(Uniform{out, 1, 2, {3, 4}}, {});
  table.run(Normal{out, 100, 1, {3, 4}}, {});
  table.run(Bernoulli{out, 1, {3, 4}}, {});

  for (std::int64_t i = 0; i < 600; ++i) EXPECT_EQ(memory[i], i < 517);
}

TEST_P(RandomTest, UniformNumbersFillTheirIntervalEvenly) {
  const auto y = uniform<double>(100'000, {7, 0}, -3, 5);

  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < y.count(); ++i) {
    ASSERT_TRUE(y[i] >= -3 && y[i] < 5);
    sum += y[i];
    squares += y[i] * y[i];
  }
  const double mean = sum / 100'000;
  EXPECT_NEAR(mean, 1, 0.04);
  EXPECT_NEAR(squares / 100'000 - mean * mean, 64.0 / 12, 0.1);
}

TEST_P(RandomTest, NormalNumbersHaveTheMomentsOfTheirDistribution) {
  const auto check = [&]<class T>(Type<T>) {
    Array<T> y({200'000});
    table.run(Normal{y.view(), 10, 2, {11, 5}}, {});

    double sum = 0, squares = 0, fourth = 0;
    for (std::int64_t i = 0; i < y.count(); ++i) {
      const double z = (y[i] - 10) / 2;
      sum += z;
      squares += z * z;
      fourth += z * z * z * z;
    }
    EXPECT_NEAR(sum / 200'000, 0, 0.01);
    EXPECT_NEAR(squares / 200'000, 1, 0.015);
    EXPECT_NEAR(fourth / 200'000, 3, 0.1);
  };
  check(Type<float>{});
  check(Type<double>{});
}

TEST_P(RandomTest, InstructionSetsAgreeOnWordsAndNearlyOnNormalNumbers) {
  Array<float> here({1000}), there({1000});
  table.run(Normal{here.view(), 0, 1, {5, 6}}, {});
  baseline::table().run(Normal{there.view(), 0, 1, {5, 6}}, {});

  for (std::int64_t i = 0; i < 1000; ++i) EXPECT_NEAR(here[i], there[i], 2e-6);
  EXPECT_EQ(values(uniform<float>(1000, {5, 6})), [] {
    Array<float> y({1000});
    baseline::table().run(Uniform{y.view(), 0, 1, {5, 6}}, {});
    return values(y);
  }());
}

TEST_P(RandomTest, BernoulliKeepsTheGivenShareInEveryDtype) {
  const auto check = [&]<class T>(Type<T>) {
    Array<T> y({50'000});
    table.run(Bernoulli{y.view(), 0.3, {1, 1}}, {});

    std::int64_t ones = 0;
    for (std::int64_t i = 0; i < y.count(); ++i) ones += y[i] == T(1);
    EXPECT_NEAR(static_cast<double>(ones), 15'000, 400);
  };
  check(Type<bool>{});
  check(Type<std::uint8_t>{});
  check(Type<std::int64_t>{});
  check(Type<float>{});
  check(Type<double>{});
}

TEST_P(RandomTest, BernoulliIsCertainAtZeroAndOne) {
  Array<bool> y({5000});
  table.run(Bernoulli{y.view(), 1, {1, 1}}, {});
  EXPECT_EQ(values(y), std::vector<bool>(5000, true));
  table.run(Bernoulli{y.view(), 0, {1, 1}}, {});
  EXPECT_EQ(values(y), std::vector<bool>(5000, false));
}

}  // namespace
}  // namespace garboard::kernels
