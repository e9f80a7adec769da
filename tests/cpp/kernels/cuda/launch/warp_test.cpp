// The words themselves are nvcc's; what is tested is what stands for them everywhere else, as the
// comments of warp.h have it.
#include "tests/support/device_memory.h"

#include "kernels/cuda/launch/warp.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace garboard::kernels::cuda {
namespace {

constexpr Grid one_warp{.blocks = 1, .stream = {}, .block_threads = 32, .shared_bytes = 1024};

/// Numbers of 16 x 16, and of 16 x 8, that halves hold exactly, as their products.
float left(int row, int column) { return static_cast<float>((row * 5 + column * 3) % 11 - 5); }
float right(int row, int column) { return static_cast<float>((row * 7 + column * 2) % 9 - 4); }

template <class T>
__global__ void multiply(std::vector<float>* out) {
  const int lane = static_cast<int>(threadIdx.x), g = lane / 4, t = lane % 4;
  std::uint32_t a[1][4], b[1][2];
  for (int i = 0; i < 4; ++i) {
    const int row = g + i % 2 * 8, column = t * 2 + i / 2 * 8;
    a[0][i] = rounded_pair<T>(left(row, column), left(row, column + 1));
  }
  for (int i = 0; i < 2; ++i)
    b[0][i] = rounded_pair<T>(right(t * 2 + i * 8, g), right(t * 2 + 1 + i * 8, g));
  float sums[1][2][4] = {{{0, 0, 0, 0}, {1, 1, 1, 1}}};
  multiply_add<T>(sums, 1, a, b);
  for (int i = 0; i < 4; ++i) (*out)[(g + i / 2 * 8) * 8 + t * 2 + i % 2] = sums[0][1][i];
}

template <class T>
void expect_product() {
  std::vector<float> out(16 * 8);

  launch(multiply<T>, one_warp, &out);

  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      float sum = 1;
      for (int k = 0; k < 16; ++k) sum += left(row, k) * right(k, column);
      EXPECT_EQ(out[row * 8 + column], sum) << row << ' ' << column;
    }
}

TEST(Warp, AddsTheProductOfTwoFragments) {
  expect_product<Float16>();
  expect_product<BFloat16>();
}

/// Four matrices of 8 x 8 in shared memory, element (r, c) of matrix i being 100 i + 10 r + c.
__global__ void load(std::vector<std::uint32_t>* rows, std::vector<std::uint32_t>* columns) {
  const int lane = static_cast<int>(threadIdx.x);
  auto* const memory = reinterpret_cast<std::uint16_t*>(shared_bytes());
  std::uint16_t* const mine = memory + lane * 8;
  for (int c = 0; c < 8; ++c)
    mine[c] = static_cast<std::uint16_t>(lane / 8 * 100 + lane % 8 * 10 + c);
  __syncthreads();
  std::uint32_t straight[4], turned[4];
  load_matrices(straight, mine);
  load_transposed(turned, mine);
  for (int i = 0; i < 4; ++i) {
    (*rows)[lane * 4 + i] = straight[i];
    (*columns)[lane * 4 + i] = turned[i];
  }
}

TEST(Warp, LoadsMatricesByRowsAndByColumns) {
  std::vector<std::uint32_t> rows(128), columns(128);

  launch(load, one_warp, &rows, &columns);

  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned g = lane / 4, t = lane % 4 * 2, base = 100 * i;
      EXPECT_EQ(rows[lane * 4 + i], (base + 10 * g + t) | (base + 10 * g + t + 1) << 16);
      EXPECT_EQ(columns[lane * 4 + i], (base + 10 * t + g) | (base + 10 * (t + 1) + g) << 16);
    }
}

__global__ void exchange(std::vector<float>* out) {
  const int lane = static_cast<int>(threadIdx.x);
  (*out)[lane] = exchanged(static_cast<float>(lane), 2);
}

TEST(Warp, ExchangesNumbers) {
  std::vector<float> out(64);

  launch(exchange, Grid{.blocks = 1, .stream = {}, .block_threads = 64}, &out);

  for (int lane = 0; lane < 64; ++lane) EXPECT_EQ(out[lane], static_cast<float>(lane ^ 2));
}

struct alignas(16) Chunk {
  std::uint32_t words[4];
};

__global__ void copy(const Chunk* from, std::vector<std::uint32_t>* seen) {
  auto* const memory = reinterpret_cast<Chunk*>(shared_bytes()) + threadIdx.x * 2;
  copy_chunk(memory, from, true);
  end_copies();
  copy_chunk(memory + 1, from, false);
  end_copies();
  if (threadIdx.x > 0) return;
  seen->push_back(memory[0].words[3]);
  await_copies<1>();
  seen->push_back(memory[0].words[3]);
  seen->push_back(memory[1].words[3]);
  await_copies<0>();
  seen->push_back(memory[1].words[3]);
}

TEST(Warp, CopiesArriveWhenTheyAreAwaited) {
  const Chunk from{{1, 2, 3, 4}};
  std::vector<std::uint32_t> seen;

  launch(copy, one_warp, &from, &seen);

  EXPECT_EQ(seen, (std::vector<std::uint32_t>{~0u, 4, ~0u, 0}));
}

__global__ void leave_early() {
  if (threadIdx.x != 7) exchanged(1, 1);
}

TEST(Warp, OfWhichSomeHaveLeftIsAnError) {
  EXPECT_THROW(launch(leave_early, one_warp), std::logic_error);
}

}  // namespace
}  // namespace garboard::kernels::cuda
