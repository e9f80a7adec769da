#include <gtest/gtest.h>

#include <span>

#include "kernels/cuda/launch/fault_record.h"
#include "kernels/cuda/launch/parts.h"
#include "tests/support/close_arrays.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;
using shim::expect_close;
using shim::normal_numbers;

struct Pool {
  Dims sizes, places;  // of a plane
  PoolWindow window;

  Dims of(const Dims& space) const { return {2, space[0], space[1], space[2]}; }
};

/// Windows of every kind; `places` are those that the op would find, or fewer.
const Pool pools[] = {
    {{1, 7, 9}, {1, 3, 4}, {{1, 2, 2}, {1, 2, 2}, {}, {1, 1, 1}, false}},
    {{1, 7, 9}, {1, 7, 9}, {{1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}, false}},
    {{3, 4, 5}, {2, 2, 3}, {{3, 3, 3}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}, false}},
    {{1, 1, 300}, {1, 1, 61}, {{1, 1, 4}, {1, 1, 5}, {0, 0, 2}, {1, 1, 1}, false}},
    {{1, 1, 9}, {1, 1, 2}, {{1, 1, 3}, {1, 1, 8}, {0, 0, 1}, {1, 1, 1}, false}},  // between: none
    {{1, 2, 3}, {1, 1, 1}, {{1, 4, 6}, {1, 1, 1}, {0, 2, 3}, {1, 1, 1}, false}},
    {{1, 7, 9}, {1, 3, 4}, {{}, {}, {}, {}, true}},
    {{3, 4, 5}, {7, 4, 1}, {{}, {}, {}, {}, true}},
};
/// Of taps that lie apart.
const Pool dilated[] = {
    {{1, 7, 9}, {1, 3, 3}, {{1, 3, 2}, {1, 1, 2}, {0, 0, 1}, {1, 2, 5}, false}},
    {{1, 1, 3}, {1, 1, 3}, {{1, 1, 2}, {1, 1, 1}, {0, 0, 5}, {1, 1, 10}, false}},  // none is inside
};

template <class T>
class PoolOnCuda : public testing::Test {
 protected:
  template <class I>
  void expect_largest(const Pool& pool, const DeviceArray<T>& x) {
    const Dims out = pool.of(pool.places), sizes = pool.of(pool.sizes);
    const DeviceArray<T> found(out.product()), expected(out.product());
    const DeviceArray<I> numbers(out.product()), expected_numbers(out.product());

    kernel(MaxPool{found.view(out), numbers.view(out), x.view(sizes), pool.window}, Stream{});

    cpu_table().run(
        MaxPool{expected.view(out), expected_numbers.view(out), x.view(sizes), pool.window},
        Stream{});
    EXPECT_EQ(numbers.values(), expected_numbers.values());
    expect_close(found, expected, 0);
  }
};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(PoolOnCuda, Numbers);

TYPED_TEST(PoolOnCuda, FindsTheLargestAndItsNumberAsTheCpuDoes) {
  for (const auto& list : {std::span<const Pool>(pools), std::span<const Pool>(dilated)})
    for (const Pool& pool : list) {
      const auto x = normal_numbers<TypeParam>(2 * pool.sizes.product(), 1);
      this->template expect_largest<std::int32_t>(pool, x);
      this->template expect_largest<std::int64_t>(pool, x);
    }
}

TYPED_TEST(PoolOnCuda, KeepsTheLastNaNAndTheFirstOfEqualOnes) {
  auto x = shim::small_numbers<TypeParam>(2 * 63, 1);
  for (const std::int64_t i : {3, 4, 40}) x.set(i, functors::not_a_number<TypeParam>);
  for (std::int64_t i = 63; i < 100; ++i) x.set(i, -functors::infinity<TypeParam>);

  for (const Pool& pool : {pools[0], pools[1], dilated[0]})
    this->template expect_largest<std::int32_t>(pool, x);
}

TYPED_TEST(PoolOnCuda, AveragesAsTheCpuDoes) {
  for (const Pool& pool : pools)
    for (const bool counts_padding : {false, true})
      for (const std::int64_t divisor : {0, 3, -2}) {
        const Dims out = pool.of(pool.places), sizes = pool.of(pool.sizes);
        const auto x = normal_numbers<TypeParam>(sizes.product(), 1);
        const DeviceArray<TypeParam> found(out.product()), expected(out.product());
        const auto call = [&](const DeviceArray<TypeParam>& to) {
          return AveragePool{to.view(out), x.view(sizes), pool.window, counts_padding, divisor};
        };

        kernel(call(found), Stream{});

        cpu_table().run(call(expected), Stream{});
        expect_close(found, expected, 8);
      }
}

TYPED_TEST(PoolOnCuda, SpreadsGradientsOfAveragesAsTheCpuDoes) {
  for (const auto& list : {std::span<const Pool>(pools), std::span<const Pool>(dilated)})
    for (const Pool& pool : list)
      for (const std::int64_t divisor : {0, 3}) {
        const bool is_dilated = list.data() == dilated;
        const Dims out = pool.of(pool.places), sizes = pool.of(pool.sizes);
        const auto given = normal_numbers<TypeParam>(out.product(), 1);
        const DeviceArray<TypeParam> found(sizes.product()), expected(sizes.product());
        const auto call = [&](const DeviceArray<TypeParam>& to) {
          return AveragePoolGradient{
              {given.view(out), to.view(sizes), pool.window, true, is_dilated ? 3 : divisor}};
        };

        kernel(call(found), Stream{});

        cpu_table().run(call(expected), Stream{});
        expect_close(found, expected, 8);
      }
}

