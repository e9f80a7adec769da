#include "kernels/cpu/loop/loop.h"

#include <cstring>
#include <map>

#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

using namespace functors;

class LoopTest : public EachInstructionSet {};
INSTANTIATE_TEST_SUITE_P(, LoopTest, ::testing::ValuesIn(instruction_sets()), name_of);

/// Every way our views can lie: `sizes` seen through other memory.
template <class T>
std::map<std::string, Array<T>> layouts(const Dims& sizes, bool readable_only, unsigned seed) {
  const auto random = [&](Dims dims) { return Array<T>::random(dims, -50, 50, seed++); };
  const auto with = [&](int dim, std::int64_t size) {
    Dims changed = sizes;
    changed[dim] = size;
    return changed;
  };
  std::map<std::string, Array<T>> all;
  const int last = sizes.size() - 1;
  all.emplace("dense", random(sizes));
  all.emplace("stepped", random(with(last, sizes[last] * 2)).stepped(last, 2));
  all.emplace("stepped outside", random(with(0, sizes[0] * 3)).stepped(0, 3));
  all.emplace("flipped", random(sizes).flipped(last));
  all.emplace("flipped outside", random(sizes).flipped(0));
  if (last > 0) {
    Dims turned = sizes;
    std::swap(turned[0], turned[last]);
    all.emplace("transposed", random(turned).transposed(0, last));
  }
  if (last > 1) {
    Dims turned = sizes;
    std::swap(turned[0], turned[1]);
    all.emplace("outer two transposed", random(turned).transposed(0, 1));
  }
  if (readable_only) {
    for (int d = 0; d <= last; ++d)
      all.emplace("expanded at " + std::to_string(d), random(with(d, 1)).expanded(sizes));
    all.emplace("expanded whole", random(Dims::filled(last + 1, 1)).expanded(sizes));
  }
  return all;
}

TEST_P(LoopTest, EveryLayoutOfOutAndInputsGivesTheSameSum) {
  for (const Dims& sizes : {Dims{7}, Dims{3, 5}, Dims{70, 45}, Dims{2, 150, 3}, Dims{5, 4, 3, 2}}) {
    for (const auto& [out_name, out] : layouts<float>(sizes, false, 1)) {
      for (const auto& [a_name, a] : layouts<float>(sizes, true, 20)) {
        for (const auto& [b_name, b] : layouts<float>(sizes, true, 40)) {
          binary_of<Subtract>()(out.view(), a.view(), b.view(), {});

          std::int64_t wrong = 0;
          for (std::int64_t i = 0; i < out.count(); ++i) wrong += out[i] != a[i] - b[i];
          ASSERT_EQ(wrong, 0) << testing::PrintToString(values(Array<std::int64_t>::made(
                                     {sizes.size()}, [&](std::int64_t d) { return sizes[d]; })))
                              << out_name << " = " << a_name << " - " << b_name;
        }
      }
    }
  }
}

TEST_P(LoopTest, RowsOfEveryShortLengthMeetRowsColumnsAndNumbersOfRows) {
  const auto check = [&]<class T>(Type<T>) {
    for (std::int64_t count = 2; count < 600; count = count < 70 ? count + 1 : count * 3 / 2) {
      const Dims sizes{2, 3, count};
      const Array<T> inputs[] = {
          Array<T>::random(sizes, 1, 50, 1),
          Array<T>::random({2, 3, count + 5}, 1, 50, 2).narrowed(2, 3, count),
          Array<T>::random({2, 3, 1}, 1, 50, 3).expanded(sizes),
          Array<T>::random({2, 1, count}, 1, 50, 4).expanded(sizes),
          Array<T>::random({1, 3, 1}, 1, 50, 5).expanded(sizes),
      };
      const Array<T> memory({2, 3, count + 2});
      const Array<T> out = memory.narrowed(2, 1, count);
      for (const Array<T>& a : inputs) {
        for (const Array<T>& b : inputs) {
          binary_of<Divide>()(out.view(), a.view(), b.view(), {});

          std::int64_t wrong = 0;
          for (std::int64_t i = 0; i < out.count(); ++i) wrong += out[i] != a[i] / b[i];
          for (std::int64_t i = 0; i < 6; ++i)
            wrong += memory[i * (count + 2)] != 0 || memory[(i + 1) * (count + 2) - 1] != 0;
          ASSERT_EQ(wrong, 0) << count;
        }
      }
    }
  };
  check(Type<float>{});
  check(Type<double>{});
}

TEST_P(LoopTest, EveryItemSizeIsWalked) {
  const auto check = [&]<class T>(Type<T>) {
    for (const auto& [out_name, out] : layouts<T>({40, 37}, false, 1)) {
      for (const auto& [name, x] : layouts<T>({40, 37}, true, 20)) {
        unary_of<Absolute>()(out.view(), x.view(), {});

        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < out.count(); ++i)
          wrong += out[i] != (x[i] < T(0) ? T(T(0) - x[i]) : x[i]);
        ASSERT_EQ(wrong, 0) << out_name << " of " << name << " " << name_of(dtype_of<T>);
      }
    }
  };
  check(Type<bool>{});
  check(Type<std::uint8_t>{});
  check(Type<std::int32_t>{});
  check(Type<std::int64_t>{});
  check(Type<double>{});
}

