// Elements and rows taken to where an index says. No two threads write one element: they share a
// dim that the index does not reach, or each takes a range of what it does reach, and passes over
// the rest of the index. So what meets does so in row-major order with any number of threads.

#include "kernels/cpu/index/indexed_walk.h"
#include "kernels/cpu/loop/copy_bytes.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/functors/binary.h"
#include "kernels/functors/in_float.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// The last one stays.
struct Write {};

/// A range of places along the indexed dim, of a part of the work.
struct PlaceRange {
  std::uint64_t first, size;
};

/// Of x, index and source, along the innermost dim.
struct ScatterSteps {
  std::int64_t x, index, source;
};

template <class F, class T>
__attribute__((always_inline)) inline T met(T there, T given) {
  if constexpr (std::is_same_v<F, Write>)
    return given;
  else
    return functors::On<F, T>{}(there, given);
}

/// Elements that are not of the range go to one that nobody reads: a branch would be mispredicted
/// half the time.
template <class F, class T>
[[gnu::noinline]] void scatter_some(T* x, const std::int64_t* index, const T* source,
                                    std::int64_t count, ScatterSteps steps, IndexedDim along,
                                    PlaceRange range) {
  T nowhere[8] = {};
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t place = place_of(index + i * steps.index, along.wrap);
    const bool is_mine = place - range.first < range.size;
    T* const there =
        x + i * steps.x + (is_mine ? static_cast<std::int64_t>(place) : 0) * along.stride;
    T* const to = is_mine ? there : &nowhere[i & 7];
    *to = met<F>(*to, source[i * steps.source]);
  }
}

/// Elements of all places. One that has left the dim since the index was looked through, which
/// another thread may have written, goes nowhere.
template <class F, class T>
__attribute__((always_inline)) inline void scatter_elements(T* x, const std::int64_t* index,
                                                            const T* source, std::int64_t count,
                                                            ScatterSteps steps, IndexedDim along) {
  const bool is_near =
      along.size * size_of(along.stride) * std::int64_t{sizeof(T)} <= tuning::near_bytes;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!is_near) {
      const std::int64_t next = smaller(i + tuning::places_ahead, count - 1);
      const std::uint64_t place = place_of(index + next * steps.index, along.wrap);
      __builtin_prefetch(x + next * steps.x + static_cast<std::int64_t>(place) * along.stride, 1);
    }
    const std::uint64_t place = place_of(index + i * steps.index, along.wrap);
    if (place >= static_cast<std::uint64_t>(along.size)) [[unlikely]]
      continue;
    T& there = x[i * steps.x + static_cast<std::int64_t>(place) * along.stride];
    there = met<F>(there, source[i * steps.source]);
  }
}

template <class F, class T>
void scatter_row(T* x, const std::int64_t* index, const T* source, std::int64_t count,
                 ScatterSteps steps, IndexedDim along, PlaceRange range) {
  if (range.size < static_cast<std::uint64_t>(along.size))
    return scatter_some<F>(x, index, source, count, steps, along, range);
  if (steps.index == 1 && steps.x == 0 && steps.source == 1 && along.stride == 1)
    return scatter_elements<F>(x, index, source, count, {0, 1, 1}, {along.size, 1, along.wrap});
  if (steps.index == 1 && steps.x == 1 && steps.source == 1)
    return scatter_elements<F>(x, index, source, count, {1, 1, 1}, along);
  scatter_elements<F>(x, index, source, count, steps, along);
}

template <class F, class T>
void meet_row(T* x, const T* source, std::int64_t count, ScatterSteps steps) {
  if (steps.x == 1 && steps.source == 1) {
    if (std::is_same_v<F, Write> && count * sizeof(T) > 64) {
      copy_bytes(x, source, count * static_cast<std::int64_t>(sizeof(T)));
      return;
    }
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) x[i] = met<F>(x[i], source[i]);
    return;
  }
  if (steps.x == 1 && steps.source == 0) {
    const T given = *source;
    for (std::int64_t i = 0; i < count; ++i) x[i] = met<F>(x[i], given);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i)
    x[i * steps.x] = met<F>(x[i * steps.x], source[i * steps.source]);
}

