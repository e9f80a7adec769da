#include "tests/support/device_memory.h"  // stands for CUDA, so it comes first

#include "kernels/cuda/loop/elementwise.h"

#include <gtest/gtest.h>

#include "kernels/functors/binary.h"
#include "kernels/functors/ternary.h"
#include "kernels/functors/unary.h"
#include "tests/support/device_array.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;
using shim::element;
using shim::for_each_index;
using shim::host_number;
using shim::small_numbers;

/// Elements that a block computes where all is dense.
constexpr std::int64_t dense_tile(int pack) {
  return std::int64_t{threads} * packs_in_flight * pack;
}

/// Runs F on `a` and `b`, and compares every element with what F itself gives.
template <class F, class T>
void expect_right(const View& out, const View& a, const View& b) {
  using Out = std::invoke_result_t<F, T, T>;
  run<F, T, T>(Stream{}, out, a, b);
  for_each_index(out.sizes, [&](const Dims& index) {
    EXPECT_EQ(element<Out>(out, index), F{}(element<T>(a, index), element<T>(b, index)));
  });
}

template <class T>
class Elementwise : public testing::Test {};
using Elements = testing::Types<bool, std::uint8_t, std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(Elementwise, Elements);

TYPED_TEST(Elementwise, ComputesDenseMemoryOfAnyLength) {
  constexpr int pack = pack_elements<TypeParam>;
  const std::int64_t tile = dense_tile(pack);
  for (const std::int64_t count : {std::int64_t{1}, std::int64_t{pack}, tile - 1, tile, tile + 1,
                                   3 * tile, 3 * tile + pack + 1}) {
    const auto a = small_numbers<TypeParam>(count, 1), b = small_numbers<TypeParam>(count, 2);
    DeviceArray<TypeParam> out(count + 1);
    const TypeParam beyond = out.at(count);

    expect_right<functors::Add, TypeParam>(out.view({count}), a.view({count}), b.view({count}));

    EXPECT_EQ(out.at(count), beyond) << "wrote past the end";
  }
}

TYPED_TEST(Elementwise, ComputesBoolsOfComparisons) {
  const std::int64_t count = 2 * dense_tile(pack_elements<TypeParam>) + 5;
  const auto a = small_numbers<TypeParam>(count, 1), b = small_numbers<TypeParam>(count, 2);
  DeviceArray<bool> out(count);

  expect_right<functors::Less, TypeParam>(out.view({count}), a.view({count}), b.view({count}));
}

TYPED_TEST(Elementwise, ReadsAPythonNumberFromTheHost) {
  const std::int64_t count = dense_tile(pack_elements<TypeParam>) + 3;
  const auto a = small_numbers<TypeParam>(count, 1);
  DeviceArray<TypeParam> out(count);
  const TypeParam number(1);

  expect_right<functors::Multiply, TypeParam>(out.view({count}), a.view({count}),
                                              host_number(number, {count}));
  expect_right<functors::Multiply, TypeParam>(out.view({count}), host_number(number, {count}),
                                              a.view({count}));
}

TYPED_TEST(Elementwise, ReadsATensorOfOneElement) {
  const std::int64_t count = dense_tile(pack_elements<TypeParam>) + 3;
  const auto a = small_numbers<TypeParam>(count, 1), one = small_numbers<TypeParam>(1, 2);
  DeviceArray<TypeParam> out(count);

  expect_right<functors::Maximum, TypeParam>(out.view({count}), a.view({count}),
                                             one.view({count}, {0}, 0));
}

TEST(Elementwise, TakesAPythonNumberByValue) {
  const float number = 2;
  const DeviceArray<float> one(std::vector<float>{3});

  const auto of_host = source_of<float>(host_number(number, {4}));
  const auto of_device = source_of<float>(one.view({4}, {0}, 0));

  EXPECT_EQ(of_host.data, nullptr);
  EXPECT_EQ(of_host.number, 2);
  EXPECT_TRUE(of_host.repeats);
  EXPECT_NE(of_device.data, nullptr);
  EXPECT_TRUE(of_device.repeats);
}

TEST(Elementwise, WalksViewsOfAnyStrides) {
  struct Layout {
    Dims sizes, out, a, b;
  };
  const Layout layouts[] = {
      {{4, 5}, {5, 1}, {1, 4}, {5, 1}},               // transposed
      {{4, 5}, {5, 1}, {0, 1}, {1, 0}},               // a row and a column
      {{40, 50}, {1, 40}, {50, 1}, {100, 2}},         // the output transposed, every other
      {{3, 4, 5}, {20, 5, 1}, {0, 5, 1}, {5, 0, 1}},  // broadcast outside and in the middle
      {{2, 3, 2, 3}, {18, 6, 3, 1}, {1, 2, 6, 12}, {0, 0, 0, 1}},
      {{300, 7}, {7, 1}, {7, 1}, {1, 300}},
      {{1, 4}, {4, 1}, {1, 0}, {9, 1}},  // one element for all, though a stride is not 0
      {{1}, {7}, {3}, {2}},              // one element, odd strides
  };
  for (const Layout& layout : layouts) {
    const auto a = small_numbers<float>(8000, 1), b = small_numbers<float>(8000, 2);
    DeviceArray<float> out(8000);

    expect_right<functors::Subtract, float>(out.view(layout.sizes, layout.out, 3),
                                            a.view(layout.sizes, layout.a, 1),
                                            b.view(layout.sizes, layout.b, 2));
  }
}

