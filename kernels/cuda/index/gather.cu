// Elements taken from where an index says, one a thread.
#include "kernels/cuda/index/indexed.h"
#include "kernels/cuda/launch/parts.h"

namespace garboard::kernels::cuda {
namespace {

template <class Item>
__global__ void gather(const __grid_constant__ OffsetCalculator<3> offsets, Item* out,
                       const Item* x, const std::int64_t* index, IndexedDim along, Fault* faults) {
  const auto i = static_cast<std::uint32_t>(blockIdx.x * threads + threadIdx.x);
  if (i >= offsets.count) return;
  const auto at = offsets.at(i);
  const std::int64_t place = place_of(index[at.of[2]], along, faults, Gather::name);
  out[at.of[0]] = place < 0 ? Item{} : x[at.of[1] + place * along.stride];
}

__global__ void add_places(const __grid_constant__ OffsetCalculator<2> offsets, std::int64_t* out,
                           const std::int64_t* index, IndexedDim along, bool is_first,
                           Fault* faults) {
  const auto i = static_cast<std::uint32_t>(blockIdx.x * threads + threadIdx.x);
  if (i >= offsets.count) return;
  const auto at = offsets.at(i);
  const std::int64_t place = place_of(index[at.of[1]], along, faults, IndexedPlaces::name);
  const std::int64_t start = along.stride < 0 ? (1 - along.size) * along.stride : 0;
  const std::int64_t moved = place < 0 ? 0 : start + place * along.stride;
  out[at.of[0]] = is_first ? moved : out[at.of[0]] + moved;
}

}  // namespace

template <>
bool kernel(const Gather& of, Stream stream) {
  if (of.out.count == 0) return true;
  Fault* const faults = fault_record(stream);
  const NestPart nest = nest_in_order({&of.out, &of.x, &of.index}, [](int) { return true; });
  visit_item(item_size(of.x.dtype), [&]<class Item>(Type<Item>) {
    for (const NestPart& part : parts_of(nest, most_elements))
      launch(gather<Item>, {divided_up(part.count(), threads), stream}, OffsetCalculator<3>(part),
             of.out.as<Item>() + part.start[0], of.x.as<Item>() + part.start[1],
             of.index.as<std::int64_t>() + part.start[2], of.along, faults);
  });
  return true;
}

template <>
bool kernel(const IndexedPlaces& of, Stream stream) {
  if (of.out.count == 0) return true;
  Fault* const faults = fault_record(stream);
  const NestPart nest = nest_in_order({&of.out, &of.index}, [](int) { return true; });
  for (const NestPart& part : parts_of(nest, most_elements))
    launch(add_places, {divided_up(part.count(), threads), stream}, OffsetCalculator<2>(part),
           of.out.as<std::int64_t>() + part.start[0], of.index.as<std::int64_t>() + part.start[1],
           of.along, of.is_first, faults);
  return true;
}

}  // namespace garboard::kernels::cuda
