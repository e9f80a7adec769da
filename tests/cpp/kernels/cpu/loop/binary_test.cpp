#include <numbers>

#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

using namespace functors;

class BinaryTest : public EachInstructionSet {
 protected:
  template <class F, class T>
  auto apply(const Array<T>& a, const Array<T>& b) const {
    Array<std::invoke_result_t<F, T, T>> y(a.sizes());
    binary_of<F>()(y.view(), a.view(), b.view(), {});
    return y;
  }
  template <class F, class T>
  auto of(std::initializer_list<T> a, std::initializer_list<T> b) const {
    return values(apply<F>(Array<T>::of(a), Array<T>::of(b)));
  }
};
INSTANTIATE_TEST_SUITE_P(, BinaryTest, ::testing::ValuesIn(instruction_sets()), name_of);

constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
constexpr float nan = NAN;

TEST_P(BinaryTest, BoolsAddByOrAndMultiplyByAnd) {
  EXPECT_EQ(of<Add>({false, true, true}, {false, false, true}), (std::vector{false, true, true}));
  EXPECT_EQ(of<Multiply>({false, true, true}, {false, false, true}),
            (std::vector{false, false, true}));
}

TEST_P(BinaryTest, IntegersWrap) {
  EXPECT_EQ(of<Subtract>({least, 3}, {1, 4}), (std::vector{std::numeric_limits<int>::max(), -1}));
  EXPECT_EQ(of<Multiply>({1 << 20, -7}, {1 << 20, 6}), (std::vector{0, -42}));
  EXPECT_EQ(of<Add>({std::uint8_t{200}}, {std::uint8_t{100}}), (std::vector{std::uint8_t{44}}));
}

TEST_P(BinaryTest, IntegersDivideAsInPython) {
  EXPECT_EQ(of<FloorDivide>({7, -7, 7, -7, 6, least}, {2, 2, -2, -2, -3, 2}),
            (std::vector{3, -4, -4, 3, -2, least / 2}));
  EXPECT_EQ(of<Remainder>({7, -7, 7, -7, 6, least}, {2, 2, -2, -2, -3, 2}),
            (std::vector{1, 1, -1, -1, 0, 0}));
}

TEST_P(BinaryTest, IntegersDividedByZeroGiveZeroAndTheSmallestByMinusOneWraps) {
  EXPECT_EQ(of<FloorDivide>({7, 0, least}, {0, 0, -1}), (std::vector{0, 0, least}));
  EXPECT_EQ(of<Remainder>({7, 0, least}, {0, 0, -1}), (std::vector{0, 0, 0}));
  EXPECT_EQ(of<FloorDivide>({std::uint8_t{7}}, {std::uint8_t{0}}), (std::vector<std::uint8_t>{0}));
}

TEST_P(BinaryTest, QuotientAndRemainderOfIntegersMakeTheNumberAgain) {
  const auto a = Array<std::int32_t>::random({5000}, -1000, 1000, 1);
  const auto b = Array<std::int32_t>::random({5000}, 1, 50, 2);

  const auto quotient = apply<FloorDivide>(a, b);
  const auto rest = apply<Remainder>(a, b);

  for (std::int64_t i = 0; i < a.count(); ++i) {
    EXPECT_EQ(quotient[i] * b[i] + rest[i], a[i]);
    EXPECT_TRUE(rest[i] >= 0 && rest[i] < b[i]);
  }
}

/// Every number of few bits; of many the outermost ones, those around powers of 2, and some
/// between.
template <class T>
std::vector<T> telling_numbers() {
  std::vector<T> numbers;
  if constexpr (sizeof(T) == 1) {
    for (int i = 0; i < 256; ++i) numbers.push_back(static_cast<T>(i));
    return numbers;
  }
  using U = std::make_unsigned_t<T>;
  for (int bit = 0; bit < static_cast<int>(sizeof(T)) * 8; ++bit) {
    for (const int beside : {-3, -1, 0, 1, 5}) {
      const U at = static_cast<U>((U{1} << bit) + static_cast<U>(beside));
      numbers.push_back(static_cast<T>(at));
      numbers.push_back(static_cast<T>(U{0} - at));
    }
  }
  for (U step = 1; numbers.size() < 900; step = static_cast<U>(step * 31 + 7))
    numbers.push_back(static_cast<T>(step));
  return numbers;
}

TEST_P(BinaryTest, DividingIntegersByOneNumberGivesWhatDividingByAsManyEqualOnesDoes) {
  const auto check = [&]<class T>(Type<T>) {
    const std::vector<T> numbers = telling_numbers<T>();
    const auto count = static_cast<std::int64_t>(numbers.size());
    const auto a = Array<T>::made({count}, [&](std::int64_t i) { return numbers[i]; });
    for (const T b : numbers) {
      const auto one = Array<T>::of({b});
      const auto many = Array<T>::made({count}, [&](std::int64_t) { return b; });
      const auto check_functor = [&]<class F>() {
        Array<T> y(a.sizes());
        binary_of<F>()(y.view(), a.view(), one.view(), {});
        ASSERT_EQ(values(y), values(apply<F>(a, many))) << "by " << +b;
      };
      check_functor.template operator()<FloorDivide>();
      check_functor.template operator()<Remainder>();
      check_functor.template operator()<Fmod>();
    }
  };
  check(Type<std::uint8_t>{});
  check(Type<std::int8_t>{});
  check(Type<std::int16_t>{});
  check(Type<std::int32_t>{});
  check(Type<std::int64_t>{});
}

