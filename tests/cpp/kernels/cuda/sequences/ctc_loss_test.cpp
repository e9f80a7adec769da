#include <gtest/gtest.h>

#include <numeric>

#include "kernels/cuda/launch/fault_record.h"
#include "kernels/cuda/launch/parts.h"
#include "tests/support/close_arrays.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;
using shim::expect_close;
using shim::normal_numbers;

using Numbers64 = std::vector<std::int64_t>;

/// Labels of samples one behind the other.
struct Form {
  std::int64_t steps, classes;
  Numbers64 step_counts, label_counts, labels;
  std::int64_t blank = 0;

  std::int64_t samples() const { return static_cast<std::int64_t>(step_counts.size()); }
  std::int64_t longest() const {
    return *std::max_element(label_counts.begin(), label_counts.end());
  }
  Numbers64 starts() const {
    Numbers64 starts(label_counts.size());
    std::exclusive_scan(label_counts.begin(), label_counts.end(), starts.begin(), std::int64_t{0});
    return starts;
  }
};

Numbers64 labels_of(std::int64_t count, std::int64_t classes) {
  std::mt19937 random(3);
  Numbers64 labels(static_cast<std::size_t>(count));
  for (auto& label : labels) label = 1 + static_cast<std::int64_t>(random() % (classes - 1));
  return labels;
}

std::vector<Form> forms() {
  return {{7, 4, {7, 5, 6}, {3, 2, 0}, {1, 1, 2, 3, 3}},
          {5, 3, {0, 0, 5, 2}, {0, 1, 1, 3}, {1, 2, 1, 1, 1}},  // of some there is no way
          {135, 300, {135}, {130}, labels_of(130, 300)},
          {9, 4, {9}, {4}, {0, 1, 1, 0}, 3},
          {4, 2, {4, 4}, {0, 0}, {}}};
}

template <class T>
struct Call {
  explicit Call(const Form& form)
      : form(form),
        width(2 * form.longest() + 1),
        log_probs(normal_numbers<T>(form.steps * form.samples() * form.classes, 1)),
        losses(form.samples()),
        alphas(form.samples() * form.steps * width),
        d_losses(normal_numbers<T>(form.samples(), 2)),
        d_log_probs(log_probs.count()),
        labels(form.labels),
        starts(form.starts()),
        label_counts(form.label_counts),
        step_counts(form.step_counts) {
    for (std::int64_t row = 0; row < form.steps * form.samples(); ++row) {
      double sum = 0;
      const auto at = [&](std::int64_t c) { return row * form.classes + c; };
      for (std::int64_t c = 0; c < form.classes; ++c)
        sum += std::exp(static_cast<double>(log_probs.at(at(c))));
      for (std::int64_t c = 0; c < form.classes; ++c)
        log_probs.set(at(c),
                      static_cast<T>(static_cast<double>(log_probs.at(at(c))) - std::log(sum)));
    }
  }

  CtcLoss forward() const {
    const Dims samples{form.samples()};
    return {losses.view(samples),
            alphas.view({form.samples(), form.steps, width}),
            log_probs.view({form.steps, form.samples(), form.classes}),
            labels.view({labels.count()}),
            starts.view(samples),
            label_counts.view(samples),
            step_counts.view(samples),
            form.blank};
  }
  template <class Run>
  std::int64_t backward(bool skips_infinite, Run run) const {
    const CtcLoss of = forward();
    const View to = d_log_probs.view(of.log_probs.sizes), given = d_losses.view(of.losses.sizes);
    return run(CtcLossGradient{to, given, of, skips_infinite});
  }

  const Form& form;
  std::int64_t width;
  DeviceArray<T> log_probs, losses, alphas, d_losses, d_log_probs;
  DeviceArray<std::int64_t> labels, starts, label_counts, step_counts;
};

template <class T>
class CtcLossOnCuda : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(CtcLossOnCuda, Numbers);

