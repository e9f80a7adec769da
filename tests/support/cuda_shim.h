// CUDA on the CPU, for tests: include this, then a file of kernels/cuda, and its kernels run here,
// block by block, sanitizers on. What this cannot show: races, the memory model, launch limits.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "kernels/cuda/launch/runtime.h"
#include "tests/support/fibers.h"

#define __global__
#define __device__
#define __grid_constant__
#define __shared__ static  // blocks run one after the other

namespace garboard::shim {

struct Index {
  unsigned x = 0;
};

/// While one lives, kernels and copies are at work: only then may a device's memory be touched.
/// What that means, device_memory.h and simulated_cuda.cpp say.
class DeviceAtWork {
 public:
  DeviceAtWork();
  ~DeviceAtWork();
};

inline thread_local std::int64_t launches = 0;

}  // namespace garboard::shim

inline thread_local garboard::shim::Index blockIdx, threadIdx;

inline void __syncthreads() {
  auto& block = garboard::shim::ThreadBlock::current();
  block.wait();
  threadIdx.x = static_cast<unsigned>(block.thread());
}

inline unsigned atomicCAS(unsigned* at, unsigned expected, unsigned wanted) {
  const unsigned there = *at;
  if (there == expected) *at = wanted;
  return there;
}

namespace garboard::kernels::cuda {

template <class... Formal>
void launch(void (*kernel)(Formal...), const Grid& grid,
            const std::type_identity_t<Formal>&... arguments) {
  if (grid.blocks < 1 || grid.blocks >= std::int64_t{1} << 31)
    throw std::logic_error(text("launch: ", grid.blocks, " blocks"));
  ++shim::launches;
  const shim::DeviceAtWork at_work;
  for (std::int64_t block = 0; block < grid.blocks; ++block) {
    blockIdx.x = static_cast<unsigned>(block);
    shim::ThreadBlock::current().run(threads, [&](int thread) {
      threadIdx.x = static_cast<unsigned>(thread);
      kernel(arguments...);
    });
  }
}

}  // namespace garboard::kernels::cuda
