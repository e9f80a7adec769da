#include "kernels/cpu/taps/planes.h"

#include <gtest/gtest.h>

#include <vector>

namespace garboard::kernels::GARBOARD_ISA {
namespace {

// A subnormal number in a lane that is no place is multiplied too, and takes a hundred cycles.
TEST(PlanesTest, WhatAVectorReadsBehindThePlacesIsZero) {
  constexpr float inside = 5, old = 1e-41f;
  constexpr std::int64_t samples = 2, channels = 3, lanes = 16;
  for (const std::int64_t size : {1, 2, 4, 7, 12})
    for (const std::int64_t stride : {1, 2, 3}) {
      const std::int64_t places = (size + 2 - 3) / stride + 1;
      const std::vector<float> x(samples * channels * size * size, inside);
      const Moved<float> moved{.data = x.data(),
                               .sample_stride = channels * size * size,
                               .sizes = {1, size, size},
                               .places = {1, places, places},
                               .taps = {1, 3, 3},
                               .step = {1, stride, stride},
                               .start = {0, -1, -1},
                               .tap_step = {1, 1, 1}};
      const Axis axes[] = {
          {moved, 0, Reading::vectors}, {moved, 1, Reading::vectors}, {moved, 2, Reading::vectors}};
      const Cut cut(axes, samples, moved.places, {1 << 20, 1 << 20}, 1);
      const Planes<float> planes(moved, axes, cut);
      std::vector<float> copy(planes.channel() + Planes<float>::slack, old);

      planes.copy(copy.data(), x.data(), cut[0]);

      for (std::int64_t k = 0; k < 9; ++k)
        for (std::int64_t i = 0; i < samples * places * places; ++i) {
          const std::int64_t at =
              planes.tap(k) + planes.place(i / places / places, 0, i / places % places, i % places);
          for (std::int64_t lane = at; lane < at + lanes && lane < planes.channel(); ++lane)
            ASSERT_TRUE(copy[lane] == 0 || copy[lane] == inside)
                << size << " by steps of " << stride << ": " << copy[lane] << " at " << lane;
        }
    }
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
