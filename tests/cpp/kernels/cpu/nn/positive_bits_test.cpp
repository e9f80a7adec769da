#include "csrc/core/half_types.h"
#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

class PositiveBitsTest : public EachInstructionSet {};
INSTANTIATE_TEST_SUITE_P(, PositiveBitsTest, ::testing::ValuesIn(instruction_sets()), name_of);

constexpr std::int64_t counts[] = {1, 7, 8, 9, 511, 512, 513, 40003};
constexpr std::uint8_t untouched = 0xA5;

/// Every fourth is 0, -0, NaN, or infinite; the rest are of both signs.
template <class T>
T element(std::int64_t i) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float special[] = {0.0f, -0.0f, NAN, -NAN, infinity, -infinity, 1e-40f, -1e-40f};
  return static_cast<T>(i % 4 == 0 ? special[i / 4 % 8] : static_cast<float>(i % 7) - 3);
}

template <class T>
bool is_positive(T x) {
  return !(static_cast<double>(x) <= 0);
}

template <class Check>
void with_each_type(Check check) {
  check(Type<float>{});
  check(Type<double>{});
  check(Type<Float16>{});
  check(Type<BFloat16>{});
}

TEST_P(PositiveBitsTest, HaveABitForEachElementAboveZeroAndNaN) {
  with_each_type([&]<class T>(Type<T>) {
    for (const std::int64_t count : counts) {
      const auto x = Array<T>::made({count}, element<T>);
      const std::int64_t bytes = (count + 7) / 8;
      const auto bits = Array<std::uint8_t>::made({bytes + 1}, [](auto) { return untouched; });

      table.run(PositiveBits{make_view(bits.view().data, DType::uint8, {bytes}, {1}), x.view()},
                {});

      for (std::int64_t i = 0; i < 8 * bytes; ++i)
        ASSERT_EQ(bits[i / 8] >> i % 8 & 1, i < count && is_positive(x[i])) << count << ": " << i;
      EXPECT_EQ(bits[bytes], untouched);
    }
  });
}

TEST_P(PositiveBitsTest, TakeTheElementsThatTheyAreOfAlsoInPlace) {
  with_each_type([&]<class T>(Type<T>) {
    for (const std::int64_t count : counts) {
      const auto of = Array<T>::made({count}, element<T>);
      const auto x = Array<T>::made({count}, [](std::int64_t i) { return T(float(i % 9) - 4); });
      const Array<T> out({count});
      const Array<std::uint8_t> bits({(count + 7) / 8});
      table.run(PositiveBits{bits.view(), of.view()}, {});

      table.run(WherePositive{out.view(), x.view(), bits.view()}, {});
      table.run(WherePositive{x.view(), x.view(), bits.view()}, {});

      for (std::int64_t i = 0; i < count; ++i) {
        const double wanted = is_positive(of[i]) ? double(i % 9) - 4 : 0;
        ASSERT_EQ(static_cast<double>(out[i]), wanted) << count << ": " << i;
        ASSERT_EQ(static_cast<double>(x[i]), wanted) << count << ": " << i;
      }
    }
  });
}

}  // namespace
}  // namespace garboard::kernels
