// A tensor that takes over other elements.
#pragma once

#include "csrc/tensor/tensor.h"

namespace garboard {

/// Lets `tensor` be over the storage of `data` from now on, with its sizes, strides, dtype and
/// device. It stays the tensor that it is: graphs, gradient and hooks stay with it. A backward pass
/// that kept the old elements raises VersionError. A view is none any more; its history, which
/// stays, has to be up to date.
///
/// Raises GradientError for what was computed from others where sizes, dtype or device differ, and
/// for elements of inference mode where a gradient is asked for; DTypeError where the dtype can
/// have none; ShapeError, DTypeError and DeviceError where it has a gradient that would not fit any
/// more.
void set_data(const Tensor& tensor, const Tensor& data);

}  // namespace garboard
