#include "kernels/cuda/fuse/nvrtc.h"

#include <gtest/gtest.h>

#include "csrc/core/error.h"
#include "kernels/cuda/fuse/chain_form.h"
#include "kernels/slot.h"

namespace garboard::kernels::cuda {
namespace {

/// Skips where NVRTC is not installed.
class Nvrtc : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string lack = lack_of_nvrtc(13); !lack.empty()) GTEST_SKIP() << lack;
  }
};

using Kind = FusedChain::Source::Kind;

constexpr int any_newer = 999;  // what its driver compiles on: the half of the work

/// Every functor of a roll call that takes `dtype`, each after the last of that dtype.
template <int operands, class Functors>
std::vector<FusedChain::Op> all_of(DType dtype) {
  std::vector<FusedChain::Op> ops;
  FusedChain::Source before{Kind::input, 0};
  for_each_type(Functors{}, [&]<class F> {
    if (!accepted<F, operands>.has(dtype)) return;
    bool gives_bool = false;
    if constexpr (operands == 1) gives_bool = is_test<F>;
    if constexpr (operands == 2) gives_bool = F::gives_bool;
    FusedChain::Op op{operands,
                      index_in<F, Functors>,
                      dtype,
                      gives_bool ? DType::boolean : dtype,
                      {before, {Kind::input, 1}, {Kind::number, 0}}};
    if constexpr (operands == 3) {
      if (functors::takes_condition<F>) op.sources[0] = {Kind::input, 2};
      op.sources[1] = before;
    }
    if (!gives_bool) before = {Kind::op, static_cast<std::uint8_t>(ops.size())};
    ops.push_back(op);
  });
  return ops;
}

/// The text of `ops` over three inputs, the last of them bools, where packs suit memory or not.
std::string source_of(const std::vector<FusedChain::Op>& ops, bool by_packs) {
  const Dims sizes{64, 64}, strides = by_packs ? Dims{64, 1} : Dims{1, 64};
  const DType dtype = ops.front().dtype;
  const View inputs[] = {make_view(nullptr, dtype, sizes, strides),
                         make_view(nullptr, dtype, sizes, Dims{0, 0}),
                         make_view(nullptr, DType::boolean, sizes, strides)};
  const std::uint64_t numbers[] = {0};
  const FusedChain chain{ops, inputs, numbers,
                         make_view(nullptr, ops.back().result, sizes, contiguous_strides(sizes))};
  return chain_source(ChainForm(ChainNest(chain)));
}

TEST_F(Nvrtc, CompilesEveryFunctorForEveryDtype) {
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (is_complex(dtype)) continue;  // these are not fused
    for (const auto& ops :
         {all_of<1, functors::UnaryFunctors>(dtype), all_of<2, functors::BinaryFunctors>(dtype),
          all_of<3, functors::TernaryFunctors>(dtype)})
      EXPECT_NO_THROW(compiled_by_nvrtc(source_of(ops, true), any_newer)) << name_of(dtype);
  }
}

TEST_F(Nvrtc, CompilesWhatSuitsNoPacks) {
  const auto ops = all_of<2, functors::BinaryFunctors>(DType::float16);

  EXPECT_FALSE(compiled_by_nvrtc(source_of({ops.front()}, false), 90).empty());
}

TEST_F(Nvrtc, LeavesDevicesThatItDoesNotKnowToTheirDriver) {
  const auto ops = all_of<1, functors::UnaryFunctors>(DType::float32);

  const std::string code = compiled_by_nvrtc(source_of({ops.front()}, true), any_newer);

  EXPECT_NE(code.find(".target"), std::string::npos) << "no PTX";
}

TEST_F(Nvrtc, SaysWhatIsWrongWithAText) {
  try {
    compiled_by_nvrtc("int f() { return wrong; }", 90);
    FAIL() << "it compiled";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("\"wrong\" is undefined"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace garboard::kernels::cuda
