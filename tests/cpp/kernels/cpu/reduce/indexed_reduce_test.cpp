#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

class IndexedReduceTest : public EachInstructionSet {};
INSTANTIATE_TEST_SUITE_P(, IndexedReduceTest, ::testing::ValuesIn(instruction_sets()), name_of);

constexpr Type<MaximumIndex> largest_of;
constexpr Type<MinimumIndex> smallest_of;

template <class T>
struct Extrema {
  Array<T> values;
  Array<std::int64_t> indices;

  template <class Kernel>
  Extrema(const Table& table, Type<Kernel>, const Array<T>& x, int dim)
      : values(reduced_sizes(x, dim)), indices(values.sizes()) {
    table.run(Kernel{values.view(), indices.view(), x.view(), dim}, {});
  }
  static Dims reduced_sizes(const Array<T>& x, int dim) {
    Dims sizes = x.sizes();
    if (!sizes.empty()) sizes[dim] = 1;
    return sizes;
  }
};

TEST_P(IndexedReduceTest, FindsTheFirstExtremumAlongEveryDim) {
  const auto check = [&]<class T>(Type<T>) {
    for (const auto& x : {Array<T>::random({13, 700, 3}, 0, 60, 1),
                          Array<T>::random({3, 9, 40}, 0, 60, 2).transposed(0, 2),
                          Array<T>::random({3, 9, 40}, 0, 60, 3).flipped(2).stepped(1, 2)}) {
      for (int dim = 0; dim < 3; ++dim) {
        const Extrema<T> largest(table, largest_of, x, dim), smallest(table, smallest_of, x, dim);

        const auto largest_index = largest.indices.expanded(x.sizes());
        const auto largest_value = largest.values.expanded(x.sizes());
        const auto smallest_value = smallest.values.expanded(x.sizes());
        std::int64_t inner = 1;
        for (int d = dim + 1; d < 3; ++d) inner *= x.sizes()[d];
        for (std::int64_t i = 0; i < x.count(); ++i) {
          const std::int64_t at = i / inner % x.sizes()[dim];
          ASSERT_LE(x[i], largest_value[i]);
          ASSERT_GE(x[i], smallest_value[i]);
          ASSERT_TRUE(at != largest_index[i] || x[i] == largest_value[i]);
          ASSERT_TRUE(at >= largest_index[i] || x[i] < largest_value[i]);
        }
      }
    }
  };
  check(Type<std::uint8_t>{});
  check(Type<std::int32_t>{});
  check(Type<std::int64_t>{});
  check(Type<float>{});
  check(Type<double>{});
}

TEST_P(IndexedReduceTest, TheFirstNanWins) {
  auto x = Array<float>::random({1000}, -1, 1, 1);
  x[998] = NAN;
  x[701] = NAN;
  x[20] = INFINITY;

  for (const auto& found :
       {Extrema<float>(table, largest_of, x, 0), Extrema<float>(table, smallest_of, x, 0)}) {
    EXPECT_EQ(found.indices[0], 701);
    EXPECT_TRUE(std::isnan(found.values[0]));
  }
}

TEST_P(IndexedReduceTest, TheFirstNanOfEachColumnWins) {
  auto x = Array<double>::random({90, 40}, -1, 1, 1);
  x[30 * 40 + 7] = x[60 * 40 + 7] = NAN;
  x[80 * 40 + 8] = INFINITY;

  const Extrema<double> found(table, largest_of, x, 0);

  EXPECT_EQ(found.indices[7], 30);
  EXPECT_TRUE(std::isnan(found.values[7]));
  EXPECT_EQ(found.indices[8], 80);
}

TEST_P(IndexedReduceTest, OfEqualsTheFirstIsFoundInEveryLane) {
  for (std::int64_t first = 0; first < 300; first += 7) {
    for (const std::int64_t second : {first + 1, first + 63, first + 64, std::int64_t{399}}) {
      auto x = Array<float>::made({400}, [](std::int64_t) { return 0; });
      x[first] = x[second] = 1;

      EXPECT_EQ((Extrema<float>(table, largest_of, x, 0).indices[0]), first);
    }
  }
}

TEST_P(IndexedReduceTest, InfinitiesAlikeGiveTheFirst) {
  const auto x = Array<double>::made({300}, [](std::int64_t) { return -INFINITY; });

  EXPECT_EQ((Extrema<double>(table, largest_of, x, 0).indices[0]), 0);
  EXPECT_EQ((Extrema<double>(table, smallest_of, x, 0).indices[0]), 0);
}

TEST_P(IndexedReduceTest, ValuesMayBeLeftOut) {
  const auto x = Array<float>::of({1, 5, 3});
  Array<std::int64_t> index({1});
  View nothing = Array<float>({1}).view();
  nothing.data = nullptr;

  table.run(MaximumIndex{nothing, index.view(), x.view(), 0}, {});

  EXPECT_EQ(index[0], 1);
}

TEST_P(IndexedReduceTest, BoolsAndSingleNumbersHaveAnExtremumToo) {
  const auto bools = Array<bool>::of({false, true, true});
  const auto one = Array<double>::made({}, [](std::int64_t) { return 3; });

  EXPECT_EQ((Extrema<bool>(table, largest_of, bools, 0).indices[0]), 1);
  EXPECT_EQ((Extrema<double>(table, largest_of, one, 0).values[0]), 3);
}

}  // namespace
}  // namespace garboard::kernels
