// Where numbers would stand in a sorted row: each thread halves it.
#include "kernels/cuda/launch/launch.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/functors/order.h"
#include "kernels/order_arguments.h"

namespace garboard::kernels::cuda {
namespace {

/// A row's length and stride.
struct SortedRow {
  std::int64_t size, stride;
};

template <class T>
__global__ void search(const __grid_constant__ OffsetCalculator<3> offsets, std::int64_t* out,
                       const T* values, const T* sorted, SortedRow row, bool right) {
  const auto i = static_cast<std::uint32_t>(blockIdx.x * threads + threadIdx.x);
  if (i >= offsets.count) return;
  const auto at = offsets.at(i);
  const auto key = functors::key_at(values[at.of[1]]);
  std::int64_t first = 0, left = row.size;
  while (left > 0) {
    const std::int64_t half = left / 2;
    const auto there = functors::key_at(sorted[at.of[2] + (first + half) * row.stride]);
    const bool is_before = right ? there <= key : there < key;
    first += is_before ? half + 1 : 0;
    left = is_before ? left - half - 1 : half;
  }
  out[at.of[0]] = first;
}

}  // namespace

template <>
void kernel(const SearchSorted& of, Stream stream) {
  if (of.out.count == 0) return;
  const int last = of.out.ndim() - 1;
  NestPart nest;
  nest.operands = 3;
  for (int d = 0; d <= last; ++d)
    nest.insert({of.out.sizes[d],
                 {of.out.strides[d], of.values.strides[d], d == last ? 0 : of.sorted.strides[d]}});
  nest.coalesce();
  const SortedRow row{of.sorted.sizes[last], of.sorted.strides[last]};
  visit_real(of.name, of.values.dtype, [&]<class T>(Type<T>) {
    for (const NestPart& part : parts_of(nest, most_elements))
      launch(search<T>, {divided_up(part.count(), threads), stream}, OffsetCalculator<3>(part),
             of.out.as<std::int64_t>() + part.start[0], of.values.as<T>() + part.start[1],
             of.sorted.as<T>() + part.start[2], row, of.right);
  });
}

}  // namespace garboard::kernels::cuda