TEST_P(LoopTest, InputsOfThreeItemSizesMeetInOneWalk) {
  for (const auto& [out_name, out] : layouts<double>({33, 65}, false, 1)) {
    for (const auto& [name, condition] : layouts<bool>({33, 65}, true, 30)) {
      const auto a = Array<double>::random({65, 33}, 0, 1, 2).transposed(0, 1);
      const auto b = Array<double>::random({33, 65}, 2, 3, 3);

      ternary_of<Where>()(out.view(), condition.view(), a.view(), b.view(), {});

      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < out.count(); ++i)
        wrong += out[i] != (condition[i] ? a[i] : b[i]);
      ASSERT_EQ(wrong, 0) << out_name << " by " << name;
    }
  }
}

TEST_P(LoopTest, WhatLiesBetweenTheElementsOfOutStaysAsItWas) {
  const auto memory = Array<float>::made({64, 64}, [](std::int64_t) { return -1; });
  const auto out = memory.stepped(0, 2).stepped(1, 3);
  const auto x = Array<float>::random(out.sizes(), 1, 2, 1);

  unary_of<Negate>()(out.view(), x.view(), {});
  unary_of<Negate>()(out.view(), out.view(), {});

  for (std::int64_t i = 0; i < 64; ++i)
    for (std::int64_t j = 0; j < 64; ++j)
      EXPECT_EQ(memory[i * 64 + j] == -1, i % 2 != 0 || j % 3 != 0);
}

TEST_P(LoopTest, OutMayBeAnInputWhateverItsStrides) {
  for (const auto& [name, x] : layouts<float>({70, 45}, false, 1)) {
    const auto before = x.dense();
    const auto y = Array<float>::random({45, 70}, -9, 9, 5).transposed(0, 1);

    binary_of<Add>()(x.view(), x.view(), y.view(), {});
    binary_of<Add>()(x.view(), y.view(), x.view(), {});

    for (std::int64_t i = 0; i < x.count(); ++i) ASSERT_EQ(x[i], y[i] + (before[i] + y[i])) << name;
  }
}

TEST_P(LoopTest, EmptyViewsAreLeftAlone) {
  const auto empty = Array<float>({0, 3});
  const auto other = Array<float>({3, 0}).transposed(0, 1);

  binary_of<Add>()(empty.view(), empty.view(), other.view(), {});
  unary_of<Exp>()(empty.view(), other.view(), {});
}

TEST_P(LoopTest, ViewsWithoutDimsHoldOneElement) {
  const Array<double> x = Array<double>::made({}, [](std::int64_t) { return 2; }), y(Dims{});

  binary_of<Multiply>()(y.view(), x.view(), x.view(), {});

  EXPECT_EQ(y[0], 4);
}

TEST_P(LoopTest, AScalarStandsForAllOnEitherSideAndOnBoth) {
  const auto x = Array<std::int32_t>::random({50, 21}, -99, 99, 1);
  const auto scalar = Array<std::int32_t>::of({1000});
  Array<std::int32_t> y({50, 21});

  binary_of<Subtract>()(y.view(), x.view(), scalar.view(), {});
  for (std::int64_t i = 0; i < x.count(); ++i) EXPECT_EQ(y[i], x[i] - 1000);
  binary_of<Subtract>()(y.view(), scalar.view(), x.view(), {});
  for (std::int64_t i = 0; i < x.count(); ++i) EXPECT_EQ(y[i], 1000 - x[i]);
  binary_of<Subtract>()(y.view(), scalar.view(), scalar.view(), {});
  for (std::int64_t i = 0; i < x.count(); ++i) EXPECT_EQ(y[i], 0);
}

TEST_P(LoopTest, LargeResultsArriveWholeWhereverTheyStart) {
  constexpr std::int64_t count = (std::int64_t{16} << 20) / 4 + 100;
  const auto x = Array<float>::made({count}, [](std::int64_t i) { return i % 1000; });
  for (const std::int64_t start : {0, 1, 15}) {
    Array<float> memory({count + 32});
    View out = x.view();
    out.data = memory.data() + start;

    unary_of<Negate>()(out, x.view(), {});

    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < count; ++i) wrong += memory[start + i] != -x[i];
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(memory[start + count], 0);
  }
}

TEST_P(LoopTest, LargeResultsOfBytesArriveWhole) {
  constexpr std::int64_t count = (std::int64_t{16} << 20) + 77;
  const auto x = Array<double>::made({count}, [](std::int64_t i) { return i % 3; });
  Array<bool> y({count});

  unary_of<LogicalNot>()(y.view(), x.view(), {});

  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < count; ++i) wrong += y[i] != (i % 3 == 0);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace garboard::kernels