template <class F, class T>
void scatter_all(const LoopPlan& plan, IndexedDim along, PlaceRange range) {
  const LoopDim &rows = plan.dim[plan.dims - 2], &inner = plan.inner();
  const ScatterSteps steps{inner.strides[0], inner.strides[1], inner.strides[2]};
  Pace pace;
  for_each_place(plan, 2, [&](char* const* data) {
    auto* x = reinterpret_cast<T*>(data[0]);
    const auto* index = reinterpret_cast<const std::int64_t*>(data[1]);
    const auto* source = reinterpret_cast<const T*>(data[2]);
    for (std::int64_t r = 0; r < rows.size; ++r) {
      pace.advance(inner.size);
      if (steps.index != 0) {
        for (const auto [first, last] : Pieces<>(inner.size))
          scatter_row<F>(x + first * steps.x, index + first * steps.index,
                         source + first * steps.source, last - first, steps, along, range);
      } else if (const std::uint64_t place = place_of(index, along.wrap);
                 place - range.first < range.size) {
        T* const there = x + static_cast<std::int64_t>(place) * along.stride;
        for (const auto [first, last] : Pieces<>(inner.size))
          meet_row<F>(there + first * steps.x, source + first * steps.source, last - first, steps);
      }
      x += rows.strides[0];
      index += rows.strides[1];
      source += rows.strides[2];
    }
  });
}

/// The outermost dim that the index does not reach, if it has enough for the threads; or -1.
int free_dim(const LoopPlan& plan, std::int64_t threads) {
  for (int d = 0; d < plan.dims; ++d) {
    if (plan.dim[d].strides[0] != 0 && plan.dim[d].size >= 4 * threads) return d;
  }
  return -1;
}

template <class F, class T>
void scatter(const LoopPlan& plan, IndexedDim along, double cost_ns) {
  const PlaceRange whole{0, static_cast<std::uint64_t>(along.size)};
  const std::int64_t threads = thread_count();
  // Where rows move, the index is short beside them, and a dim inside the row would cut it up.
  const bool moves_rows = plan.inner().strides[1] == 0;
  const int shared = free_dim(plan, threads);
  if (shared >= 0 && !(moves_rows && shared == plan.dims - 1))
    return for_each_part_along(plan, shared, cost_ns, [&](const LoopPlan& part) {
      scatter_all<F, T>(part, along, whole);
    });
  const double index_ns =
      moves_rows ? 0 : tuning::passed_ns * static_cast<double>(count_of(plan) * threads);
  const bool is_shared = threads > 1 && along.size >= 4 * threads && cost_ns > 2 * index_ns &&
                         is_worth_splitting(cost_ns);
  if (!is_shared) {
    const OuterLock::Away away(cost_ns);
    return scatter_all<F, T>(plan, along, whole);
  }
  const std::int64_t each = divided_up(along.size, threads);
  for_each_part(threads, 1, cost_ns, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t part = first; part < last; ++part) {
      const std::int64_t from = smaller(part * each, along.size);
      const std::int64_t to = smaller(from + each, along.size);
      scatter_all<F, T>(plan, along,
                        {static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to - from)});
    }
  });
}

bool is_in_range(const IndexRange::Range& range, IndexedDim along) {
  return range.least > range.largest || (range.least >= -along.wrap && range.largest < along.size);
}

}  // namespace

template <>
bool kernel(const Scatter& of, Stream stream) {
  if (of.x.count == 0) return true;
  if (!is_in_range(kernel(IndexRange{of.index}, stream), of.along)) return false;
  const LoopPlan plan = plan_in_order({&of.x, &of.index, &of.source});
  // Beyond the caches an element waits for memory.
  const bool moves_rows = plan.inner().strides[1] == 0;
  const std::int64_t bytes = of.along.size * size_of(of.along.stride) * plan.operand[0].item;
  const double element_ns = moves_rows                             ? tuning::moved_ns
                            : bytes > machine().second_cache_bytes ? tuning::taken_far_ns
                                                                   : tuning::taken_ns;
  const double cost_ns = static_cast<double>(of.x.count) * element_ns;
  const auto run = [&]<class F>() {
    visit_dtype(of.x.dtype, [&]<class T>(Type<T>) {
      if constexpr (functors::Boolean<T>)
        scatter<functors::OnBools<F>, std::uint8_t>(plan, of.along, cost_ns);
      else if constexpr (std::is_invocable_v<F, functors::Widened<T>, functors::Widened<T>>)
        scatter<F, T>(plan, of.along, cost_ns);
      else
        refuse_complex(of.name, of.x.dtype);
    });
  };
  switch (of.meeting) {
    case Meeting::write:
      visit_item(plan.operand[0].item,
                 [&]<class Item>(Type<Item>) { scatter<Write, Item>(plan, of.along, cost_ns); });
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

}  // namespace garboard::kernels::GARBOARD_ISA
