// A walk over the slices along one dim of views whose other sizes agree.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/plan.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Elements `stride` apart. Without data where a view has none.
template <class T>
struct StridedSlice {
  T* data;
  std::int64_t count, stride;

  T& operator[](std::int64_t i) const { return data[i * stride]; }
  explicit operator bool() const { return data != nullptr; }
};

/// How the slices of a view along `dim` lie: read once, as a kernel's stores might change a view's
/// numbers for all that the compiler knows.
template <class T>
struct Slicing {
  std::int64_t count = 1, stride = 1;
  bool has_data;

  Slicing(const View& view, int dim) : has_data(view.data != nullptr) {
    if (view.sizes.empty()) return;
    count = view.sizes.data()[dim];
    stride = view.strides.data()[dim];
  }
  StridedSlice<T> at(char* data) const {
    return {reinterpret_cast<T*>(has_data ? data : nullptr), count, stride};
  }
};

/// The slice of `view` along `dim` that starts at `data`.
template <class T>
StridedSlice<T> slice_of(const View& view, int dim, char* data) {
  return Slicing<T>(view, dim).at(data);
}

/// Calls `walk(plan, is_long)` for each part of the slices: a place of `plan` is where one starts
/// in each view. `slice_ns` is what one takes, about.
template <class Walk>
void for_each_part_of_slices(std::initializer_list<const View*> views, int dim, double slice_ns,
                             Walk walk) {
  LoopPlan plan;
  const View& first = **views.begin();
  for (const View* view : views) plan.operand[plan.operands++] = operand_of(*view);
  std::int64_t count = 1;
  for (int d = 0; d < first.sizes.size(); ++d) {
    const std::int64_t size = first.sizes.data()[d];
    if (d == dim || size == 1) continue;
    count *= size;
    LoopDim& added = plan.dim[plan.dims++];
    added.size = size;
    int k = 0;
    for (const View* view : views) added.strides[k++] = view->data ? view->strides.data()[d] : 0;
  }
  if (count == 0) return;
  plan.coalesce();
  plan.pad(1);
  const std::int64_t inside = count / plan.dim[0].size;
  const double piece_ns = machine().piece_ns;
  const double place_ns = slice_ns * static_cast<double>(inside);
  const auto grain = static_cast<std::int64_t>(tuning::slices_part_ns / (place_ns + 1)) + 1;
  for_each_part(
      plan.dim[0].size, grain, slice_ns * static_cast<double>(count),
      [&](std::int64_t from, std::int64_t to) { walk(plan.part(from, to), slice_ns > piece_ns); });
}

/// Calls `visit(data)` for each slice; data[k] is where that of view k starts.
template <class Visit>
void for_each_slice(std::initializer_list<const View*> views, int dim, double slice_ns,
                    Visit visit) {
  for_each_part_of_slices(views, dim, slice_ns, [&](const LoopPlan& plan, bool is_long) {
    for_each_place(plan, 0, [&](char* const* data) {
      if (is_long) interruption_point();
      visit(data);
    });
  });
}

/// Where each of a few slices starts in each of three views.
template <int most>
struct SliceGroup {
  char* data[most][3];
  int count = 0;
};

/// Calls `visit(group)` for `most` short slices of three views at a time, fewer at the end of a
/// part.
template <int most, class Visit>
void for_each_group(const View* const (&views)[3], int dim, double slice_ns, Visit visit) {
  const auto walk = [&](const LoopPlan& plan, bool) {
    SliceGroup<most> group;
    for_each_place(plan, 0, [&](char* const* data) {
      std::copy(data, data + 3, group.data[group.count++]);
      if (group.count < most) return;
      visit(group);
      group.count = 0;
    });
    if (group.count > 0) visit(group);
  };
  for_each_part_of_slices({views[0], views[1], views[2]}, dim, slice_ns, walk);
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
