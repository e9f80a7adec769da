#include <gtest/gtest.h>

#include "kernels/cuda/launch/parts.h"
#include "tests/support/device_array.h"
#include "tests/support/gemm_by_definition.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;
using shim::element;
using shim::for_each_index;
using shim::small_numbers;

/// The least a leading dimension may be, as cuBLAS checks it.
void expect_accepted(const Gemm& g) {
  EXPECT_GE(g.x.leading, g.x.is_transposed ? g.depth : g.rows);
  EXPECT_GE(g.y.leading, g.y.is_transposed ? g.columns : g.depth);
  EXPECT_GE(g.leading, g.rows);
}

}  // namespace

// Stands for cuBLAS.
void multiply(const Gemm& gemm, Stream) {
  expect_accepted(gemm);
  shim::multiply_by_definition(gemm);
}

namespace {

template <class T>
class Matmul : public testing::Test {};
using Numbers = testing::Types<std::uint8_t, std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(Matmul, Numbers);

/// Compares `out` with the product computed by its definition, on top of `before`.
template <class T>
void expect_product(const View& out, const View& a, const View& b, T before) {
  for_each_index(out.sizes, [&](const Dims& index) {
    T sum = before;
    Dims left = index, right = index;
    for (std::int64_t k = 0; k < a.sizes.back(); ++k) {
      left[left.size() - 1] = right[right.size() - 2] = k;
      sum = static_cast<T>(sum + element<T>(a, left) * element<T>(b, right));
    }
    EXPECT_EQ(element<T>(out, index), sum)
        << a.sizes << a.strides << " by " << b.sizes << b.strides;
  });
}

TYPED_TEST(Matmul, TakesOperandsOfAnyLayout) {
  struct Shape {
    Dims sizes, strides;
  };
  const Shape lefts[] = {{{5, 7}, {7, 1}}, {{5, 7}, {1, 5}}, {{5, 7}, {20, 2}}, {{5, 7}, {9, 1}},
                         {{5, 7}, {0, 1}}, {{1, 7}, {7, 1}}, {{1, 7}, {1, 5}},  {{1, 1}, {0, 0}}};
  for (const Shape& left : lefts) {
    const std::int64_t depth = left.sizes[1];
    const Shape rights[] = {{{depth, 4}, {4, 1}}, {{depth, 4}, {1, depth}}, {{depth, 4}, {40, 3}},
                            {{depth, 4}, {1, 0}}, {{depth, 1}, {1, 1}},     {{depth, 1}, {6, 3}}};
    for (const Shape& right : rights) {
      const auto x = small_numbers<TypeParam>(500, 1), y = small_numbers<TypeParam>(500, 2);
      const Dims sizes{left.sizes[0], right.sizes[1]};
      const DeviceArray<TypeParam> memory(100);
      const View out = memory.view(sizes), a = x.view(left.sizes, left.strides, 0),
                 b = y.view(right.sizes, right.strides, 0);

      kernel(kernels::Matmul{out, a, b, false}, Stream{});

      expect_product<TypeParam>(out, a, b, 0);
    }
  }
}

TYPED_TEST(Matmul, TakesABatchAndOneMatrixForAll) {
  const auto x = small_numbers<TypeParam>(500, 1), y = small_numbers<TypeParam>(500, 2);
  const View many = x.view({6, 3, 5}), transposed = x.view({6, 3, 5}, {15, 1, 3}, 0),
             others = y.view({6, 5, 4}), same = y.view({6, 5, 4}, {0, 4, 1}, 0);
  for (const View& a : {many, transposed}) {
    for (const View& b : {others, same}) {
      const DeviceArray<TypeParam> memory(100);

      kernel(kernels::Matmul{memory.view({6, 3, 4}), a, b, false}, Stream{});

      expect_product<TypeParam>(memory.view({6, 3, 4}), a, b, 0);
    }
  }
}

TYPED_TEST(Matmul, AddsToWhatIsThere) {
  const auto x = small_numbers<TypeParam>(100, 1), y = small_numbers<TypeParam>(100, 2);
  const DeviceArray<TypeParam> memory(40);
  const View out = memory.view({3, 4}, {6, 1}, 0), a = x.view({3, 5}), b = y.view({5, 4});
  kernel(kernels::Fill{memory.view({40}), Scalar::of(std::int64_t{2})}, Stream{});

  kernel(kernels::Matmul{out, a, b, true}, Stream{});

  expect_product<TypeParam>(out, a, b, 2);
  EXPECT_EQ(memory.at(4), TypeParam(2)) << "wrote between the rows";
}

TYPED_TEST(Matmul, LinearAddsTheBiasToEveryRow) {
  const auto x = small_numbers<TypeParam>(100, 1), y = small_numbers<TypeParam>(100, 2);
  const DeviceArray<TypeParam> memory(12), bias(std::vector<TypeParam>{2, 2, 2, 2});
  const View out = memory.view({3, 4}), a = x.view({3, 5}), b = y.view({5, 4});

  kernel(kernels::Linear{out, a, b, bias.view({4})}, Stream{});

  expect_product<TypeParam>(out, a, b, 2);
}

TYPED_TEST(Matmul, OfNoDepthIsZeroOrWhatIsThere) {
  const DeviceArray<TypeParam> x(0), memory(12);
  const auto multiply_nothing = [&](bool accumulate) {
    kernel(kernels::Matmul{memory.view({3, 4}), x.view({3, 0}), x.view({0, 4}), accumulate},
           Stream{});
  };
  kernel(kernels::Fill{memory.view({12}), Scalar::of(std::int64_t{2})}, Stream{});

  multiply_nothing(true);
  EXPECT_EQ(memory.values(), std::vector<TypeParam>(12, 2));
  multiply_nothing(false);
  EXPECT_EQ(memory.values(), std::vector<TypeParam>(12, 0));
}

TEST(MatmulOfIntegers, Wraps) {
  const DeviceArray<std::int32_t> x(std::vector<std::int32_t>{1 << 30, 1 << 30}),
      y(std::vector<std::int32_t>{2, 3}), out(1);

  kernel(kernels::Matmul{out.view({1, 1}), x.view({1, 2}), y.view({2, 1}), false}, Stream{});

  EXPECT_EQ(out.at(0), (1 << 30));  // 5 * 2^30, less 2^32
}

template <class T>
class MatmulOfHalves : public testing::Test {};
using Halves = testing::Types<Float16, BFloat16>;
TYPED_TEST_SUITE(MatmulOfHalves, Halves);

TYPED_TEST(MatmulOfHalves, SumsInFloatAndRoundsOnce) {
  const auto x = small_numbers<TypeParam>(15, 1), y = small_numbers<TypeParam>(40, 2),
             bias = small_numbers<TypeParam>(4, 3);
  const DeviceArray<TypeParam> memory(12);
  const View out = memory.view({3, 4}), a = x.view({3, 5}), b = y.view({5, 4}, {8, 2}, 0);

  kernel(kernels::Linear{out, a, b, bias.view({4})}, Stream{});

  for_each_index(out.sizes, [&](const Dims& index) {
    float sum = functors::widened(bias.at(index[1]));
    for (std::int64_t k = 0; k < 5; ++k)
      sum +=
          functors::widened(x.at(index[0] * 5 + k)) * functors::widened(y.at(k * 8 + index[1] * 2));
    EXPECT_EQ(element<TypeParam>(out, index).bits, static_cast<TypeParam>(sum).bits);
  });
}

TEST(MatmulOfFloats, GivesItsCopiesBack) {
  const auto x = small_numbers<float>(500, 1);
  const DeviceArray<float> out(16);
  const auto before = shim::DeviceMemory::live_count();

  kernel(kernels::Matmul{out.view({4, 4}), x.view({4, 4}, {20, 2}, 0), x.view({4, 4}, {20, 3}, 0),
                         false},
         Stream{});

  EXPECT_EQ(shim::DeviceMemory::live_count(), before);
}

}  // namespace
}  // namespace garboard::kernels::cuda
