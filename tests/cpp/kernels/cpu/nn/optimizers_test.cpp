#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

class OptimizersTest : public EachInstructionSet {};
INSTANTIATE_TEST_SUITE_P(, OptimizersTest, ::testing::ValuesIn(instruction_sets()), name_of);

template <class T>
struct Parameters {
  Array<T> parameter = Array<T>::random({301}, -1, 1, 1);
  Array<T> gradient = Array<T>::random({301}, -1, 1, 2);
  Array<T> mean{{301}}, square{{301}};
};

TEST_P(OptimizersTest, AdamFollowsItsPaperForManySteps) {
  const auto check = [&]<class T>(Type<T>, bool decoupled, double decay, double error) {
    const Parameters<T> of;
    std::vector<double> p(301), m(301), v(301);
    for (int i = 0; i < 301; ++i) p[i] = of.parameter[i];
    for (std::int64_t step = 1; step <= 20; ++step) {
      table.run(AdamStep{of.parameter.view(), of.gradient.view(), of.mean.view(), of.square.view(),
                         0.01, 0.9, 0.999, 1e-8, decay, decoupled, step},
                {});
      for (int i = 0; i < 301; ++i) {
        const double g = of.gradient[i] + (decoupled ? 0 : decay * p[i]);
        if (decoupled) p[i] -= 0.01 * decay * p[i];
        m[i] = 0.9 * m[i] + 0.1 * g;
        v[i] = 0.999 * v[i] + 0.001 * g * g;
        const double mean = m[i] / (1 - std::pow(0.9, step));
        const double square = v[i] / (1 - std::pow(0.999, step));
        p[i] -= 0.01 * mean / (std::sqrt(square) + 1e-8);
      }
    }
    for (int i = 0; i < 301; ++i) EXPECT_NEAR(of.parameter[i], p[i], error);
  };
  for (const bool decoupled : {false, true}) {
    check(Type<double>{}, decoupled, 0.1, 1e-13);
    check(Type<float>{}, decoupled, 0.1, 2e-6);
    check(Type<double>{}, decoupled, 0, 1e-13);
  }
}

TEST_P(OptimizersTest, SgdTakesMomentumDampeningNesterovAndDecay) {
  for (const auto& [momentum, dampening, nesterov] :
       {std::tuple{0.9, 0.0, false}, {0.9, 0.0, true}, {0.5, 0.3, false}}) {
    const Parameters<double> of;
    std::vector<double> p(301), v(301);
    for (int i = 0; i < 301; ++i) p[i] = of.parameter[i], of.mean[i] = NAN;
    for (int step = 0; step < 5; ++step) {
      table.run(SgdStep{of.parameter.view(), of.gradient.view(), of.mean.view(), 0.1, momentum,
                        dampening, 0.01, nesterov, step == 0},
                {});
      for (int i = 0; i < 301; ++i) {
        const double g = of.gradient[i] + 0.01 * p[i];
        v[i] = step == 0 ? g : momentum * v[i] + (1 - dampening) * g;
        p[i] -= 0.1 * (nesterov ? g + momentum * v[i] : v[i]);
      }
    }
    for (int i = 0; i < 301; ++i) EXPECT_NEAR(of.parameter[i], p[i], 1e-14);
  }
}

TEST_P(OptimizersTest, SgdWithoutVelocityGoesDownTheGradient) {
  const Parameters<float> of;
  const auto before = of.parameter.dense();
  View none = of.mean.view();
  none.data = nullptr;

  table.run(SgdStep{of.parameter.view(), of.gradient.view(), none, 0.1, 0, 0, 0, false, true}, {});

  for (int i = 0; i < 301; ++i)
    EXPECT_NEAR(of.parameter[i], before[i] - 0.1f * of.gradient[i], 1e-7);
}

}  // namespace
}  // namespace garboard::kernels
