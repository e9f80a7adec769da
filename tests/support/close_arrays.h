// Arrays in the shim's device memory that are drawn, and compared to a few digits.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/device_array.h"

namespace garboard::shim {

/// Normally distributed.
template <class T>
DeviceArray<T> normal_numbers(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = static_cast<T>(normal(random));
  return DeviceArray<T>(values);
}

/// To `units` of the last place of 1, or of what is expected where that is larger; NaN is NaN.
template <class T>
void expect_close(const DeviceArray<T>& found, const DeviceArray<T>& expected, double units = 64) {
  ASSERT_EQ(found.count(), expected.count());
  for (std::int64_t i = 0; i < found.count(); ++i) {
    const double one = static_cast<double>(found.at(i)),
                 other = static_cast<double>(expected.at(i));
    if (one == other || (std::isnan(one) && std::isnan(other))) continue;
    const double size = std::isfinite(other) ? std::fmax(std::fabs(other), 1) : 0;
    const double most = units * static_cast<double>(std::numeric_limits<T>::epsilon()) * size;
    ASSERT_LE(std::fabs(one - other), most) << "at " << i << ": " << one << " for " << other;
  }
}

}  // namespace garboard::shim
