// Random numbers in captured work: drawn anew each time it is played.
#pragma once

#include <cstdint>
#include <optional>

#include "csrc/device/capture.h"
#include "csrc/ops/random/generator.h"
#include "csrc/tensor/tensor.h"

namespace garboard {

/// Of one capture: how many steps of the counter its kernels take, and where on the device they
/// read behind which they are. Known by the capture's number from `begin` to `end`.
class CapturedNumbers {
 public:
  explicit CapturedNumbers(Device device) noexcept : device_(device) {}
  CapturedNumbers(const CapturedNumbers&) = delete;
  CapturedNumbers& operator=(const CapturedNumbers&) = delete;
  ~CapturedNumbers() { end(); }

  void begin(CaptureId capture);
  void end() noexcept;

  /// The next of them. Raises DeviceError unless `from` is the standard generator.
  kernels::RandomStream next(Generator& from, std::uint64_t counters);
  /// Before it is played: draws as many from the standard generator, and tells the device, in the
  /// current stream's order.
  void draw();

 private:
  Device device_;
  std::uint64_t counters_ = 0;
  Tensor place_;                      // the seed and the offset; empty where nothing is drawn
  std::optional<std::int64_t> seed_;  // the one that is there
};

/// Of the capture's numbers the next. Raises DeviceError.
kernels::RandomStream captured_numbers(CaptureId capture, Generator& from, std::uint64_t counters);

}  // namespace garboard
