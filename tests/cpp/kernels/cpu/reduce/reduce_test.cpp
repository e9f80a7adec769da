#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

using namespace functors;

class ReduceTest : public EachInstructionSet {
 protected:
  /// Reduces the dims whose bits are set; they stay, with size 1.
  template <class F, class T>
  auto apply(const Array<T>& x, unsigned reduced) const {
    Dims kept = x.sizes();
    for (int d = 0; d < kept.size(); ++d)
      if (reduced >> d & 1) kept[d] = 1;
    Array<typename F::template Result<T>> y(kept);
    reduce_of<F>()(reduced_view(y, x.sizes(), reduced), x.view(), {});
    return y;
  }
};
INSTANTIATE_TEST_SUITE_P(, ReduceTest, ::testing::ValuesIn(instruction_sets()), name_of);

/// Folds x's elements into `of`, which has size 1 along the reduced dims, by brute force.
template <class T, class Wide, class Fold>
Array<Wide> folded(const Array<T>& x, unsigned reduced, Wide start, Fold fold) {
  Dims kept = x.sizes();
  for (int d = 0; d < kept.size(); ++d)
    if (reduced >> d & 1) kept[d] = 1;
  auto y = Array<Wide>::made(kept, [&](std::int64_t) { return start; });
  const auto spread = y.expanded(x.sizes());
  for (std::int64_t i = 0; i < x.count(); ++i) spread[i] = fold(spread[i], x[i]);
  return y;
}

template <class T>
std::vector<Array<T>> several_layouts(unsigned seed) {
  const auto random = [&](const Dims& sizes) { return Array<T>::random(sizes, 0, 9, seed++); };
  return {random({300}),
          random({1}),
          random({2, 3}),
          random({130, 70}),
          random({70, 130}).transposed(0, 1),
          random({3000, 3}),
          random({3, 1200}),
          random({4, 2, 1500}),
          random({9, 40, 5}),
          random({9, 40, 5}).transposed(0, 2),
          random({9, 40, 10}).stepped(2, 2),
          random({9, 40, 5}).flipped(1).flipped(2),
          random({30, 1, 7}).expanded({30, 50, 7}),
          random({2, 3, 4, 5, 6}).transposed(1, 3)};
}

TEST_P(ReduceTest, SumsOverEverySetOfDimsOfEveryLayout) {
  const auto check = [&]<class T>(Type<T>) {
    for (const auto& x : several_layouts<T>(1)) {
      for (unsigned reduced = 0; reduced < 1u << x.sizes().size(); ++reduced) {
        const auto y = apply<SumOf>(x, reduced);

        const auto want =
            folded(x, reduced, 0.0, [](double sum, T element) { return sum + element; });
        for (std::int64_t i = 0; i < y.count(); ++i)
          ASSERT_NEAR(y[i], want[i], 1e-6 * want[i]) << name_of(dtype_of<T>) << " " << reduced;
        if constexpr (Floating<T>) {
          const auto squares = apply<SumOfSquares>(x, reduced);
          const auto expected = folded(
              x, reduced, 0.0, [](double sum, double element) { return sum + element * element; });
          for (std::int64_t i = 0; i < y.count(); ++i)
            ASSERT_NEAR(squares[i], expected[i], 1e-6 * expected[i]) << reduced;
        }
      }
    }
  };
  check(Type<bool>{});
  check(Type<std::uint8_t>{});
  check(Type<std::int32_t>{});
  check(Type<std::int64_t>{});
  check(Type<float>{});
  check(Type<double>{});
}

TEST_P(ReduceTest, ExtremaAreThoseOfEveryLayout) {
  const auto check = [&]<class T>(Type<T>) {
    for (const auto& x : several_layouts<T>(2)) {
      for (unsigned reduced = 1; reduced < 1u << x.sizes().size(); ++reduced) {
        const auto largest = folded(x, reduced, std::numeric_limits<T>::lowest(),
                                    [](T a, T b) { return std::max(a, b); });
        const auto smallest = folded(x, reduced, std::numeric_limits<T>::max(),
                                     [](T a, T b) { return std::min(a, b); });

        ASSERT_EQ(values(apply<MaximumOf>(x, reduced)), values(largest));
        ASSERT_EQ(values(apply<MinimumOf>(x, reduced)), values(smallest));
      }
    }
  };
  check(Type<bool>{});
  check(Type<std::uint8_t>{});
  check(Type<std::int32_t>{});
  check(Type<std::int64_t>{});
  check(Type<float>{});
  check(Type<double>{});
}

