// Where the result of a call lies that was given `out=`: an op that asks here takes no memory.
#pragma once

#include <utility>

#include "csrc/tensor/tensor.h"

namespace garboard {

/// While it lives, the first result that fits `out` and that an op of this thread asks a place for
/// is written there at once; null: none is. For whoever knows that ops do not read that memory and
/// record nothing, and copies where `lies_in` is false.
class Destination {
 public:
  explicit Destination(const Tensor* out) noexcept : before_(std::exchange(current_, out)) {}
  ~Destination() { current_ = before_; }
  Destination(const Destination&) = delete;
  Destination& operator=(const Destination&) = delete;

 private:
  friend Tensor result_of(const char* op, const Dims& sizes, DType dtype, Device device);
  static Tensor taken(const char* op, const Dims& sizes, DType dtype, Device device);

  static constinit thread_local const Tensor* current_ [[gnu::tls_model("initial-exec")]];
  const Tensor* before_;
};

/// Uninitialised and row-major, as `empty_of`: for what an op returns, and writes once nothing is
/// left to refuse. Raises what writing into `out` raises.
inline Tensor result_of(const char* op, const Dims& sizes, DType dtype, Device device) {
  if (Destination::current_) [[unlikely]]
    return Destination::taken(op, sizes, dtype, device);
  return Tensor::fresh(sizes, dtype, device, op);
}

/// Whether `made` is what `out` is, element by element.
bool lies_in(const Tensor& out, const Tensor& made);

}  // namespace garboard
