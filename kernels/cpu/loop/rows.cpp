#include "kernels/cpu/loop/rows.h"

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

// Slices that are neighbours are gathered together: a cache line of a strided view holds up to 16.
using tuning::long_place;
constexpr std::int64_t rows_at_once = tuning::rows_gathered;
constexpr std::int64_t scratch_bytes = tuning::row_scratch_bytes;

struct Slice {
  std::int64_t count, stride;
  bool is_scattered;  // to be gathered first
};

/// Whether slices lie side by side in all views, and are short enough for some to fit the cache.
bool lie_side_by_side(const RowLoop& rows, const LoopDim& across, const Slice* slices,
                      std::int64_t count) {
  if (!rows.columns || !are_columns(across.size, count)) return false;
  for (int k = 0; k < rows.views; ++k)
    if (!slices[k].is_scattered || slices[k].count != count || across.strides[k] != 1) return false;
  return true;
}

void walk_columns(const RowLoop& rows, const LoopPlan& plan, const Slice* slices,
                  std::int64_t count) {
  std::int64_t strides[max_operands];
  for (int k = 0; k < rows.views; ++k) strides[k] = slices[k].stride;
  const std::int64_t at_once = columns_of(count);
  const std::int64_t across = plan.inner().size;
  Pace pace;
  for_each_place(plan, 1, [&](char* const* data) {
    for (std::int64_t first = 0; first < across; first += at_once) {
      const std::int64_t n = smaller(across - first, at_once);
      pace.advance(n * count);
      void* at[max_operands];
      for (int k = 0; k < rows.views; ++k) at[k] = data[k] + first * plan.operand[k].item;
      rows.columns(at, strides, count, n);
    }
  });
}

/// Whether the slices are dense, and too short to be taken one by one.
bool are_short(const RowLoop& rows, const LoopPlan& plan, const Slice* slices, std::int64_t count) {
  if (!rows.columns || plan.dims == 0 || !are_turned(plan.inner().size, count)) return false;
  for (int k = 0; k < rows.views; ++k)
    if (slices[k].count != count) return false;
  return true;
}

template <class T>
void walk_turned(const RowLoop& rows, const LoopPlan& plan, std::int64_t count) {
  const LoopDim& across = plan.inner();
  const std::int64_t at_once = columns_of(count);
  const Scratch scratch(rows.views * at_once * count, sizeof(T));
  void* turned[max_operands];
  std::int64_t strides[max_operands];
  for (int k = 0; k < rows.views; ++k) {
    turned[k] = scratch.as<T>() + k * at_once * count;
    strides[k] = at_once;
  }
  Pace pace;
  for_each_place(plan, 1, [&](char* const* data) {
    for (std::int64_t first = 0; first < across.size; first += at_once) {
      const std::int64_t n = smaller(across.size - first, at_once);
      pace.advance(n * count);
      const auto outside = [&](int k) {
        return reinterpret_cast<T*>(data[k]) + first * across.strides[k];
      };
      for (int k = rows.outputs; k < rows.views; ++k)
        turn(static_cast<T*>(turned[k]), at_once, outside(k), across.strides[k], n, count);
      rows.columns(turned, strides, count, in_whole_lanes(n));
      for (int k = 0; k < rows.outputs; ++k)
        turn_back(outside(k), across.strides[k], static_cast<const T*>(turned[k]), at_once, n,
                  count);
    }
  });
}

