#include "csrc/core/dtype.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace garboard {
namespace {

constexpr DType b1 = DType::boolean, u1 = DType::uint8, i1 = DType::int8, i2 = DType::int16,
                i4 = DType::int32, i8 = DType::int64, f2 = DType::float16, g2 = DType::bfloat16,
                f4 = DType::float32, f8 = DType::float64, c4 = DType::complex64,
                c8 = DType::complex128;
constexpr std::array all{b1, u1, i1, i2, i4, i8, f2, g2, f4, f8, c4, c8};

// PyTorch's table for two tensors of at least one dim each, read off torch.promote_types.
TEST(Promotion, OfTwoDTypesIsPyTorchs) {
  constexpr DType expected[dtype_count][dtype_count] = {
      {b1, u1, i1, i2, i4, i8, f2, g2, f4, f8, c4, c8},  //
      {u1, u1, i2, i2, i4, i8, f2, g2, f4, f8, c4, c8},  //
      {i1, i2, i1, i2, i4, i8, f2, g2, f4, f8, c4, c8},  //
      {i2, i2, i2, i2, i4, i8, f2, g2, f4, f8, c4, c8},  //
      {i4, i4, i4, i4, i4, i8, f2, g2, f4, f8, c4, c8},  //
      {i8, i8, i8, i8, i8, i8, f2, g2, f4, f8, c4, c8},  //
      {f2, f2, f2, f2, f2, f2, f2, f4, f4, f8, c4, c8},  //
      {g2, g2, g2, g2, g2, g2, f4, g2, f4, f8, c4, c8},  //
      {f4, f4, f4, f4, f4, f4, f4, f4, f4, f8, c4, c8},  //
      {f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, c8, c8},  //
      {c4, c4, c4, c4, c4, c4, c4, c4, c4, c8, c4, c8},  //
      {c8, c8, c8, c8, c8, c8, c8, c8, c8, c8, c8, c8},
  };

  for (int a = 0; a < dtype_count; ++a)
    for (int b = 0; b < dtype_count; ++b)
      EXPECT_EQ(promote(all[a], all[b]), expected[a][b])
          << name_of(all[a]) << " and " << name_of(all[b]);
}

TEST(DType, VisitsItsElementType) {
  for (const DType dtype : all) {
    const auto [visited, bytes] =
        visit_dtype(dtype, []<class T>(Type<T>) { return std::pair(dtype_of<T>, sizeof(T)); });

    EXPECT_EQ(visited, dtype);
    EXPECT_EQ(bytes, item_size(dtype)) << name_of(dtype);
  }
}

TEST(DType, HasPyTorchsName) {
  std::string names;
  for (const DType dtype : all) names.append(name_of(dtype)).append(" ");

  EXPECT_EQ(names,
            "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 "
            "complex64 complex128 ");
}

TEST(DType, BelongsToOneCategory) {
  EXPECT_EQ(category_of(b1), Category::boolean);
  for (const DType dtype : {u1, i1, i2, i4, i8}) EXPECT_EQ(category_of(dtype), Category::integer);
  for (const DType dtype : {f2, g2, f4, f8}) EXPECT_TRUE(is_floating(dtype));
  for (const DType dtype : {c4, c8}) EXPECT_TRUE(is_complex(dtype) && !is_floating(dtype));
  for (const DType dtype : all) EXPECT_EQ(has_gradient(dtype), dtype >= f2) << name_of(dtype);
  for (const DType dtype : all) EXPECT_EQ(is_half(dtype), dtype == f2 || dtype == g2);
}

TEST(DType, HasPartsAndAComplexOneOfItsDigits) {
  EXPECT_EQ(component_of(c4), f4);
  EXPECT_EQ(component_of(c8), f8);
  EXPECT_EQ(component_of(i8), i8);
  for (const DType dtype : {i4, f2, f4, c4}) EXPECT_EQ(complex_of(dtype), c4);
  for (const DType dtype : {f8, c8}) EXPECT_EQ(complex_of(dtype), c8);
}

TEST(DTypeSet, HasWhatWasAddedToIt) {
  DTypeSet set{f4, f8, c8};
  const bool was_floating = set.has_gradients();
  set.add(i8);

  EXPECT_TRUE(was_floating);
  EXPECT_FALSE(set.has_gradients());
  for (const DType dtype : all)
    EXPECT_EQ(set.has(dtype), dtype == f4 || dtype == f8 || dtype == c8 || dtype == i8);
  EXPECT_TRUE(DTypeSet().is_empty());
}

}  // namespace
}  // namespace garboard
