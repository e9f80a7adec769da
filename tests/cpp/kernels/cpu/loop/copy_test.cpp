#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

class CopyTest : public EachInstructionSet {};
INSTANTIATE_TEST_SUITE_P(, CopyTest, ::testing::ValuesIn(instruction_sets()), name_of);

using Elements = TypeList<bool, std::uint8_t, std::int32_t, std::int64_t, float, double>;

TEST_P(CopyTest, EveryDtypeConvertsToEveryOtherThroughAnyStrides) {
  for_each_type(Elements{}, [&]<class From> {
    for_each_type(Elements{}, [&]<class To> {
      const auto whole = Array<From>::random({37, 50}, 0, 100, 1);
      for (const auto& x : {whole, Array<From>::random({50, 37}, 0, 100, 2).transposed(0, 1),
                            Array<From>::random({37, 100}, 0, 100, 3).stepped(1, 2).flipped(0),
                            Array<From>::random({1, 50}, 0, 100, 4).expanded({37, 50})}) {
        for (const auto& y : {Array<To>({37, 50}), Array<To>({50, 37}).transposed(0, 1)}) {
          table.run(Copy{y.view(), x.view()}, {});

          for (std::int64_t i = 0; i < x.count(); ++i) ASSERT_EQ(y[i], static_cast<To>(x[i]));
        }
      }
    });
  });
}

TEST_P(CopyTest, ToBoolEverythingButZeroIsTrue) {
  Array<bool> y({4});

  table.run(Copy{y.view(), Array<double>::of({0.1, 0, NAN, -2}).view()}, {});

  EXPECT_EQ(values(y), (std::vector{true, false, true, true}));
}

TEST_P(CopyTest, NegativeFloatsWrapIntoBytes) {
  Array<std::uint8_t> y({3});

  table.run(Copy{y.view(), Array<float>::of({-1, 255, 256.7f}).view()}, {});

  EXPECT_EQ(values(y), (std::vector<std::uint8_t>{255, 255, 0}));
}

TEST_P(CopyTest, AScalarFillsAll) {
  Array<float> y({33, 7});

  table.run(Copy{y.view(), Array<float>::of({2.5f}).view()}, {});

  EXPECT_EQ(values(y), std::vector<float>(33 * 7, 2.5f));
}

TEST_P(CopyTest, TransposesOfAllShapesArriveWhole) {
  for_each_type(TypeList<std::uint8_t, std::int64_t, float>{}, [&]<class T> {
    for (const auto& sizes : {Dims{3, 5000}, Dims{5000, 3}, Dims{32, 32}, Dims{129, 257},
                              Dims{3, 70, 100}, Dims{64, 4, 90}}) {
      const int last = sizes.size() - 1;
      const auto x = Array<T>::random(sizes, 0, 250, 1);
      for (const auto& turned :
           {x.transposed(0, last), x.transposed(last - 1, last), x.flipped(0).transposed(0, last),
            x.stepped(0, 2).transposed(0, last)}) {
        Array<T> y(turned.sizes());

        table.run(Copy{y.view(), turned.view()}, {});

        ASSERT_EQ(values(y), values(turned));
      }
    }
  });
}

TEST_P(CopyTest, NarrowSidesAndThoseBesideWholeSquaresAreTurned) {
  for_each_type(TypeList<std::uint8_t, std::int16_t, float, double>{}, [&]<class T> {
    for (const std::int64_t side : {2, 3, 4, 5, 7, 8, 9, 15, 17, 31, 33, 65, 79})
      for (const auto& sizes : {Dims{side, 5000 / side + side}, Dims{5000 / side + side, side},
                                Dims{5, side, 1000 / side + 3}}) {
        const int last = sizes.size() - 1;
        const auto turned = Array<T>::random(sizes, 0, 100, 1).transposed(last - 1, last);
        Array<T> dense(turned.sizes());
        Dims wider = turned.sizes();
        wider[last] = 2 * wider[last] + 3;
        Array<T> apart(wider);

        table.run(Copy{dense.view(), turned.view()}, {});
        View left = apart.view();
        left = make_view(left.data, left.dtype, turned.sizes(), left.strides);
        table.run(Copy{left, turned.view()}, {});

        ASSERT_EQ(values(dense), values(turned));
        std::int64_t written = 0;
        for (std::int64_t i = 0, row = turned.sizes()[last]; i < turned.count(); ++i) {
          ASSERT_EQ(apart[i / row * wider[last] + i % row], turned[i]);
          written += turned[i] != T(0);
        }
        for (std::int64_t i = 0; i < apart.count(); ++i) written -= apart[i] != T(0);
        ASSERT_EQ(written, 0);  // and nothing beside
      }
  });
}

TEST_P(CopyTest, LargeCopiesArriveWhole) {
  const auto x =
      Array<std::uint8_t>::made({(16 << 20) + 99}, [](std::int64_t i) { return i % 251; });
  Array<std::uint8_t> memory({(16 << 20) + 256});
  View out = x.view();
  out.data = memory.data() + 13;

  table.run(Copy{out, x.view()}, {});

  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < x.count(); ++i) wrong += memory[13 + i] != x[i];
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(memory[12], 0);
  EXPECT_EQ(memory[13 + x.count()], 0);
}

TEST_P(CopyTest, FillWritesTheScalarInTheViewsDtype) {
  const auto memory = Array<std::int32_t>({10, 10});
  const auto y = memory.stepped(0, 3).stepped(1, 2);
  Array<bool> truth({5});

  table.run(Fill{y.view(), Scalar::of(7.9)}, {});
  table.run(Fill{truth.view(), Scalar::of(0.5)}, {});

  for (std::int64_t i = 0; i < 100; ++i)
    EXPECT_EQ(memory[i], i / 10 % 3 == 0 && i % 10 % 2 == 0 ? 7 : 0);
  EXPECT_EQ(values(truth), std::vector<bool>(5, true));
}

TEST_P(CopyTest, FillIsExactForLargeIntegers) {
  constexpr std::int64_t large = (std::int64_t{1} << 62) + 1;
  Array<std::int64_t> y({3, 40});

  table.run(Fill{y.view(), Scalar::of(large)}, {});

  EXPECT_EQ(values(y), std::vector<std::int64_t>(120, large));
}

TEST_P(CopyTest, ArangeCountsFromStartByStep) {
  Array<std::int64_t> whole({4});
  Array<float> real({1000});
  Array<std::int32_t> from_real({3});

  table.run(
      Arange{whole.view(), Scalar::of((std::int64_t{1} << 60) + 1), Scalar::of(std::int64_t{-2})},
      {});
  table.run(Arange{real.view(), Scalar::of(1.0), Scalar::of(0.1)}, {});
  table.run(Arange{from_real.view(), Scalar::of(0.5), Scalar::of(1.0)}, {});

  for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(whole[i], (std::int64_t{1} << 60) + 1 - 2 * i);
  for (std::int64_t i = 0; i < 1000; ++i)
    EXPECT_LE(ulps(real[i], 1.0 + static_cast<double>(i) * 0.1), 0.6);
  EXPECT_EQ(values(from_real), (std::vector{0, 1, 2}));
}

}  // namespace
}  // namespace garboard::kernels
