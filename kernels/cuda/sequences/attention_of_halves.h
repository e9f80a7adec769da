// Attention of float16 and bfloat16 on tensor cores: what attention.cu hands on.
#pragma once

#include "csrc/device/device.h"
#include "kernels/sequences.h"

namespace garboard::kernels::cuda {

/// The most columns that q, k and v may have.
inline constexpr std::int64_t widest_of_halves = 128;

/// As the kernels they are parts of; the device has the words of warp.h.
void attend_halves(const Attention& of, Stream stream);
void find_gradients_of_halves(const AttentionGradient& of, Stream stream);

}  // namespace garboard::kernels::cuda
