#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

class CrossEntropyTest : public EachInstructionSet {};
INSTANTIATE_TEST_SUITE_P(, CrossEntropyTest, ::testing::ValuesIn(instruction_sets()), name_of);

template <class T>
struct Problem {
  Array<T> logits;
  Array<std::int64_t> targets;
  Array<T> losses{targets.sizes()}, counts{targets.sizes()};
  Array<double> log_sums{targets.sizes()};

  CrossEntropy views() const {
    View weights;
    weights.data = nullptr;
    return {logits.view(), targets.view(), losses.view(), log_sums.view(), counts.view(), weights};
  }
};

template <class T>
Problem<T> problem(Array<T> logits) {
  const std::int64_t rows = logits.sizes()[0], classes = logits.sizes()[1];
  return {logits,
          Array<std::int64_t>::made({rows}, [&](std::int64_t i) { return i * 7 % classes; })};
}

template <class T>
std::vector<Array<T>> several_layouts() {
  return {Array<T>::random({50, 10}, -5, 5, 1),
          Array<T>::random({4, 2500}, -5, 5, 2),
          Array<T>::random({6, 10}, -5, 5, 6),
          Array<T>::random({17, 128}, -5, 5, 7),
          Array<T>::random({10, 33}, -5, 5, 3).transposed(0, 1),
          Array<T>::random({20, 60}, -5, 5, 4).stepped(1, 3).flipped(1),
          Array<T>::random({4, 1}, -5, 5, 5)};
}

TEST_P(CrossEntropyTest, LossIsTheLogOfTheSumLessTheTargetsLogit) {
  const auto check = [&]<class T>(Type<T>) {
    for (const auto& logits : several_layouts<T>()) {
      const auto p = problem(logits);

      EXPECT_EQ(table.run(p.views(), {}), -1);

      const std::int64_t classes = logits.sizes()[1];
      for (std::int64_t row = 0; row < logits.sizes()[0]; ++row) {
        long double sum = 0;
        for (std::int64_t c = 0; c < classes; ++c)
          sum += std::exp(static_cast<long double>(logits[row * classes + c]));
        const long double log_sum = std::log(sum);
        const double error = 16 * std::numeric_limits<T>::epsilon();
        EXPECT_NEAR(p.log_sums[row], log_sum, error);
        EXPECT_NEAR(p.losses[row], log_sum - logits[row * classes + p.targets[row]], error);
      }
    }
  };
  check(Type<float>{});
  check(Type<double>{});
}

TEST_P(CrossEntropyTest, GradientIsSoftmaxLessOneAtTheTarget) {
  for (const auto& logits : several_layouts<double>()) {
    const auto p = problem(logits);
    table.run(p.views(), {});
    const auto d_loss = Array<double>::of({0.25}).expanded({logits.sizes()[0]});
    const auto dense = Array<double>(logits.sizes());
    Dims turned{logits.sizes()[1], logits.sizes()[0]};
    const auto transposed = Array<double>(turned).transposed(0, 1);

    for (const auto& gradient : {dense, transposed}) {
      EXPECT_EQ(table.run(CrossEntropyGradient{gradient.view(), d_loss.view(), p.views()}, {}), -1);

      const std::int64_t classes = logits.sizes()[1];
      for (std::int64_t i = 0; i < logits.count(); ++i) {
        const double softmax = std::exp(logits[i] - p.log_sums[i / classes]);
        const bool is_target = i % classes == p.targets[i / classes];
        EXPECT_NEAR(gradient[i], 0.25 * (softmax - is_target), 1e-14);
      }
    }
  }
}

