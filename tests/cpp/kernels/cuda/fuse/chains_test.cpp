#include "tests/support/device_memory.h"  // stands for CUDA, so it comes first

#include "kernels/cuda/fuse/chains.h"

#include <gtest/gtest.h>

#include "kernels/functors/in_float.h"
#include "kernels/slot.h"
#include "tests/support/device_array.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;
using shim::element;
using shim::for_each_index;
using shim::small_numbers;
using Kind = FusedChain::Source::Kind;

template <class F, class Functors>
constexpr auto place = static_cast<std::uint8_t>(index_in<F, Functors>);

/// where((x + y) * 3 < x, x, (x + y) * 3), element by element.
template <class T>
T expected(T x, T y) {
  using W = functors::Widened<T>;
  const auto sum = functors::On<functors::Add, T>{}(x, y);
  const auto scaled = functors::On<functors::Multiply, T>{}(sum, T(W(3)));
  const bool is_less = functors::On<functors::Less, T>{}(scaled, x);
  return functors::On<functors::Where, T>{}(is_less, x, scaled);
}

template <class T>
std::vector<FusedChain::Op> ops() {
  using functors::BinaryFunctors;
  constexpr DType dtype = dtype_of<T>;
  return {
      {2, place<functors::Add, BinaryFunctors>, dtype, dtype, {{Kind::input, 0}, {Kind::input, 1}}},
      {2,
       place<functors::Multiply, BinaryFunctors>,
       dtype,
       dtype,
       {{Kind::op, 0}, {Kind::number, 0}}},
      {2,
       place<functors::Less, BinaryFunctors>,
       dtype,
       DType::boolean,
       {{Kind::op, 1}, {Kind::input, 0}}},
      {3,
       place<functors::Where, functors::TernaryFunctors>,
       dtype,
       dtype,
       {{Kind::op, 2}, {Kind::input, 0}, {Kind::op, 1}}}};
}

template <class T>
void expect_right(const View& out, const View& x, const View& y) {
  const auto all = ops<T>();
  const View inputs[] = {x, y};
  std::uint64_t number = 0;
  const T three(3);
  std::memcpy(&number, &three, sizeof(T));

  ASSERT_EQ(chain_compiler.run({all, inputs, {&number, 1}, out}, Stream{}, true), ChainRun::queued);

  for_each_index(out.sizes, [&](const Dims& index) {
    const auto at = [&](const View& view) {
      return element<T>(view, view.count == 1 ? Dims::filled(view.ndim(), 0) : index);
    };
    const T found = element<T>(out, index), wanted = expected(at(x), at(y));
    EXPECT_EQ(std::memcmp(&found, &wanted, sizeof(T)), 0);
  });
}

template <class T>
class Chains : public testing::Test {};
using Elements = testing::Types<std::uint8_t, std::int64_t, Float16, float, double>;
TYPED_TEST_SUITE(Chains, Elements);

TYPED_TEST(Chains, ComputeDenseMemoryOfAnyLength) {
  for (const std::int64_t count : {1, 15, 16, 4095, 4096, 8193, 20011}) {
    const auto x = small_numbers<TypeParam>(count, 1), y = small_numbers<TypeParam>(count, 2);
    DeviceArray<TypeParam> out(count + 1);
    const TypeParam beyond = out.at(count);

    expect_right<TypeParam>(out.view({count}), x.view({count}), y.view({count}));

    const TypeParam after = out.at(count);
    EXPECT_EQ(std::memcmp(&after, &beyond, sizeof after), 0) << "wrote past the end";
  }
}

TYPED_TEST(Chains, ComputeViewsOfAnyStrides) {
  const auto x = small_numbers<TypeParam>(10000, 1), y = small_numbers<TypeParam>(10000, 2);
  DeviceArray<TypeParam> out(6400);
  const View whole = out.view({40, 160});

  expect_right<TypeParam>(whole, x.view({40, 160}, {160, 1}, 1), y.view({40, 160}));
  expect_right<TypeParam>(whole, x.view({40, 160}, {176, 1}, 0), y.view({40, 160}, {0, 1}, 0));
  expect_right<TypeParam>(whole, x.view({40, 160}, {1, 0}, 0), y.view({40, 160}, {1, 40}, 0));
  expect_right<TypeParam>(whole, x.view({40, 160}, {-160, -1}, 6399), y.view({1}));
}

TEST(Chains, AskBeforeTheyCompile) {
  const auto x = small_numbers<std::int32_t>(100, 1);
  DeviceArray<std::int32_t> out(100);
  const std::vector<FusedChain::Op> negate{{1,
                                            place<functors::Negate, functors::UnaryFunctors>,
                                            DType::int32,
                                            DType::int32,
                                            {{Kind::input, 0}}}};
  const View inputs[] = {x.view({100})};

  EXPECT_EQ(chain_compiler.run({negate, inputs, {}, out.view({100})}, Stream{}, false),
            ChainRun::not_compiled);
}

TEST(Chains, OfNoElementsAreDone) {
  const std::vector<FusedChain::Op> all = ops<float>();
  DeviceArray<float> out(1);
  const View inputs[] = {out.view({0}), out.view({0})};
  const std::uint64_t number = 0;

  EXPECT_EQ(chain_compiler.run({all, inputs, {&number, 1}, out.view({0})}, Stream{}, false),
            ChainRun::queued);
}

TEST(Chains, OfMoreInputsThanALaunchTakesAreRefused) {
  const auto x = small_numbers<float>(100, 1);
  DeviceArray<float> out(100);
  const std::vector<FusedChain::Op> all = ops<float>();
  const std::vector<View> inputs(FusedChain::most_inputs + 1, x.view({100}));

  EXPECT_EQ(chain_compiler.run({all, inputs, {}, out.view({100})}, Stream{}, true),
            ChainRun::refused);
}

}  // namespace
}  // namespace garboard::kernels::cuda
