#include "csrc/ops/op/op.h"

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "csrc/core/outer_lock.h"
#include "csrc/core/thread_pool.h"
#include "csrc/lifetime/registry.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/nn/loss.h"
#include "csrc/ops/nn/normalization.h"
#include "csrc/ops/nn/softmax.h"
#include "csrc/ops/products/matmul.h"
#include "csrc/ops/random/random.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/reduce/scan.h"
#include "csrc/ops/shape/views.h"

namespace garboard {
namespace {

struct Asked : std::runtime_error {
  Asked() : std::runtime_error("asked to end") {}
};

/// Some 10 ms of work and more; `wide` ones take the memory of one element, and hours.
constexpr std::int64_t count = std::int64_t{1} << 25, endless = std::int64_t{1} << 40;

Tensor real(const Dims& sizes, DType dtype = DType::float32) { return zeros(sizes, dtype, {}); }
Tensor wide(const Dims& sizes, DType dtype = DType::float32) {
  return expand(real(Dims::filled(sizes.size(), 1), dtype), sizes);
}
Tensor long_rows() { return real({4, count / 4}); }
Tensor short_rows() { return real({count / 32, 32}); }
Tensor turned() { return transpose(real({6000, 6000}), 0, 1); }

struct LongOp {
  std::string name;
  std::function<Tensor()> input;
  std::function<Tensor(const Tensor&)> run;
};

const std::vector<LongOp>& long_ops() {
  static const Scalar half = Scalar::of(0.5), none = Scalar::of(std::int64_t{0}),
                      one = Scalar::of(std::int64_t{1});
  static const std::vector<LongOp> ops{
      {"Unary", long_rows, [](const Tensor& x) { return exp(x); }},
      {"Binary", long_rows, [](const Tensor& x) { return pow(x, half); }},
      {"BinaryOfTransposed", turned, [](const Tensor& x) { return add(x, transpose(x, 0, 1)); }},
      {"BinaryOfFewLongRows",
       [] {
         return transpose(real({2, 4, count / 8}, DType::float64), 0, 1);
       },
       [](const Tensor& x) { return pow(x, half); }},
      {"CopyOfTransposed", turned, contiguous},
      {"Copy", [] { return real({2 * count}); }, [](const Tensor& x) { return row_major_copy(x); }},
      {"Conversion", long_rows, [](const Tensor& x) { return to(x, DType::float64); }},
      {"Fill", [] { return real({1}); },
       [](const Tensor&) { return full({4 * count}, one, DType::float32, {}); }},
      {"Range", [] { return real({1}); },
       [](const Tensor&) { return arange(none, Scalar::of(count), one, DType::int64, {}); }},
      {"Permutation", [] { return real({1}); },
       [](const Tensor&) { return randperm(count, DType::int64, {}); }},
      {"Uniform", [] { return real({1}); },
       [](const Tensor&) { return rand({count}, DType::float32, {}); }},
      {"Normal", [] { return real({1}); },
       [](const Tensor&) { return randn({count}, DType::float64, {}); }},
      {"Dropout", long_rows, [](const Tensor& x) { return dropout(x, 0.5); }},
      {"Sum", [] { return real({8 * count}, DType::boolean); },
       [](const Tensor& x) { return sum(x); }},
      {"SumOfLongRows",
       [] {
         return real({4, 2 * count});
       },
       [](const Tensor& x) { return sum(x, {Dims{1}}); }},
      {"SumOfWide", [] { return wide({endless}); }, [](const Tensor& x) { return sum(x); }},
      {"SumOfWideRows",
       [] {
         return expand(real({3, 1}), {3, endless});
       },
       [](const Tensor& x) { return sum(x, {Dims{1}}); }},
      {"SumOfWideColumns",
       [] {
         return expand(real({1, 300}), {endless, 300});
       },
       [](const Tensor& x) { return sum(x, {Dims{0}}); }},
      {"SumOfFewWideColumns",
       [] {
         return expand(real({1, 3}), {endless, 3});
       },
       [](const Tensor& x) { return sum(x, {Dims{0}}); }},
      {"VarianceOfWide",
       [] {
         return wide({3, endless});
       },
       [](const Tensor& x) { return var(x, {Dims{1}}); }},
      {"ArgmaxOfWide", [] { return wide({endless}); },
       [](const Tensor& x) { return argmax(x, {}, false); }},
      {"ArgmaxOfColumns",
       [] {
         return real({count / 16, 64});
       },
       [](const Tensor& x) { return argmax(x, 0, false); }},
      {"RunningSum", [] { return real({count}); }, [](const Tensor& x) { return cumsum(x, 0); }},
      {"RunningSums", short_rows, [](const Tensor& x) { return cumsum(x, 0); }},
      {"RunningSumOfApart",
       [] {
         return select(real({count, 2}), 1, 0);
       },
       [](const Tensor& x) { return cumsum(x, 0); }},
      {"Softmax", [] { return real({count}); }, [](const Tensor& x) { return softmax(x, 0); }},
      {"SoftmaxInDouble", [] { return real({count / 2}, DType::float64); },
       [](const Tensor& x) { return softmax(x, 0); }},
      {"LogSoftmaxOfShortRows", short_rows, [](const Tensor& x) { return log_softmax(x, 1); }},
      {"LayerNorm",
       [] {
         return real({8, count / 8});
       },
       [](const Tensor& x) { return layer_norm(x, {count / 8}, {}, {}, 1e-5); }},
      {"CrossEntropy",
       [] {
         return wide({count, 32});
       },
       [](const Tensor& x) { return cross_entropy(x, wide({count}, DType::int64)); }},
      {"CrossEntropyOfManyClasses",
       [] {
         return real({2, count});
       },
       [](const Tensor& x) { return cross_entropy(x, wide({2}, DType::int64)); }},
      {"ProductOfWideVectors",
       [] {
         return wide({1, endless});
       },
       [](const Tensor& x) { return mm(x, transpose(x, 0, 1)); }},
      {"ProductOfWideRows",
       [] {
         return wide({40, endless});
       },
       [](const Tensor& x) { return mm(x, transpose(x, 0, 1)); }},
      {"ProductInDouble",
       [] {
         return real({3000, 3000}, DType::float64);
       },
       [](const Tensor& x) { return mm(x, x); }},
      {"ProductOfWideInDouble",
       [] {
         return wide({40, endless}, DType::float64);
       },
       [](const Tensor& x) { return mm(x, transpose(x, 0, 1)); }},
      {"ProductOfIntegers",
       [] {
         return real({1000, 1000}, DType::int64);
       },
       [](const Tensor& x) { return mm(x, x); }},
      {"Product",
       [] {
         return real({2000, 2000});
       },
       [](const Tensor& x) { return mm(x, x); }},
      {"ProductOfFewLongRows",
       [] {
         return real({4, count / 4});  // two depths of any kernel
       },
       [](const Tensor& x) {
         return mm(x, transpose(real({4, count / 4}), 0, 1));
       }},
      {"ProductsOfBatches",
       [] {
         return real({500, 100, 100});
       },
       [](const Tensor& x) { return bmm(x, x); }},
      {"Linear",
       [] {
         return real({2000, 2000});
       },
       [](const Tensor& x) { return linear(x, x, real({2000})); }},
  };
  return ops;
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<int, std::size_t>>& info) {
  return long_ops()[std::get<1>(info.param)].name + "With" +
         std::to_string(std::get<0>(info.param)) + "Threads";
}

class ALongOp : public ::testing::TestWithParam<std::tuple<int, std::size_t>> {
 protected:
  ALongOp() { set_thread_count(std::get<0>(GetParam())); }
  ~ALongOp() override {
    OuterLock::declare({});
    set_thread_count(before_);
  }

 private:
  int before_ = thread_count();
};
INSTANTIATE_TEST_SUITE_P(, ALongOp,
                         ::testing::Combine(::testing::Values(1, 2),
                                            ::testing::Range(std::size_t{0}, long_ops().size())),
                         name_of);

TEST_P(ALongOp, EndsWhereItIsAskedToAndLeavesNothing) {
  const LongOp& op = long_ops()[std::get<1>(GetParam())];
  const Tensor input = op.input();
  const auto bytes = registry().live().bytes;
  static int somewhere;
  OuterLock::declare({[]() noexcept -> void* { return &somewhere; }, [](void*) {},
                      []() noexcept { return true; }, [] { throw Asked(); }, 0});

  EXPECT_THROW(op.run(input), Asked);

  EXPECT_EQ(registry().live().bytes, bytes);
}

}  // namespace
}  // namespace garboard
