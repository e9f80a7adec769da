#include "csrc/autograd/graph_survey.h"

#include <gtest/gtest.h>

#include "csrc/autograd/engine.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/reduce/reduce.h"

namespace garboard {
namespace {

std::int64_t live_storages() { return registry().live().storages; }

Tensor leaf() {
  const Tensor tensor = full({3}, Scalar::of(1.0), DType::float32);
  tensor.set_requires_grad(true);
  return tensor;
}

/// Gives `tensor` a gradient that was computed from it.
void differentiate(const Tensor& tensor) {
  backward({sum(tensor * tensor * tensor)}, {Tensor()},
           {.retain_graph = true, .create_graph = true});
}

/// Ends what a test leaves when its own shares have gone.
class EndCyclicGradients : public testing::Test {
 protected:
  ~EndCyclicGradients() override { end_cyclic_gradients(); }
};

TEST_F(EndCyclicGradients, EndsAGradientThatItselfAloneHolds) {
  const std::int64_t before = live_storages();
  differentiate(leaf());
  ASSERT_GT(live_storages(), before);

  EXPECT_EQ(end_cyclic_gradients(), 1u);

  EXPECT_EQ(live_storages(), before);
}

TEST_F(EndCyclicGradients, LeavesTheGradientOfATensorThatSomebodyHas) {
  const Tensor kept = leaf();
  differentiate(kept);

  EXPECT_EQ(end_cyclic_gradients(), 0u);

  EXPECT_TRUE(kept.grad());
  EXPECT_TRUE(kept.grad().requires_grad());
}

TEST_F(EndCyclicGradients, LeavesTheGradientThatSomebodyHas) {
  Tensor gradient;
  {
    const Tensor dropped = leaf();
    differentiate(dropped);
    gradient = dropped.grad();
  }

  EXPECT_EQ(end_cyclic_gradients(), 0u);

  backward({sum(gradient)}, {Tensor()}, {});
  EXPECT_TRUE(gradient.requires_grad());
}

TEST_F(EndCyclicGradients, EndsTwoThatHoldEachOther) {
  const std::int64_t before = live_storages();
  {
    const Tensor a = leaf(), b = leaf();
    backward({sum(a * b * a * b)}, {Tensor()}, {.retain_graph = true, .create_graph = true});
  }

  EXPECT_EQ(end_cyclic_gradients(), 2u);

  EXPECT_EQ(live_storages(), before);
}

TEST_F(EndCyclicGradients, LooksAtNothingWhereNoGradientWasRecorded) {
  end_cyclic_gradients();
  const Tensor kept = leaf();
  backward({sum(kept * kept)}, {Tensor()}, {});

  EXPECT_FALSE(were_gradients_recorded());
  EXPECT_EQ(end_cyclic_gradients(), 0u);
}

}  // namespace
}  // namespace garboard
