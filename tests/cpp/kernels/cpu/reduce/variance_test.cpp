#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

class VarianceTest : public EachInstructionSet {
 protected:
  template <class T>
  Array<T> variance(const Array<T>& x, unsigned reduced) const {
    Dims sizes = x.sizes();
    for (int d = 0; d < sizes.size(); ++d)
      if (reduced >> d & 1) sizes[d] = 1;
    const Array<T> result(sizes);
    table.run(Variance{reduced_view(result, x.sizes(), reduced), x.view()}, {});
    return result;
  }
};
INSTANTIATE_TEST_SUITE_P(, VarianceTest, ::testing::ValuesIn(instruction_sets()), name_of);

/// By the definition, in two passes.
template <class T>
std::vector<long double> expected(const Array<T>& x, const Array<T>& result) {
  const auto places = Array<std::int64_t>::made(result.sizes(), [](std::int64_t i) {
                        return i;
                      }).expanded(x.sizes());
  const auto results = static_cast<std::size_t>(result.count());
  std::vector<long double> mean(results), squares(results);
  const long double count = static_cast<long double>(x.count()) / result.count();
  for (std::int64_t i = 0; i < x.count(); ++i)
    mean[static_cast<std::size_t>(places[i])] += x[i] / count;
  for (std::int64_t i = 0; i < x.count(); ++i) {
    const auto at = static_cast<std::size_t>(places[i]);
    squares[at] += (x[i] - mean[at]) * (x[i] - mean[at]) / count;
  }

  return squares;
}

TEST_P(VarianceTest, IsThatOfTheDefinitionInEveryLayout) {
  const auto check = [&]<class T>(Type<T>) {
    for (const auto& x : {Array<T>::random({5, 300, 3}, -2, 5, 1), Array<T>::random({7}, 0, 1, 2),
                          Array<T>::random({3, 9, 40}, -2, 5, 3).transposed(0, 2),
                          Array<T>::random({30, 1, 2100}, -2, 5, 4).flipped(2),
                          Array<T>::random({40, 200}, -2, 5, 5).stepped(1, 3)}) {
      for (unsigned reduced = 1; reduced < 1u << x.sizes().size(); ++reduced) {
        const auto result = variance(x, reduced);
        const auto want = expected(x, result);
        for (std::int64_t i = 0; i < result.count(); ++i) {
          const long double exact = want[static_cast<std::size_t>(i)];
          ASSERT_NEAR(result[i], exact, 8 * std::numeric_limits<T>::epsilon() * exact) << reduced;
        }
      }
    }
  };
  check(Type<float>{});
  check(Type<double>{});
}

TEST_P(VarianceTest, AFarMeanTakesNoDigits) {
  for (const auto& sizes : {Dims{100'000, 1}, Dims{1, 100'000}, Dims{2500, 40}}) {
    const auto x = Array<float>::made(
        sizes, [](std::int64_t i) { return 1e6f + 0.25f * static_cast<float>(i * 7 % 16); });

    const auto result = variance(x, 0b11);

    EXPECT_NEAR(result[0], 0.0625 * (16 * 16 - 1) / 12, 1e-6);
  }
}

TEST_P(VarianceTest, OfOneOrOfEqualElementsIsZeroAndOfNoneNan) {
  EXPECT_EQ(variance(Array<double>::of({3}), 1)[0], 0);
  EXPECT_EQ(variance(Array<float>::made({5000}, [](std::int64_t) { return 0.1; }), 1)[0], 0);
  EXPECT_TRUE(std::isnan(variance(Array<float>({0}), 1)[0]));
  const auto columns = variance(Array<float>({0, 3}), 1);
  for (int c = 0; c < 3; ++c) EXPECT_TRUE(std::isnan(columns[c]));
}

TEST_P(VarianceTest, OfNanAndInfinityIsNan) {
  for (const float bad : {static_cast<float>(NAN), static_cast<float>(INFINITY)}) {
    auto x = Array<float>::random({200, 3}, 0, 1, 1);
    x[100] = bad;
    const auto columns = variance(x, 1);

    EXPECT_TRUE(std::isnan(columns[100 % 3]));
    EXPECT_FALSE(std::isnan(columns[(100 + 1) % 3]));
    EXPECT_TRUE(std::isnan(variance(x, 3)[0]));
  }
}

}  // namespace
}  // namespace garboard::kernels
