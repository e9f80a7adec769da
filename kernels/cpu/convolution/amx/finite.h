// Whether sums may take in, times 0, what no tap meets.
#pragma once

#include <atomic>
#include <cstdint>

#include "csrc/core/half_types.h"
#include "csrc/core/view.h"
#include "kernels/cpu/loop/parallel.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Of a dense view of bfloat16.
inline bool is_finite(const View& of) {
  const auto* const elements = of.as<BFloat16>();
  std::atomic<bool> is{true};
  for_each_part(of.count, 1 << 14, static_cast<double>(of.count) * 0.05,
                [&](std::int64_t begin, std::int64_t end) {
                  std::uint16_t largest = 0;
                  for (std::int64_t i = begin; i < end; ++i) {
                    const auto exponent = static_cast<std::uint16_t>(elements[i].bits & 0x7f80);
                    largest = exponent > largest ? exponent : largest;
                  }
                  if (largest == 0x7f80) is.store(false, std::memory_order_relaxed);
                });
  return is.load(std::memory_order_relaxed);
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
