#include "kernels/cuda/fuse/chain_form.h"

#include <gtest/gtest.h>

#include "kernels/cuda/fuse/chain_arguments.h"
#include "kernels/cuda/launch/launch_plan.h"
#include "kernels/slot.h"

namespace garboard::kernels::cuda {
namespace {

using Kind = FusedChain::Source::Kind;

template <class F>
constexpr auto place = static_cast<std::uint8_t>(index_in<F, functors::UnaryFunctors>);

/// A chain of one op, at addresses that nobody reads.
struct Planned {
  std::vector<FusedChain::Op> ops;
  std::vector<View> inputs;
  FusedChain chain;

  Planned(const Dims& sizes, const Dims& strides, DType dtype = DType::float32,
          std::uintptr_t address = 4096, int laborious = 0)
      : ops{{1, place<functors::Negate>, dtype, dtype, {{Kind::input, 0}}}},
        inputs{make_view(reinterpret_cast<void*>(address), dtype, sizes, strides)} {
    for (int i = 0; i < laborious; ++i)
      ops.push_back(
          {1, place<functors::Tanh>, dtype, dtype, {{Kind::op, static_cast<std::uint8_t>(i)}}});
    chain = {ops,
             inputs,
             {},
             make_view(reinterpret_cast<void*>(std::uintptr_t{1} << 20), dtype, sizes,
                       contiguous_strides(sizes))};
  }
};

ChainForm form_of(const Planned& planned) { return ChainForm(ChainNest(planned.chain)); }

TEST(ChainForm, TakesPacksOf16BytesWhereMemoryIsDense) {
  EXPECT_EQ(form_of({{100}, {1}}).elements, 4);
  EXPECT_EQ(form_of({{100}, {1}, DType::float64}).elements, 2);
  EXPECT_EQ(form_of({{100}, {1}, DType::bfloat16}).elements, 8);
  EXPECT_EQ(form_of({{100}, {1}, DType::int8}).elements, 16);
}

TEST(ChainForm, TakesSingleElementsWherePacksDoNotFit) {
  EXPECT_EQ(form_of({{100}, {2}}).elements, 1);
  EXPECT_EQ(form_of({{100}, {-1}}).elements, 1);
  EXPECT_EQ(form_of({{100}, {1}, DType::float32, 4100}).elements, 1) << "misaligned";
  EXPECT_EQ(form_of({{9, 7}, {8, 1}}).elements, 1) << "rows of no whole packs";
  EXPECT_EQ(form_of({{9, 8}, {9, 1}}).elements, 1) << "rows that begin anywhere";
}

TEST(ChainForm, TakesPacksOfRowsAndOfWhatIsBroadcast) {
  const ChainForm rows = form_of({{9, 8}, {12, 1}}), bias = form_of({{9, 8}, {0, 1}}),
                  scale = form_of({{9, 8}, {1, 0}});

  EXPECT_EQ(rows.elements, 4);
  EXPECT_EQ(bias.elements, 4);
  EXPECT_EQ(scale.elements, 4);
  EXPECT_FALSE(bias.repeats[0]);
  EXPECT_TRUE(scale.repeats[0]);
  EXPECT_FALSE(rows.is_flat);
}

TEST(ChainForm, UnrollsWhatIsShort) {
  EXPECT_TRUE(form_of({{100}, {1}, DType::float32, 4096, 4}).is_unrolled);
  EXPECT_FALSE(form_of({{100}, {1}, DType::float32, 4096, 5}).is_unrolled);
  EXPECT_EQ(form_of({{100}, {1}, DType::float16, 4096, 5}).elements, 4);
}

TEST(ChainForm, HasOneKeyForAllSizes) {
  EXPECT_EQ(form_of({{100}, {1}}).key(), form_of({{1 << 20}, {1}}).key());
  EXPECT_EQ(form_of({{9, 8}, {12, 1}}).key(), form_of({{2, 3, 4}, {24, 8, 1}}).key());
}

TEST(ChainForm, HasAnotherKeyForAnotherKernel) {
  const std::string key = form_of({{100}, {1}}).key();

  EXPECT_NE(form_of({{100}, {1}, DType::int32}).key(), key);
  EXPECT_NE(form_of({{100}, {0}}).key(), key);
  EXPECT_NE(form_of({{100}, {2}}).key(), key);
  EXPECT_NE(form_of({{100}, {1}, DType::float32, 4096, 1}).key(), key);
}

TEST(ChainNest, MergesDimsThatAreOneStretch) {
  EXPECT_EQ(ChainNest(Planned({4, 5, 6}, {30, 6, 1}).chain).dims, 1);
  EXPECT_EQ(ChainNest(Planned({4, 1, 6}, {12, 77, 1}).chain).dims, 2);
  EXPECT_EQ(ChainNest(Planned({1, 1}, {5, 5}).chain).dims, 1);
}

TEST(ChainNest, IsCutIntoPartsThatOneLaunchCounts) {
  const std::int64_t row = (std::int64_t{1} << 31) + 5;
  const Planned planned({3, row}, {0, 1});
  const ChainNest whole(planned.chain);

  std::int64_t count = 0;
  const char *out = whole.out, *in = whole.in[0];
  for (const ChainNest& part : whole.parts(most_elements)) {
    EXPECT_LE(part.count(), most_elements);
    EXPECT_EQ(part.out, out + 4 * count);
    EXPECT_EQ(part.in[0], in + 4 * (count % row));
    count += part.count();
  }
  EXPECT_EQ(count, 3 * row);
}

TEST(ChainLaunch, WritesArgumentsAsTheKernelReadsThem) {
  Planned planned({9, 10}, {16, 1});
  const std::uint64_t numbers[] = {42};
  planned.chain.numbers = numbers;
  const ChainNest nest(planned.chain);
  const ChainLaunch launch(nest, ChainForm(nest));
  using Arguments = ChainArguments<1, 1>;
  ASSERT_EQ(launch.arguments.size() * 8, sizeof(Arguments));

  const auto& arguments = *reinterpret_cast<const Arguments*>(launch.arguments.data());

  EXPECT_EQ(arguments.shape.count, 90u);
  EXPECT_EQ(arguments.shape.dims, 2);
  EXPECT_EQ(arguments.shape.size[0].divisor(), 10u);
  EXPECT_EQ(arguments.out, planned.chain.out.data);
  EXPECT_EQ(arguments.in[0], planned.inputs[0].data);
  EXPECT_EQ(arguments.strides[0][0], 1);
  EXPECT_EQ(arguments.strides[1][0], 16);
  EXPECT_EQ(arguments.number<std::uint8_t>(0), 42);
  EXPECT_EQ(arguments.unknown_0, 0u);
}

TEST(ChainLaunch, CountsPacksAndWhatIsLeft) {
  const Planned planned({1003}, {1});
  const ChainNest nest(planned.chain);
  const ChainLaunch launch(nest, ChainForm(nest));

  const auto& shape = *reinterpret_cast<const ChainShape*>(launch.arguments.data());

  EXPECT_EQ(shape.count, 250u);
  EXPECT_EQ(shape.rest, 3u);
  EXPECT_EQ(launch.blocks, 1);
}

}  // namespace
}  // namespace garboard::kernels::cuda
