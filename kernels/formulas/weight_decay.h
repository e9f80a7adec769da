// Weight decay as a part of the gradient.
#pragma once

#include "csrc/core/host_device.h"
#include "kernels/functors/element.h"

namespace garboard::kernels {

/// gradient + pull * weight. Without a pull an infinite weight is none of it, rather than NaN.
template <functors::Real T>
GARBOARD_HD T with_decay(T gradient, T pull, T weight) {
  return pull != 0 ? gradient + pull * weight : gradient;
}

}  // namespace garboard::kernels