TEST(Elementwise, WalksWhatLiesAcrossByTiles) {
  struct Layout {
    Dims sizes, out, a, b;
  };
  const Layout layouts[] = {
      {{200, 210}, {210, 1}, {1, 200}, {210, 1}},                  // transposed
      {{200, 210}, {210, 1}, {1, 200}, {1, 203}},                  // both, one with gaps
      {{200, 210}, {210, 1}, {1, 200}, {0, 1}},                    // beside a row
      {{5, 70, 130}, {9100, 130, 1}, {9100, 1, 70}, {0, 0, 1}},    // many matrices
      {{5, 70, 130}, {9100, 130, 1}, {0, 1, 70}, {9100, 130, 1}},  // the same matrix for all
      {{70, 5, 130}, {650, 130, 1}, {1, 70, 350}, {650, 130, 1}},  // a dim between the two
      {{210, 200}, {1, 210}, {200, 1}, {1, 210}},                  // the output transposed
  };
  for (const Layout& layout : layouts) {
    const auto a = small_numbers<float>(50'000, 1), b = small_numbers<float>(50'000, 2);
    DeviceArray<float> out(50'000);

    expect_right<functors::Subtract, float>(out.view(layout.sizes, layout.out, 3),
                                            a.view(layout.sizes, layout.a, 1),
                                            b.view(layout.sizes, layout.b, 2));
  }
}

TEST(Elementwise, WalksBackwards) {
  const auto a = small_numbers<std::int32_t>(100, 1), b = small_numbers<std::int32_t>(100, 2);
  DeviceArray<std::int32_t> out(100);

  expect_right<functors::Subtract, std::int32_t>(
      out.view({10, 10}), a.view({10, 10}, {-10, -1}, 99), b.view({10, 10}, {10, -1}, 9));
}

TEST(Elementwise, WritesWhatLiesBetweenTheElementsOfAViewNever) {
  DeviceArray<float> out(101);
  const float untouched = out.at(1), number = 2;
  const auto a = small_numbers<float>(50, 1);

  run<functors::Add, float, float>(Stream{}, out.view({50}, {2}, 0), a.view({50}),
                                   host_number(number, {50}));

  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(out.at(2 * i), a.at(i) + 2);
    EXPECT_EQ(out.at(2 * i + 1), untouched);
  }
  EXPECT_EQ(out.at(100), untouched) << "wrote past the end";
}

TEST(Elementwise, TakesARowOfOneElementWhateverTheStrideOfItsOtherDim) {
  const std::int64_t count = dense_tile(pack_elements<float>) + 1;
  const auto a = small_numbers<float>(count, 1), b = small_numbers<float>(count, 2);
  DeviceArray<float> out(count);

  expect_right<functors::Add, float>(out.view({1, count}), a.view({1, count}, {1, 0}, 0),
                                     b.view({1, count}));
}

TEST(Elementwise, WorksInPlace) {
  const std::int64_t count = 2 * dense_tile(pack_elements<float>) + 9;
  auto a = small_numbers<float>(count, 1);
  const auto before = a.values();

  run<functors::Add, float, float>(Stream{}, a.view({count}), a.view({count}), a.view({count}));

  for (std::int64_t i = 0; i < count; ++i) EXPECT_EQ(a.at(i), 2 * before[i]);
}

TEST(Elementwise, TakesAddressesThatSuitNoPack) {
  const std::int64_t count = 3000;
  const auto a = small_numbers<float>(count + 1, 1), b = small_numbers<float>(count + 3, 2);
  DeviceArray<float> out(count + 2);

  expect_right<functors::Add, float>(out.view({count}, {1}, 2), a.view({count}, {1}, 1),
                                     b.view({count}, {1}, 3));
}

TEST(Elementwise, StartsNothingForNoElements) {
  const DeviceArray<float> a(0);
  const auto before = shim::launches;

  run<functors::Negate, float>(Stream{}, a.view({3, 0}), a.view({3, 0}));

  EXPECT_EQ(shim::launches, before);
}

TEST(Elementwise, ChoosesByAConditionOfAnotherType) {
  const std::int64_t count = 2500;
  const auto condition = small_numbers<bool>(count, 1);
  const auto a = small_numbers<double>(count, 2);
  const double number = -1;
  DeviceArray<double> out(count);

  run<functors::Where, bool, double, double>(Stream{}, out.view({count}), condition.view({count}),
                                             a.view({count}), host_number(number, {count}));

  for (std::int64_t i = 0; i < count; ++i) EXPECT_EQ(out.at(i), condition.at(i) ? a.at(i) : number);
}

}  // namespace
}  // namespace garboard::kernels::cuda
