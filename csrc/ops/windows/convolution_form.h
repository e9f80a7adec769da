// The numbers of a convolution: all that its rules hold.
#pragma once

#include "csrc/ops/windows/space.h"

namespace garboard {

struct ConvolutionForm {
  const char* op;
  int dims;
  std::int64_t samples, channels, out_channels, groups;
  Space sizes, places, taps, stride, padding, dilation;

  Dims input() const { return with_space(samples, channels, sizes, dims); }
  Dims weight() const { return with_space(out_channels, channels / groups, taps, dims); }
  Dims out() const { return with_space(samples, out_channels, places, dims); }
};

}  // namespace garboard
