#include <gtest/gtest.h>

#include "kernels/cuda/launch/parts.h"
#include "kernels/functors/convert.h"
#include "tests/support/device_array.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;
using shim::element;
using shim::for_each_index;
using shim::small_numbers;

/// Floats of 16 bits have no arithmetic, not even ==.
template <class T>
auto number(T x) {
  if constexpr (functors::Half<T>) {
    return static_cast<float>(x);
  } else {
    return x;
  }
}

template <class T>
class Copy : public testing::Test {};
using Elements = testing::Types<bool, std::uint8_t, std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(Copy, Elements);

TYPED_TEST(Copy, ConvertsToEveryDtypeAsTheFunctorDoes) {
  const auto x = small_numbers<TypeParam>(1300, 3);
  const auto to = [&]<class To>(Type<To>) {
    const DeviceArray<To> out(1300);
    kernel(kernels::Copy{out.view({1300}), x.view({1300})}, Stream{});
    for (std::int64_t i = 0; i < 1300; ++i)
      EXPECT_EQ(number(out.at(i)), number(functors::Convert<To>{}(x.at(i))))
          << name_of(dtype_of<To>);
  };
  for (int dtype = 0; dtype < dtype_count; ++dtype) visit_dtype(static_cast<DType>(dtype), to);
}

TYPED_TEST(Copy, TakesAViewOfAnyStridesIntoAnother) {
  const auto x = small_numbers<TypeParam>(2000, 3);
  const DeviceArray<TypeParam> out(2000);
  const View from = x.view({30, 20}, {-1, 40}, 40), to = out.view({30, 20}, {1, 50}, 7);

  kernel(kernels::Copy{to, from}, Stream{});

  for_each_index(to.sizes, [&](const Dims& index) {
    EXPECT_EQ(element<TypeParam>(to, index), element<TypeParam>(from, index));
  });
}

TYPED_TEST(Copy, SpreadsOneElement) {
  const auto one = small_numbers<TypeParam>(1, 3);
  const DeviceArray<TypeParam> out(1300);

  kernel(kernels::Copy{out.view({13, 100}), one.view({13, 100}, {0, 0}, 0)}, Stream{});

  EXPECT_EQ(out.values(), std::vector<TypeParam>(1300, one.at(0)));
}

TYPED_TEST(Copy, TurnsAroundWhatLiesAcross) {
  struct Layout {
    Dims sizes, out, x;
  };
  const Layout layouts[] = {
      {{200, 210}, {210, 1}, {1, 200}},
      {{200, 210}, {1, 203}, {211, 1}},
      {{5, 70, 130}, {9100, 130, 1}, {9100, 1, 70}},
      {{70, 5, 130}, {650, 130, 1}, {1, 70, 350}},
      {{16, 3000}, {3000, 1}, {1, 16}},
  };
  for (const Layout& layout : layouts) {
    const auto x = small_numbers<TypeParam>(50'000, 1);
    const DeviceArray<TypeParam> out(50'000);
    const View from = x.view(layout.sizes, layout.x, 1), to = out.view(layout.sizes, layout.out, 3);
    const TypeParam before = out.at(2);

    kernel(kernels::Copy{to, from}, Stream{});

    EXPECT_EQ(out.at(2), before);
    for_each_index(layout.sizes, [&](const Dims& index) {
      EXPECT_EQ(element<TypeParam>(to, index), element<TypeParam>(from, index));
    });
  }
}

TYPED_TEST(Copy, FillsViewsWithANumber) {
  const DeviceArray<TypeParam> out(200);
  const TypeParam untouched = out.at(1);

  kernel(kernels::Fill{out.view({100}, {2}, 0), Scalar::of(std::int64_t{1})}, Stream{});

  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(out.at(2 * i), TypeParam(1));
    EXPECT_EQ(out.at(2 * i + 1), untouched);
  }
}

TYPED_TEST(Copy, CountsUp) {
  const std::int64_t count = strided_tile + 7;
  const DeviceArray<TypeParam> out(count);

  kernel(
      kernels::Arange{out.view({count}), Scalar::of(std::int64_t{-3}), Scalar::of(std::int64_t{2})},
      Stream{});

  for (std::int64_t i = 0; i < count; ++i)
    EXPECT_EQ(out.at(i), functors::Convert<TypeParam>{}(2 * i - 3));
}

TEST(CopyRange, OfIntegersIsExactWhereADoubleIsNot) {
  constexpr std::int64_t start = (std::int64_t{1} << 53) + 1;
  const DeviceArray<std::int64_t> out(3);

  kernel(kernels::Arange{out.view({3}), Scalar::of(start), Scalar::of(std::int64_t{1})}, Stream{});

  EXPECT_EQ(out.values(), (std::vector<std::int64_t>{start, start + 1, start + 2}));
}

TEST(CopyRange, OfFractionsIsRoundedOnce) {
  const DeviceArray<float> out(1000);

  kernel(kernels::Arange{out.view({1000}), Scalar::of(0.0), Scalar::of(0.1)}, Stream{});

  for (int i = 0; i < 1000; ++i) EXPECT_EQ(out.at(i), static_cast<float>(i * 0.1));
}

TEST(CopyTransfer, MovesDenseMemoryBetweenHostAndDeviceWithoutAKernel) {
  const std::vector<float> given{1, 2, 3, 4, 5, 6};
  std::vector<float> back(6);
  const DeviceArray<float> there(6);
  const auto host = [](std::vector<float>& memory) {
    return make_view(memory.data(), DType::float32, {2, 3}, {3, 1});
  };
  const auto before = shim::launches;

  kernel(kernels::Copy{there.view({2, 3}), host(const_cast<std::vector<float>&>(given))}, Stream{});
  kernel(kernels::Copy{host(back), there.view({2, 3})}, Stream{});

  EXPECT_EQ(back, given);
  EXPECT_EQ(shim::launches, before);
}

TEST(CopyTransfer, OfNothingDoesNothing) {
  const DeviceArray<float> x(0);
  const auto before = shim::launches;

  kernel(kernels::Copy{x.view({0, 3}), x.view({0, 3})}, Stream{});
  kernel(kernels::Fill{x.view({0}), Scalar::of(1.0)}, Stream{});
  kernel(kernels::Arange{x.view({0}), Scalar::of(1.0), Scalar::of(1.0)}, Stream{});

  EXPECT_EQ(shim::launches, before);
}

}  // namespace
}  // namespace garboard::kernels::cuda
