#include "csrc/tensor/small_tensor.h"

#include <gtest/gtest.h>

namespace garboard {
namespace {

std::int64_t live_storages() { return registry().live().storages; }
std::int64_t live_bytes() { return registry().live().bytes[0]; }
std::size_t allocated_bytes() { return allocator_of({}).stats().live_bytes; }

TEST(SmallTensor, IsCountedInBothBooksUntilItEnds) {
  const std::int64_t before = live_bytes();
  const std::size_t allocated_before = allocated_bytes();

  Tensor tensor = Tensor::fresh(Dims{4}, DType::float32, {});

  EXPECT_EQ(live_bytes() - before, 16);
  EXPECT_EQ(allocated_bytes() - allocated_before, 16u);
  tensor = {};
  EXPECT_EQ(live_bytes(), before);
  EXPECT_EQ(allocated_bytes(), allocated_before);
}

TEST(SmallTensor, LeavesItsBytesToAViewThatOutlivesIt) {
  const std::int64_t before = live_storages();
  Tensor tensor = Tensor::fresh(Dims{2}, DType::float32, {});
  tensor.view().as<float>()[1] = 5;

  Tensor view = tensor.alias_of_storage(Dims{1}, Dims{1}, 1);
  tensor = {};

  EXPECT_EQ(live_storages(), before + 1);
  EXPECT_EQ(*view.view().as<float>(), 5);
  view = {};
  EXPECT_EQ(live_storages(), before);
}

TEST(SmallTensor, LeavesItsBytesToAShareOfTheStorage) {
  const std::int64_t before = live_storages();
  Tensor tensor = Tensor::fresh(Dims{2}, DType::float64, {});

  Counted<Storage> storage = tensor.storage();
  tensor = {};
  static_cast<double*>(storage->data())[1] = 7;

  EXPECT_EQ(storage->share_count(), 1u);
  storage.reset();
  EXPECT_EQ(live_storages(), before);
}

TEST(SmallTensor, IsOneBlockUpToSixtyFourBytes) {
  const Tensor small = Tensor::fresh(Dims{16}, DType::float32, {});
  const Tensor large = Tensor::fresh(Dims{17}, DType::float32, {});

  const auto body_beside_storage = [](const Tensor& tensor) {
    return &reinterpret_cast<SmallTensor*>(tensor.storage().get())->body;
  };

  EXPECT_EQ(small.body(), body_beside_storage(small));
  EXPECT_NE(large.body(), body_beside_storage(large));
}

TEST(SmallTensor, OfNoElementsHasABodyAndNoBytes) {
  const std::int64_t before = live_bytes();

  const Tensor tensor = Tensor::fresh(Dims{0, 3}, DType::float32, {});

  EXPECT_EQ(live_bytes(), before);
  EXPECT_EQ(tensor.count(), 0);
}

TEST(SmallTensor, ThatAScopesLimitRefusesLeavesNothing) {
  const Counted<DisposeScope> scope(new DisposeScope("budget", {}, 8));
  birth.scope = scope.get();
  const std::int64_t before = live_storages();

  EXPECT_THROW(Tensor::fresh(Dims{4}, DType::float32, {}), ScopeLimitError);

  EXPECT_EQ(live_storages(), before);
  scope->dispose();
}

}  // namespace
}  // namespace garboard
