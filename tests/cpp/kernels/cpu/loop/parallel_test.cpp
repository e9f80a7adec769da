#include <cstring>

#include "csrc/core/thread_pool.h"
#include "tests/cpp/kernels/array.h"

// Every kernel that threads share gives the same bits at any number of them, at sizes at which
// they do share it.
namespace garboard::kernels {
namespace {

using namespace functors;

class ParallelTest : public EachInstructionSet {
 protected:
  ~ParallelTest() override { set_thread_count(before_); }

  /// Runs `compute(out)` with one thread and with more, and expects the same bits.
  template <class T, class Compute>
  void expect_same(const Dims& sizes, Compute compute) const {
    set_thread_count(1);
    const auto want = Array<T>::made(sizes, [](std::int64_t) { return 1; });
    compute(want);
    for (const int threads : {2, 3, 16}) {
      set_thread_count(threads);
      for (int time = 0; time < 2; ++time) {
        const auto out = Array<T>::made(sizes, [](std::int64_t) { return 0; });
        run_chunks({32, [](void*, std::int64_t) {}, nullptr});  // awake, workers share more
        compute(out);
        const auto bytes = static_cast<std::size_t>(out.count()) * sizeof(T);
        ASSERT_EQ(std::memcmp(out.data(), want.data(), bytes), 0) << threads << " threads";
      }
    }
  }