TYPED_TEST(CtcLossOnCuda, GivesTheLossesAndGradientsThatTheCpuGives) {
  for (const Form& form : forms())
    for (const bool skips_infinite : {false, true}) {
      const Call<TypeParam> found(form), expected(form);

      EXPECT_EQ(kernel(found.forward(), Stream{}), -1);
      EXPECT_EQ(cpu_table().run(expected.forward(), Stream{}), -1);
      expect_close(found.losses, expected.losses, 16);
      found.backward(skips_infinite, [](const auto& call) { return kernel(call, Stream{}); });
      expected.backward(skips_infinite,
                        [](const auto& call) { return cpu_table().run(call, Stream{}); });

      expect_close(found.d_log_probs, expected.d_log_probs, form.steps > 100 ? 1e5 : 64);
    }
}

TYPED_TEST(CtcLossOnCuda, NotesNumbersThatDoNotFitAndTouchesNothingOutside) {
  const Form form{5, 3, {5, 5}, {2, 2}, {1, 2, 2, 1}};
  const auto spoiled = [&](auto spoil) {
    Call<TypeParam> call(form), right(form);
    spoil(call);
    kernel(call.forward(), Stream{});
    EXPECT_THROW(raise_noted(fault_record(Stream{})), IndexOutOfRangeError);
    call.backward(false, [](const auto& given) { return kernel(given, Stream{}); });
    EXPECT_THROW(raise_noted(fault_record(Stream{})), IndexOutOfRangeError);
    kernel(right.forward(), Stream{});
    EXPECT_NO_THROW(raise_noted(fault_record(Stream{})));
    EXPECT_TRUE(functors::is_nan(call.losses.at(0)));
    EXPECT_EQ(call.losses.at(1), right.losses.at(1));
    for (std::int64_t i = 0; i < call.d_log_probs.count(); ++i)
      EXPECT_EQ(functors::is_nan(call.d_log_probs.at(i)), i / 3 % 2 == 0);
  };

  spoiled([](auto& call) { call.labels.set(1, 3); });
  spoiled([](auto& call) { call.labels.set(0, -1); });
  spoiled([](auto& call) { call.starts.set(0, -1); });
  spoiled([](auto& call) { call.starts.set(0, 3); });
  spoiled([](auto& call) { call.label_counts.set(0, 3); });
  spoiled([](auto& call) { call.label_counts.set(0, std::int64_t{1} << 62); });
  spoiled([](auto& call) { call.label_counts.set(0, -1); });
  spoiled([](auto& call) { call.step_counts.set(0, 6); });
  spoiled([](auto& call) { call.step_counts.set(0, -1); });
}

TYPED_TEST(CtcLossOnCuda, OfNothingStartsNothing) {
  const Form form{0, 3, {0}, {0}, {}};
  const Call<TypeParam> call(form);
  const DeviceArray<TypeParam> none(0);
  const DeviceArray<std::int64_t> no_numbers(0);
  const View empty = none.view({0}), numbers = no_numbers.view({0});
  const std::int64_t before = shim::launches;

  kernel(CtcLoss{empty, none.view({0, 5, 3}), none.view({5, 0, 3}), numbers, numbers, numbers,
                 numbers, 0},
         Stream{});
  call.backward(false, [](const auto& given) { return kernel(given, Stream{}); });

  EXPECT_EQ(shim::launches, before);
  kernel(call.forward(), Stream{});
  EXPECT_EQ(call.losses.at(0), TypeParam(0)) << "nothing is certain to be written into no step";
}

TYPED_TEST(CtcLossOnCuda, GivesItsScratchBack) {
  const Form form = forms().front();
  const Call<TypeParam> call(form);
  const auto before = shim::DeviceMemory::live_count();

  kernel(call.forward(), Stream{});
  call.backward(false, [](const auto& given) { return kernel(given, Stream{}); });

  EXPECT_EQ(shim::DeviceMemory::live_count(), before);
}

}  // namespace
}  // namespace garboard::kernels::cuda
