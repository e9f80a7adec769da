#include "kernels/table.h"

#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

class TableTest : public EachInstructionSet {};
INSTANTIATE_TEST_SUITE_P(, TableTest, ::testing::ValuesIn(instruction_sets()), name_of);

TEST_P(TableTest, HasEveryKernel) {
  // A table is nothing but pointers to functions.
  const auto* entry = reinterpret_cast<void (*const*)()>(&table);
  for (std::size_t i = 0; i < sizeof(Table) / sizeof(*entry); ++i)
    EXPECT_NE(entry[i], nullptr) << i;
}

TEST(Table, IsThatOfTheInstructionSetInUse) {
  const Table* named = nullptr;
  for (const auto& set : instruction_sets())
    if (set.name == instruction_set()) named = &set.table();

  EXPECT_EQ(&cpu_table(), named);
  EXPECT_EQ(&table_of(Device{}), named);
}

TEST(Table, SlotsTellWhatTheirFunctorsAccept) {
  using enum DType;
  EXPECT_TRUE(unary<functors::Exp>.takes(float32) && !unary<functors::Exp>.takes(int64));
  EXPECT_TRUE(unary<functors::Negate>.takes(uint8) && !unary<functors::Negate>.takes(boolean));
  EXPECT_TRUE(unary<functors::BitwiseNot>.takes(boolean));
  EXPECT_FALSE(unary<functors::BitwiseNot>.takes(float64));
  EXPECT_TRUE(unary<functors::IsNan>.gives_bool && !unary<functors::Sign>.gives_bool);
  EXPECT_TRUE(binary<functors::Less>.gives_bool && !binary<functors::Add>.gives_bool);
  EXPECT_TRUE(binary<functors::Add>.takes(boolean) && !binary<functors::Subtract>.takes(boolean));
  EXPECT_TRUE(ternary<functors::Where>.takes(boolean) && !ternary<functors::Lerp>.takes(int32));
}

}  // namespace
}  // namespace garboard::kernels
