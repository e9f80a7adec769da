#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/cuda/launch/parts.h"
#include "kernels/functors/reduce.h"
#include "tests/support/device_array.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;
using shim::element;
using shim::for_each_index;
using shim::small_numbers;

/// The strides of a dense result of `sizes`, 0 along the dims of `taken`.
Dims result_strides(const Dims& sizes, unsigned taken) {
  Dims kept = sizes;
  for (int d = 0; d < sizes.size(); ++d)
    if (taken >> d & 1) kept[d] = 1;
  Dims strides = contiguous_strides(kept);
  for (int d = 0; d < sizes.size(); ++d)
    if (taken >> d & 1) strides[d] = 0;
  return strides;
}

/// The elements that become each result, in row-major order.
template <class T>
std::vector<std::vector<T>> slices_of(const View& x, const Dims& strides, std::int64_t results) {
  std::vector<std::vector<T>> slices(results);
  for_each_index(x.sizes, [&](const Dims& index) {
    slices[shim::offset_of(index, strides)].push_back(element<T>(x, index));
  });
  return slices;
}

template <class F>
void reduce(const View& out, const View& x, Stream stream) {
  Table table{};
  fill_reduce(table);
  table.reduce[index_in<F, functors::ReduceFunctors>](out, x, stream);
}

/// Reduces the dims of `taken`, and compares with a plain loop. The numbers are small and whole, so
/// that order does not matter.
template <class F, class T>
void expect_right(const View& x, unsigned taken) {
  using R = typename F::template Result<T>;
  const Dims strides = result_strides(x.sizes, taken);
  std::int64_t results = 1;
  for (int d = 0; d < x.ndim(); ++d) results *= taken >> d & 1 ? 1 : x.sizes[d];
  DeviceArray<R> out(results + 1);
  std::vector<R> expected;
  for (const auto& slice : slices_of<T>(x, strides, results)) {
    R value = F::template identity<R>;
    for (const T given : slice) value = F{}(value, functors::taken_by<F, R>(given));
    expected.push_back(value);
  }
  expected.push_back(out.at(results));  // nothing is written past the end

  reduce<F>(out.view(x.sizes, strides, 0), x, Stream{});

  EXPECT_EQ(out.values(), expected) << "of sizes " << x.sizes << " over dims " << taken;
}

template <class T>
class Reduce : public testing::Test {};
using Elements = testing::Types<bool, std::uint8_t, std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(Reduce, Elements);

TYPED_TEST(Reduce, GivesWhatALoopGivesForEveryFunctor) {
  const Dims sizes{3, 37, 40};
  const auto x = small_numbers<TypeParam>(sizes.product(), 5);
  DeviceArray<TypeParam> factors(sizes.product());  // their product stays exact in every dtype
  for (std::int64_t i = 0; i < factors.count(); ++i)
    factors.set(i, static_cast<TypeParam>(i % 350 == 0 ? 2 : 1));

  for_each_type(functors::ReduceFunctors{}, [&]<class F> {
    if constexpr (requires { typename F::template Result<TypeParam>; }) {
      const auto& given = std::is_same_v<F, functors::ProductOf> ? factors : x;
      for (unsigned taken = 1; taken < 8; ++taken)
        expect_right<F, TypeParam>(given.view(sizes), taken);
    }
  });
}

TEST(ReduceSum, TakesRowsAndColumnsOfAnyLength) {
  for (const std::int64_t length : {1, 2, 3, 31, 32, 33, 255, 256, 257, 1023, 1025, 5000}) {
    for (const std::int64_t others : {1, 3, 40}) {
      const auto x = small_numbers<float>(length * others, 5);

      expect_right<functors::SumOf, float>(x.view({others, length}), 0b10);
      expect_right<functors::SumOf, float>(x.view({length, others}), 0b01);
    }
  }
}

TEST(ReduceSum, SharesALongRowAmongBlocks) {
  const std::int64_t length = 300'000;
  const auto x = small_numbers<double>(length, 5);
  const auto before = shim::launches;

  expect_right<functors::SumOf, double>(x.view({length}), 1);

  EXPECT_EQ(shim::launches - before, 2) << "one for the elements, one for what blocks found";
}

