#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

class ScanTest : public EachInstructionSet {};
INSTANTIATE_TEST_SUITE_P(, ScanTest, ::testing::ValuesIn(instruction_sets()), name_of);

TEST_P(ScanTest, EveryPlaceHoldsTheSumUpToIt) {
  const auto check = [&]<class T>(Type<T>) {
    for (const auto& x : {Array<T>::random({4, 90, 700}, -9, 9, 1), Array<T>({3, 0, 2}),
                          Array<T>::random({3, 9, 40}, -9, 9, 2).transposed(0, 2),
                          Array<T>::random({3, 9, 40}, -9, 9, 3).flipped(1).stepped(2, 3)}) {
      for (int dim = 0; dim < 3; ++dim) {
        for (const auto& y : {Array<T>(x.sizes()), Array<T>(x.sizes()).flipped(dim)}) {
          table.run(CumulativeSum{y.view(), x.view(), dim}, {});

          std::int64_t inner = 1;
          for (int d = dim + 1; d < 3; ++d) inner *= x.sizes()[d];
          for (std::int64_t i = 0; i < x.count(); ++i) {
            const bool is_first = i / inner % x.sizes()[dim] == 0;
            const T before = is_first ? T(0) : y[i - inner];
            ASSERT_NEAR(y[i], before + x[i], 1e-4) << i;
          }
        }
      }
    }
  };
  check(Type<float>{});
  check(Type<double>{});
  check(Type<std::int64_t>{});
}

TEST_P(ScanTest, ManyFloatsKeepTheirDigits) {
  for (const auto& sizes : {Dims{1'000'000, 1}, Dims{100'000, 8}}) {
    const auto x = Array<float>::made(sizes, [](std::int64_t) { return 0.1; });
    const Array<float> y(sizes);

    table.run(CumulativeSum{y.view(), x.view(), 0}, {});

    EXPECT_LE(ulps(y[y.count() - 1], static_cast<long double>(0.1f) * sizes[0]), 1);
  }
}

TEST_P(ScanTest, IntegersWrapAndNanStays) {
  const auto wrapped = Array<std::int64_t>::of({std::numeric_limits<std::int64_t>::max(), 1, 5});
  const auto nan = Array<double>::of({1, NAN, 2});

  table.run(CumulativeSum{wrapped.view(), wrapped.view(), 0}, {});
  table.run(CumulativeSum{nan.view(), nan.view(), 0}, {});

  EXPECT_EQ(wrapped[1], std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(nan[0], 1);
  EXPECT_TRUE(std::isnan(nan[1]) && std::isnan(nan[2]));
}

}  // namespace
}  // namespace garboard::kernels
