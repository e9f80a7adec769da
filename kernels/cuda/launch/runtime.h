// What kernels ask of CUDA's runtime.
#pragma once

#include <cstddef>

#include "kernels/cuda/launch/launch_plan.h"

namespace garboard::kernels::cuda {

/// Starts a kernel that was compiled by nvcc. Raises DeviceError.
void start(const void* kernel, const Grid& grid, void** arguments);

/// Whether the device has the words of warp.h: compute capability 8.0 or more.
bool multiplies_halves(Device device);

/// Whether `data` is memory of the host, of which a kernel may not be told.
bool is_on_host(const void* data);

/// Copies dense memory within a device, between devices, and between one and the host. Returns when
/// memory of the host may be used again. Raises DeviceError.
void copy_bytes(void* to, const void* from, std::size_t bytes, Stream stream);

/// Memory of `stream`'s device for the kernels that are started while this lives.
class Scratch {
 public:
  /// Raises OutOfMemoryError.
  Scratch(std::size_t bytes, Stream stream);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  void* handle_ = nullptr;
  Stream stream_;
};

}  // namespace garboard::kernels::cuda
