#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

class SoftmaxTest : public EachInstructionSet {};
INSTANTIATE_TEST_SUITE_P(, SoftmaxTest, ::testing::ValuesIn(instruction_sets()), name_of);

/// Calls `visit(places)` with the row-major places of each slice along `dim`.
template <class Visit>
void for_each_slice(const Dims& sizes, int dim, Visit visit) {
  std::int64_t inner = 1;
  for (int d = dim + 1; d < sizes.size(); ++d) inner *= sizes[d];
  std::vector<std::int64_t> places(sizes[dim]);
  for (std::int64_t i = 0; i < sizes.product(); ++i) {
    if (i / inner % sizes[dim] != 0) continue;
    for (std::int64_t k = 0; k < sizes[dim]; ++k) places[k] = i + k * inner;
    visit(places);
  }
}

template <class T>
std::vector<Array<T>> several_layouts() {
  return {Array<T>::random({5, 1000}, -20, 20, 1),
          Array<T>::random({1000, 5}, -20, 20, 2),
          Array<T>::random({3, 40, 7}, -5, 5, 3),
          Array<T>::random({2, 5001}, -5, 5, 6),
          Array<T>::random({203, 10}, -5, 5, 7),
          Array<T>::random({3, 17, 128}, -5, 5, 8),
          Array<T>::random({66, 31}, -5, 5, 9).stepped(0, 2),
          Array<T>::random({7, 40, 3}, -5, 5, 4).transposed(0, 2),
          Array<T>::random({6, 80}, -5, 5, 5).stepped(1, 2).flipped(0)};
}

TEST_P(SoftmaxTest, IsTheExponentialOverItsSumAlongEveryDim) {
  const auto check = [&]<class T>(Type<T>) {
    for (const auto& x : several_layouts<T>()) {
      for (int dim = 0; dim < x.sizes().size(); ++dim) {
        Array<T> y(x.sizes()), z(x.sizes());
        table.run(Softmax{y.view(), x.view(), dim}, {});
        table.run(LogSoftmax{z.view(), x.view(), dim}, {});

        for_each_slice(x.sizes(), dim, [&](const std::vector<std::int64_t>& places) {
          long double sum = 0;
          for (const auto i : places) sum += std::exp(static_cast<long double>(x[i]));
          for (const auto i : places) {
            const long double want = std::exp(static_cast<long double>(x[i])) / sum;
            ASSERT_LE(ulps(y[i], want), 48);  // of e^(x - maximum), whose difference is rounded
            ASSERT_NEAR(z[i], std::log(want), 64 * std::numeric_limits<T>::epsilon());
          }
        });
      }
    }
  };
  check(Type<float>{});
  check(Type<double>{});
}

TEST_P(SoftmaxTest, LargeLogitsDoNotOverflow) {
  const auto x = Array<float>::of({1000, 999, -1000});
  Array<float> y({3}), z({3});

  table.run(Softmax{y.view(), x.view(), 0}, {});
  table.run(LogSoftmax{z.view(), x.view(), 0}, {});

  EXPECT_NEAR(y[0], 0.7310586, 1e-6);
  EXPECT_EQ(y[2], 0);
  EXPECT_NEAR(z[2], -2000.3133, 1e-3);
}

TEST_P(SoftmaxTest, MinusInfinityMeansNever) {
  const auto x = Array<double>::of({0, -INFINITY, 0});
  Array<double> y({3});

  table.run(Softmax{y.view(), x.view(), 0}, {});

  EXPECT_EQ(values(y), (std::vector{0.5, 0.0, 0.5}));
}

TEST_P(SoftmaxTest, RowsWithoutANumberToStandOnAreNan) {
  auto x = Array<float>::random({3, 100}, -5, 5, 1);
  for (std::int64_t i = 0; i < 100; ++i) x[i] = -INFINITY;
  x[150] = NAN;
  x[217] = -INFINITY;
  Array<float> y(x.sizes()), z(x.sizes());

  table.run(Softmax{y.view(), x.view(), 1}, {});
  table.run(LogSoftmax{z.view(), x.view(), 1}, {});

  for (std::int64_t i = 0; i < 200; ++i) EXPECT_TRUE(std::isnan(y[i]) && std::isnan(z[i])) << i;
  for (std::int64_t i = 200; i < 300; ++i) EXPECT_EQ(y[i] == 0, i == 217);
  EXPECT_EQ(z[217], -INFINITY);
}

TEST_P(SoftmaxTest, OutMayBeTheInput) {
  // Sums of slices that lie otherwise are rounded otherwise, so both results lie alike.
  const auto inputs = several_layouts<float>(), places = several_layouts<float>();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto &x = inputs[i], &apart = places[i];
    table.run(Softmax{apart.view(), x.view(), 0}, {});
    table.run(Softmax{x.view(), x.view(), 0}, {});

    EXPECT_EQ(values(x), values(apart));
  }
}

TEST_P(SoftmaxTest, GradientsFollowTheirFormulas) {
  for (int dim = 0; dim < 3; ++dim) {
    const auto x = Array<double>::random({4, 30, 5}, -3, 3, 1);
    const auto dy = Array<double>::random({30, 4, 5}, -1, 1, 2).transposed(0, 1);
    Array<double> y(x.sizes()), z(x.sizes()), dx(x.sizes()), dx_of_log(x.sizes());
    table.run(Softmax{y.view(), x.view(), dim}, {});
    table.run(LogSoftmax{z.view(), x.view(), dim}, {});

    table.run(SoftmaxGradient{dx.view(), dy.view(), y.view(), dim}, {});
    table.run(LogSoftmaxGradient{dx_of_log.view(), dy.view(), z.view(), dim}, {});

    for_each_slice(x.sizes(), dim, [&](const std::vector<std::int64_t>& places) {
      double weighted = 0, sum = 0;
      for (const auto i : places) weighted += dy[i] * y[i], sum += dy[i];
      for (const auto i : places) {
        ASSERT_NEAR(dx[i], y[i] * (dy[i] - weighted), 1e-14);
        ASSERT_NEAR(dx_of_log[i], dy[i] - y[i] * sum, 1e-14);
      }
    });
  }
}

TEST_P(SoftmaxTest, TakesViewsWithoutElementsAndWithoutDims) {
  const Array<float> none({3, 0}), one = Array<float>::made({}, [](std::int64_t) { return 5; });
  Array<float> y(Dims{});

  table.run(Softmax{none.view(), none.view(), 1}, {});
  table.run(Softmax{y.view(), one.view(), 0}, {});

  EXPECT_EQ(y[0], 1);
}

}  // namespace
}  // namespace garboard::kernels
