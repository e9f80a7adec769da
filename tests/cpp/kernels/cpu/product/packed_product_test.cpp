#include <utility>

#include "tests/cpp/kernels/array.h"

// The product of our own is met through the table, by sizes for which it is chosen where the
// instruction set has it; elsewhere the same products go to BLAS.
namespace garboard::kernels {
namespace {

class PackedProductTest : public EachInstructionSet {};
INSTANTIATE_TEST_SUITE_P(, PackedProductTest, ::testing::ValuesIn(instruction_sets()), name_of);

/// Two matrices and their product in more digits, with the sum of sizes that bounds its error.
template <class T>
struct Product {
  using More = std::conditional_t<std::is_same_v<T, float>, double, long double>;

  std::int64_t rows, columns, depth;
  Array<T> a, b;
  std::vector<More> values, sizes;

  Product(std::int64_t rows, std::int64_t columns, std::int64_t depth)
      : rows(rows),
        columns(columns),
        depth(depth),
        a(Array<T>::random({rows, depth}, -1, 1, 1)),
        b(Array<T>::random({depth, columns}, -1, 1, 2)),
        values(static_cast<std::size_t>(rows * columns)),
        sizes(values.size()) {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t k = 0; k < depth; ++k) {
        const More x = a.data()[i * depth + k];
        for (std::int64_t j = 0; j < columns; ++j) {
          const More term = x * More(b.data()[k * columns + j]);
          values[static_cast<std::size_t>(i * columns + j)] += term;
          sizes[static_cast<std::size_t>(i * columns + j)] += std::abs(term);
        }
      }
    }
  }

