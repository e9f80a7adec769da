// A walk over the slices along one dim of views whose other sizes agree.
#pragma once

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

/// The slice of `view` along `dim` that starts at `data`.
template <class T>
StridedSlice<T> slice_of(const View& view, int dim, char* data) {
  const bool has_dim = !view.sizes.empty();
  return {reinterpret_cast<T*>(view.data ? data : nullptr), has_dim ? view.sizes.data()[dim] : 1,
          has_dim ? view.strides.data()[dim] : 1};
}

/// Calls `visit(data)` for each slice; data[k] is where that of view k starts. `slice_ns` is what
/// one takes, about.
template <class Visit>
void for_each_slice(std::initializer_list<const View*> views, int dim, double slice_ns,
                    Visit visit) {
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
  for_each_part(plan.dim[0].size, grain, slice_ns * static_cast<double>(count),
                [&](std::int64_t from, std::int64_t to) {
                  for_each_place(plan.part(from, to), 0, [&](char* const* data) {
                    if (slice_ns > piece_ns) interruption_point();
                    visit(data);
                  });
                });
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