TEST(ReduceSum, SharesLongColumnsAmongBlocks) {
  const auto x = small_numbers<float>(9000 * 7, 5);

  expect_right<functors::SumOf, float>(x.view({9000, 7}), 0b01);
}

TEST(ReduceSum, WalksViewsOfAnyStrides) {
  const auto x = small_numbers<std::int32_t>(9000, 5);

  for (unsigned taken = 1; taken < 8; ++taken) {
    expect_right<functors::SumOf, std::int32_t>(x.view({8, 9, 10}, {90, 1, 9}, 3), taken);
    expect_right<functors::SumOf, std::int32_t>(x.view({8, 9, 10}, {0, 10, 1}, 3), taken);
    expect_right<functors::SumOf, std::int32_t>(x.view({8, 9, 10}, {-90, 10, -1}, 900), taken);
    expect_right<functors::SumOf, std::int32_t>(x.view({8, 9, 10}, {1000, 70, 7}, 0), taken);
  }
}

TEST(ReduceSum, OfNothingIsItsIdentity) {
  const DeviceArray<float> x(0);

  expect_right<functors::SumOf, float>(x.view({3, 0}), 0b10);
  expect_right<functors::MinimumOf, float>(x.view({0, 5}), 0b01);
}

TEST(ReduceSum, StartsNothingForNoResults) {
  const DeviceArray<float> x(0), out(0);
  const auto before = shim::launches;

  reduce<functors::SumOf>(out.view({0, 4}, {1, 0}, 0), x.view({0, 4}), Stream{});

  EXPECT_EQ(shim::launches, before);
}

template <class T>
T sum_of(const std::vector<T>& values) {
  const DeviceArray<T> x(values);
  const DeviceArray<T> out(1);
  reduce<functors::SumOf>(out.view({x.count()}, {0}, 0), x.view({x.count()}), Stream{});
  return out.at(0);
}

TEST(ReduceSum, LosesNoDigitsOfManyFloats) {
  const std::vector<float> tenths(200'000, 0.1f);

  EXPECT_EQ(sum_of(tenths), static_cast<float>(2e5 * double(0.1f)));
}

TEST(ReduceSum, KeepsWhatRoundingTakesFromDoubles) {
  std::vector<double> values(10'000, 1.0);
  values[17] = 1e17;
  values[9001] = -1e17;

  EXPECT_EQ(sum_of(values), 9998.0);
}

TEST(ReduceSum, PassesInfinityAndNan) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> values(1000, 1.0);
  values[500] = infinity;

  EXPECT_EQ(sum_of(values), infinity);
  values[501] = -infinity;
  EXPECT_TRUE(std::isnan(sum_of(values)));
}

TEST(ReduceSum, IsTheSameInEveryRun) {
  std::mt19937 random(11);
  std::vector<float> values(100'000);
  for (float& value : values) value = std::uniform_real_distribution<float>(-1, 1)(random);

  EXPECT_EQ(sum_of(values), sum_of(values));
}

TEST(ReduceSum, HasTheSameBitsWhereverRowsAndColumnsBegin) {
  constexpr std::int64_t width = 88;
  std::mt19937 random(11);
  std::vector<float> values(700 * width);
  for (float& value : values) value = std::uniform_real_distribution<float>(-1, 1)(random);
  const DeviceArray<float> x(values);
  values.insert(values.begin(), 0.0f);
  const DeviceArray<float> moved(values);
  for (const unsigned taken : {0b01u, 0b10u, 0b11u}) {
    const Dims sizes{700, width}, strides = result_strides(sizes, taken);
    const DeviceArray<float> found(700), expected(700);

    reduce<functors::SumOf>(found.view(sizes, strides, 0), moved.view(sizes, {width, 1}, 1),
                            Stream{});

    reduce<functors::SumOf>(expected.view(sizes, strides, 0), x.view(sizes), Stream{});
    EXPECT_EQ(found.values(), expected.values()) << "over dims " << taken;
  }
}

TEST(ReduceSum, GivesItsScratchBack) {
  const auto before = shim::DeviceMemory::live_count();

  sum_of(std::vector<float>(300'000, 1.0f));

  EXPECT_EQ(shim::DeviceMemory::live_count(), before);
}

}  // namespace
}  // namespace garboard::kernels::cuda
