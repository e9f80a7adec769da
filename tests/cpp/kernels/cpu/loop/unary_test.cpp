#include <bit>
#include <numbers>

#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

using namespace functors;

class UnaryTest : public EachInstructionSet {
 protected:
  template <class F, class T>
  auto apply(const Array<T>& x) const {
    Array<std::invoke_result_t<F, T>> y(x.sizes());
    unary_of<F>()(y.view(), x.view(), {});
    return y;
  }
  template <class F, class T>
  auto of(std::initializer_list<T> x) const {
    return values(apply<F>(Array<T>::of(x)));
  }

  /// The largest error over floats of all sizes, or over random doubles.
  template <class F, class T, class Reference>
  double worst(Reference reference) const {
    const auto x = sizeof(T) == 4 ? every_size<T>() : many_sizes<T>();
    const auto y = apply<F>(x);
    double largest = 0;
    for (std::int64_t i = 0; i < x.count(); ++i)
      largest = std::max(largest, ulps(y[i], reference(x[i])));
    return largest;
  }

 private:
  template <class T>
  static Array<T> every_size() {
    constexpr std::uint64_t step = 4099;  // a prime: all exponents, and varied mantissas
    return Array<T>::made(
        {static_cast<std::int64_t>((std::uint64_t{1} << 32) / step)},
        [](std::int64_t i) { return std::bit_cast<float>(static_cast<std::uint32_t>(i * step)); });
  }
  template <class T>
  static Array<T> many_sizes() {
    std::mt19937_64 generator(5);
    return Array<T>::made({200'000}, [&](std::int64_t i) {
      const std::uint64_t bits = generator();
      if (i % 4 == 0) return std::bit_cast<double>(bits);
      return std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits)), i % 4 * 4 - 66);
    });
  }
};

template <class L>
L exact_gelu(L x) {
  const L share = std::erfc(-x * std::sqrt(L(0.5))) / 2;
  return share == 0 ? -L(0) : x * share;
}
template <class L>
L approximate_gelu(L x) {
  const L twice = 2 * std::sqrt(L(2) / std::numbers::pi_v<L>) * (x + L(0.044715) * x * x * x);
  const L share = 1 / (1 + std::exp(-twice));
  return share == 0 ? -L(0) : x * share;
}

INSTANTIATE_TEST_SUITE_P(, UnaryTest, ::testing::ValuesIn(instruction_sets()), name_of);

TEST_P(UnaryTest, FloatsAreWithinTheUlpsTheirFunctorsState) {
  using L = double;
  EXPECT_LE((worst<Exp, float>([](L x) { return std::exp(x); })), 1);
  EXPECT_LE((worst<Log, float>([](L x) { return std::log(x); })), 1.1);
  EXPECT_LE((worst<Tanh, float>([](L x) { return std::tanh(x); })), 3);
  EXPECT_LE((worst<Sigmoid, float>([](L x) { return 1 / (1 + std::exp(-x)); })), 3);
  EXPECT_LE((worst<Sin, float>([](L x) { return std::sin(x); })), 2);
  EXPECT_LE((worst<Cos, float>([](L x) { return std::cos(x); })), 2);
  EXPECT_LE((worst<Erf, float>([](L x) { return std::erf(x); })), 2);
  EXPECT_LE((worst<Gelu, float>(exact_gelu<L>)), 5);
  EXPECT_LE((worst<GeluTanh, float>(approximate_gelu<L>)), 4);
  EXPECT_LE((worst<Sqrt, float>([](L x) { return std::sqrt(x); })), 0.5);
  EXPECT_LE((worst<Rsqrt, float>([](L x) { return 1 / std::sqrt(x); })), 1.5);
  EXPECT_LE((worst<Reciprocal, float>([](L x) { return 1 / x; })), 0.5);
}

TEST_P(UnaryTest, DoublesAreWithinTheUlpsTheirFunctorsState) {
  using L = long double;
  EXPECT_LE((worst<Exp, double>([](L x) { return std::exp(x); })), 1.1);
  EXPECT_LE((worst<Log, double>([](L x) { return std::log(x); })), 1);
  EXPECT_LE((worst<Tanh, double>([](L x) { return std::tanh(x); })), 3);
  EXPECT_LE((worst<Sigmoid, double>([](L x) { return 1 / (1 + std::exp(-x)); })), 3);
  EXPECT_LE((worst<Sin, double>([](L x) { return std::sin(x); })), 1);
  EXPECT_LE((worst<Cos, double>([](L x) { return std::cos(x); })), 1);
  EXPECT_LE((worst<Erf, double>([](L x) { return std::erf(x); })), 2);
  EXPECT_LE((worst<Gelu, double>(exact_gelu<L>)), 5);
  EXPECT_LE((worst<Rsqrt, double>([](L x) { return 1 / std::sqrt(x); })), 1.5);
}

TEST_P(UnaryTest, ZerosKeepTheirSign) {
  for (const auto& y : {of<Tanh>({-0.0f, 0.0f}), of<Sin>({-0.0f, 0.0f}), of<Round>({-0.2f, 0.2f}),
                        of<Sqrt>({-0.0f, 0.0f}), of<Ceil>({-0.2f, 0.0f})}) {
    EXPECT_TRUE(y[0] == 0 && std::signbit(y[0]));
    EXPECT_TRUE(y[1] == 0 && !std::signbit(y[1]));
  }
}

TEST_P(UnaryTest, ZerosKeepTheirSignInDouble) {
  const auto y = of<Sin>({-0.0, 0.0});
  EXPECT_TRUE(y[0] == 0 && std::signbit(y[0]) && y[1] == 0 && !std::signbit(y[1]));
}

