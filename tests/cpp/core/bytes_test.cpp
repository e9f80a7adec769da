#include "csrc/core/bytes.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "csrc/core/error.h"

namespace garboard {
namespace {

TEST(Bytes, AreWrittenWithOneDigitAndTheLargestUnitBelow) {
  EXPECT_EQ(human_bytes(0), "0 bytes");
  EXPECT_EQ(human_bytes(1), "1 byte");
  EXPECT_EQ(human_bytes(1023), "1023 bytes");
  EXPECT_EQ(human_bytes(1_KiB), "1.0 KiB");
  EXPECT_EQ(human_bytes(400_MiB), "400.0 MiB");
  EXPECT_EQ(human_bytes(3_GiB / 2), "1.5 GiB");
  EXPECT_EQ(human_bytes(SIZE_MAX), "16.0 EiB");
}

TEST(Bytes, NeverReadAThousandAndTwentyFourOfAUnit) {
  EXPECT_EQ(human_bytes(1_MiB - 1), "1.0 MiB");
  EXPECT_EQ(human_bytes(1_GiB - 1), "1.0 GiB");
}

TEST(Bytes, AreWrittenToTheByteWhereAsked) {
  EXPECT_EQ(exact_bytes(400_MiB + 1), "400.0 MiB (419430401 bytes)");
  EXPECT_EQ(exact_bytes(12), "12 bytes");
}

TEST(Bytes, AreReadInAnyUnit) {
  EXPECT_EQ(parse_bytes("4096"), 4096u);
  EXPECT_EQ(parse_bytes("0"), 0u);
  EXPECT_EQ(parse_bytes("12 B"), 12u);
  EXPECT_EQ(parse_bytes("1.5 KiB"), 1536u);
  EXPECT_EQ(parse_bytes("2GiB"), 2_GiB);
  EXPECT_EQ(parse_bytes(" 2 gib "), 2_GiB);
  EXPECT_EQ(parse_bytes("100 MB"), 100'000'000u);
  EXPECT_EQ(parse_bytes("1 TiB"), 1024_GiB);
}

TEST(Bytes, RefuseWhatIsNoAmount) {
  for (const char* text : {"", " ", "GiB", "-1", "-0.5 GiB", "+1", "1 2", "1 GiBs", "two", "1e3",
                           "nan", "inf", "0x10", "1,5 GiB", "99999999999 GiB", "1 KiB KiB"}) {
    EXPECT_THROW(parse_bytes(text), Error) << text;
  }
}

TEST(Bytes, AreReadAsTheyAreWritten) {
  for (const std::size_t bytes : {std::size_t{7}, 3_KiB, 400_MiB, 24_GiB}) {
    EXPECT_EQ(parse_bytes(human_bytes(bytes == 7 ? 1_KiB : bytes)), bytes == 7 ? 1_KiB : bytes);
  }
}

}  // namespace
}  // namespace garboard
