// The function itself is nvcc's; what is tested is the shim that stands for it everywhere else.
#include "tests/support/device_memory.h"

#include "kernels/cuda/launch/launch.h"

#include <gtest/gtest.h>

#include <vector>

namespace garboard::kernels::cuda {
namespace {

__global__ void note_visit(std::vector<int>* visits) {
  ++(*visits)[blockIdx.x * threads + threadIdx.x];
}

TEST(Launch, RunsEveryThreadOfEveryBlockOnce) {
  std::vector<int> visits(5 * threads);

  launch(note_visit, {5, {}}, &visits);

  EXPECT_EQ(visits, std::vector<int>(5 * threads, 1));
}

// Each step needs what other threads wrote in the one before, in both directions.
__global__ void rotate_often(std::vector<int>* out) {
  __shared__ int seats[threads];
  const int t = static_cast<int>(threadIdx.x);
  seats[t] = t;
  for (int step = 0; step < 10; ++step) {
    __syncthreads();
    const int from_right = seats[(t + 1) % threads], from_left = seats[(t + threads - 1) % threads];
    __syncthreads();
    seats[t] = step % 2 ? from_left : from_right;
  }
  EXPECT_EQ(static_cast<int>(threadIdx.x), t) << "a barrier changed who this is";
  (*out)[blockIdx.x * threads + t] = seats[t];
}

TEST(Launch, KeepsWritesAndReadsApartAtABarrier) {
  std::vector<int> out(3 * threads);

  launch(rotate_often, {3, {}}, &out);

  for (int i = 0; i < 3 * threads; ++i) EXPECT_EQ(out[i], i % threads);  // five left, five right
}

__global__ void wait_in_half_of_the_threads(int first) {
  if (static_cast<int>(threadIdx.x) >= first) __syncthreads();
}

TEST(Launch, ReportsABarrierThatSomeThreadsNeverReach) {
  EXPECT_THROW(launch(wait_in_half_of_the_threads, {1, {}}, 100), std::logic_error);
  EXPECT_NO_THROW(launch(wait_in_half_of_the_threads, {1, {}}, 0)) << "after a failed block";
}

TEST(Launch, RefusesAGridThatCudaRefuses) {
  std::vector<int> visits;

  EXPECT_THROW(launch(note_visit, {0, {}}, &visits), std::logic_error);
  EXPECT_THROW(launch(note_visit, {std::int64_t{1} << 31, {}}, &visits), std::logic_error);
  EXPECT_THROW(launch(note_visit, {1, {}, 128, 100 << 10}, &visits), std::logic_error);
}

__global__ void note_size(std::vector<int>* threads_of_block) {
  ++(*threads_of_block)[blockIdx.x];
  shared_bytes()[threadIdx.x] = std::byte{1};
}

TEST(Launch, RunsBlocksOfTheSizeThatTheGridSays) {
  std::vector<int> threads_of_block(3);

  launch(note_size, {3, {}, 96, 96}, &threads_of_block);

  EXPECT_EQ(threads_of_block, std::vector<int>(3, 96));
}

}  // namespace
}  // namespace garboard::kernels::cuda
