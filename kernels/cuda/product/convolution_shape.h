// Which elements of a convolution meet: its sizes, by groups of channels.
#pragma once

#include "csrc/core/host_device.h"
#include "kernels/windows.h"

namespace garboard::kernels::cuda {

/// Which of a convolution's tensors is computed of the others.
enum class ConvolutionPart { out, x, weight };

/// One dim of space.
struct Line {
  std::int64_t size, places, taps, stride, padding, dilation;

  /// Where a tap meets the input, perhaps outside of it.
  GARBOARD_HD std::int64_t met(std::int64_t place, std::int64_t tap) const {
    return place * stride + tap * dilation - padding;
  }
  /// Where the input's element meets a tap, or -1.
  GARBOARD_HD std::int64_t place(std::int64_t at, std::int64_t tap) const {
    const std::int64_t step = at + padding - tap * dilation;
    return step < 0 || step % stride != 0 || step / stride >= places ? -1 : step / stride;
  }
};

/// Rows are a group's out channels, channels those of its share of the input.
struct GroupShape {
  std::int64_t samples, groups, rows, channels, size = 1, places = 1, taps = 1;
  Line line[space_dims];

  explicit GroupShape(const Convolution& of)
      : samples(of.x.sizes[0]),
        groups(of.groups),
        rows(of.weight.sizes[0] / of.groups),
        channels(of.weight.sizes[1]) {
    for (int d = 0; d < space_dims; ++d) {
      line[d] = {of.x.sizes[d + 2], of.out.sizes[d + 2], of.weight.sizes[d + 2],
                 of.stride[d],      of.padding[d],       of.dilation[d]};
      size *= line[d].size;
      places *= line[d].places;
      taps *= line[d].taps;
    }
  }

  /// Where `tap` meets a channel when the window is at `place`; -1 outside.
  GARBOARD_HD std::int64_t met(std::int64_t place, std::int64_t tap) const {
    std::int64_t at = 0, unit = 1;
    for (int d = space_dims - 1; d >= 0; --d) {
      const std::int64_t one = line[d].met(place % line[d].places, tap % line[d].taps);
      if (one < 0 || one >= line[d].size) return -1;
      at += one * unit;
      unit *= line[d].size;
      place /= line[d].places;
      tap /= line[d].taps;
    }
    return at;
  }
  /// The place at which `tap` meets element `at`, or -1.
  GARBOARD_HD std::int64_t place(std::int64_t at, std::int64_t tap) const {
    std::int64_t place = 0, unit = 1;
    for (int d = space_dims - 1; d >= 0; --d) {
      const std::int64_t one = line[d].place(at % line[d].size, tap % line[d].taps);
      if (one < 0) return -1;
      place += one * unit;
      unit *= line[d].places;
      at /= line[d].size;
      tap /= line[d].taps;
    }
    return place;
  }
};

}  // namespace garboard::kernels::cuda
