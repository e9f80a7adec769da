// Elements and rows brought together by index. Each index, and each element that it names, is read
// once; where the index stands still along the innermost dim, rows move as a whole.

#include <algorithm>

#include "kernels/cpu/index/indexed_walk.h"
#include "kernels/cpu/loop/copy_bytes.h"
#include "kernels/cpu/loop/parts.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Of out, x and index, along the innermost dim.
struct GatherSteps {
  std::int64_t out, x, index;
};

template <class Item>
bool gather_elements(Item* y, const Item* x, const std::int64_t* index, std::int64_t count,
                     GatherSteps steps, IndexedDim along) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t place = place_of(index + i * steps.index, along.wrap);
    if (place >= static_cast<std::uint64_t>(along.size)) [[unlikely]]
      return false;
    y[i * steps.out] = x[i * steps.x + static_cast<std::int64_t>(place) * along.stride];
  }
  return true;
}

/// With strides that are known when this is compiled where they are the usual ones.
template <class Item>
bool gather_row(Item* y, const Item* x, const std::int64_t* index, std::int64_t count,
                GatherSteps steps, IndexedDim along) {
  if (steps.out == 1 && steps.index == 1 && steps.x == 0 && along.stride == 1)
    return gather_elements(y, x, index, count, {1, 0, 1}, {along.size, 1, along.wrap});
  if (steps.out == 1 && steps.index == 1 && steps.x == 1)
    return gather_elements(y, x, index, count, {1, 1, 1}, along);
  return gather_elements(y, x, index, count, steps, along);
}

template <class Item>
void pick(Item* y, const Item* x, const std::int64_t* places, std::int64_t count) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) y[i] = x[places[i]];
}

/// One row of indices for all rows of x: they are looked at once, some at a time.
template <class Item>
bool gather_columns(Item* y, const Item* x, const std::int64_t* index, const LoopDim& rows,
                    std::int64_t count, GatherSteps steps, IndexedDim along) {
  constexpr std::int64_t most = 512;
  std::int64_t places[most];
  for (std::int64_t first = 0; first < count; first += most) {
    const std::int64_t some = std::min(most, count - first);
    std::uint64_t largest = 0;
    for (std::int64_t i = 0; i < some; ++i) {
      const std::uint64_t place = place_of(index + (first + i) * steps.index, along.wrap);
      largest = std::max(largest, place);
      places[i] = static_cast<std::int64_t>(place) * along.stride;
    }
    if (largest >= static_cast<std::uint64_t>(along.size)) return false;
    Item* to = y + first * steps.out;
    const Item* from = x + first * steps.x;
    for (std::int64_t r = 0; r < rows.size; ++r) {
      if (steps.out == 1 && steps.x == 0)
        pick(to, from, places, some);
      else
        for (std::int64_t i = 0; i < some; ++i) to[i * steps.out] = from[i * steps.x + places[i]];
      to += rows.strides[0];
      from += rows.strides[1];
    }
  }
  return true;
}

template <class Item>
void copy_row(Item* y, const Item* x, std::int64_t count, GatherSteps steps) {
  if (steps.out == 1 && steps.x == 1 && count * sizeof(Item) > 64) {
    copy_bytes(y, x, count * static_cast<std::int64_t>(sizeof(Item)));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) y[i * steps.out] = x[i * steps.x];
}

template <class Item>
bool gather_all(const LoopPlan& plan, IndexedDim along) {
  typedef Item Aliased __attribute__((may_alias));
  const LoopDim &rows = plan.dim[plan.dims - 2], &inner = plan.inner();
  const GatherSteps steps{inner.strides[0], inner.strides[1], inner.strides[2]};
  bool is_good = true;
  Pace pace;
  for_each_place(plan, 2, [&](char* const* data) {
    auto* y = reinterpret_cast<Aliased*>(data[0]);
    const auto* x = reinterpret_cast<const Aliased*>(data[1]);
    const auto* index = reinterpret_cast<const std::int64_t*>(data[2]);
    if (steps.index != 0 && rows.strides[2] == 0 && rows.size > 1) {
      pace.advance(rows.size * inner.size);
      is_good = is_good && gather_columns(y, x, index, rows, inner.size, steps, along);
      return;
    }
    for (std::int64_t r = 0; r < rows.size && is_good; ++r) {
      pace.advance(inner.size);
      if (steps.index != 0) {
        is_good = gather_row(y, x, index, inner.size, steps, along);
      } else {
        const std::uint64_t place = place_of(index, along.wrap);
        is_good = place < static_cast<std::uint64_t>(along.size);
        if (is_good)
          copy_row(y, x + static_cast<std::int64_t>(place) * along.stride, inner.size, steps);
      }
      y += rows.strides[0];
      x += rows.strides[1];
      index += rows.strides[2];
    }
  });
  return is_good;
}

}  // namespace

template <>
bool kernel(const Gather& of, Stream) {
  if (of.out.count == 0) return true;
  const LoopPlan plan = plan_in_order({&of.out, &of.x, &of.index});
  const bool moves_rows = plan.inner().strides[2] == 0;
  const auto count = static_cast<double>(of.out.count);
  const double cost_ns = count * (moves_rows ? tuning::moved_ns : tuning::fetched_ns);
  bool is_good = true;
  for_each_part_along(plan, largest_dim(plan), cost_ns, [&](const LoopPlan& part) {
    const bool is_part_good = visit_item(part.operand[0].item, [&]<class Item>(Type<Item>) {
      return gather_all<Item>(part, of.along);
    });
    if (!is_part_good) __atomic_store_n(&is_good, false, __ATOMIC_RELAXED);
  });
  return is_good;
}

}  // namespace garboard::kernels::GARBOARD_ISA