/// The function for every place of the plan; `scattered` slices are gathered first. `is_long` where
/// one place of the outermost dim takes long.
void walk(const RowLoop& rows, LoopPlan plan, const Slice* slices, std::int64_t count,
          int scattered, bool is_long) {
  Pace pace;
  if (!scattered && is_long) {
    return for_each_place(plan, 0, [&](char* const* data) {
      pace.advance(count);
      rows.function(reinterpret_cast<void* const*>(data), count);
    });
  }
  if (!scattered) {
    return for_each_place(plan, 0, [&](char* const* data) {
      rows.function(reinterpret_cast<void* const*>(data), count);
    });
  }

  plan.pad(1);
  const LoopDim& across = plan.inner();
  if (lie_side_by_side(rows, across, slices, count)) return walk_columns(rows, plan, slices, count);
  const std::int64_t fitting = scratch_bytes / (largest_item * count);
  const std::int64_t at_once =
      smaller(across.size, fitting < 1 ? 1 : smaller(fitting, rows_at_once));
  const Scratch scratch(scattered * at_once * count * largest_item);
  for_each_place(plan, 1, [&](char* const* data) {
    for (std::int64_t first = 0; first < across.size; first += at_once) {
      const std::int64_t n = smaller(across.size - first, at_once);
      pace.advance(n * count);
      char* outside[max_operands];
      char* dense[max_operands];
      std::int64_t steps[max_operands];  // from one dense row to the next, in bytes
      char* free = scratch.data();
      for (int k = 0; k < rows.views; ++k) {
        const int item = plan.operand[k].item;
        outside[k] = data[k] + first * across.strides[k] * item;
        dense[k] = outside[k];
        steps[k] = across.strides[k] * item;
        if (!slices[k].is_scattered) continue;
        dense[k] = free;
        steps[k] = count * item;
        free += at_once * count * item;
        if (k < rows.outputs) continue;
        if (n == 1)
          gather_row(item, dense[k], outside[k], count, slices[k].stride);
        else
          gather(item, dense[k], outside[k], {n, count, across.strides[k], slices[k].stride});
      }
      for (std::int64_t row = 0; row < n; ++row) {
        void* at[max_operands];
        for (int k = 0; k < rows.views; ++k) at[k] = dense[k] ? dense[k] + row * steps[k] : nullptr;
        rows.function(at, count);
      }
      for (int k = 0; k < rows.outputs; ++k) {
        if (!slices[k].is_scattered) continue;
        const int item = plan.operand[k].item;
        if (n == 1)
          scatter_row(item, outside[k], dense[k], count, slices[k].stride);
        else
          scatter(item, outside[k], dense[k], {n, count, across.strides[k], slices[k].stride});
      }
    }
  });
}

}  // namespace

void gather_row(int item, void* to, const void* from, std::int64_t count, std::int64_t stride) {
  for (const auto [first, last] : Pieces<>(count))
    gather(item, static_cast<char*>(to) + first * item,
           static_cast<const char*>(from) + first * stride * item, {1, last - first, 0, stride});
}

void scatter_row(int item, void* to, const void* from, std::int64_t count, std::int64_t stride) {
  for (const auto [first, last] : Pieces<>(count))
    scatter(item, static_cast<char*>(to) + first * stride * item,
            static_cast<const char*>(from) + first * item, {1, last - first, 0, stride});
}

void for_each_row(const RowLoop& rows, const View* const* views, int dim) {
  const View& whole = *views[rows.views - 1];
  if (whole.count == 0) return;
  const std::int64_t count = whole.sizes.empty() ? 1 : whole.sizes.data()[dim];
  LoopPlan plan;
  Slice slices[max_operands];
  plan.operands = rows.views;
  int scattered = 0;
  for (int k = 0; k < rows.views; ++k) {
    const View& x = *views[k];
    plan.operand[k] = operand_of(x);
    const bool is_slice = !x.sizes.empty() && x.sizes.data()[dim] == count && count > 1;
    const std::int64_t stride = is_slice ? x.strides.data()[dim] : 1;
    slices[k] = {is_slice ? count : 1, stride, stride != 1 && x.data};
    scattered += slices[k].is_scattered;
  }
  for (int d = 0, n = whole.sizes.size(); d < n; ++d) {
    LoopDim added{whole.sizes.data()[d], {}};
    for (int k = 0; k < rows.views; ++k)
      added.strides[k] = views[k]->data ? views[k]->strides.data()[d] : 0;
    if (d != dim) plan.insert(added);
  }
  plan.coalesce();
  constexpr double element_ns = tuning::row_element_ns;
  if (plan.dims == 0)
    return for_each_part(
        1, 1, static_cast<double>(count) * element_ns,
        [&](std::int64_t, std::int64_t) { walk(rows, plan, slices, count, scattered, true); });
  constexpr std::int64_t part_elements = tuning::row_part;
  const std::int64_t inside = whole.count / plan.dim[0].size;
  // Of all slices: a part of few is summed as its neighbours are.
  const bool turns = !scattered && are_short(rows, plan, slices, count);
  const auto turned =
      plan.operand[0].item == sizeof(float) ? walk_turned<float> : walk_turned<double>;
  for_each_part(
      plan.dim[0].size, divided_up(part_elements / inside + 1, rows_at_once) * rows_at_once,
      static_cast<double>(whole.count) * element_ns, [&](std::int64_t first, std::int64_t last) {
        if (turns) return turned(rows, plan.part(first, last), count);
        walk(rows, plan.part(first, last), slices, count, scattered, inside > long_place);
      });
}

}  // namespace garboard::kernels::GARBOARD_ISA
