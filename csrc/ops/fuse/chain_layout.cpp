#include "csrc/ops/fuse/chain_layout.h"

#include <algorithm>

#include "csrc/ops/create/result_layout.h"
#include "csrc/ops/op/promotion.h"

namespace garboard {
namespace {

View with_dims_in(const Dims& order, const View& view) {
  Dims sizes, strides;
  for (const std::int64_t dim : order) {
    sizes.push_back(view.sizes[static_cast<int>(dim)]);
    strides.push_back(view.strides[static_cast<int>(dim)]);
  }
  return make_view(view.data, view.dtype, sizes, strides);
}

}  // namespace

ChainLayout::ChainLayout(const ChainProgram& program) : sizes(program.sizes) {
  std::vector<const View*> given;
  views.reserve(program.inputs.size());
  for (const Tensor& input : program.inputs) {
    const View view = input.view();
    const bool fits = view.count == 1 || view.sizes == sizes;
    views.push_back(fits ? view : broadcast_view(view, sizes));
    given.push_back(&views.back());
  }
  const View* const like = shared_layout(sizes, given);
  const bool is_row_major = !like;
  strides = like ? like->strides : contiguous_strides(sizes);
  Dims order;
  if (!is_row_major) {
    for (int i = 0; i < sizes.size(); ++i) order.push_back(i);
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](std::int64_t dim) { return strides[static_cast<int>(dim)]; });
    Dims turned;
    for (const std::int64_t dim : order) turned.push_back(sizes[static_cast<int>(dim)]);
    sizes = turned;
  }
  is_flat = true;
  for (View& view : views) {
    if (view.count == 1) continue;
    if (!is_row_major) {
      view = with_dims_in(order, view);
    } else if (is_turned(view)) {
      const auto at = static_cast<std::size_t>(&view - views.data());
      copies_.push_back(straightened(program.inputs[at]));
      const View rows = copies_.back().view();
      view = rows.sizes == sizes ? rows : broadcast_view(rows, sizes);
    }
    is_flat = is_flat && view.contiguous && view.sizes == sizes;
  }
  if (!is_flat) return;
  const std::int64_t count = sizes.product();
  for (View& view : views)
    if (view.count != 1) view = make_view(view.data, view.dtype, Dims{count}, Dims{1});
  sizes = Dims{count};
}

}  // namespace garboard
