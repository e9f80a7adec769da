// Elements chosen by a mask, in row-major order. The true ones of each block are counted first;
// then every block knows where its elements go.
#include "kernels/cuda/index/indexed.h"
#include "kernels/cuda/launch/lanes.h"
#include "kernels/cuda/launch/parts.h"

namespace garboard::kernels::cuda {
namespace {

constexpr int each = static_cast<int>(mask_block / threads);  // elements of a thread, side by side

/// How many are true.
struct Count {
  std::int64_t value;

  GARBOARD_HD void merge(const Count& other) { value += other.value; }
};

/// All threads of a block, for one result.
GARBOARD_HD Seat whole_block() { return Seat(static_cast<int>(threadIdx.x), 0, threads, false); }

GARBOARD_HD Count count_of_thread(const bool* mask, std::int64_t first, std::int64_t count) {
  Count mine{0};
  for (std::int64_t i = first; i < first + each && i < count; ++i) mine.value += mask[i];
  return mine;
}

GARBOARD_HD std::int64_t first_of_thread() {
  return blockIdx.x * mask_block + std::int64_t{threadIdx.x} * each;
}

__global__ void count_blocks(std::int64_t* counts, const bool* mask, std::int64_t count) {
  __shared__ Count shared[threads];
  const Count mine = count_of_thread(mask, first_of_thread(), count);
  const Count all = meet(shared, mine, whole_block(), threads);
  if (threadIdx.x == 0) counts[blockIdx.x] = all.value;
}

/// Each count is replaced by the sum of those before it; behind the last stands the sum of all.
__global__ void add_up_blocks(std::int64_t* starts, std::int64_t* total, std::int64_t blocks) {
  __shared__ Count shared[threads];
  const int t = static_cast<int>(threadIdx.x);
  std::int64_t before = 0;
  for (std::int64_t first = 0; first < blocks; first += threads) {
    const Count mine{first + t < blocks ? starts[first + t] : 0};
    const Count so_far = scan_lanes(shared, mine, whole_block(), threads);
    if (first + t < blocks) starts[first + t] = before + so_far.value - mine.value;
    shared[t] = so_far;
    __syncthreads();
    before += shared[threads - 1].value;
    __syncthreads();
  }
  if (t == 0) *total = before;
}

/// Calls `run(k, i)` for each true element i of a thread: the k-th of all, below `wanted`.
template <class Run>
__device__ void for_each_true(const bool* mask, const std::int64_t* starts, std::int64_t count,
                              std::int64_t wanted, Run run) {
  __shared__ Count shared[threads];
  const std::int64_t first = first_of_thread();
  const Count mine = count_of_thread(mask, first, count);
  const Count so_far = scan_lanes(shared, mine, whole_block(), threads);
  std::int64_t k = starts[blockIdx.x] + so_far.value - mine.value;
  for (std::int64_t i = first; i < first + each && i < count; ++i)
    if (mask[i] && k < wanted) run(k++, i);
}

template <class Item>
__global__ void take(Item* out, const Item* x, const bool* mask, const std::int64_t* starts,
                     std::int64_t count, std::int64_t wanted) {
  for_each_true(mask, starts, count, wanted,
                [&](std::int64_t k, std::int64_t i) { out[k] = x[i]; });
}

template <class Item>
__global__ void put(Item* x, const Item* source, const bool* mask, const std::int64_t* starts,
                    std::int64_t count, std::int64_t wanted) {
  for_each_true(mask, starts, count, wanted,
                [&](std::int64_t k, std::int64_t i) { x[i] = source[k]; });
}

/// A mask's sizes, and the strides of the places.
struct PlaceShape {
  int dims;
  std::int64_t sizes[max_dims], along, across;
};

__global__ void list_places(const __grid_constant__ PlaceShape shape, std::int64_t* out,
                            const bool* mask, const std::int64_t* starts, std::int64_t count,
                            std::int64_t wanted) {
  for_each_true(mask, starts, count, wanted, [&](std::int64_t k, std::int64_t i) {
    for (int d = shape.dims - 1; d >= 0; --d) {
      out[k * shape.along + d * shape.across] = i % shape.sizes[d];
      i /= shape.sizes[d];
    }
  });
}

Grid grid_over(const View& mask, Stream stream) {
  return {divided_up(mask.count, mask_block), stream};
}

}  // namespace

template <>
std::int64_t kernel(const CountTrue& of, Stream stream) {
  if (of.mask.count == 0) return 0;
  auto* const starts = of.starts.as<std::int64_t>();
  const Grid grid = grid_over(of.mask, stream);
  const Scratch scratch(sizeof(std::int64_t), stream);
  auto* const total = scratch.as<std::int64_t>();
  launch(count_blocks, grid, starts, of.mask.as<bool>(), of.mask.count);
  launch(add_up_blocks, {1, stream}, starts, total, grid.blocks);
  std::int64_t found;
  copy_bytes(&found, total, sizeof found, stream);
  return found;
}

template <>
void kernel(const MaskedTake& of, Stream stream) {
  if (of.mask.count == 0) return;
  visit_item(item_size(of.x.dtype), [&]<class Item>(Type<Item>) {
    launch(take<Item>, grid_over(of.mask, stream), of.out.as<Item>(), of.x.as<Item>(),
           of.mask.as<bool>(), of.starts.as<std::int64_t>(), of.mask.count, of.out.count);
  });
}

template <>
void kernel(const MaskedPut& of, Stream stream) {
  if (of.mask.count == 0) return;
  visit_item(item_size(of.x.dtype), [&]<class Item>(Type<Item>) {
    launch(put<Item>, grid_over(of.mask, stream), of.x.as<Item>(), of.source.as<Item>(),
           of.mask.as<bool>(), of.starts.as<std::int64_t>(), of.mask.count, of.source.count);
  });
}

template <>
void kernel(const TruePlaces& of, Stream stream) {
  if (of.mask.count == 0) return;
  PlaceShape shape{of.mask.ndim(), {}, of.out.strides[0], of.out.strides[1]};
  for (int d = 0; d < shape.dims; ++d) shape.sizes[d] = of.mask.sizes[d];
  launch(list_places, grid_over(of.mask, stream), shape, of.out.as<std::int64_t>(),
         of.mask.as<bool>(), of.starts.as<std::int64_t>(), of.mask.count, of.out.sizes[0]);
}

}  // namespace garboard::kernels::cuda