TEST_P(ReduceTest, AllAndAnyAskEveryElement) {
  for (const std::int64_t count : {1, 5, 64, 1000}) {
    for (std::int64_t place = 0; place < count; place += 7) {
      auto one_zero = Array<float>::made({count}, [&](std::int64_t i) { return i != place; });
      auto one_true = Array<bool>::made({count}, [&](std::int64_t i) { return i == place; });

      EXPECT_FALSE(apply<AllOf>(one_zero, 1)[0]);
      EXPECT_TRUE(apply<AnyOf>(one_true, 1)[0]);
      one_zero[place] = NAN;  // not zero
      one_true[place] = false;
      EXPECT_TRUE(apply<AllOf>(one_zero, 1)[0]);
      EXPECT_FALSE(apply<AnyOf>(one_true, 1)[0]);
    }
  }
}

TEST_P(ReduceTest, RowsOfEveryLengthFindTheOneThatCountsWhereverItStands) {
  for (std::int64_t length = 1; length <= 150; ++length) {
    // The row r counts at place r alone.
    const auto x = Array<float>::made({length, length}, [&](std::int64_t i) {
      return i / length == i % length ? 1.0f + static_cast<float>(i % length) : 0.0f;
    });
    const auto sums = apply<SumOf>(x, 2), maxima = apply<MaximumOf>(x, 2);
    const auto any = apply<AnyOf>(x, 2);
    for (std::int64_t r = 0; r < length; ++r) {
      ASSERT_EQ(sums[r], 1.0f + static_cast<float>(r)) << length;
      ASSERT_EQ(maxima[r], 1.0f + static_cast<float>(r)) << length;
      ASSERT_TRUE(any[r]) << length;
    }
  }
}

TEST_P(ReduceTest, FewTallColumnsCountEveryElementOnce) {
  constexpr std::int64_t rows = 100'003, columns = 5;
  const auto x = Array<float>::random({rows, columns + 2}, 0, 9, 9);
  for (const auto& given : {x.narrowed(1, 1, columns), x.narrowed(1, 1, columns).flipped(0)}) {
    const auto sums = apply<SumOf>(given, 1), maxima = apply<MaximumOf>(given, 1);

    for (std::int64_t c = 0; c < columns; ++c) {
      double sum = 0;
      float most = 0;
      for (std::int64_t r = 0; r < rows; ++r) {
        sum += given[r * columns + c];
        most = std::max(most, given[r * columns + c]);
      }
      EXPECT_NEAR(sums[c], sum, 0.1);
      EXPECT_EQ(maxima[c], most);
    }
  }
}

TEST_P(ReduceTest, ManyShortRowsOfAWiderMatrixAreReducedEach) {
  const auto x = Array<float>::random({1000, 100}, 0, 9, 8).narrowed(1, 3, 40);

  const auto sums = apply<SumOf>(x, 2), minima = apply<MinimumOf>(x, 2);

  for (std::int64_t r = 0; r < 1000; ++r) {
    double sum = 0;
    float least = 9;
    for (std::int64_t c = 0; c < 40; ++c) {
      sum += x[r * 40 + c];
      least = std::min(least, x[r * 40 + c]);
    }
    ASSERT_NEAR(sums[r], sum, 1e-4) << r;
    ASSERT_EQ(minima[r], least) << r;
  }
}

TEST_P(ReduceTest, NanWinsWhereverItStands) {
  for (const std::int64_t place : {0, 1, 40, 99}) {
    auto x = Array<double>::random({100, 3}, -1, 1, 3);
    x[place * 3 + 1] = NAN;

    for (const auto& y : {apply<MaximumOf>(x, 1), apply<MinimumOf>(x, 1)}) {
      EXPECT_TRUE(std::isnan(y[1]));
      EXPECT_FALSE(std::isnan(y[0]) || std::isnan(y[2]));
    }
    EXPECT_TRUE(std::isnan(apply<MaximumOf>(x, 3)[0]));
    EXPECT_TRUE(std::isnan(apply<MinimumOf>(x, 2)[place]));
  }
}