TEST_P(CrossEntropyTest, WeightsAndSmoothingSpreadTheLossOverTheClasses) {
  for (const auto& logits : several_layouts<double>()) {
    for (const double smoothing : {0.0, 0.3, 1.0}) {
      const auto p = problem(logits);
      const std::int64_t rows = logits.sizes()[0], classes = logits.sizes()[1];
      const auto weights = Array<double>::random({classes}, 0.5, 2, 6);
      auto views = p.views();
      views.weights = weights.view();
      views.label_smoothing = smoothing;
      const Array<double> gradient(logits.sizes());
      const auto d_losses = Array<double>::random({rows}, -1, 1, 7);

      EXPECT_EQ(table.run(views, {}), -1);
      table.run(CrossEntropyGradient{gradient.view(), d_losses.view(), views}, {});

      for (std::int64_t row = 0; row < rows; ++row) {
        const auto goal = [&](std::int64_t c) {
          const double own = c == p.targets[row] ? 1 - smoothing : 0;
          return (own + smoothing / static_cast<double>(classes)) * weights[c];
        };
        double loss = 0, all = 0;
        for (std::int64_t c = 0; c < classes; ++c) {
          loss += goal(c) * (p.log_sums[row] - logits[row * classes + c]);
          all += goal(c);
        }
        EXPECT_NEAR(p.losses[row], loss, 1e-11);
        EXPECT_EQ(p.counts[row], weights[p.targets[row]]);
        for (std::int64_t c = 0; c < classes; ++c) {
          const double softmax = std::exp(logits[row * classes + c] - p.log_sums[row]);
          EXPECT_NEAR(gradient[row * classes + c], d_losses[row] * (softmax * all - goal(c)),
                      1e-13);
        }
      }
    }
  }
}

TEST_P(CrossEntropyTest, IgnoredRowsHaveNeitherLossNorGradient) {
  for (const std::int64_t rows : {5, 40}) {
    auto p = problem(Array<float>::random({rows, 3}, -1, 1, 1));
    p.targets[1] = p.targets[4] = -100;
    Array<float> gradient({rows, 3});
    const auto d_losses = Array<float>::made({rows}, [](std::int64_t) { return 1; });

    EXPECT_EQ(table.run(p.views(), {}), -1);
    table.run(CrossEntropyGradient{gradient.view(), d_losses.view(), p.views()}, {});

    EXPECT_EQ(p.losses[1], 0);
    EXPECT_GT(p.losses[0], 0);
    for (int c = 0; c < 3; ++c) {
      EXPECT_EQ(gradient[1 * 3 + c], 0);
      EXPECT_EQ(gradient[4 * 3 + c], 0);
      EXPECT_NE(gradient[2 * 3 + c], 0);
    }
  }
}

TEST_P(CrossEntropyTest, TheFirstTargetOutOfRangeIsNamed) {
  for (const std::int64_t rows : {5, 40}) {
    auto p = problem(Array<float>::random({rows, 3}, -1, 1, 1));
    p.targets[4] = 3;
    EXPECT_EQ(table.run(p.views(), {}), 4);
    p.targets[2] = -1;
    EXPECT_EQ(table.run(p.views(), {}), 2);
  }
}

TEST_P(CrossEntropyTest, TheGradientLooksAtTargetsBeforeItUsesThem) {
  for (const auto& logits : several_layouts<float>()) {
    auto p = problem(logits);
    EXPECT_EQ(table.run(p.views(), {}), -1);
    const std::int64_t classes = logits.sizes()[1];
    const Array<float> gradient(logits.sizes());
    const auto d_loss = Array<float>::of({1}).expanded({logits.sizes()[0]});

    p.targets[3] = std::int64_t{1} << 60;
    EXPECT_EQ(table.run(CrossEntropyGradient{gradient.view(), d_loss.view(), p.views()}, {}), 3);
    p.targets[2] = classes;
    EXPECT_EQ(table.run(CrossEntropyGradient{gradient.view(), d_loss.view(), p.views()}, {}), 2);
    p.targets[1] = -1;
    EXPECT_EQ(table.run(CrossEntropyGradient{gradient.view(), d_loss.view(), p.views()}, {}), 1);
  }
}

TEST_P(CrossEntropyTest, TheIgnoredIndexMayBeAClass) {
  auto p = problem(Array<double>::random({3, 4}, -1, 1, 1));
  auto views = p.views();
  views.ignore_index = p.targets[2];

  EXPECT_EQ(table.run(views, {}), -1);

  EXPECT_EQ(p.losses[2], 0);
}

}  // namespace
}  // namespace garboard::kernels