  /// Expects the product plus `added(column)`.
  template <class Added>
  void expect(const Array<T>& out, Added added) const {
    constexpr double unit = std::is_same_v<T, float> ? 6e-8 : 1.2e-16;
    for (std::int64_t i = 0; i < out.count(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const More plus = added(i % columns);
      const More error = unit * (2 + double(depth) / 4) * (sizes[at] + std::abs(plus));
      ASSERT_LE(std::abs(out[i] - (values[at] + plus)), error)
          << rows << " x " << columns << " x " << depth << " at " << i;
    }
  }
};

/// The same elements, with the rows side by side in memory.
template <class T>
Array<T> stored_by_columns(const Array<T>& x) {
  return x.transposed(0, 1).dense().transposed(0, 1);
}

/// As a product, with `bias`, and on top of what is there, from every layout of the operands.
template <class T>
void expect_all_ways(const Table& table, const Product<T>& p) {
  const auto bias = Array<T>::random({p.columns}, -9, 9, 3);
  for (const auto& a : {p.a, stored_by_columns(p.a)}) {
    for (const auto& b : {p.b, stored_by_columns(p.b)}) {
      const Array<T> out({p.rows, p.columns}), with_bias({p.rows, p.columns});
      const auto sum = Array<T>::made({p.rows, p.columns}, [](std::int64_t) { return 5; });

      table.run(Matmul{out.view(), a.view(), b.view()}, {});
      table.run(Linear{with_bias.view(), a.view(), b.view(), bias.view()}, {});
      table.run(Matmul{sum.view(), a.view(), b.view(), true}, {});

      p.expect(out, [](std::int64_t) { return 0; });
      p.expect(with_bias, [&](std::int64_t column) { return bias[column]; });
      p.expect(sum, [](std::int64_t) { return 5; });
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// The same of both types.
void expect_all_ways(const Table& table, std::int64_t rows, std::int64_t columns,
                     std::int64_t depth) {
  ASSERT_NO_FATAL_FAILURE(expect_all_ways(table, Product<float>(rows, columns, depth)));
  ASSERT_NO_FATAL_FAILURE(expect_all_ways(table, Product<double>(rows, columns, depth)));
}

TEST_P(PackedProductTest, EveryEdgeOfATile) {
  for (const std::int64_t rows : {7, 13, 14, 15, 29})
    for (const std::int64_t columns : {15, 16, 17, 31, 32, 33, 49})
      ASSERT_NO_FATAL_FAILURE(
          expect_all_ways(table, rows, columns, (1 << 20) / (rows * columns) + 1));
}

TEST_P(PackedProductTest, EveryHeightOfATile) {
  for (std::int64_t rows = 2; rows <= 30; ++rows)
    ASSERT_NO_FATAL_FAILURE(expect_all_ways(table, rows, 512, 1030 / rows * 2 + 2));
}

TEST_P(PackedProductTest, EveryEdgeOfADepthBlock) {
  for (const std::int64_t depth : {383, 384, 385, 767, 769, 1153})
    ASSERT_NO_FATAL_FAILURE(expect_all_ways(table, 53, 53, depth));
}

TEST_P(PackedProductTest, EveryEdgeOfAPackedDepthBlock) {
  for (const std::int64_t depth : {191, 192, 193, 385})
    ASSERT_NO_FATAL_FAILURE(expect_all_ways(table, 490, 485, depth));
}

TEST_P(PackedProductTest, EveryEdgeOfABlockOfColumns) {
  for (const std::int64_t columns : {511, 512, 513, 527, 1057})
    ASSERT_NO_FATAL_FAILURE(expect_all_ways(table, 29, columns, 384));
}

TEST_P(PackedProductTest, ALongSideAndAShortDepth) {
  ASSERT_NO_FATAL_FAILURE(expect_all_ways(table, 30, 700, 60));
  ASSERT_NO_FATAL_FAILURE(expect_all_ways(table, 600, 650, 5));
  ASSERT_NO_FATAL_FAILURE(expect_all_ways(table, 673, 70, 50));
}

TEST_P(PackedProductTest, OperandsBeyondTheSecondCache) {
  ASSERT_NO_FATAL_FAILURE(expect_all_ways(table, 20, 1100, 500));
  ASSERT_NO_FATAL_FAILURE(expect_all_ways(table, 70, 1100, 500));
  ASSERT_NO_FATAL_FAILURE(expect_all_ways(table, 1100, 20, 500));
}

TEST_P(PackedProductTest, DotProductsWithFewOnEitherSide) {
  for (std::int64_t few = 1; few <= 13; ++few)
    for (const std::int64_t many : {2, 7, 8, 9, 13, 19})
      for (const std::int64_t depth : {64, 79, 128, 133}) {
        ASSERT_NO_FATAL_FAILURE(expect_all_ways(table, few, many, depth));
        ASSERT_NO_FATAL_FAILURE(expect_all_ways(table, many, few, depth));
      }
}

TEST_P(PackedProductTest, StridesThatMeetTheSameCacheLines) {
  const Product<float> p(140, 130, 70);
  for (const std::int64_t stride : {512, 1024, 2048}) {
    const Array<float> a({140, stride}), b({130, stride}), out({140, 130});
    for (std::int64_t i = 0; i < 140 * 70; ++i) a[i / 70 * stride + i % 70] = p.a[i];
    for (std::int64_t i = 0; i < 130 * 70; ++i) b[i % 130 * stride + i / 130] = p.b[i];
    const View left = make_view(a.data(), DType::float32, {140, 70}, {stride, 1});
    const View right = make_view(b.data(), DType::float32, {70, 130}, {1, stride});

    table.run(Matmul{out.view(), left, right}, {});

    ASSERT_NO_FATAL_FAILURE(p.expect(out, [](std::int64_t) { return 0; }));
  }
}

TEST_P(PackedProductTest, WhatLiesBetweenTheRowsOfOutStays) {
  const Product<float> p(60, 70, 300);
  for (const auto& b : {p.b, stored_by_columns(p.b)}) {
    const auto memory = Array<float>::made({60, 99}, [](std::int64_t) { return -1; });

    table.run(Matmul{make_view(memory.data(), DType::float32, {60, 70}, {99, 1}), p.a.view(),
                     b.view(), false},
              {});

    for (std::int64_t i = 0; i < memory.count(); ++i) ASSERT_TRUE(i % 99 < 70 || memory[i] == -1);
  }
}

TEST_P(PackedProductTest, StepsMirrorsAndRepeatedRows) {
  const auto a = Array<float>::random({60, 300}, -1, 1, 1),
             b = Array<float>::random({60, 300}, -1, 1, 2);
  for (const auto& [left, right] :
       {std::pair{a.stepped(1, 2), b.stepped(1, 2).transposed(0, 1)},
        {a.flipped(0), b.flipped(0).transposed(0, 1)},
        {a.flipped(1), b.flipped(1).transposed(0, 1)},
        {Array<float>::random({1, 300}, -1, 1, 3).expanded({60, 300}),
         Array<float>::random({300, 1}, -1, 1, 4).expanded({300, 60})}}) {
    const Array<float> out({60, 60});

    table.run(Matmul{out.view(), left.view(), right.view()}, {});

    const auto dense_left = left.dense(), dense_right = right.dense();
    const Array<float> want({60, 60});
    table.run(Matmul{want.view(), dense_left.view(), dense_right.view()}, {});
    for (std::int64_t i = 0; i < out.count(); ++i) ASSERT_NEAR(out[i], want[i], 1e-4);
  }
}

TEST_P(PackedProductTest, ANanSpoilsItsRowAlone) {
  const Product<float> p(40, 45, 600);
  p.a[7 * 600 + 599] = NAN;
  for (const auto& b : {p.b, stored_by_columns(p.b)}) {
    const Array<float> out({40, 45});

    table.run(Matmul{out.view(), p.a.view(), b.view()}, {});

    for (std::int64_t i = 0; i < out.count(); ++i) ASSERT_EQ(std::isnan(out[i]), i / 45 == 7);
  }
}

}  // namespace
}  // namespace garboard::kernels