 private:
  int before_ = thread_count();
};
INSTANTIATE_TEST_SUITE_P(, ParallelTest, ::testing::ValuesIn(instruction_sets()), name_of);

TEST_P(ParallelTest, ElementwiseOfDenseOperands) {
  const Dims sizes{(3 << 18) + 77};
  const auto x = Array<float>::random(sizes, -5, 5, 1), y = Array<float>::random(sizes, -5, 5, 2);

  expect_same<float>(sizes, [&](const auto& out) { unary_of<Exp>()(out.view(), x.view(), {}); });
  expect_same<float>(sizes, [&](const auto& out) { unary_of<Sin>()(out.view(), x.view(), {}); });
  expect_same<float>(
      sizes, [&](const auto& out) { binary_of<Add>()(out.view(), x.view(), y.view(), {}); });
}

TEST_P(ParallelTest, ElementwisePastTheCacheWithAnOffset) {
  const Dims sizes{(5 << 20) + 3};
  const auto x = Array<float>::random({sizes[0] + 1}, -5, 5, 1);
  const View shifted = make_view(x.data() + 1, DType::float32, sizes, {1});

  expect_same<float>(sizes,
                     [&](const auto& out) { binary_of<Add>()(out.view(), shifted, shifted, {}); });
  expect_same<float>(sizes, [&](const auto& out) { table.run(Copy{out.view(), shifted}, {}); });
}

TEST_P(ParallelTest, ElementwiseOfTransposedAndRepeatedOperands) {
  const auto x = Array<float>::random({900, 901}, -5, 5, 1);
  const auto turned = Array<float>::random({901, 900}, -5, 5, 2).transposed(0, 1);
  const auto row = Array<float>::random({1, 901}, -5, 5, 3).expanded({900, 901});
  const auto batch = Array<float>::random({3, 500, 800}, -5, 5, 4).transposed(0, 2);

  for (const auto& other : {turned, row, x.flipped(0)})
    expect_same<float>({900, 901}, [&](const auto& out) {
      binary_of<Add>()(out.view(), x.view(), other.view(), {});
    });
  expect_same<float>({800, 500, 3}, [&](const auto& out) {
    table.run(Copy{out.view(), batch.view()}, {});
  });
}

TEST_P(ParallelTest, SumsOfAllOfRowsAndOfColumns) {
  for (const Dims& sizes : {Dims{1100, 1003}, {3, 400'001}, {400'001, 3}, {7, 300, 600}}) {
    const auto x = Array<float>::random(sizes, -1, 1, 1);
    const auto wide = Array<double>::random(sizes, -1, 1, 1);
    for (unsigned reduced = 1; reduced < 1u << sizes.size(); ++reduced) {
      Dims kept = sizes;
      for (int d = 0; d < kept.size(); ++d)
        if (reduced >> d & 1) kept[d] = 1;
      expect_same<float>(kept, [&](const auto& out) {
        reduce_of<SumOf>()(reduced_view(out, sizes, reduced), x.view(), {});
      });
      expect_same<double>(kept, [&](const auto& out) {
        reduce_of<SumOf>()(reduced_view(out, sizes, reduced), wide.view(), {});
      });
    }
  }
}

TEST_P(ParallelTest, FewResultsOfManyElements) {
  const auto x = Array<float>::random({4, 700, 300}, -1, 1, 1);

  for (const auto& moved : {x.transposed(0, 2), x.transposed(1, 2), x.flipped(1)}) {
    const Dims sizes = moved.view().sizes;
    for (const unsigned reduced : {0b111u, 0b110u, 0b101u, 0b011u}) {
      Dims kept = sizes;
      for (int d = 0; d < kept.size(); ++d)
        if (reduced >> d & 1) kept[d] = 1;
      expect_same<float>(kept, [&](const auto& out) {
        reduce_of<SumOf>()(reduced_view(out, sizes, reduced), moved.view(), {});
      });
    }
  }
}

TEST_P(ParallelTest, ThePlaceOfTheFirstExtremumOfALongRow) {
  const auto x = Array<float>::made({2, 5 << 20}, [](std::int64_t i) { return i % 1'000'003; });
  const Array<float> values({2, 1});

  expect_same<std::int64_t>({2, 1}, [&](const auto& out) {
    table.run(MaximumIndex{{values.view(), out.view(), x.view(), 1}}, {});
    EXPECT_EQ(out[0], 1'000'002);
    EXPECT_EQ(out[1], 1'000'002 - (5 << 20) % 1'000'003);
    EXPECT_EQ(values[1], 1'000'002);
  });
}

TEST_P(ParallelTest, ALongSumKeepsItsDigits) {
  const auto x = Array<float>::made({3 << 20}, [](std::int64_t) { return 0.1f; });
  set_thread_count(3);
  const Array<float> sum({1});

  reduce_of<SumOf>()(reduced_view(sum, x.sizes(), 1), x.view(), {});

  EXPECT_LE(ulps(sum[0], (3 << 20) * static_cast<long double>(0.1f)), 2);
}

TEST_P(ParallelTest, SoftmaxAlongEitherDim) {
  const auto x = Array<float>::random({600, 700}, -5, 5, 1);

  for (const int dim : {0, 1})
    expect_same<float>({600, 700}, [&](const auto& out) {
      table.run(Softmax{out.view(), x.view(), dim}, {});
    });
}

TEST_P(ParallelTest, ProductsOfEveryKind) {
  const auto multiply = [&]<class T>(Type<T>, std::int64_t rows, std::int64_t columns,
                                     std::int64_t depth) {
    const auto a = Array<T>::random({rows, depth}, -1, 1, 1);
    const auto b = Array<T>::random({depth, columns}, -1, 1, 2);
    const auto turned = Array<T>::random({columns, depth}, -1, 1, 3).transposed(0, 1);
    for (const auto& right : {b, turned})
      expect_same<T>({rows, columns}, [&](const auto& out) {
        table.run(Matmul{out.view(), a.view(), right.view()}, {});
      });
  };
  multiply(Type<float>{}, 300, 200, 400);
  multiply(Type<float>{}, 100, 500, 300);
  multiply(Type<float>{}, 5, 4000, 500);
  multiply(Type<float>{}, 800, 900, 800);
  multiply(Type<double>{}, 300, 280, 270);
  multiply(Type<double>{}, 130, 600, 300);
  multiply(Type<double>{}, 500, 530, 260);
}

TEST_P(ParallelTest, ABatchOfProducts) {
  const auto a = Array<float>::random({40, 50, 60}, -1, 1, 1);
  const auto b = Array<float>::random({40, 60, 50}, -1, 1, 2);

  expect_same<float>({40, 50, 50}, [&](const auto& out) {
    table.run(Matmul{out.view(), a.view(), b.view()}, {});
  });
}

}  // namespace
}  // namespace garboard::kernels
