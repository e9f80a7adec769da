// CUDA on the CPU, for tests: include this, then a file of kernels/cuda, and its kernels run here,
// block by block, sanitizers on. What this cannot show: races, the memory model, launch limits.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <type_traits>

#include "kernels/cuda/launch/runtime.h"
#include "tests/support/fibers.h"
#include "tests/support/warp_shim.h"

#define __global__
#define __device__
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__ static  // blocks run one after the other

namespace garboard::shim {

struct Index {
  unsigned x = 0;
};

/// While one lives, kernels and copies are at work: only then may a device's memory be touched.
/// What that means, device_memory.cpp and simulated_cuda.cpp say.
class DeviceAtWork {
 public:
  DeviceAtWork();
  ~DeviceAtWork();
};

/// Gives `work` to a stream, which does it in its order: at once, or late; as above.
void queue(Stream stream, std::function<void()> work);

inline thread_local std::int64_t launches = 0;

}  // namespace garboard::shim

inline thread_local garboard::shim::Index blockIdx, threadIdx;

inline void __syncthreads() {
  auto& block = garboard::shim::ThreadBlock::current();
  block.wait();
  threadIdx.x = static_cast<unsigned>(block.thread());
}

inline void garboard::shim::meet_in_warp(void* mine,
                                         const std::function<void(void* const* all)>& work) {
  auto& block = ThreadBlock::current();
  block.meet_in_warp(mine, work);
  threadIdx.x = static_cast<unsigned>(block.thread());
}
inline garboard::shim::Copies& garboard::shim::copies_of_thread() {
  return ThreadBlock::current().copies();
}

inline void __threadfence_system() {}

namespace garboard::shim {

/// What thread `from` brings. All threads of the block take part, not those of a warp alone.
template <class T>
T exchanged(const T& mine, unsigned from) {
  static T brought[1024];
  brought[threadIdx.x] = mine;
  __syncthreads();
  const T found = brought[from];
  __syncthreads();
  return found;
}

}  // namespace garboard::shim

template <class T>
T __shfl_sync(unsigned, T mine, int lane) {
  return garboard::shim::exchanged(mine, threadIdx.x / 32 * 32 + static_cast<unsigned>(lane) % 32);
}
template <class T>
T __shfl_xor_sync(unsigned, T mine, int lanes) {
  return garboard::shim::exchanged(mine, threadIdx.x ^ static_cast<unsigned>(lanes));
}
template <class T>
T __shfl_up_sync(unsigned, T mine, unsigned lanes) {
  const unsigned at = threadIdx.x;
  return garboard::shim::exchanged(mine, at % 32 < lanes ? at : at - lanes);
}

inline int __popc(unsigned bits) { return __builtin_popcount(bits); }

inline void __threadfence() {}

inline unsigned atomicAdd(unsigned* at, unsigned added) {
  const unsigned there = *at;
  *at = there + added;
  return there;
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
  // What devices of compute capability 8.6 and 8.9 give, which is least of those that give more.
  if (grid.shared_bytes > std::size_t{99} << 10)
    throw std::logic_error(text("launch: ", grid.shared_bytes, " bytes of shared memory"));
  ++shim::launches;
  shim::queue(grid.stream, [kernel, grid, ... copies = arguments] {
    const shim::DeviceAtWork at_work;
    for (std::int64_t block = 0; block < grid.blocks; ++block) {
      blockIdx.x = static_cast<unsigned>(block);
      shim::ThreadBlock::current().run(grid.block_threads, grid.shared_bytes, [&](int thread) {
        threadIdx.x = static_cast<unsigned>(thread);
        kernel(copies...);
      });
    }
  });
}

}  // namespace garboard::kernels::cuda
