#include "kernels/cuda/launch/divider.h"

#include <gtest/gtest.h>

#include <random>

namespace garboard::kernels::cuda {
namespace {

TEST(Divider, DividesAsTheProcessorDoesAtTheEdgesOfItsRange) {
  constexpr std::uint32_t largest = (1u << 31) - 1;
  const std::uint32_t edges[] = {1,
                                 2,
                                 3,
                                 5,
                                 7,
                                 255,
                                 256,
                                 257,
                                 641,
                                 65535,
                                 65536,
                                 65537,
                                 (1u << 30) - 1,
                                 1u << 30,
                                 (1u << 30) + 1,
                                 largest};
  for (const auto divisor : edges) {
    const Divider divider(divisor);
    for (const auto n : edges) {
      for (const auto near : {n - 1, n, n + 1 > largest ? largest : n + 1})
        EXPECT_EQ(divider.quotient(near), near / divisor) << near << " / " << divisor;
    }
  }
}

TEST(Divider, DividesRandomNumbersAsTheProcessorDoes) {
  std::mt19937 random(7);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint32_t n = random() >> 1;
    const std::uint32_t divisor = 1 + (random() >> (1 + random() % 31));

    EXPECT_EQ(Divider(divisor).quotient(n), n / divisor) << n << " / " << divisor;
  }
}

TEST(Divider, TakesTheLargestDivisor) {
  const Divider divider(1u << 31);

  EXPECT_EQ(divider.quotient((1u << 31) - 1), 0u);
  EXPECT_EQ(divider.divisor(), 1u << 31);
}

}  // namespace
}  // namespace garboard::kernels::cuda
