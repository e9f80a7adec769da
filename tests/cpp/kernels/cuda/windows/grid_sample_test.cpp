#include <gtest/gtest.h>

#include "kernels/cuda/launch/parts.h"
#include "tests/support/close_arrays.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;
using shim::expect_close;
using shim::normal_numbers;

struct Form {
  Dims x;
  std::int64_t places;
  int dims;
  Sampling sampling;
  Beyond beyond;
  bool aligns_corners;

  Dims out() const { return {x[0], x[1], places}; }
  Dims grid() const { return {x[0], places, dims}; }
};

std::vector<Form> forms() {
  std::vector<Form> forms;
  for (const Sampling sampling : {Sampling::nearest, Sampling::linear, Sampling::cubic})
    for (const Beyond beyond : {Beyond::zeros, Beyond::border, Beyond::reflection})
      for (const bool aligns : {false, true}) {
        forms.push_back({{2, 3, 1, 5, 7}, 150, 2, sampling, beyond, aligns});
        forms.push_back({{1, 19, 1, 1, 4}, 9, 2, sampling, beyond, aligns});
        if (sampling != Sampling::cubic)
          forms.push_back({{2, 2, 3, 4, 5}, 60, 3, sampling, beyond, aligns});
      }
  return forms;
}

template <class T>
class GridSampleOnCuda : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(GridSampleOnCuda, Numbers);

TYPED_TEST(GridSampleOnCuda, MixesAsTheCpuDoes) {
  for (const Form& form : forms()) {
    const auto x = normal_numbers<TypeParam>(form.x.product(), 1);
    auto grid = normal_numbers<TypeParam>(form.grid().product(), 2);
    grid.set(1, functors::not_a_number<TypeParam>);
    grid.set(2, functors::infinity<TypeParam>);
    grid.set(7, TypeParam(-1e30));
    const DeviceArray<TypeParam> found(form.out().product()), expected(form.out().product());
    const auto call = [&](const DeviceArray<TypeParam>& to) {
      return GridSample{to.view(form.out()), x.view(form.x), grid.view(form.grid()), form.dims,
                        form.sampling,       form.beyond,    form.aligns_corners};
    };

    kernel(call(found), Stream{});

    cpu_table().run(call(expected), Stream{});
    expect_close(found, expected);
  }
}

TYPED_TEST(GridSampleOnCuda, GivesTheGradientsThatTheCpuGives) {
  for (const Form& form : forms()) {
    const auto x = normal_numbers<TypeParam>(form.x.product(), 1);
    const auto grid = normal_numbers<TypeParam>(form.grid().product(), 2);
    const auto given = normal_numbers<TypeParam>(form.out().product(), 3);
    const DeviceArray<TypeParam> d_x(x.count()), expected_d_x(x.count());
    const DeviceArray<TypeParam> d_grid(grid.count()), expected_d_grid(grid.count());
    const GridSample forward{
        given.view(form.out()), x.view(form.x), grid.view(form.grid()), form.dims,
        form.sampling,          form.beyond,    form.aligns_corners};

    kernel(GridSampleGradient{forward, d_x.view(form.x), d_grid.view(form.grid())}, Stream{});

    cpu_table().run(
        GridSampleGradient{forward, expected_d_x.view(form.x), expected_d_grid.view(form.grid())},
        Stream{});
    expect_close(d_x, expected_d_x, 256);
    expect_close(d_grid, expected_d_grid, 256);
  }
}

TYPED_TEST(GridSampleOnCuda, WritesOnlyTheGradientsThatAreWanted) {
  const Form form = forms().front();
  const auto x = normal_numbers<TypeParam>(form.x.product(), 1);
  const auto grid = normal_numbers<TypeParam>(form.grid().product(), 2);
  const auto given = normal_numbers<TypeParam>(form.out().product(), 3);
  const DeviceArray<TypeParam> d_x(x.count()), d_grid(grid.count());
  GridSampleGradient call{{given.view(form.out()), x.view(form.x), grid.view(form.grid()),
                           form.dims, form.sampling, form.beyond, form.aligns_corners},
                          {},
                          {}};
  const std::int64_t before = shim::launches;

  kernel(call, Stream{});
  EXPECT_EQ(shim::launches, before);
  call.d_grid = d_grid.view(form.grid());
  kernel(call, Stream{});
  EXPECT_EQ(shim::launches, before + 1);
  call.d_grid = {};
  call.d_x = d_x.view(form.x);
  call.x.data = nullptr;
  kernel(call, Stream{});

  EXPECT_NE(d_x.values(), DeviceArray<TypeParam>(x.count()).values());
}

TYPED_TEST(GridSampleOnCuda, OfNoPlacesTheGradientIsZero) {
  const DeviceArray<TypeParam> none(0), x(6), d_x(6);

  kernel(GridSample{none.view({1, 1, 0}), x.view({1, 1, 1, 2, 3}), none.view({1, 0, 2}), 2,
                    Sampling::linear, Beyond::zeros, false},
         Stream{});
  kernel(GridSampleGradient{{none.view({1, 1, 0}), x.view({1, 1, 1, 2, 3}), none.view({1, 0, 2}), 2,
                             Sampling::linear, Beyond::zeros, false},
                            d_x.view({1, 1, 1, 2, 3}),
                            none.view({1, 0, 2})},
         Stream{});

  EXPECT_EQ(d_x.values(), std::vector<TypeParam>(6, 0));
}

}  // namespace
}  // namespace garboard::kernels::cuda