TEST_P(ReduceTest, ManyEqualFloatsSumWithinAFewUlps) {
  const std::int64_t count = 10'000'000;
  const auto x = Array<float>::made({count}, [](std::int64_t) { return 0.1; });

  const double want = 0.1f * static_cast<double>(count);

  EXPECT_LE(ulps(apply<SumOf>(x, 1)[0], want), 4);
}

TEST_P(ReduceTest, SumsDownColumnsAreAsAccurateAsAlongRows) {
  const auto x = Array<float>::made({200'000, 5}, [](std::int64_t) { return 0.1; });
  const auto y = apply<SumOf>(x, 1);
  const auto z = apply<SumOf>(x.transposed(0, 1).dense().transposed(0, 1), 1);

  for (std::int64_t c = 0; c < 5; ++c) {
    EXPECT_LE(ulps(y[c], 0.1f * 200'000.0), 4);
    EXPECT_LE(ulps(z[c], 0.1f * 200'000.0), 4);
  }
}

TEST_P(ReduceTest, SumsOfDoublesKeepWhatBlocksWouldLose) {
  const auto x = Array<double>::random({2'000'000}, -1, 1, 4);
  long double want = 0, size = 0;
  for (std::int64_t i = 0; i < x.count(); ++i) want += x[i], size += std::abs(x[i]);

  EXPECT_NEAR(apply<SumOf>(x, 1)[0], want, size * 4e-16);
}

TEST_P(ReduceTest, InfinitiesSumAsIeeeSays) {
  auto x = Array<double>::random({5000}, -1, 1, 4);
  x[4000] = INFINITY;
  EXPECT_EQ(apply<SumOf>(x, 1)[0], INFINITY);
  x[10] = -INFINITY;
  EXPECT_TRUE(std::isnan(apply<SumOf>(x, 1)[0]));
}

TEST_P(ReduceTest, SmallIntegersSumInto64Bits) {
  const auto bytes = Array<std::uint8_t>::made({100'000}, [](std::int64_t) { return 255; });
  const auto bools = Array<bool>::made({1000}, [](std::int64_t i) { return i % 3 == 0; });
  const auto words = Array<std::int32_t>::made({4}, [](std::int64_t) { return 2'000'000'000; });

  EXPECT_EQ(apply<SumOf>(bytes, 1)[0], 25'500'000);
  EXPECT_EQ(apply<SumOf>(bools, 1)[0], 334);
  EXPECT_EQ(apply<SumOf>(words, 1)[0], 8'000'000'000);
}

TEST_P(ReduceTest, ProductsMultiplyAlongRowsAndColumns) {
  const auto x = Array<std::int32_t>::made({20, 3}, [](std::int64_t i) { return i % 3 + 1; });
  const auto y = apply<ProductOf>(x, 1);

  EXPECT_EQ(values(y), (std::vector<std::int64_t>{1, 1 << 20, 3'486'784'401}));
  EXPECT_EQ(apply<ProductOf>(x, 2)[7], 6);
  EXPECT_EQ(apply<ProductOf>(Array<double>::of({0.5, 4, -3}), 1)[0], -6);
}

TEST_P(ReduceTest, NothingSumsToZeroAndIsAllTrue) {
  const auto none = Array<float>({3, 0, 2});

  EXPECT_EQ(values(apply<SumOf>(none, 2)), std::vector<float>(6, 0));
  EXPECT_EQ(values(apply<ProductOf>(none, 2)), std::vector<float>(6, 1));
  EXPECT_EQ(values(apply<AllOf>(none, 7)), std::vector<bool>(1, true));
  EXPECT_EQ(values(apply<AnyOf>(none, 7)), std::vector<bool>(1, false));
  EXPECT_EQ(apply<SumOf>(none, 1).count(), 0);
}

TEST_P(ReduceTest, ResultsMayLieTransposed) {
  const auto x = Array<float>::random({40, 30, 20}, 0, 1, 6);
  const Array<float> y = Array<float>({20, 1, 40}).transposed(0, 2);

  reduce_of<SumOf>()(reduced_view(y, x.sizes(), 2), x.view(), {});

  const auto want = apply<SumOf>(x, 2);
  for (std::int64_t i = 0; i < y.count(); ++i) EXPECT_EQ(y[i], want[i]);
}

}  // namespace
}  // namespace garboard::kernels
