#include <gtest/gtest.h>

#include <cmath>

#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/product/convolution_by_products.h"
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
    {{3, 16, 1, 4, 5}, {10, 8, 1, 1, 3}, {3, 10, 1, 4, 5}, 2, {1, 1, 1}, {0, 0, 1}, {1, 1, 1}},
    {{3, 1, 1, 1, 300}, {1, 1, 1, 1, 5}, {3, 1, 1, 1, 102}, 1, {1, 1, 3}, {0, 0, 4}, {1, 1, 1}},
};

template <class T>
DeviceArray<double> in_double(const DeviceArray<T>& array) {
  std::vector<double> values;
  for (const T value : array.values()) values.push_back(static_cast<double>(value));
  return DeviceArray<double>(values);
}

/// Small whole numbers are exact in float, and rounded `times`: the CPU's results in double,
/// rounded.
template <class T>
void expect_rounded(const DeviceArray<T>& found, const DeviceArray<double>& exact, int times = 1) {
  constexpr double unit = sizeof(T) > 2 ? 0 : std::is_same_v<T, Float16> ? 0x1p-10 : 0x1p-7;
  for (std::int64_t i = 0; i < found.count(); ++i) {
    const double right = static_cast<double>(static_cast<T>(static_cast<float>(exact.at(i))));
    ASSERT_NEAR(static_cast<double>(found.at(i)), right, (times - 1) * unit * std::abs(right))
        << "at " << i;
  }
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
      expect_rounded(found, exact, has_bias ? 2 : 1);
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

template <class T>
class ConvolutionByProducts : public testing::Test {};
using WideNumbers = testing::Types<float, double>;
TYPED_TEST_SUITE(ConvolutionByProducts, WideNumbers);

TYPED_TEST(ConvolutionByProducts, GivesTheSameWhateverTheSamplesAtATime) {
  const Form& form = forms[2];
  const auto x = small_numbers<TypeParam>(form.x.product(), 1);
  const auto weight = small_numbers<TypeParam>(form.weight.product(), 2);
  const auto given = small_numbers<TypeParam>(form.out.product(), 3);
  const auto results = [&](std::int64_t most_bytes) {
    const DeviceArray<TypeParam> out(given.count()), d_x(x.count()), d_weight(weight.count());
    const auto of = [&](const View& of_x, const View& of_weight, const View& of_out) {
      return form.of<Convolution>(of_x, of_weight, of_out);
    };
    const View all_x = x.view(form.x), all_weight = weight.view(form.weight);
    EXPECT_TRUE(convolve_by_products(of(all_x, all_weight, out.view(form.out)),
                                     ConvolutionPart::out, Stream{}, most_bytes));
    EXPECT_TRUE(convolve_by_products(of(d_x.view(form.x), all_weight, given.view(form.out)),
                                     ConvolutionPart::x, Stream{}, most_bytes));
    EXPECT_TRUE(convolve_by_products(of(all_x, d_weight.view(form.weight), given.view(form.out)),
                                     ConvolutionPart::weight, Stream{}, most_bytes));
    std::vector<double> all;
    for (const auto* array : {&out, &d_x, &d_weight})
      for (const TypeParam value : array->values()) all.push_back(static_cast<double>(value));
    return all;
  };

  EXPECT_EQ(results(1), results(columns_bytes));
}

}  // namespace
}  // namespace garboard::kernels::cuda
