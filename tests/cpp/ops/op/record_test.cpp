#include "csrc/ops/op/record.h"

#include <functional>
#include <stdexcept>

#include <gtest/gtest.h>

#include "csrc/core/outer_lock.h"
#include "csrc/core/thread_pool.h"
#include "csrc/lifetime/registry.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/optim/optimizer_steps.h"
#include "csrc/ops/random/random.h"

namespace garboard {
namespace {

struct Asked : std::runtime_error {
  Asked() : std::runtime_error("asked to end") {}
};

constexpr std::int64_t count = std::int64_t{1} << 25;  // some 10 ms of work and more

/// Whatever takes long is asked to end at its first look.
class AnInterruptedWrite : public ::testing::TestWithParam<int> {
 protected:
  AnInterruptedWrite() { set_thread_count(GetParam()); }
  ~AnInterruptedWrite() override {
    OuterLock::declare({});
    set_thread_count(before_);
  }

  static void ask() {
    static int somewhere;
    OuterLock::declare({[]() noexcept -> void* { return &somewhere; }, [](void*) {},
                        []() noexcept { return true; }, [] { throw Asked(); }, 0});
  }

 private:
  int before_ = thread_count();
};

TEST_P(AnInterruptedWrite, MovesTheVersionOn) {
  const Tensor self = zeros({count}, DType::float64, {});
  const Tensor other = zeros({count}, DType::float64, {});
  const Scalar one = Scalar::of(std::int64_t{1});
  const std::function<void()> writes[] = {
      [&] { pow.apply_in_place(self, one); },
      [&] { mul.into(self, other, other); },
      [&] { fill_(self, one); },
      [&] { copy_(self, other); },
      [&] { uniform_(self, 0, 1); },
  };
  const auto bytes = registry().live().bytes;
  ask();

  for (const auto& write : writes) {
    const std::uint32_t version = self.storage()->version();
    EXPECT_THROW(write(), Asked);
    EXPECT_EQ(self.storage()->version(), version + 1);
  }
  EXPECT_EQ(registry().live().bytes, bytes);
}

TEST_P(AnInterruptedWrite, OfAFreshResultLeavesNothing) {
  const Tensor self = zeros({count}, DType::float64, {});
  const auto bytes = registry().live().bytes;
  const std::uint32_t version = self.storage()->version();
  ask();

  EXPECT_THROW(pow(self, self), Asked);

  EXPECT_EQ(registry().live().bytes, bytes);
  EXPECT_EQ(self.storage()->version(), version);
}

TEST_P(AnInterruptedWrite, OfAParameterMovesItsVersionOn) {
  const Tensor parameter = zeros({count}, DType::float64, {});
  parameter.set_requires_grad(true);
  parameter.set_grad(zeros({count}, DType::float64, {}));
  const std::uint32_t version = parameter.storage()->version();
  std::vector<Tensor> velocities;
  ask();

  EXPECT_THROW(sgd_step({parameter}, {1, 0, 0, 0, false, false}, velocities), Asked);

  EXPECT_EQ(parameter.storage()->version(), version + 1);
}

INSTANTIATE_TEST_SUITE_P(ByThreads, AnInterruptedWrite, ::testing::Values(1, 2));

}  // namespace
}  // namespace garboard
