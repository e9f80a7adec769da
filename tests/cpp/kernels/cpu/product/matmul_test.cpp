#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

class MatmulTest : public EachInstructionSet {};
INSTANTIATE_TEST_SUITE_P(, MatmulTest, ::testing::ValuesIn(instruction_sets()), name_of);

/// Element (row, column) of the product, and of the products of absolute values: what an error is
/// measured by.
template <class T>
struct Entry {
  double value = 0, size = 0;

  Entry(const Array<T>& a, const Array<T>& b, std::int64_t row, std::int64_t column) {
    const std::int64_t depth = a.sizes()[1];
    for (std::int64_t k = 0; k < depth; ++k) {
      const double term = double(a[row * depth + k]) * double(b[k * b.sizes()[1] + column]);
      value += term;
      size += std::abs(term);
    }
  }
};

template <class T>
void expect_product(const Array<T>& out, const Array<T>& a, const Array<T>& b, double added) {
  double error = std::is_floating_point_v<T> ? std::numeric_limits<T>::epsilon() : 0;
  error *= 2 + static_cast<double>(a.sizes()[1]) / 4;
  for (std::int64_t i = 0; i < out.count(); ++i) {
    const Entry<T> want(a, b, i / out.sizes()[1], i % out.sizes()[1]);
    ASSERT_NEAR(out[i], want.value + added, error * (want.size + added));
  }
}

/// The ways a matrix can lie.
template <class T>
std::vector<Array<T>> matrices(std::int64_t rows, std::int64_t columns, unsigned seed) {
  const auto random = [&](const Dims& sizes) { return Array<T>::random(sizes, -9, 9, seed++); };
  return {random({rows, columns}),
          random({columns, rows}).transposed(0, 1),
          random({rows, columns * 2}).stepped(1, 2),
          random({rows * 2, columns}).stepped(0, 2),
          random({rows, columns}).flipped(0).flipped(1),
          random({rows, 1}).expanded({rows, columns}),
          random({1, columns}).expanded({rows, columns})};
}

