#include <gtest/gtest.h>

#include "kernels/cuda/launch/parts.h"
#include "tests/support/close_arrays.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;
using shim::expect_close;
using shim::normal_numbers;

struct Form {
  Sampling sampling;
  bool aligns_corners;
  Dims x;
  std::int64_t places;
  double scale;

  Dims out() const { return {x[0], places, x[2]}; }
};

std::vector<Form> forms() {
  std::vector<Form> forms;
  for (const Sampling sampling :
       {Sampling::nearest, Sampling::nearest_exact, Sampling::linear, Sampling::cubic})
    for (const bool aligns : {false, true})
      for (const Dims& x : {Dims{2, 7, 3}, Dims{3, 5, 1}, Dims{1, 1, 4}, Dims{1, 300, 1}})
        for (const std::int64_t places : {1, 2, 5, 13, 400}) {
          forms.push_back({sampling, aligns, x, places, double(x[1]) / double(places)});
          forms.push_back({sampling, aligns, x, places, 0.3});
          forms.push_back({sampling, aligns, x, places, 1e30});
        }
  return forms;
}

template <class T>
class ResampleOnCuda : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(ResampleOnCuda, Numbers);

TYPED_TEST(ResampleOnCuda, MixesAsTheCpuDoes) {
  for (const Form& form : forms()) {
    const auto x = normal_numbers<TypeParam>(form.x.product(), 1);
    const DeviceArray<TypeParam> found(form.out().product()), expected(form.out().product());
    const auto call = [&](const DeviceArray<TypeParam>& to) {
      return Resample{to.view(form.out()), x.view(form.x), form.sampling, form.aligns_corners,
                      form.scale};
    };

    kernel(call(found), Stream{});

    cpu_table().run(call(expected), Stream{});
    expect_close(found, expected, 1024);  // of positions, which are up to 300
  }
}

TYPED_TEST(ResampleOnCuda, GathersTheGradientThatTheCpuSpreads) {
  for (const Form& form : forms()) {
    const auto given = normal_numbers<TypeParam>(form.out().product(), 1);
    const DeviceArray<TypeParam> found(form.x.product()), expected(form.x.product());
    const auto call = [&](const DeviceArray<TypeParam>& to) {
      return ResampleGradient{{given.view(form.out()), to.view(form.x), form.sampling,
                               form.aligns_corners, form.scale}};
    };

    kernel(call(found), Stream{});

    cpu_table().run(call(expected), Stream{});
    expect_close(found, expected, 4096);
  }
}

TYPED_TEST(ResampleOnCuda, OfNothingStartsNothing) {
  const DeviceArray<TypeParam> none(0);
  const std::int64_t before = shim::launches;

  kernel(Resample{none.view({0, 3, 2}), none.view({0, 5, 2}), Sampling::linear, false, 1.5},
         Stream{});
  kernel(
      ResampleGradient{{none.view({2, 3, 0}), none.view({2, 5, 0}), Sampling::linear, false, 1.5}},
      Stream{});

  EXPECT_EQ(shim::launches, before);
}

TYPED_TEST(ResampleOnCuda, GivesItsTablesBack) {
  const DeviceArray<TypeParam> x(30), out(12);
  const auto before = shim::DeviceMemory::live_count();

  kernel(Resample{out.view({2, 2, 3}), x.view({2, 5, 3}), Sampling::linear, false, 2.5}, Stream{});
  kernel(ResampleGradient{{out.view({2, 2, 3}), x.view({2, 5, 3}), Sampling::cubic, false, 2.5}},
         Stream{});

  EXPECT_EQ(shim::DeviceMemory::live_count(), before);
}

}  // namespace
}  // namespace garboard::kernels::cuda