TYPED_TEST(PoolOnCuda, AddsWhatMeetsInAnElementInOrder) {
  constexpr std::int64_t size = 50, picked = 700;
  const auto from = normal_numbers<TypeParam>(2 * picked, 1);
  std::mt19937 random(2);
  DeviceArray<std::int32_t> indices(2 * picked);
  for (std::int64_t i = 0; i < indices.count(); ++i)
    indices.set(i, static_cast<std::int32_t>(random() % (size + 1)) - 1);
  for (const bool adds : {true, false}) {
    const DeviceArray<TypeParam> found(2 * size), expected(2 * size);
    const auto call = [&](const DeviceArray<TypeParam>& to) {
      return PlaneScatter{to.view({2, size}), from.view({2, picked}), indices.view({2, picked}),
                          adds};
    };

    kernel(call(found), Stream{});

    cpu_table().run(call(expected), Stream{});
    EXPECT_EQ(found.values(), expected.values()) << "the bits of a plain loop";
  }
}

TYPED_TEST(PoolOnCuda, AsksThePlacesAroundWhereItKnowsTheWindows) {
  for (const auto& list : {std::span<const Pool>(pools), std::span<const Pool>(dilated)})
    for (const Pool& pool : list) {
      const std::int64_t size = pool.sizes.product(), picked = pool.places.product();
      const auto x = normal_numbers<TypeParam>(2 * size, 1);
      const auto from = normal_numbers<TypeParam>(2 * picked, 2);
      const DeviceArray<TypeParam> out(2 * picked), found(2 * size), expected(2 * size);
      const DeviceArray<std::int32_t> indices(2 * picked);
      const Dims places = pool.of(pool.places);
      PooledPlanes planes{.sizes = {}, .places = {}, .window = pool.window};
      std::copy(pool.sizes.begin(), pool.sizes.end(), planes.sizes);
      std::copy(pool.places.begin(), pool.places.end(), planes.places);
      kernel(
          MaxPool{out.view(places), indices.view(places), x.view(pool.of(pool.sizes)), pool.window},
          Stream{});
      const auto call = [&](const DeviceArray<TypeParam>& to, const PooledPlanes* known) {
        return PlaneScatter{to.view({2, size}), from.view({2, picked}), indices.view({2, picked}),
                            true, known};
      };

      kernel(call(found, &planes), Stream{});

      cpu_table().run(call(expected, nullptr), Stream{});
      EXPECT_EQ(found.values(), expected.values()) << "of sizes " << pool.sizes;
    }
}

TYPED_TEST(PoolOnCuda, GathersWhatIndicesName) {
  const auto x = normal_numbers<TypeParam>(2 * 5, 1);
  const DeviceArray<std::int64_t> indices(std::vector<std::int64_t>{4, 0, -1, 3, 3, 2});
  const DeviceArray<TypeParam> out(6);

  kernel(PlaneGather{out.view({2, 3}), x.view({2, 5}), indices.view({2, 3})}, Stream{});

  EXPECT_EQ(out.values(), (std::vector<TypeParam>{x.at(4), x.at(0), 0, x.at(8), x.at(8), x.at(7)}));
}

TYPED_TEST(PoolOnCuda, NotesIndicesOutsideOfAPlaneAndTouchesNothingThere) {
  const DeviceArray<TypeParam> x(std::vector<TypeParam>{1, 2, 3}), to(3);
  const DeviceArray<std::int64_t> indices(std::vector<std::int64_t>{3, 1 << 20, -7});

  kernel(PlaneScatter{to.view({1, 3}), x.view({1, 3}), indices.view({1, 3}), true}, Stream{});
  EXPECT_EQ(to.values(), std::vector<TypeParam>(3, 0));
  EXPECT_THROW(raise_noted(fault_record(Stream{})), IndexOutOfRangeError);
  kernel(PlaneGather{to.view({1, 3}), x.view({1, 3}), indices.view({1, 3})}, Stream{});
  EXPECT_EQ(to.values(), std::vector<TypeParam>(3, 0));
  EXPECT_THROW(raise_noted(fault_record(Stream{})), IndexOutOfRangeError);
}

TYPED_TEST(PoolOnCuda, OfNothingStartsNothing) {
  const DeviceArray<TypeParam> none(0), x(std::vector<TypeParam>{1, 2});
  const DeviceArray<std::int32_t> indices(0);
  const View empty = none.view({0, 1, 1, 3}), no_indices = indices.view({0, 1, 1, 3});
  const std::int64_t before = shim::launches;

  kernel(MaxPool{empty, no_indices, empty, pools[0].window}, Stream{});
  kernel(AveragePool{empty, empty, pools[0].window, true, 0}, Stream{});
  kernel(AveragePoolGradient{{empty, empty, pools[0].window, true, 0}}, Stream{});
  kernel(PlaneScatter{none.view({0, 3}), none.view({0, 3}), indices.view({0, 3}), true}, Stream{});
  kernel(PlaneGather{none.view({2, 0}), x.view({2, 1}), indices.view({2, 0})}, Stream{});

  EXPECT_EQ(shim::launches, before);
  kernel(PlaneScatter{x.view({2, 1}), none.view({2, 0}), indices.view({2, 0}), true}, Stream{});
  EXPECT_EQ(x.values(), std::vector<TypeParam>(2, 0));
}

TYPED_TEST(PoolOnCuda, GivesItsScratchBack) {
  const DeviceArray<TypeParam> x(2 * 63), out(24);
  const auto before = shim::DeviceMemory::live_count();

  kernel(
      AveragePoolGradient{{out.view({2, 1, 3, 4}), x.view({2, 1, 7, 9}), pools[0].window, true, 0}},
      Stream{});

  EXPECT_EQ(shim::DeviceMemory::live_count(), before);
}

}  // namespace
}  // namespace garboard::kernels::cuda
