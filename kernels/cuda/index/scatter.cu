// Elements and rows taken to where an index says. What meets in one element does so in row-major
// order, on every GPU and as on the CPU: places are sorted, and one thread takes all that goes to
// one of them. What the index does not reach, a row say, is not sorted: each of its elements has a
// thread.
#include "kernels/cuda/index/indexed.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/sort/whole_sort.h"
#include "kernels/functors/binary.h"
#include "kernels/functors/in_float.h"

namespace garboard::kernels::cuda {
namespace {

/// The last one stays.
struct Write {};

/// Of x, source and index.
using Walk = OffsetCalculator<3>;

/// Behind every key.
template <class Key>
inline constexpr Key nowhere = static_cast<Key>(~Key{0});

/// Where each element of the index sends what belongs to it: its offset in elements from x's data,
/// less `least`, which is the least of all.
template <class Key>
__global__ void find_places(const __grid_constant__ Walk reached, Key* keys,
                            const std::int64_t* index, IndexedDim along, std::int64_t least,
                            Fault* faults) {
  const auto i = static_cast<std::uint32_t>(blockIdx.x * threads + threadIdx.x);
  if (i >= reached.count) return;
  const auto at = reached.at(i);
  const std::int64_t place = place_of(index[at.of[2]], along, faults, Scatter::name);
  keys[i] = place < 0 ? nowhere<Key> : static_cast<Key>(at.of[0] + place * along.stride - least);
}

/// What is sent, in the order of where it goes and of the index.
struct Sent {
  const std::uint32_t* narrow_keys;  // one of the two is null
  const std::uint64_t* wide_keys;
  const std::int64_t* places;
  std::int64_t least;

  GARBOARD_HD std::uint64_t key(std::int64_t i) const {
    return narrow_keys ? narrow_keys[i] : wide_keys[i];
  }
  GARBOARD_HD bool is_nowhere(std::uint64_t key) const {
    return key == (narrow_keys ? nowhere<std::uint32_t> : nowhere<std::uint64_t>);
  }
};

template <class F, class T>
__global__ void meet_in_order(const __grid_constant__ Walk reached,
                              const __grid_constant__ Walk free, Sent sent, T* x, const T* source) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const std::int64_t first = i / free.count;
  if (first >= reached.count) return;
  const std::uint64_t key = sent.key(first);
  if (sent.is_nowhere(key) || (first > 0 && sent.key(first - 1) == key)) return;
  const auto beside = free.at(static_cast<std::uint32_t>(i % free.count));
  T* const there = x + static_cast<std::int64_t>(key) + sent.least + beside.of[0];
  T value = *there;
  for (std::int64_t k = first; k < reached.count && sent.key(k) == key; ++k) {
    const auto from = reached.at(static_cast<std::uint32_t>(sent.places[k]));
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
    stretch(of.along.size, of.along.stride);
    for (int d = 0; d < reached.dims; ++d) stretch(reached.dim[d].size, reached.dim[d].strides[0]);
  }

  bool is_narrow() const { return most - least < nowhere<std::uint32_t>; }

  std::int64_t least = 0, most = 0;  // offsets that are reached

 private:
  void stretch(std::int64_t size, std::int64_t stride) {
    const std::int64_t last = std::max<std::int64_t>(size - 1, 0) * stride;
    (last < 0 ? least : most) += last;
  }
};

template <class F, class T>
void scatter(const ScatterPlan& plan, const Sent& sent, const Scatter& of, Stream stream) {
  const Walk reached(plan.reached);
  for (const NestPart& part :
       parts_of(plan.free, std::max<std::int64_t>(most_elements / reached.count, 1)))
    launch(meet_in_order<F, T>, {divided_up(reached.count * part.count(), threads), stream},
           reached, Walk(part), sent, of.x.as<T>() + part.start[0],
           of.source.as<T>() + part.start[1]);
}

void scatter_sent(const ScatterPlan& plan, const Sent& sent, const Scatter& of, Stream stream) {
  const auto run = [&]<class F>() {
    visit_dtype(of.x.dtype, [&]<class T>(Type<T>) {
      if constexpr (functors::Boolean<T>)
        scatter<functors::OnBools<F>, std::uint8_t>(plan, sent, of, stream);
      else if constexpr (std::is_invocable_v<F, functors::Widened<T>, functors::Widened<T>>)
        scatter<F, T>(plan, sent, of, stream);
      else
        refuse_complex(of.name, of.x.dtype);
    });
  };
  switch (of.meeting) {
    case Meeting::write:
      visit_item(item_size(of.x.dtype),
                 [&]<class Item>(Type<Item>) { scatter<Write, Item>(plan, sent, of, stream); });
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
}

template <class Key>
void scatter_by_keys(const ScatterPlan& plan, const Scatter& of, Stream stream) {
  const Walk reached(plan.reached);
  const std::int64_t count = reached.count;
  const Scratch keys(2 * count * sizeof(Key), stream);
  const Scratch places(count * sizeof(std::int64_t), stream);
  Key* const sorted = keys.as<Key>() + count;
  launch(find_places<Key>, {divided_up(count, threads), stream}, reached, keys.as<Key>(),
         of.index.as<std::int64_t>(), of.along, plan.least, fault_record(stream));
  sort_integers(sorted, places.as<std::int64_t>(), keys.as<Key>(), count, stream);
  Sent sent{nullptr, nullptr, places.as<std::int64_t>(), plan.least};
  if constexpr (sizeof(Key) == 4)
    sent.narrow_keys = sorted;
  else
    sent.wide_keys = sorted;
  scatter_sent(plan, sent, of, stream);
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
  plan.is_narrow() ? scatter_by_keys<std::uint32_t>(plan, of, stream)
                   : scatter_by_keys<std::uint64_t>(plan, of, stream);
  return true;
}

}  // namespace garboard::kernels::cuda
