#include "csrc/tensor/small_tensor.h"

#include <gtest/gtest.h>

#include <utility>

#include "csrc/tensor/set_data.h"

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

  EXPECT_EQ(SmallTensor::home_of(*small.body()), small.storage().get());
  EXPECT_NE(SmallTensor::home_of(*large.body()), large.storage().get());
}

TEST(SmallTensor, OfOneElementTakesNoMoreThanItsRecordsDo) {
  EXPECT_LE(SmallTensor::grains_of(4, 1) * 16, 208u);
  EXPECT_LE(SmallTensor::grains_of(8, 0) * 16, 192u);
}

TEST(SmallTensor, OfAnyDimsAndBytesHasAPayloadOfItsOwnBehindItsSizesAndStrides) {
  for (int ndim = 0; ndim <= max_dims; ++ndim) {
    for (const std::int64_t size : {0, 1, 3, 8}) {
      Dims sizes = Dims::filled(ndim, 1);
      if (ndim > 0) sizes.back() = size;

      const Tensor tensor = Tensor::fresh(sizes, DType::float64, {});

      const auto* const end =
          reinterpret_cast<const std::byte*>(std::as_const(*tensor.body()).strides() + ndim);
      EXPECT_GE(static_cast<std::byte*>(tensor.data()), end);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data()) % 16, 0u);
      EXPECT_EQ(tensor.sizes(), sizes);
      EXPECT_EQ(tensor.strides(), contiguous_strides(sizes));
      for (std::int64_t i = 0; i < tensor.count(); ++i) tensor.view().as<double>()[i] = 1.5;
      EXPECT_EQ(tensor.sizes(), sizes);
    }
  }
}

TEST(SmallTensor, TakesOverElementsOfMoreDimsThanItWasMadeFor) {
  const std::int64_t before = live_storages();
  {
    const Tensor leaf = Tensor::fresh(Dims{}, DType::float32, {});
    const Dims deep = Dims::filled(max_dims, 2), flat{3};
    const Tensor view = leaf.alias_of_storage(Dims{}, Dims{}, 0);

    set_data(leaf, Tensor::fresh(deep, DType::float32, {}));
    EXPECT_EQ(leaf.sizes(), deep);
    EXPECT_EQ(leaf.strides(), contiguous_strides(deep));
    set_data(leaf, Tensor::fresh(flat, DType::int64, {}));
    EXPECT_EQ(leaf.sizes(), flat);
    EXPECT_EQ(leaf.dtype(), DType::int64);
    EXPECT_EQ(view.ndim(), 0);
  }
  EXPECT_EQ(live_storages(), before);
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
