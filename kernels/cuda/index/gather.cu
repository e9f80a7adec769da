// Elements taken from where an index says, one a thread.
#include "kernels/cuda/index/indexed.h"
#include "kernels/cuda/launch/packs.h"
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

/// How many elements are moved as one, 16 bytes at most: where an index counts whole rows.
int neighbours_of(const Gather& of, const NestPart& nest) {
  if (nest.dims < 2) return 1;
  const LoopDim& inner = nest.inner();
  if (inner.strides[0] != 1 || inner.strides[1] != 1 || inner.strides[2] != 0) return 1;
  const auto item = static_cast<std::int64_t>(item_size(of.x.dtype));
  const auto suits = [&](std::int64_t together) {
    const auto is_whole = [&](std::int64_t number) { return number % together == 0; };
    for (const View* view : {&of.out, &of.x})
      if (reinterpret_cast<std::uintptr_t>(view->data) % (together * item) != 0) return false;
    for (int d = 0; d < nest.dims - 1; ++d)
      if (!is_whole(nest.dim[d].strides[0]) || !is_whole(nest.dim[d].strides[1])) return false;
    return is_whole(inner.size) && is_whole(of.along.stride);
  };
  std::int64_t together = std::max<std::int64_t>(16 / item, 1);
  while (!suits(together)) together /= 2;
  return static_cast<int>(together);
}

template <class Item>
void launch_gather(const Gather& of, const NestPart& nest, IndexedDim along, Fault* faults,
                   Stream stream) {
  for (const NestPart& part : parts_of(nest, most_elements))
    launch(gather<Item>, {divided_up(part.count(), threads), stream}, OffsetCalculator<3>(part),
           of.out.as<Item>() + part.start[0], of.x.as<Item>() + part.start[1],
           of.index.as<std::int64_t>() + part.start[2], along, faults);
}

}  // namespace

template <>
bool kernel(const Gather& of, Stream stream) {
  if (of.out.count == 0) return true;
  Fault* const faults = fault_record(stream);
  NestPart nest = nest_in_order({&of.out, &of.x, &of.index}, [](int) { return true; });
  IndexedDim along = of.along;
  const int together = neighbours_of(of, nest);
  if (together > 1) {
    nest.inner().size /= together;
    along.stride /= together;
    for (int d = 0; d < nest.dims - 1; ++d)
      for (int k = 0; k < 2; ++k) nest.dim[d].strides[k] /= together;
  }
  const std::size_t bytes = item_size(of.x.dtype) * together;
  if (bytes == 16 && together > 1)
    launch_gather<ElementPack<std::uint32_t, 4>>(of, nest, along, faults, stream);
  else
    visit_item(bytes, [&]<class Item>(Type<Item>) {
      launch_gather<Item>(of, nest, along, faults, stream);
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