TEST_P(BinaryTest, FloatsDivideAsInPython) {
  EXPECT_EQ(of<FloorDivide>({7.5, -7.5, 7.5, 1.0, -1e-20}, {2.0, 2.0, -2.0, 0.1, 1.0}),
            (std::vector{3.0, -4.0, -4.0, 9.0, -1.0}));
  EXPECT_EQ(of<Remainder>({7.5, -7.5, 7.5, -6.0, 6.0}, {2.0, 2.0, -2.0, 3.0, 4.0}),
            (std::vector{1.5, 0.5, -0.5, 0.0, 2.0}));
  EXPECT_NEAR(of<Remainder>({1.0}, {0.1})[0], 0.1, 1e-15);
}

TEST_P(BinaryTest, FloatsDividedByZeroAndInfinityGiveWhatIeeeSays) {
  const auto y = of<FloorDivide>({1.0f, -1.0f, 0.0f, INFINITY, 5.0f, -5.0f},
                                 {0.0f, 0.0f, 0.0f, 2.0f, INFINITY, INFINITY});
  const auto rest = of<Remainder>({1.0f, INFINITY, 5.0f}, {0.0f, 2.0f, INFINITY});

  EXPECT_EQ(y[0], INFINITY);
  EXPECT_EQ(y[1], -INFINITY);
  EXPECT_TRUE(std::isnan(y[2]) && std::isnan(y[3]));
  EXPECT_EQ(y[4], 0);
  EXPECT_EQ(y[5], -1);
  EXPECT_TRUE(std::isnan(rest[0]) && std::isnan(rest[1]));
  EXPECT_EQ(rest[2], 5);
}