template <class T>
void multiply_all(const Table& table, std::initializer_list<std::int64_t> sizes) {
  for (const auto rows : sizes) {
    for (const auto depth : sizes) {
      for (const auto columns : sizes) {
        for (const auto& a : matrices<T>(rows, depth, 1)) {
          for (const auto& b : matrices<T>(depth, columns, 20)) {
            const Array<T> out({rows, columns});
            table.run(Matmul{out.view(), a.view(), b.view()}, {});
            expect_product(out, a, b, 0);
            if (testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST_P(MatmulTest, FloatsOfEverySmallShapeAndStride) {
  multiply_all<float>(table, {1, 2, 3, 5, 8, 17});
}

TEST_P(MatmulTest, DoublesOfEverySmallShapeAndStride) { multiply_all<double>(table, {1, 2, 7}); }

TEST_P(MatmulTest, IntegersOfEverySmallShapeAndStride) {
  multiply_all<std::int32_t>(table, {1, 2, 7});
  multiply_all<std::int64_t>(table, {1, 3, 6});
}

TEST_P(MatmulTest, LargerProductsOverSeveralBlocks) {
  const auto check = [&]<class T>(Type<T>) {
    for (const auto& a : matrices<T>(33, 300, 1)) {
      for (const auto& b : matrices<T>(300, 70, 20)) {
        const Array<T> out({33, 70});
        table.run(Matmul{out.view(), a.view(), b.view()}, {});
        ASSERT_NO_FATAL_FAILURE(expect_product(out, a, b, 0));
      }
    }
  };
  check(Type<float>{});
  check(Type<std::int32_t>{});
}

TEST_P(MatmulTest, AccumulatingAddsToWhatIsThere) {
  const auto check = [&]<class T>(Type<T>) {
    for (const auto& [rows, columns] : {std::pair{1, 40}, {40, 1}, {12, 13}, {1, 1}}) {
      for (const auto& a : matrices<T>(rows, 20, 1)) {
        for (const auto& b : matrices<T>(20, columns, 20)) {
          const auto out = Array<T>::made({rows, columns}, [](std::int64_t) { return 100; });
          table.run(Matmul{out.view(), a.view(), b.view(), true}, {});
          ASSERT_NO_FATAL_FAILURE(expect_product(out, a, b, 100));
        }
      }
    }
  };
  check(Type<float>{});
  check(Type<double>{});
  check(Type<std::int64_t>{});
}

TEST_P(MatmulTest, LinearAddsTheBiasToEveryRow) {
  const auto check = [&]<class T>(Type<T>) {
    const auto bias = Array<T>::made({5}, [](std::int64_t) { return 3; });
    for (const auto& a : matrices<T>(6, 7, 1)) {
      for (const auto& b : matrices<T>(7, 5, 20)) {
        const auto out = Array<T>::made({6, 5}, [](std::int64_t i) { return i; });
        table.run(Linear{out.view(), a.view(), b.view(), bias.view()}, {});
        ASSERT_NO_FATAL_FAILURE(expect_product(out, a, b, 3));
      }
    }
  };
  check(Type<float>{});
  check(Type<double>{});
  check(Type<std::int32_t>{});
}

TEST_P(MatmulTest, LinearWithoutDepthIsTheBias) {
  const auto bias = Array<float>::of({1, 2, 3});
  const Array<float> a({2, 0}), b({0, 3}), out({2, 3});

  table.run(Linear{out.view(), a.view(), b.view(), bias.view()}, {});

  EXPECT_EQ(values(out), (std::vector<float>{1, 2, 3, 1, 2, 3}));
}

TEST_P(MatmulTest, WhatWasInOutDoesNotMatterEvenIfNan) {
  const auto a = Array<float>::random({6, 7}, -1, 1, 1), b = Array<float>::random({7, 5}, -1, 1, 2);
  const auto out = Array<float>::made({6, 5}, [](std::int64_t) { return NAN; });

  table.run(Matmul{out.view(), a.view(), b.view()}, {});

  expect_product(out, a, b, 0);
}

TEST_P(MatmulTest, WithoutDepthTheProductIsZero) {
  const Array<double> a({2, 0}), b({0, 3});
  const auto out = Array<double>::made({2, 3}, [](std::int64_t) { return 7; });

  table.run(Matmul{out.view(), a.view(), b.view(), true}, {});
  EXPECT_EQ(values(out), std::vector<double>(6, 7));
  table.run(Matmul{out.view(), a.view(), b.view()}, {});
  EXPECT_EQ(values(out), std::vector<double>(6, 0));
  table.run(Matmul{Array<double>({0, 3}).view(), Array<double>({0, 2}).view(),
                   Array<double>({2, 3}).view(), false},
            {});
}

TEST_P(MatmulTest, RowsOfOutMayLieApart) {
  const auto memory = Array<float>::made({10, 9}, [](std::int64_t) { return -1; });
  const auto a = Array<float>::random({5, 4}, 0, 1, 1);
  for (const std::int64_t columns : {9, 1}) {
    const auto b = Array<float>::random({4, columns}, 0, 1, 2);
    const auto out = memory.stepped(0, 2).stepped(1, columns == 1 ? 9 : 1);

    table.run(Matmul{out.view(), a.view(), b.view()}, {});

    expect_product(out, a, b, 0);
    for (std::int64_t i = 0; i < 90; ++i) EXPECT_TRUE(i / 9 % 2 == 0 || memory[i] == -1);
  }
}

TEST_P(MatmulTest, BatchesMultiplyEachOnItsOwnWhereverTheyLie) {
  struct Shape {
    std::int64_t m, k, n;
  };
  const auto check = [&]<class T>(Type<T>, const Shape& shape) {
    const auto [m, k, n] = shape;
    const auto random = [](const Dims& sizes, unsigned seed) {
      return Array<T>::random(sizes, -3, 3, seed);
    };
    for (const auto& a :
         {random({4, m, k}, 1), random({4, k, m}, 2).transposed(1, 2),
          random({m, 4, k}, 3).transposed(0, 1), random({1, m, k}, 4).expanded({4, m, k})}) {
      for (const auto& b :
           {random({4, k, n}, 5), random({4, n, k}, 6).transposed(1, 2),
            random({1, k, n}, 7).expanded({4, k, n}), random({4, k, n}, 8).flipped(0)}) {
        const Array<T> out({4, m, n});

        table.run(Matmul{out.view(), a.view(), b.view()}, {});

        for (std::int64_t i = 0; i < out.count(); ++i) {
          double want = 0;
          for (std::int64_t d = 0; d < k; ++d)
            want += double(a[i / n * k + d]) * double(b[(i / (m * n) * k + d) * n + i % n]);
          ASSERT_NEAR(out[i], want, 1e-4);
        }
      }
    }
  };
  for (const Shape& shape : {Shape{6, 5, 7}, Shape{2, 5, 3}, Shape{1, 32, 1}, Shape{1, 33, 1}}) {
    check(Type<float>{}, shape);
    check(Type<double>{}, shape);
    check(Type<std::int32_t>{}, shape);
  }
}

TEST_P(MatmulTest, IntegersWrap) {
  const auto a = Array<std::uint8_t>::of({200, 100}), b = Array<std::uint8_t>::of({2, 3});
  const Array<std::uint8_t> out({1, 1});
  const auto as_row = make_view(a.data(), DType::uint8, {1, 2}, {2, 1});
  const auto as_column = make_view(b.data(), DType::uint8, {2, 1}, {1, 1});

  table.run(Matmul{out.view(), as_row, as_column}, {});

  EXPECT_EQ(out[0], (200 * 2 + 100 * 3) % 256);
}

}  // namespace
}  // namespace garboard::kernels
