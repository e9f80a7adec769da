// Random numbers of captured work: where in the stream of all it is played, the device reads.
#pragma once

#include "csrc/core/host_device.h"
#include "kernels/arguments.h"

namespace garboard::kernels::cuda {

/// The numbers that this kernel draws, now.
GARBOARD_HD RandomStream played(const RandomStream& numbers) {
  if (!numbers.played) return numbers;
  return {static_cast<std::uint64_t>(numbers.played[0]),
          numbers.offset + static_cast<std::uint64_t>(numbers.played[1])};
}

}  // namespace garboard::kernels::cuda