TEST_P(BinaryTest, PowersAreWithinTheUlpsStated) {
  const auto worst = [&]<class T>(Type<T>, double low, double high, double exponent) {
    const auto a = Array<T>::random({100'000}, low, high, 3);
    const auto b = Array<T>::random({100'000}, -exponent, exponent, 4);
    const auto y = apply<Power>(a, b);
    double largest = 0;
    for (std::int64_t i = 0; i < a.count(); ++i)
      largest = std::max(largest, ulps(y[i], std::pow(static_cast<long double>(a[i]),
                                                      static_cast<long double>(b[i]))));
    return largest;
  };

  EXPECT_LE(worst(Type<float>{}, 0, 50, 20), 1);
  EXPECT_LE(worst(Type<double>{}, 0, 50, 20), 1);
  EXPECT_LE(worst(Type<double>{}, 0.999, 1.001, 7e5), 1);
  EXPECT_LE(worst(Type<double>{}, 0.6, 1.5, 1700), 1.1);
  EXPECT_LE(worst(Type<double>{}, 0, 5e-308, 0.99), 1);
}

TEST_P(BinaryTest, SpecialPowersAreThoseOfC) {
  const auto check = [&]<class T>(Type<T>) {
    constexpr auto least = std::numeric_limits<T>::denorm_min();
    constexpr auto largest = std::numeric_limits<T>::max();
    const std::vector<T> numbers{T(0),    T(-0.0),     T(1),    T(-1),        T(0.5),
                                 T(-0.5), T(2),        T(-2),   T(3),         T(-3),
                                 T(2.5),  T(INFINITY), T(NAN),  -T(INFINITY), T(1e30),
                                 least,   -least,      largest, -largest};
    const auto n = static_cast<std::int64_t>(numbers.size());
    const auto a = Array<T>::made({n * n}, [&](std::int64_t i) { return numbers[i / n]; });
    const auto b = Array<T>::made({n * n}, [&](std::int64_t i) { return numbers[i % n]; });

    const auto y = apply<Power>(a, b);

    for (std::int64_t i = 0; i < n * n; ++i) {
      const T want = std::pow(a[i], b[i]);
      EXPECT_LE(ulps(y[i], want), 1) << a[i] << " ^ " << b[i];
      EXPECT_TRUE(want != 0 || std::signbit(y[i]) == std::signbit(want)) << a[i] << " ^ " << b[i];
    }
  };
  check(Type<float>{});
  check(Type<double>{});
}

TEST_P(BinaryTest, PowersOfIntegersWrapAndNegativeExponentsGiveZero) {
  EXPECT_EQ(of<Power>({2, 3, -2, 0, 7, 10, 2}, {10, 4, 3, 0, 1, 10, 32}),
            (std::vector{1024, 81, -8, 1, 7, 1410065408, 0}));
  EXPECT_EQ(of<Power>({2, 1, -1, -1, 0}, {-1, -5, -3, -4, -1}), (std::vector{0, 1, -1, 1, 0}));
}

TEST_P(BinaryTest, NanWinsMaximumAndMinimumFromEitherSide) {
  for (const auto& y : {of<Maximum>({nan, 1.0f, nan}, {1.0f, nan, nan}),
                        of<Minimum>({nan, 1.0f, nan}, {1.0f, nan, nan})})
    for (const float x : y) EXPECT_TRUE(std::isnan(x));
  EXPECT_EQ(of<Maximum>({1.0f, -INFINITY}, {2.0f, 3.0f}), (std::vector{2.0f, 3.0f}));
  EXPECT_EQ(of<Minimum>({1, 5}, {2, 3}), (std::vector{1, 3}));
}

TEST_P(BinaryTest, NanComparesUnequalToAll) {
  EXPECT_EQ(of<Equal>({nan, 1.0f}, {nan, 1.0f}), (std::vector{false, true}));
  EXPECT_EQ(of<NotEqual>({nan, 1.0f}, {nan, 1.0f}), (std::vector{true, false}));
  EXPECT_EQ(of<Less>({nan, 1.0f}, {1.0f, nan}), (std::vector{false, false}));
  EXPECT_EQ(of<GreaterEqual>({nan, 1.0f}, {1.0f, nan}), (std::vector{false, false}));
}

TEST_P(BinaryTest, ComparisonsOrderEveryDtype) {
  EXPECT_EQ(of<Less>({false, true}, {true, true}), (std::vector{true, false}));
  EXPECT_EQ(of<LessEqual>({-1, 2}, {1, 2}), (std::vector{true, true}));
  EXPECT_EQ(of<Greater>({std::uint8_t{200}}, {std::uint8_t{100}}), (std::vector{true}));
}

TEST_P(BinaryTest, LogicTakesAllButZeroForTrue) {
  EXPECT_EQ(of<LogicalAnd>({nan, 0.0f, 2.0f}, {1.0f, 1.0f, 0.0f}),
            (std::vector{true, false, false}));
  EXPECT_EQ(of<LogicalOr>({0, 0, 2}, {0, 4, 0}), (std::vector{false, true, true}));
  EXPECT_EQ(of<LogicalXor>({256, 0, 2}, {1, 4, 0}), (std::vector{false, true, true}));
}

TEST_P(BinaryTest, BitwiseOpsWorkBitByBit) {
  EXPECT_EQ(of<BitwiseAnd>({12, -1}, {10, 5}), (std::vector{8, 5}));
  EXPECT_EQ(of<BitwiseOr>({12, 0}, {10, 5}), (std::vector{14, 5}));
  EXPECT_EQ(of<BitwiseXor>({true, true}, {true, false}), (std::vector{false, true}));
}

TEST_P(BinaryTest, SlopesOfGeluAreThoseOfHigherPrecision) {
  const auto check = [&]<class T>(Type<T>, double rounds) {
    using L = long double;
    const auto x = Array<T>::random({20'000}, -16, 16, 5);
    const auto one = Array<T>::made(x.sizes(), [](std::int64_t) { return 1; });
    const auto exact = apply<GeluGradient>(one, x), by_tanh = apply<GeluTanhGradient>(one, x);
    const double allowed = rounds * std::numeric_limits<T>::epsilon();
    for (std::int64_t i = 0; i < x.count(); ++i) {
      const L at = x[i], pi = std::numbers::pi_v<L>;
      const L share = std::erfc(-at / std::sqrt(L(2))) / 2;
      EXPECT_NEAR(exact[i], share + at * std::exp(-at * at / 2) / std::sqrt(2 * pi), allowed);
      const L scale = 2 * std::sqrt(2 / pi), cubic = L(0.044715);
      const L sigmoid = 1 / (1 + std::exp(-scale * (at + cubic * at * at * at)));
      const L slope = scale * (1 + 3 * cubic * at * at);
      EXPECT_NEAR(by_tanh[i], sigmoid + at * sigmoid * (1 - sigmoid) * slope, 2 * allowed);
    }
  };
  check(Type<float>{}, 4);
  check(Type<double>{}, 4);
}

TEST_P(BinaryTest, GradientsFollowFromOutputs) {
  EXPECT_EQ(of<ReluGradient>({3.0f, 3.0f, 3.0f}, {2.0f, 0.0f, nan}),
            (std::vector{3.0f, 0.0f, 3.0f}));
  EXPECT_EQ(of<SigmoidGradient>({2.0, 1.0}, {0.5, 1.0}), (std::vector{0.5, 0.0}));
  EXPECT_EQ(of<TanhGradient>({2.0, 1.0}, {0.5, -1.0}), (std::vector{1.5, 0.0}));
}

}  // namespace
}  // namespace garboard::kernels
