#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

class LayerNormTest : public EachInstructionSet {};
INSTANTIATE_TEST_SUITE_P(, LayerNormTest, ::testing::ValuesIn(instruction_sets()), name_of);

constexpr double epsilon = 1e-5;

template <class T>
struct Problem {
  Array<T> x;
  bool has_weight = true, has_bias = true;
  std::int64_t rows = x.sizes()[0], columns = x.sizes()[1];
  Array<T> weight = Array<T>::random({columns}, 0.5, 2, 7);
  Array<T> bias = Array<T>::random({columns}, -1, 1, 8);
  Array<T> dy = Array<T>::random(x.sizes(), -1, 1, 9);
  Array<T> means{{rows}}, inverses{{rows}};

  LayerNorm views(const View& out = {}) const {
    LayerNorm of{out, x.view(), weight.view(), bias.view(), means.view(), inverses.view(), epsilon};
    if (!has_weight) of.weight.data = nullptr;
    if (!has_bias) of.bias.data = nullptr;
    return of;
  }
  long double w(std::int64_t c) const { return has_weight ? weight[c] : 1; }

  /// The row's mean, and 1 / sqrt(variance + epsilon).
  std::pair<long double, long double> moments(std::int64_t row) const {
    long double mean = 0, squares = 0;
    for (std::int64_t c = 0; c < columns; ++c) mean += x[row * columns + c];
    mean /= columns;
    for (std::int64_t c = 0; c < columns; ++c)
      squares += (x[row * columns + c] - mean) * (x[row * columns + c] - mean);
    return {mean, 1 / std::sqrt(squares / columns + epsilon)};
  }
};

template <class T>
std::vector<Problem<T>> problems() {
  return {{Array<T>::random({130, 768}, -2, 3, 1)},
          {Array<T>::random({5, 2500}, -2, 3, 2), true, false},
          {Array<T>::random({3000, 5}, -2, 3, 3), false, true},
          {Array<T>::random({7, 33}, 100, 101, 4), false, false},
          {Array<T>::random({4, 1}, -2, 3, 5)}};
}

TEST_P(LayerNormTest, RowsGetMeanZeroAndVarianceOneBeforeTheyAreScaled) {
  const auto check = [&]<class T>(Type<T>) {
    for (const auto& p : problems<T>()) {
      const Array<T> y(p.x.sizes());

      table.run(p.views(y.view()), {});

      for (std::int64_t row = 0; row < p.rows; ++row) {
        const auto [mean, inverse] = p.moments(row);
        const double allowed = 300 * std::numeric_limits<T>::epsilon() * (1 + std::abs(mean));
        ASSERT_NEAR(p.means[row], mean, allowed);
        for (std::int64_t c = 0; c < p.columns; ++c) {
          const auto normal = (p.x[row * p.columns + c] - mean) * inverse;
          ASSERT_NEAR(y[row * p.columns + c], normal * p.w(c) + (p.has_bias ? p.bias[c] : 0),
                      allowed);
        }
      }
    }
  };
  check(Type<float>{});
  check(Type<double>{});
}

TEST_P(LayerNormTest, GradientsFollowFromTheFormula) {
  for (const auto& p : problems<double>()) {
    const Array<double> y(p.x.sizes()), dx(p.x.sizes()), dw({p.columns}), db({p.columns});
    table.run(p.views(y.view()), {});

    table.run(LayerNormGradient{p.dy.view(), dx.view(), dw.view(), db.view(), p.views()}, {});

    std::vector<long double> want_w(static_cast<std::size_t>(p.columns)), want_b(want_w);
    for (std::int64_t row = 0; row < p.rows; ++row) {
      const auto [mean, inverse] = p.moments(row);
      long double average = 0, tilt = 0;
      const auto normal = [&](std::int64_t c) {
        return (p.x[row * p.columns + c] - mean) * inverse;
      };
      for (std::int64_t c = 0; c < p.columns; ++c) {
        const long double dy = p.dy[row * p.columns + c];
        average += dy * p.w(c) / p.columns;
        tilt += dy * p.w(c) * normal(c) / p.columns;
        want_w[static_cast<std::size_t>(c)] += dy * normal(c);
        want_b[static_cast<std::size_t>(c)] += dy;
      }
      for (std::int64_t c = 0; c < p.columns; ++c) {
        const long double slope = p.dy[row * p.columns + c] * p.w(c);
        ASSERT_NEAR(dx[row * p.columns + c], inverse * (slope - average - normal(c) * tilt), 1e-9);
      }
    }
    for (std::int64_t c = 0; c < p.columns; ++c) {
      ASSERT_NEAR(dw[c], want_w[static_cast<std::size_t>(c)], 1e-9);
      ASSERT_NEAR(db[c], want_b[static_cast<std::size_t>(c)], 1e-10);
    }
  }
}

TEST_P(LayerNormTest, OnlyWhatIsWantedIsWritten) {
  const Problem<float> p{Array<float>::random({6, 40}, -1, 1, 1)};
  const Array<float> y(p.x.sizes()), dx(p.x.sizes()), db({p.columns}), alone(p.x.sizes());
  View none = db.view();
  none.data = nullptr;
  View no_dx = dx.view();
  no_dx.data = nullptr;
  table.run(p.views(y.view()), {});

  table.run(LayerNormGradient{p.dy.view(), alone.view(), none, none, p.views()}, {});
  table.run(LayerNormGradient{p.dy.view(), no_dx, none, db.view(), p.views()}, {});

  EXPECT_NE(alone[5], 0);
  EXPECT_EQ(dx[5], 0);
  EXPECT_NE(db[5], 0);
}

TEST_P(LayerNormTest, EqualElementsGiveTheBiasAndNanStaysInItsRow) {
  Problem<float> p{Array<float>::made({2, 64}, [](std::int64_t) { return 0.3; })};
  p.x[64] = NAN;
  const Array<float> y(p.x.sizes());

  table.run(p.views(y.view()), {});

  for (std::int64_t c = 0; c < 64; ++c) {
    EXPECT_NEAR(y[c], p.bias[c], 1e-4);
    EXPECT_TRUE(std::isnan(y[64 + c]));
  }
}

}  // namespace
}  // namespace garboard::kernels
