#include <gtest/gtest.h>

#include "kernels/cuda/launch/fault_record.h"
#include "kernels/cuda/launch/parts.h"
#include "tests/support/close_arrays.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;
using shim::expect_close;
using shim::normal_numbers;

struct LossResults {
  explicit LossResults(Dims logits) : sizes(logits) {}

  Dims sizes;
  DeviceArray<float> losses{sizes[0]}, counts{sizes[0]};
  DeviceArray<double> log_sums{sizes[0]};
  DeviceArray<float> gradient{sizes.product()};

  CrossEntropy call(const View& x, const DeviceArray<std::int64_t>& targets,
                    double smoothing) const {
    const Dims rows{sizes[0]};
    return {
        x,    targets.view(rows), losses.view(rows), log_sums.view(rows), counts.view(rows), View{},
        -100, smoothing};
  }
};

TEST(CrossEntropyOnCuda, GivesTheLossesAndSlopesOfTheCpu) {
  for (const Dims& sizes : {Dims{5, 1}, Dims{300, 3}, Dims{4, 2000}}) {
    const auto x = normal_numbers<float>(sizes.product(), 9), slopes = normal_numbers<float>(1, 1);
    std::vector<std::int64_t> classes(static_cast<std::size_t>(sizes[0]));
    for (std::size_t i = 0; i < classes.size(); ++i)
      classes[i] = i % 4 == 3 ? -100 : static_cast<std::int64_t>(i) % sizes[1];
    const DeviceArray<std::int64_t> targets(classes);
    for (const View& logits : {x.view(sizes), x.view(sizes, {1, sizes[0]}, 0)}) {
      for (const double smoothing : {0.0, 0.3}) {
        const LossResults found(sizes), expected(sizes);
        const View slope = slopes.view({sizes[0]}, {0}, 0);
        const auto both_ways = [&](const LossResults& to, auto run) {
          const CrossEntropy of = to.call(logits, targets, smoothing);
          run(of);
          const View gradient = to.gradient.view(sizes);
          run(CrossEntropyGradient{gradient, slope, of});
        };

        both_ways(found, [](const auto& of) { EXPECT_EQ(kernel(of, Stream{}), -1); });

        both_ways(expected, [](const auto& of) { cpu_table().run(of, Stream{}); });
        expect_close(found.losses, expected.losses);
        expect_close(found.counts, expected.counts);
        expect_close(found.gradient, expected.gradient);
      }
    }
  }
}

TEST(CrossEntropyOnCuda, GivesTheLossesAndSlopesOfLogarithmsThatTheCpuDoes) {
  const Dims sizes{300, 3};
  const auto x = normal_numbers<float>(900, 9), slopes = normal_numbers<float>(300, 1);
  const auto weights = normal_numbers<float>(3, 2);
  std::vector<std::int64_t> classes(300);
  for (std::size_t i = 0; i < classes.size(); ++i)
    classes[i] = i % 4 == 3 ? -100 : static_cast<std::int64_t>(i) % 3;
  const DeviceArray<std::int64_t> targets(classes);
  for (const View& logs : {x.view(sizes), x.view(sizes, {1, 300}, 0)}) {
    const LossResults found(sizes), expected(sizes);
    const auto both_ways = [&](const LossResults& to, auto run) {
      CrossEntropy of = to.call(logs, targets, 0);
      of.weights = weights.view({3});
      of.are_logs = true;
      run(of);
      const View gradient = to.gradient.view(sizes), slope = slopes.view({300});
      run(CrossEntropyGradient{gradient, slope, of});
    };

    both_ways(found, [](const auto& of) { EXPECT_EQ(kernel(of, Stream{}), -1); });

    both_ways(expected, [](const auto& of) { cpu_table().run(of, Stream{}); });
    expect_close(found.losses, expected.losses);
    expect_close(found.counts, expected.counts);
    expect_close(found.gradient, expected.gradient);
  }
}

TEST(CrossEntropyOnCuda, NotesAClassThatThereIsNot) {
  const Dims sizes{3, 4};
  const auto x = normal_numbers<float>(12, 9);
  const DeviceArray<std::int64_t> targets(std::vector<std::int64_t>{0, 4, INT64_MIN});
  const LossResults found(sizes);

  kernel(found.call(x.view(sizes), targets, 0), Stream{});

  EXPECT_GT(found.losses.at(0), 0);
  EXPECT_EQ(found.losses.at(1), 0);
  EXPECT_THROW(raise_noted(fault_record(Stream{})), IndexOutOfRangeError);
}

}  // namespace
}  // namespace garboard::kernels::cuda
