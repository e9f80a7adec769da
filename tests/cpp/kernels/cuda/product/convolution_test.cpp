#include <gtest/gtest.h>

#include "kernels/cuda/launch/parts.h"
#include "tests/support/device_array.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;
using shim::small_numbers;

struct Form {
  Dims x, weight, out;  // [samples, channels, sizes], and so on
  std::int64_t groups;
  Dims stride, padding, dilation;

  template <class Call>
  Call of(const View& views_x, const View& views_weight, const View& views_out) const {
    Call call{};
    call.x = views_x;
    call.weight = views_weight;
    call.out = views_out;
    call.groups = groups;
    for (int d = 0; d < space_dims; ++d) {
      call.stride[d] = stride[d];
      call.padding[d] = padding[d];
      call.dilation[d] = dilation[d];
    }
    return call;
  }
};

const Form forms[] = {
    {{2, 3, 1, 6, 7}, {4, 3, 1, 3, 2}, {2, 4, 1, 6, 4}, 1, {1, 1, 2}, {0, 1, 1}, {1, 1, 1}},
    {{1, 4, 3, 4, 5}, {6, 2, 2, 2, 2}, {1, 6, 2, 1, 2}, 2, {1, 2, 2}, {0, 0, 0}, {1, 2, 2}},
    {{3, 1, 1, 1, 300}, {1, 1, 1, 1, 5}, {3, 1, 1, 1, 102}, 1, {1, 1, 3}, {0, 0, 4}, {1, 1, 1}},
};

template <class T>
DeviceArray<double> in_double(const DeviceArray<T>& array) {
  std::vector<double> values;
  for (const T value : array.values()) values.push_back(static_cast<double>(value));
  return DeviceArray<double>(values);
}

/// Small whole numbers are exact in float, and rounded once: the CPU's results in double, rounded.
template <class T>
void expect_rounded(const DeviceArray<T>& found, const DeviceArray<double>& exact) {
  for (std::int64_t i = 0; i < found.count(); ++i)
    ASSERT_EQ(static_cast<double>(found.at(i)),
              static_cast<double>(static_cast<T>(static_cast<float>(exact.at(i)))))
        << "at " << i;
}

template <class T>
class ConvolutionOnCuda : public testing::Test {};
using Numbers = testing::Types<Float16, BFloat16, float, double>;
TYPED_TEST_SUITE(ConvolutionOnCuda, Numbers);

TYPED_TEST(ConvolutionOnCuda, GivesTheSumsThatTheCpuGives) {
  for (const Form& form : forms) {
    const auto x = small_numbers<TypeParam>(form.x.product(), 1);
    const auto weight = small_numbers<TypeParam>(form.weight.product(), 2);
    const auto bias = small_numbers<TypeParam>(form.out[1], 3);
    const auto exact_x = in_double(x), exact_weight = in_double(weight),
               exact_bias = in_double(bias);
    for (const bool has_bias : {true, false}) {
      const DeviceArray<TypeParam> found(form.out.product());
      const DeviceArray<double> exact(form.out.product());
      auto call = form.of<Convolve>(x.view(form.x), weight.view(form.weight), found.view(form.out));
      auto right = form.of<Convolve>(exact_x.view(form.x), exact_weight.view(form.weight),
                                     exact.view(form.out));
      if (has_bias) call.bias = bias.view({form.out[1]});
      if (has_bias) right.bias = exact_bias.view({form.out[1]});

      kernel(call, Stream{});

      cpu_table().run(right, Stream{});
      expect_rounded(found, exact);
    }
  }
}

TYPED_TEST(ConvolutionOnCuda, GivesTheGradientsThatTheCpuGives) {
  for (const Form& form : forms) {
    const auto x = small_numbers<TypeParam>(form.x.product(), 1);
    const auto weight = small_numbers<TypeParam>(form.weight.product(), 2);
    const auto given = small_numbers<TypeParam>(form.out.product(), 3);
    const auto exact_x = in_double(x), exact_weight = in_double(weight),
               exact_given = in_double(given);
    const DeviceArray<TypeParam> d_x(x.count()), d_weight(weight.count());
    const DeviceArray<double> exact_d_x(x.count()), exact_d_weight(weight.count());

    kernel(form.of<ConvolutionInputGradient>(d_x.view(form.x), weight.view(form.weight),
                                             given.view(form.out)),
           Stream{});
    kernel(form.of<ConvolutionWeightGradient>(x.view(form.x), d_weight.view(form.weight),
                                              given.view(form.out)),
           Stream{});

    cpu_table().run(
        form.of<ConvolutionInputGradient>(exact_d_x.view(form.x), exact_weight.view(form.weight),
                                          exact_given.view(form.out)),
        Stream{});
    cpu_table().run(
        form.of<ConvolutionWeightGradient>(exact_x.view(form.x), exact_d_weight.view(form.weight),
                                           exact_given.view(form.out)),
        Stream{});
    expect_rounded(d_x, exact_d_x);
    expect_rounded(d_weight, exact_d_weight);
  }
}

}  // namespace
}  // namespace garboard::kernels::cuda
