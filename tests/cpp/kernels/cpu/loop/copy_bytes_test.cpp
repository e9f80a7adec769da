#include "kernels/cpu/loop/copy_bytes.h"

#include <gtest/gtest.h>

#include <vector>

namespace garboard::kernels::GARBOARD_ISA {
namespace {

TEST(CopyBytes, BringsAllAndWritesNothingElseWhereverTheTwoLie) {
  constexpr std::int64_t page = 4096, most = (1 << 20) + 1;
  std::vector<char> from(most + page), to(most + 3 * page);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i * 7 + 1);
  const auto to_page = [](const std::vector<char>& of) {
    return (page - static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(of.data()) % page)) %
           page;
  };
  const char* const x = from.data() + to_page(from);
  for (const std::int64_t bytes :
       {std::int64_t{1}, std::int64_t{31}, std::int64_t{2047}, std::int64_t{2048},
        std::int64_t{4064}, std::int64_t{9001}, most - 1, most})
    for (const std::int64_t distance : {1, 4, 12, 31, 63, 64, 4000}) {
      char* const y = to.data() + to_page(to) + distance;
      y[-1] = y[bytes] = 77;
      copy_bytes(y, x, bytes);
      EXPECT_EQ(std::memcmp(y, x, static_cast<std::size_t>(bytes)), 0) << bytes << " " << distance;
      EXPECT_EQ(y[-1], 77) << bytes << " " << distance;
      EXPECT_EQ(y[bytes], 77) << bytes << " " << distance;
    }
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