TEST_P(UnaryTest, ZerosKeepTheirSignInErfAndGelu) {
  for (const auto& y :
       {of<Erf>({-0.0f, 0.0f}), of<Gelu>({-0.0f, 0.0f}), of<GeluTanh>({-0.0f, 0.0f})})
    EXPECT_TRUE(y[0] == 0 && std::signbit(y[0]) && y[1] == 0 && !std::signbit(y[1]));
}

TEST_P(UnaryTest, GeluEndsAtItsLimits) {
  const auto check = [](const auto& y) {
    EXPECT_TRUE(y[0] == 0 && std::signbit(y[0]));
    EXPECT_EQ(y[1], INFINITY);
    EXPECT_TRUE(std::isnan(y[2]));
    EXPECT_TRUE(y[3] == 0 && std::signbit(y[3]));
    EXPECT_EQ(y[4], 1e30f);
  };
  check(of<Gelu>({-INFINITY, INFINITY, NAN, -1e30f, 1e30f}));
  check(of<GeluTanh>({-INFINITY, INFINITY, NAN, -1e30f, 1e30f}));
}

TEST_P(UnaryTest, AnglesNearMultiplesOfHalfPiKeepTheirDigits) {
  const auto x = Array<double>::made({4000}, [](std::int64_t i) {
    return static_cast<double>(i * 150 - 300'000) * (std::numbers::pi / 2);
  });
  const auto sine = apply<Sin>(x), cosine = apply<Cos>(x);

  for (std::int64_t i = 0; i < x.count(); ++i) {  // long double has eleven bits more
    EXPECT_LE(ulps(sine[i], static_cast<long double>(std::sin(x[i]))), 1.5) << x[i];
    EXPECT_LE(ulps(cosine[i], static_cast<long double>(std::cos(x[i]))), 1.5) << x[i];
  }
}

TEST_P(UnaryTest, RoundingGoesToTheEvenNeighbour) {
  EXPECT_EQ(of<Round>({-2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 8388609.0f}),
            (std::vector{-2.0f, -2.0f, -0.0f, 0.0f, 2.0f, 2.0f, 8388609.0f}));
  EXPECT_EQ(of<Floor>({-1.5, -1.0, 1.5, 1e300}), (std::vector{-2.0, -1.0, 1.0, 1e300}));
  EXPECT_EQ(of<Ceil>({-1.5, -1.0, 1.5, 1e300}), (std::vector{-1.0, -1.0, 2.0, 1e300}));
  EXPECT_EQ(of<Round>({-3, 0, 7}), (std::vector{-3, 0, 7}));
}

TEST_P(UnaryTest, TheSmallestIntegerWraps) {
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(of<Negate>({least, 5}), (std::vector{least, -5}));
  EXPECT_EQ(of<Absolute>({least, -5}), (std::vector{least, 5}));
  EXPECT_EQ(of<Negate>({std::uint8_t{1}}), (std::vector{std::uint8_t{255}}));
  EXPECT_EQ(of<Square>({std::int32_t{1} << 16, -3}), (std::vector{0, 9}));
}

TEST_P(UnaryTest, TestsTellNanInfinityAndNumbersApart) {
  const std::initializer_list<double> x{NAN, INFINITY, -INFINITY, 0, 5e-324};
  EXPECT_EQ(of<IsNan>(x), (std::vector{true, false, false, false, false}));
  EXPECT_EQ(of<IsInf>(x), (std::vector{false, true, true, false, false}));
  EXPECT_EQ(of<IsFinite>(x), (std::vector{false, false, false, true, true}));
  EXPECT_EQ(of<LogicalNot>(x), (std::vector{false, false, false, true, false}));
  EXPECT_EQ(of<IsFinite>({1, 2}), (std::vector{true, true}));
  EXPECT_EQ(of<LogicalNot>({true, false}), (std::vector{false, true}));
}

TEST_P(UnaryTest, NanPassesThroughRelu) {
  const auto y = of<Relu>({NAN, -1.0f, 2.0f, -0.0f});

  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], 0);
  EXPECT_EQ(y[2], 2);
  EXPECT_EQ(y[3], 0);
}

TEST_P(UnaryTest, SignsAreMinusOneZeroAndOne) {
  EXPECT_EQ(of<Sign>({-3.5, 0.0, 2.0, static_cast<double>(NAN)}),
            (std::vector{-1.0, 0.0, 1.0, 0.0}));
  EXPECT_EQ(of<Sign>({std::int64_t{-9}, std::int64_t{0}}),
            (std::vector{std::int64_t{-1}, std::int64_t{0}}));
  EXPECT_EQ(of<Sign>({std::uint8_t{200}}), (std::vector{std::uint8_t{1}}));
}

TEST_P(UnaryTest, BitwiseNotTurnsABoolAndTheBitsOfIntegers) {
  EXPECT_EQ(of<BitwiseNot>({true, false}), (std::vector{false, true}));
  EXPECT_EQ(of<BitwiseNot>({0, -1, 5}), (std::vector{-1, 0, -6}));
}

TEST_P(UnaryTest, OneHardElementDoesNotSpoilItsBlock) {
  auto x = Array<float>::random({1000}, -3, 3, 1);
  x[300] = 1e30f;

  const auto y = apply<Sin>(x);

  for (std::int64_t i = 0; i < 1000; ++i) EXPECT_LE(ulps(y[i], std::sin(double{x[i]})), 2);
}

TEST_P(UnaryTest, OneElementAloneGivesWhatItGivesAmongMany) {
  const auto x = Array<float>::random({100}, -30, 30, 2);
  const auto y = apply<Exp>(x);
  const auto z = apply<Sin>(x);

  for (std::int64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(of<Exp>({x[i]})[0], y[i]);
    EXPECT_EQ(of<Sin>({x[i]})[0], z[i]);
  }
}

}  // namespace
}  // namespace garboard::kernels
