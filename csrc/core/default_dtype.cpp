#include "csrc/core/default_dtype.h"

#include <atomic>

namespace garboard {
namespace {

constinit std::atomic<DType> floating = DType::float32;

}  // namespace

DType default_floating() noexcept { return floating.load(std::memory_order_relaxed); }

void set_default_floating(DType dtype) noexcept {
  floating.store(dtype, std::memory_order_relaxed);
}

}  // namespace garboard
