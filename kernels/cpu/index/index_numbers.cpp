// Of the numbers in an index: their range, and the places that several of them name together.
#include <cstdint>

#include "kernels/cpu/index/indexed_walk.h"
#include "kernels/cpu/loop/parts.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

IndexRange::Range range_of(const std::int64_t* index, std::int64_t count, std::int64_t step) {
  std::int64_t least = INT64_MAX, largest = INT64_MIN;
  const auto look = [&](std::int64_t each) __attribute__((always_inline)) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t given = index[i * each];
      least = smaller(least, given);
      largest = larger(largest, given);
    }
  };
  step == 1 ? look(1) : look(step);
  return {least, largest};
}

/// What another thread has found counts too.
template <class Better>
void replace_while(std::int64_t* known, std::int64_t found, Better is_better) {
  std::int64_t there = __atomic_load_n(known, __ATOMIC_RELAXED);
  while (is_better(found, there) &&
         !__atomic_compare_exchange_n(known, &there, found, true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
}

bool add_places(std::int64_t* out, const std::int64_t* index, std::int64_t count, std::int64_t step,
                IndexedDim along, bool is_first) {
  const std::int64_t start = along.stride < 0 ? (1 - along.size) * along.stride : 0;
  bool is_good = true;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t place = place_of(index + i * step, along.wrap);
    const bool is_inside = place < static_cast<std::uint64_t>(along.size);
    is_good &= is_inside;
    const std::int64_t moved =
        is_inside ? start + static_cast<std::int64_t>(place) * along.stride : 0;
    out[i] = is_first ? moved : out[i] + moved;
  }
  return is_good;
}

}  // namespace

template <>
IndexRange::Range kernel(const IndexRange& of, Stream) {
  if (of.index.count == 0) return {0, -1};
  IndexRange::Range all{INT64_MAX, INT64_MIN};
  LoopPlan plan = plan_in_order({&of.index});
  for (int d = 0; d < plan.dims; ++d) {  // what is broadcast is looked at once
    if (plan.dim[d].strides[0] == 0) plan.dim[d].size = 1;
  }
  const double cost_ns = static_cast<double>(count_of(plan)) * tuning::ranged_ns;
  for_each_part_along(plan, largest_dim(plan), cost_ns, [&](const LoopPlan& part) {
    IndexRange::Range mine{INT64_MAX, INT64_MIN};
    Pace pace;
    for_each_place(part, 1, [&](char* const* data) {
      pace.advance(part.inner().size);
      const IndexRange::Range found = range_of(reinterpret_cast<const std::int64_t*>(data[0]),
                                               part.inner().size, part.inner().strides[0]);
      mine = {smaller(mine.least, found.least), larger(mine.largest, found.largest)};
    });
    replace_while(&all.least, mine.least, [](auto a, auto b) { return a < b; });
    replace_while(&all.largest, mine.largest, [](auto a, auto b) { return a > b; });
  });
  return all;
}

template <>
bool kernel(const IndexedPlaces& of, Stream) {
  if (of.out.count == 0) return true;
  const LoopPlan plan = plan_in_order({&of.out, &of.index});
  bool is_good = true;
  for_each_part_along(
      plan, largest_dim(plan), static_cast<double>(of.out.count), [&](const LoopPlan& part) {
        for_each_place(part, 1, [&](char* const* data) {
          const bool is_row_good =
              add_places(reinterpret_cast<std::int64_t*>(data[0]),
                         reinterpret_cast<const std::int64_t*>(data[1]), part.inner().size,
                         part.inner().strides[1], of.along, of.is_first);
          if (!is_row_good) __atomic_store_n(&is_good, false, __ATOMIC_RELAXED);
        });
      });
  return is_good;
}

}  // namespace garboard::kernels::GARBOARD_ISA
