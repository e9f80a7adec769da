#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

using namespace functors;

class StretchTest : public EachInstructionSet {
 protected:
  /// The first `count` elements.
  template <class T>
  static View first(const Array<T>& x, std::int64_t count) {
    return make_view(x.data(), dtype_of<T>, {count}, {1});
  }
};
INSTANTIATE_TEST_SUITE_P(, StretchTest, ::testing::ValuesIn(instruction_sets()), name_of);

constexpr std::int64_t counts[] = {1, 2, 63, 64, 65, 127, 128, 129, 300};
constexpr std::int64_t room = 400;

TEST_P(StretchTest, EveryCountIsComputedAndNoMore) {
  const auto check = [&]<class T>(Type<T>) {
    const auto a = Array<T>::random({room}, -50, 50, 1), b = Array<T>::random({room}, -50, 50, 2);
    for (const std::int64_t count : counts) {
      const auto seven = [](std::int64_t) { return 7; };
      const auto sum = Array<T>::made({room}, seven), positive = Array<T>::made({room}, seven);
      binary_of<Add>()(first(sum, count), first(a, count), first(b, count), {});
      unary_of<Relu>()(first(positive, count), first(a, count), {});
      for (std::int64_t i = 0; i < room; ++i) {
        EXPECT_EQ(sum[i], i < count ? T(a[i] + b[i]) : T(7)) << count;
        EXPECT_EQ(positive[i], i < count ? std::max(a[i], T(0)) : T(7)) << count;
      }
    }
  };
  check(Type<float>{});
  check(Type<double>{});
  check(Type<std::int32_t>{});
}

TEST_P(StretchTest, EveryCountIsConvertedAndNoMore) {
  const auto x = Array<float>::random({room}, -50, 50, 3);
  for (const std::int64_t count : counts) {
    const auto y = Array<double>::made({room}, [](std::int64_t) { return 7; });
    table.run(Copy{first(y, count), first(x, count)}, {});
    for (std::int64_t i = 0; i < room; ++i) EXPECT_EQ(y[i], i < count ? x[i] : 7) << count;
  }
}

TEST_P(StretchTest, OutMayBeAnOperand) {
  for (const std::int64_t count : counts) {
    const auto a = Array<float>::random({room}, -50, 50, 1);
    const auto b = Array<float>::random({room}, -50, 50, 2);
    const auto before = a.dense(), other = b.dense();

    binary_of<Multiply>()(first(a, count), first(a, count), first(b, count), {});
    binary_of<Subtract>()(first(b, count), first(before, count), first(b, count), {});

    for (std::int64_t i = 0; i < count; ++i) {
      EXPECT_EQ(a[i], before[i] * other[i]);
      EXPECT_EQ(b[i], before[i] - other[i]);
    }
  }
}

}  // namespace
}  // namespace garboard::kernels
