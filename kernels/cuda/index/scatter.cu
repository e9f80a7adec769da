// Elements and rows taken to where an index says. What meets in one element does so in row-major
// order, on every GPU and as on the CPU: places are sorted, and one thread takes all that goes to
// one of them. What the index does not reach, a row say, is not sorted: each of its elements has a
// thread.
#include "kernels/cuda/index/indexed.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/sort/sort_entries.h"
#include "kernels/functors/binary.h"
#include "kernels/functors/in_float.h"

namespace garboard::kernels::cuda {
namespace {

using functors::WideEntry;

/// The last one stays.
struct Write {};

/// Offsets may be negative.
constexpr std::uint64_t offset_bias = std::uint64_t{1} << 63;
constexpr std::uint64_t nowhere = ~std::uint64_t{0};

/// Of x, source and index.
using Walk = OffsetCalculator<3>;

/// Where each element of the index sends what belongs to it, in elements from x's data.
__global__ void find_places(const __grid_constant__ Walk reached, WideEntry* entries,
                            const std::int64_t* index, IndexedDim along, Fault* faults) {
  const auto i = static_cast<std::uint32_t>(blockIdx.x * threads + threadIdx.x);
  if (i >= reached.count) return;
  const auto at = reached.at(i);
  const std::int64_t place = place_of(index[at.of[2]], along, faults, Scatter::name);
  const auto offset = static_cast<std::uint64_t>(at.of[0] + place * along.stride);
  entries[i] = WideEntry::of(place < 0 ? nowhere : offset + offset_bias, i);
}

template <class F, class T>
__global__ void meet_in_order(const __grid_constant__ Walk reached,
                              const __grid_constant__ Walk free, const WideEntry* sorted, T* x,
                              const T* source) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const std::int64_t first = i / free.count;
  if (first >= reached.count) return;
  const std::uint64_t key = sorted[first].key();
  if (key == nowhere || (first > 0 && sorted[first - 1].key() == key)) return;
  const auto beside = free.at(static_cast<std::uint32_t>(i % free.count));
  T* const there = x + static_cast<std::int64_t>(key - offset_bias) + beside.of[0];
  T value = *there;
  for (std::int64_t k = first; k < reached.count && sorted[k].key() == key; ++k) {
    const auto from = reached.at(static_cast<std::uint32_t>(sorted[k].place()));
    const T given = source[from.of[1] + beside.of[1]];
    if constexpr (std::is_same_v<F, Write>)
      value = given;
    else
      value = functors::On<F, T>{}(value, given);
  }
  *there = value;
}

struct ScatterPlan {
  NestPart reached, free;

  explicit ScatterPlan(const Scatter& of) {
    const View* const views[] = {&of.x, &of.source, &of.index};
    const auto is_reached = [&](int d) { return of.index.strides[d] != 0 || of.x.strides[d] == 0; };
    reached = nest_in_order({views[0], views[1], views[2]}, is_reached);
    free = nest_in_order({views[0], views[1], views[2]}, [&](int d) { return !is_reached(d); });
  }
};

template <class F, class T>
void scatter(const ScatterPlan& plan, const WideEntry* sorted, const Scatter& of, Stream stream) {
  const Walk reached(plan.reached);
  for (const NestPart& part :
       parts_of(plan.free, std::max<std::int64_t>(most_elements / reached.count, 1)))
    launch(meet_in_order<F, T>, {divided_up(reached.count * part.count(), threads), stream},
           reached, Walk(part), sorted, of.x.as<T>() + part.start[0],
           of.source.as<T>() + part.start[1]);
}

}  // namespace

template <>
bool kernel(const Scatter& of, Stream stream) {
  if (of.index.count == 0) return true;
  const ScatterPlan plan(of);
  const std::int64_t count = plan.reached.count();
  if (count > most_elements)
    throw DeviceError(text(of.name, ": an index of ", count,
                           " elements on a CUDA device; at most 2^30 are needed"));
  const Walk reached(plan.reached);
  const Scratch scratch(2 * count * sizeof(WideEntry), stream);
  auto* const entries = scratch.as<WideEntry>();
  launch(find_places, {divided_up(count, threads), stream}, reached, entries,
         of.index.as<std::int64_t>(), of.along, fault_record(stream));
  const WideEntry* const sorted = sort_entries(entries, entries + count, 1, count, stream);
  const auto run = [&]<class F>() {
    visit_dtype(of.x.dtype, [&]<class T>(Type<T>) {
      if constexpr (functors::Boolean<T>)
        scatter<functors::OnBools<F>, std::uint8_t>(plan, sorted, of, stream);
      else if constexpr (std::is_invocable_v<F, functors::Widened<T>, functors::Widened<T>>)
        scatter<F, T>(plan, sorted, of, stream);
      else
        refuse_complex(of.name, of.x.dtype);
    });
  };
  switch (of.meeting) {
    case Meeting::write:
      visit_item(item_size(of.x.dtype),
                 [&]<class Item>(Type<Item>) { scatter<Write, Item>(plan, sorted, of, stream); });
      break;
    case Meeting::add:
      run.operator()<functors::Add>();
      break;
    case Meeting::multiply:
      run.operator()<functors::Multiply>();
      break;
    case Meeting::maximum:
      run.operator()<functors::Maximum>();
      break;
    case Meeting::minimum:
      run.operator()<functors::Minimum>();
      break;
  }
  return true;
}

}  // namespace garboard::kernels::cuda
