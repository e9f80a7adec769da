#include <bit>
#include <numbers>
#include <tuple>

#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

using namespace functors;

class WideTest : public EachInstructionSet {
 protected:
  /// What F gives for the `count` numbers at x, and for as many more -7, which it must not write.
  template <class F>
  std::vector<float> among(const Array<float>& x, std::int64_t count) const {
    auto y = Array<float>::made({count + 40}, [](std::int64_t) { return -7; });
    unary_of<F>()(first(y, count), first(x, count), {});
    return values(y);
  }
  float power(float a, float b) const {
    const auto x = Array<float>::of({a}), y = Array<float>::of({b});
    const Array<float> z({1});
    binary_of<Power>()(z.view(), x.view(), y.view(), {});
    return z[0];
  }
  /// The largest error of powers of `draw(random)`, a pair.
  template <class Draw>
  double worst_power(Draw draw) const {
    std::mt19937_64 random(3);
    Array<float> a({200'000}), b({200'000}), y({200'000});
    for (std::int64_t i = 0; i < y.count(); ++i) std::tie(a[i], b[i]) = draw(random);
    binary_of<Power>()(y.view(), a.view(), b.view(), {});
    double largest = 0;
    for (std::int64_t i = 0; i < y.count(); ++i)
      largest = std::max(largest, ulps(y[i], std::pow(static_cast<long double>(a[i]), b[i])));
    return largest;
  }
  static View first(const Array<float>& x, std::int64_t count) {
    return make_view(x.data(), DType::float32, {count}, {1});
  }
};
INSTANTIATE_TEST_SUITE_P(, WideTest, ::testing::ValuesIn(instruction_sets()), name_of);

using Numbers = std::uniform_real_distribution<double>;

/// Numbers of which some are hard for one function or another.
Array<float> mixed(std::int64_t count) {
  auto x = Array<float>::random({count}, -6, 6, 8);
  const float hard[] = {0.0f,    -0.0f, INFINITY, -INFINITY, NAN, 1e-40f,
                        -200.0f, 90.0f, 3e6f,     4.0f,      5.6f};
  for (std::int64_t i = 3; i < count; i += 7) x[i] = hard[i / 7 % std::size(hard)];
  return x;
}

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

TEST_P(WideTest, EveryCountGivesWhatOneElementGivesAndWritesNoMore) {
  const auto check = [&]<class F>(F) {
    const auto x = mixed(70);
    for (const std::int64_t count : {1, 2, 15, 16, 17, 31, 32, 33, 47, 70}) {
      const auto y = among<F>(x, count);
      for (std::int64_t i = 0; i < count; ++i)
        EXPECT_EQ(bits(y[i]), bits(among<F>(Array<float>::of({x[i]}), 1)[0])) << x[i];
      for (std::int64_t i = count; i < count + 40; ++i) EXPECT_EQ(y[i], -7);
    }
  };
  check(Atan{});
  check(Cos{});
  check(Erf{});
  check(Exp{});
  check(Gelu{});
  check(Log{});
  check(Log10{});
  check(Log2{});
  check(Sigmoid{});
  check(Silu{});
  check(Sin{});
  check(Tan{});
  check(Tanh{});
}

TEST_P(WideTest, EveryCountOfPowersGivesWhatOneElementGives) {
  const auto a = mixed(70), b = mixed(70).flipped(0).dense();
  for (const std::int64_t count : {2, 15, 16, 17, 33, 70}) {
    Array<float> both({count}), by_one({count}), of_one({count});
    const auto one = Array<float>::of({2.5f});
    binary_of<Power>()(both.view(), first(a, count), first(b, count), {});
    binary_of<Power>()(by_one.view(), first(a, count), one.view(), {});
    binary_of<Power>()(of_one.view(), one.view(), first(b, count), {});
    for (std::int64_t i = 0; i < count; ++i) {
      EXPECT_EQ(bits(both[i]), bits(power(a[i], b[i]))) << a[i] << " ^ " << b[i];
      EXPECT_EQ(bits(by_one[i]), bits(power(a[i], 2.5f))) << a[i];
      EXPECT_EQ(bits(of_one[i]), bits(power(2.5f, b[i]))) << b[i];
    }
  }
}

TEST_P(WideTest, AnglesNearMultiplesOfHalfPiKeepTheirDigits) {
  const auto x = Array<float>::made({80'000}, [](std::int64_t i) {
    return static_cast<double>(i * 13) * (std::numbers::pi / 2);
  });
  Array<float> sine(x.sizes()), cosine(x.sizes());

  unary_of<Sin>()(sine.view(), x.view(), {});
  unary_of<Cos>()(cosine.view(), x.view(), {});

  for (std::int64_t i = 0; i < x.count(); ++i) {
    EXPECT_LE(ulps(sine[i], std::sin(double{x[i]})), 2) << x[i];
    EXPECT_LE(ulps(cosine[i], std::cos(double{x[i]})), 2) << x[i];
  }
}

TEST_P(WideTest, LogarithmsOfNumbersNearOneKeepTheirDigits) {
  const auto x = Array<float>::random({200'000}, 0.7, 1.5, 6);
  Array<float> y(x.sizes()), of_two(x.sizes()), of_ten(x.sizes());

  unary_of<Log>()(y.view(), x.view(), {});
  unary_of<Log2>()(of_two.view(), x.view(), {});
  unary_of<Log10>()(of_ten.view(), x.view(), {});

  for (std::int64_t i = 0; i < x.count(); ++i) {
    EXPECT_LE(ulps(y[i], std::log(double{x[i]})), 1.1) << x[i];
    EXPECT_LE(ulps(of_two[i], std::log2(double{x[i]})), 2) << x[i];
    EXPECT_LE(ulps(of_ten[i], std::log10(double{x[i]})), 2) << x[i];
  }
}

TEST_P(WideTest, AnglesOfEverySizeAreWithinTheUlpsStated) {
  std::mt19937_64 random(5);
  Array<float> x({200'000}), y(x.sizes()), angle(x.sizes()), of_both(x.sizes());
  for (std::int64_t i = 0; i < x.count(); ++i) {
    const auto any = [&] {
      return static_cast<float>(std::exp2(Numbers(-40, 40)(random)) * (random() % 2 ? 1 : -1));
    };
    x[i] = any();
    y[i] = i % 5 ? any() : x[i] * static_cast<float>(Numbers(-4, 4)(random));
    if (i % 97 == 0) y[i] = 0;
    if (i % 89 == 0) x[i] = i % 2 ? 0.0f : -0.0f;
  }

  unary_of<Atan>()(angle.view(), x.view(), {});
  binary_of<Atan2>()(of_both.view(), y.view(), x.view(), {});

  for (std::int64_t i = 0; i < x.count(); ++i) {
    EXPECT_LE(ulps(angle[i], std::atan(double{x[i]})), 3) << x[i];
    EXPECT_LE(ulps(of_both[i], std::atan2(double{y[i]}, double{x[i]})), 4) << y[i] << ", " << x[i];
    EXPECT_EQ(std::signbit(of_both[i]), std::signbit(y[i]));
  }
}

TEST_P(WideTest, AnglesOfPointsThatAreNoUsualOnesAreThoseOfTheFunctor) {
  const float hard[] = {0.0f,    -0.0f, INFINITY, -INFINITY, NAN,   1e-40f,
                        -1e-40f, 1,     -1,       3e38f,     1e-38f};
  for (const float up : hard) {
    for (const float along : hard) {
      const auto y = Array<float>::of({up}), x = Array<float>::of({along});
      Array<float> z({1});
      binary_of<Atan2>()(z.view(), y.view(), x.view(), {});
      const double expected = std::atan2(double{up}, double{along});
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(z[0])) << up << ", " << along;
      } else {
        EXPECT_LE(ulps(z[0], expected), 4) << up << ", " << along;
        EXPECT_EQ(std::signbit(z[0]), std::signbit(expected)) << up << ", " << along;
      }
    }
  }
}

TEST_P(WideTest, PowersOfNumbersNearOneKeepTheirDigits) {
  const auto near_one = [](double width) {
    return [width](std::mt19937_64& random) {
      const auto a = static_cast<float>(1 + Numbers(-width, width)(random));
      return std::pair(a, static_cast<float>(Numbers(-126, 127.9)(random) / std::log2(double{a})));
    };
  };
  EXPECT_LE(worst_power(near_one(0.25)), 1.1);
  EXPECT_LE(worst_power(near_one(0.0156)), 1.1);
  EXPECT_LE(worst_power(near_one(1e-4)), 1.1);
}

TEST_P(WideTest, PowersOfEverySizeAreWithinTheUlpsStated) {
  EXPECT_LE(worst_power([](std::mt19937_64& random) {
              const double exponent = Numbers(-149, 128)(random);
              return std::pair(static_cast<float>(std::exp2(exponent)),
                               static_cast<float>(Numbers(-152, 130)(random) / exponent));
            }),
            1.1);
  EXPECT_LE(worst_power([](std::mt19937_64& random) {
              return std::pair(std::bit_cast<float>(static_cast<std::uint32_t>(random())),
                               std::bit_cast<float>(static_cast<std::uint32_t>(random())));
            }),
            1.1);
}

TEST_P(WideTest, PowersOfNegativeNumbersTakeTheirSignFromTheExponent) {
  EXPECT_LE(worst_power([](std::mt19937_64& random) {
              return std::pair(static_cast<float>(Numbers(-20, 0)(random)),
                               static_cast<float>(std::floor(Numbers(-29, 30)(random))));
            }),
            1.1);
  EXPECT_EQ(power(-2, 3), -8);
  EXPECT_EQ(power(-2, 4), 16);
  EXPECT_EQ(power(-3, 16777216.0f), INFINITY);
  EXPECT_TRUE(std::isnan(power(-2, 0.5f)));
}

}  // namespace
}  // namespace garboard::kernels
